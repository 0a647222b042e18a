// A workspace in memory, for tests and for tasks that nobody takes up again.
import { GloveError } from "../../src/values/error.js";
import { decodeUtf8, encodeUtf8 } from "../../src/values/utf8.js";
import { isBelow, isSame, type TaskWorkspace, type WorkspaceEntry } from "./workspace.js";

let made = 0;

/** A workspace in memory: it goes with its page. */
export class MemoryTaskWorkspace implements TaskWorkspace {
  readonly name = `memory/${++made}`;
  readonly #files = new Map<string, Uint8Array>();
  #leased = false;

  /** With these files, by their paths. */
  constructor(files: Readonly<Record<string, string | Uint8Array>> = {}) {
    for (const [path, content] of Object.entries(files)) {
      if (typeof content !== "string" && !(content instanceof Uint8Array)) {
        throw new GloveError("CONFIG_INVALID", `The file \`${path}\` must be a string or a Uint8Array.`);
      }
      this.#put(path, content);
    }
  }

  #put(path: string, content: string | Uint8Array): void {
    this.#files.set(path, typeof content === "string" ? encodeUtf8(content) : content.slice());
  }

  async read(path: string): Promise<Uint8Array | undefined> {
    return this.#files.get(path)?.slice();
  }

  async write(path: string, content: string | Uint8Array): Promise<void> {
    this.#put(path, content);
  }

  async swap(path: string, before: Uint8Array | undefined, content: string): Promise<boolean> {
    const same = isSame(this.#files.get(path), before);
    if (same) this.#put(path, content);
    return same;
  }

  async append(path: string, content: string): Promise<void> {
    const before = this.#files.get(path);
    this.#put(path, (before ? decodeUtf8(before) : "") + content);
  }

  async remove(path: string): Promise<void> {
    this.#files.delete(path);
  }

  async list(folder: string): Promise<readonly WorkspaceEntry[]> {
    const all = [...this.#files].map(([path, content]) => ({ path, size: content.length }));
    return all.filter(({ path }) => isBelow(path, folder));
  }

  async lease(): Promise<(() => void) | undefined> {
    if (this.#leased) return undefined;
    this.#leased = true;
    return () => {
      this.#leased = false;
    };
  }

  async leased(): Promise<boolean> {
    return this.#leased;
  }
}
