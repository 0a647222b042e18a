// The files of a workspace, as the core of a task asks for them.

import type { ToolFiles } from "../src/ports/tool.js";
import { Limits } from "../src/store/limits.js";
import { GloveError } from "../src/values/error.js";
import { decodeUtf8 } from "../src/values/utf8.js";
import type { TaskWorkspace } from "./workspaces/workspace.js";

const misbehaves = (method: string, expected: string, got: unknown) =>
  new GloveError("TASK_WORKSPACE_FAILED", `\`${method}\` of the workspace must give ${expected}, got ${typeof got}.`);

/** Nobody waits for a workspace for ever. */
export const silent = () =>
  new GloveError(
    "TASK_WORKSPACE_FAILED",
    "The workspace does not respond: see to its files, then resume the task, or start it again.",
  );

/** What the application's workspace answers is checked: the core takes it as it is. */
export class WorkspaceFiles {
  readonly #workspace: TaskWorkspace;
  readonly #wrote: (path: string) => void;
  #release: (() => void) | undefined;
  readonly #writing = new Set<Promise<void>>();
  readonly #limits = new Limits(silent);

  constructor(workspace: TaskWorkspace, wrote: (path: string) => void) {
    this.#workspace = workspace;
    this.#wrote = wrote;
  }

  port() {
    const workspace = this.#workspace;
    return {
      read: async (path: string) => {
        const content: unknown = (await this.#limits.within(toPromise(() => workspace.read(path)))) ?? undefined;
        // By its tag: one of another realm is no instance of this one's class.
        if (content === undefined || Object.prototype.toString.call(content) === "[object Uint8Array]") return content;
        throw misbehaves("read", "a Uint8Array, or nothing where there is no file", content);
      },
      write: (path: string, content: string) => this.#writes(path, async () => workspace.write(path, content)),
      swap: async (path: string, before: string | undefined, content: string) => {
        let swapped = false;
        const swap = async () => {
          swapped = await swapIn(workspace, path, before, content);
        };
        await this.#writes(path, swap, () => swapped);
        return swapped || undefined;
      },
      append: (path: string, content: string) => this.#writes(path, async () => workspace.append(path, content)),
      list: async (folder: string) => JSON.stringify(await this.#limits.within(toPromise(() => workspace.list(folder)))),
      lease: async () => {
        const leasing = toPromise(() => workspace.lease());
        const release: unknown = await this.#limits.within(leasing).catch((error: unknown) => {
          // One that comes too late is given back.
          void leasing.then((late) => late?.()).catch(() => {});
          throw error;
        });
        if (!release) return undefined;
        if (typeof release !== "function") throw misbehaves("lease", "a function that gives the lease back, or nothing", release);
        this.#release = release as () => void;
        return () => this.freed();
      },
    };
  }

  /** For tools: what they write is waited for, and told of, like what the task writes itself. */
  forTools(strike: (text: string) => string, step: () => string | undefined): ToolFiles {
    const workspace = this.#workspace;
    return {
      read: async (path) => (await this.#limits.within(toPromise(() => workspace.read(path)))) ?? undefined,
      write: async (path, content) => {
        if (!isOwnOf(step(), path)) throw kept(path);
        return this.#writes(path, async () => workspace.write(path, struck(content, strike)));
      },
      list: (folder) => this.#limits.within(toPromise(() => workspace.list(folder))),
    };
  }

  /** Gives the lease back. A write in flight may still change a file: nobody else may run the task before it is done. */
  freed(): void {
    const release = this.#release;
    this.#release = undefined;
    if (!release) return;
    if (this.#writing.size === 0) release();
    else void Promise.allSettled(this.#writing).then(release);
  }

  async #writes(path: string, write: () => Promise<void>, isWritten = () => true): Promise<void> {
    const writing = write();
    this.#writing.add(writing);
    writing.catch(() => {}).finally(() => this.#writing.delete(writing));
    await this.#limits.within(writing);
    if (isWritten()) this.#wrote(path);
  }
}

/** `before` is the text that the core has read there. */
async function swapIn(workspace: TaskWorkspace, path: string, before: string | undefined, content: string): Promise<boolean> {
  const there = (await workspace.read(path)) ?? undefined;
  if ((there && decodeUtf8(there)) !== before) return false;
  if (workspace.swap) return (await workspace.swap(path, there, content)) === true;
  await workspace.write(path, content);
  return true;
}

const steps = "progress/steps/";

/** Below the folders of steps, tools write notes and artifacts of their own step alone. */
function isOwnOf(step: string | undefined, given: string): boolean {
  const path = given
    .split("/")
    .filter((name) => name !== "" && name !== ".")
    .join("/");
  if (!path.startsWith(steps)) return true;
  const own = `${steps}${step}/`;
  return path === `${own}notes.md` || path.startsWith(`${own}artifacts/`);
}

const kept = (path: string) =>
  new GloveError(
    "TASK_PATH_READ_ONLY",
    `\`${path}\` is not of this step, and what a step has kept stays; write below progress/artifacts/.`,
  );

/** What a method of the application throws is a rejection like any other. */
const toPromise = async <T>(work: () => Promise<T>): Promise<T> => work();

/** What is no text stays as it is. */
function struck(content: string | Uint8Array, strike: (text: string) => string): string | Uint8Array {
  if (typeof content === "string") return strike(content);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return content;
  }
  const clean = strike(text);
  return clean === text ? content : clean;
}
