// A workspace in a folder of a server, with the layout and the lock of the program: `glove run` and Node take turns on it.
import { GloveError, reasonOf } from "../../src/values/error.js";
import { check } from "../../src/values/validate-options.js";
import { fromCore } from "../../src/wasm/core-errors.js";
import { core } from "../core.js";
import { inTurn } from "../workspaces/lease.js";
import { isSame, type TaskWorkspace, type WorkspaceEntry } from "../workspaces/workspace.js";
import { isLocked, lockFile } from "./lock.js";
import { type NodeEntry, type NodeFile, type NodeStats, nodeFiles, nodeProcess } from "./node.js";

/** Held by the one who runs the task. */
const lock = "progress/.lock";
/** Locked while a file is put in the place of one that was read. It is in no list, by its name. */
const swaps = "progress/.glove-swap";
const swapPatience = 30_000;
/** How the names of files begin that are about to take another's place. */
const beside = ".glove-";

let written = 0;

/** The locks of this process: of those the system need not be asked. */
const locked = new Set<string>();

/**
 * A task in a folder of this machine, for Node. A file is written beside the old one and takes its place when all of it is on the disk. No
 * path leads out of the folder, and where the task works no link is followed.
 */
export class FolderTaskWorkspace implements TaskWorkspace {
  readonly name: string;
  readonly #root: string;
  #opened: Promise<string> | undefined;

  /** The folder is made with the first file. */
  constructor(folder: string) {
    this.#root = check("The folder", folder, "text");
    if (folder === "") throw new GloveError("CONFIG_INVALID", "The folder of a workspace must have a path.");
    this.name = `folder/${folder}`;
  }

  async read(path: string): Promise<Uint8Array | undefined> {
    const { open } = nodeFiles();
    return this.#at(path, "read", async (at) => {
      let file: NodeFile | undefined;
      try {
        // Opening a pipe would wait for ever.
        file = await open(at, flag("O_RDONLY") | flag("O_NONBLOCK"));
        if (!(await file.stat()).isFile()) throw new Error("it is not a regular file");
        return new Uint8Array(await file.readFile());
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      } finally {
        await file?.close();
      }
    });
  }

  write(path: string, content: string | Uint8Array): Promise<void> {
    return this.#at(path, "make", (at) => replace(at, content));
  }

  /** Under a lock that `glove` takes, too; a file that others make meanwhile is never replaced. */
  swap(path: string, before: Uint8Array | undefined, content: string): Promise<boolean> {
    // One of this process asks for the lock at once.
    return inTurn(`${this.name}:swap`, () => this.#swaps(path, before, content));
  }

  async #swaps(path: string, before: Uint8Array | undefined, content: string): Promise<boolean> {
    const release = await this.#at(swaps, "make", swapLock);
    try {
      const there = await this.read(path);
      if (!isSame(there, before)) return false;
      return await this.#at(path, "make", (at) => (there ? replace(at, content).then(() => true) : create(at, content)));
    } finally {
      release();
    }
  }

  async append(path: string, content: string): Promise<void> {
    const { open } = nodeFiles();
    return this.#at(path, "make", async (at) => {
      const file = await open(at, flag("O_WRONLY") | flag("O_APPEND") | flag("O_CREAT") | flag("O_NOFOLLOW"), 0o666);
      try {
        const { size } = await file.stat();
        try {
          await file.writeFile(content);
          await file.datasync();
        } catch (error) {
          // The next line would be glued to half of this one, where the disk became full.
          await file.truncate(size).catch(() => {});
          throw error;
        }
      } finally {
        await file.close();
      }
    });
  }

  async remove(path: string): Promise<void> {
    const { rm } = nodeFiles();
    await this.#at(path, "read", (at) => rm(at, { force: true }));
  }

  async list(folder: string): Promise<readonly WorkspaceEntry[]> {
    return this.#at(folder, "read", async (at) => {
      const found: WorkspaceEntry[] = [];
      await below(at, await clean(folder), found);
      return found;
    });
  }

  async lease(): Promise<(() => void) | undefined> {
    return this.#at(lock, "make", async (at) => {
      if (locked.has(at)) return undefined;
      locked.add(at);
      let release: (() => void) | undefined;
      try {
        release = await lockFile(at);
        // People and services look here from the start.
        if (release) await this.#at("progress/approvals/decisions/of", "make", async () => {});
      } catch (error) {
        release?.();
        release = undefined;
        throw error;
      } finally {
        if (!release) locked.delete(at);
      }
      if (!release) return undefined;
      return () => {
        if (locked.delete(at)) release?.();
      };
    });
  }

  async leased(): Promise<boolean> {
    return this.#at(lock, "read", async (at) => locked.has(at) || isLocked(at));
  }

  /** Does it at the place of a path that is one of a workspace; `make` makes the folders that it needs. */
  async #at<T>(given: string, how: "read" | "make", work: (at: string) => Promise<T>): Promise<T> {
    const path = await clean(given);
    try {
      const root = await this.#open(how);
      await direct(root, path);
      const { mkdir, realpath } = nodeFiles();
      const at = `${root}/${path}`;
      const parent = at.slice(0, at.lastIndexOf("/"));
      if (how === "make") await mkdir(parent, { recursive: true });
      // Inputs may be links to files of the folder itself.
      const real = await realpath(at).catch(() => at);
      if (real !== root && !real.startsWith(`${root}/`))
        throw new Error("it leads out of the workspace by a link; remove the link");
      return await work(at);
    } catch (error) {
      if (error instanceof GloveError) throw error;
      throw new GloveError("TASK_WORKSPACE_FAILED", `\`${path}\`: ${reasonOf(error)}`, { cause: error });
    }
  }

  /** The folder as the system calls it. */
  async #open(how: "read" | "make"): Promise<string> {
    const { mkdir, realpath } = nodeFiles();
    const open = async () => {
      if (how === "make") for (const part of ["task", "progress"]) await mkdir(`${this.#root}/${part}`, { recursive: true });
      return realpath(this.#root);
    };
    if (how === "make") this.#opened ??= open();
    const opened = this.#opened ?? open().catch((error) => (isMissing(error) ? this.#root : Promise.reject(error)));
    return opened.catch((error) => {
      this.#opened = undefined;
      throw error;
    });
  }
}

/** None where a system has it not. */
const flag = (name: string): number => nodeFiles().constants[name] ?? 0;

async function clean(path: string): Promise<string> {
  const { workspacePath } = await core.load();
  try {
    return (workspacePath as (path: string) => string)(path);
  } catch (thrown) {
    throw fromCore(thrown);
  }
}

/** By a link, a tool that may write artifacts could write decisions. */
async function direct(root: string, path: string): Promise<void> {
  const names = path.split("/");
  if (names[0] !== "progress") return;
  const { lstat } = nodeFiles();
  for (let count = 1; count <= names.length; count++) {
    const part = names.slice(0, count).join("/");
    const found: NodeStats | undefined = await lstat(`${root}/${part}`).catch((error) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
    if (!found) return;
    if (found.isSymbolicLink()) throw new Error(`\`${part}\` is a link; remove it`);
  }
}

async function swapLock(at: string): Promise<() => void> {
  for (const until = Date.now() + swapPatience; ; ) {
    const release = await lockFile(at);
    if (release) return release;
    if (Date.now() > until) throw new Error("somebody else has it locked");
  }
}

/** A new file as a whole; false where somebody has made one. */
async function create(at: string, content: string): Promise<boolean> {
  const { link, open, rm } = nodeFiles();
  try {
    await writtenBeside(at, content, async (next) => {
      try {
        await link(next, at);
      } catch (error) {
        if (isThere(error)) throw error;
        // A file system without links: made at once, and whole only with its last byte.
        const file = await open(at, "wx");
        try {
          await file.writeFile(content);
          await file.sync();
        } finally {
          await file.close();
        }
      }
      await rm(next, { force: true });
    });
    return true;
  } catch (error) {
    if (isThere(error)) return false;
    throw error;
  }
}

/** All of the new content or all of the old. */
async function replace(at: string, content: string | Uint8Array): Promise<void> {
  const { chmod, rename, stat } = nodeFiles();
  await writtenBeside(at, content, async (next) => {
    const before = await stat(at).catch(() => undefined);
    if (before?.isDirectory()) throw new Error("it is a folder");
    if (before) await chmod(next, before.mode);
    await rename(next, at);
  });
}

/** Writes the content beside a file, and lets it be put in its place. */
async function writtenBeside(at: string, content: string | Uint8Array, put: (next: string) => Promise<void>): Promise<void> {
  const { open, rm } = nodeFiles();
  const slash = at.lastIndexOf("/");
  const next = `${at.slice(0, slash)}/${beside}${nodeProcess().pid}-${written++}.tmp`;
  try {
    const file = await open(next, "wx");
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await put(next);
  } catch (error) {
    await rm(next, { force: true }).catch(() => {});
    throw error;
  }
}

/** The files below a folder; links are passed over. */
async function below(at: string, path: string, found: WorkspaceEntry[]): Promise<void> {
  const { lstat, readdir } = nodeFiles();
  const entries: NodeEntry[] = await readdir(at, { withFileTypes: true }).catch((error) => {
    if (isMissing(error)) return [];
    throw error;
  });
  for (const entry of entries) {
    if (entry.name.startsWith(beside)) continue;
    // What no path can name nobody can read either.
    const inner = await clean(`${path}/${entry.name}`).catch(() => undefined);
    if (inner !== `${path}/${entry.name}` || inner === lock) continue;
    if (entry.isDirectory()) await below(`${at}/${entry.name}`, inner, found);
    else if (entry.isFile()) {
      // It may have gone meanwhile.
      const file = await lstat(`${at}/${entry.name}`).catch((error) => {
        if (isMissing(error)) return undefined;
        throw error;
      });
      if (file) found.push({ path: inner, size: file.size });
    }
  }
}

const isThere = (error: unknown) => (error as { readonly code?: string }).code === "EEXIST";

function isMissing(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes((error as { readonly code?: string }).code ?? "");
}
