// A workspace in a folder of the browser: its private file system, or a folder that a person has picked.
import { check } from "../../src/values/validate-options.js";
import { inTurn, isLeased, leaseOf } from "./lease.js";
import { isSame, type TaskWorkspace, type WorkspaceEntry } from "./workspace.js";

type Folder = FileSystemDirectoryHandle;

/**
 * A workspace in a folder: one of `navigator.storage.getDirectory()`, or of `showDirectoryPicker()`. A file is written beside itself and
 * takes the place of the old one when all of it is there (`createWritable`). `name` tells it apart from others for the lock of its runner.
 */
export class DirectoryTaskWorkspace implements TaskWorkspace {
  readonly #root: Folder;
  readonly #below: readonly string[];
  /** Its folder of decisions has been made. */
  #decisions: Promise<unknown> | undefined;

  /** `below` is a folder in it that is made with the first file. */
  constructor(
    root: FileSystemDirectoryHandle,
    readonly name: string = `folder/${root.name}`,
    below?: string,
  ) {
    check("`name`", name, "text");
    this.#root = root;
    this.#below = below === undefined ? [] : [below];
  }

  async read(path: string): Promise<Uint8Array | undefined> {
    for (let tries = 0; ; tries++) {
      const file = await this.#file(path);
      if (!file) return undefined;
      try {
        const content = new Uint8Array(await (await file.getFile()).arrayBuffer());
        return content.length === 0 && isUnfinished(path) ? undefined : content;
      } catch (error) {
        if (named(error, "NotFoundError")) return undefined;
        // It was replaced while it was read.
        if (!named(error, "NotReadableError") || tries > 4) throw error;
      }
    }
  }

  async write(path: string, content: string | Uint8Array): Promise<void> {
    const [folder, name] = await this.#place(path);
    const writer = await (await folder.getFileHandle(name, { create: true })).createWritable();
    await written(writer, content);
    // People and services look there from the first file on.
    this.#decisions ??= this.#place("progress/approvals/decisions/of").catch(() => {});
    await this.#decisions;
  }

  /** One after the other, in all tabs of the origin. */
  swap(path: string, before: Uint8Array | undefined, content: string): Promise<boolean> {
    return inTurn(`${this.name}:swap`, async () => {
      const same = isSame(await this.read(path), before);
      if (same) await this.write(path, content);
      return same;
    });
  }

  async append(path: string, content: string): Promise<void> {
    const [folder, name] = await this.#place(path);
    const file = await folder.getFileHandle(name, { create: true });
    const { size } = await file.getFile();
    const writer = await file.createWritable({ keepExistingData: true });
    await writer.seek(size);
    await written(writer, content);
  }

  async remove(path: string): Promise<void> {
    const names = path.split("/");
    const last = names.pop() ?? "";
    await (await this.#folder(names))?.removeEntry(last).catch(unlessMissing);
  }

  async list(folder: string): Promise<readonly WorkspaceEntry[]> {
    const found: WorkspaceEntry[] = [];
    const start = await this.#folder(folder.split("/"));
    if (start) await listed(start, folder, found);
    return found;
  }

  lease(): Promise<(() => void) | undefined> {
    return leaseOf(this.name);
  }

  leased(): Promise<boolean> {
    return isLeased(this.name);
  }

  /** The folder of a path, which is made where there is none, and the name of the file. */
  async #place(path: string): Promise<[Folder, string]> {
    const names = path.split("/");
    const name = names.pop() ?? "";
    let folder = this.#root;
    for (const part of [...this.#below, ...names]) folder = await folder.getDirectoryHandle(part, { create: true });
    return [folder, name];
  }

  async #folder(names: readonly string[]): Promise<Folder | undefined> {
    let folder: Folder | undefined = this.#root;
    for (const part of [...this.#below, ...names]) folder = await folder?.getDirectoryHandle(part).catch(unlessMissing);
    return folder;
  }

  async #file(path: string): Promise<FileSystemFileHandle | undefined> {
    const names = path.split("/");
    const name = names.pop() ?? "";
    return (await this.#folder(names))?.getFileHandle(name).catch(unlessMissing);
  }
}

/**
 * A file is made empty before its first content takes its place: what governs a task is never empty, so that an empty one was never
 * finished. An artifact may well be.
 */
const isUnfinished = (path: string) =>
  path.startsWith("progress/") && !path.startsWith("progress/artifacts/") && path !== "progress/STOP";

/** Chromium writes here until a file is whole; a page that died leaves it behind. */
const isSwap = (name: string) => name.endsWith(".crswap");

async function written(writer: FileSystemWritableFileStream, content: string | Uint8Array): Promise<void> {
  try {
    await writer.write(content as string);
  } catch (error) {
    await writer.abort().catch(() => {});
    throw error;
  }
  await writer.close();
}

async function listed(folder: Folder, path: string, found: WorkspaceEntry[]): Promise<void> {
  for await (const [name, entry] of (folder as unknown as { entries(): AsyncIterable<[string, FileSystemHandle]> }).entries()) {
    const inner = `${path}/${name}`;
    if (entry.kind === "directory") await listed(entry as Folder, inner, found);
    else if (!isSwap(name)) {
      // It may have gone meanwhile.
      const file = await (entry as FileSystemFileHandle).getFile().catch(unlessMissing);
      if (file && (file.size > 0 || !isUnfinished(inner))) found.push({ path: inner, size: file.size });
    }
  }
}

function named(error: unknown, ...names: readonly string[]): boolean {
  return error instanceof DOMException && names.includes(error.name);
}

/** Nothing where there is nothing. */
export function unlessMissing(error: unknown): undefined {
  if (named(error, "NotFoundError", "TypeMismatchError")) return undefined;
  throw error;
}
