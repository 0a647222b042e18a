// The tasks that run in this process, each once, and what is asked of one wherever it runs.

import { Refused, refuse } from "../../server/refuse.js";
import { decodeUtf8 } from "../../src/values/utf8.js";
import type { GloveTask, TaskDecision } from "../task.js";
import { watchTask } from "../watch.js";
import { taskBusy } from "../workspaces/refusals.js";
import type { TaskWorkspace } from "../workspaces/workspace.js";

/** As many times more tasks may wait for people as may work. */
const maxWaiting = 10;

/** What stands in the STOP file, if there is one. */
export async function stopIn(workspace: TaskWorkspace): Promise<string | undefined> {
  const content = await workspace.read("progress/STOP");
  return content && decodeUtf8(content);
}

export class LiveTasks {
  readonly #most: number;
  /** Nothing yet while a task is opened. */
  readonly #tasks = new Map<string, GloveTask | undefined>();
  /** Why those of them were stopped that are worked on. */
  readonly #stopped = new Map<string, string | undefined>();
  /** The last decision about each task that is still being taken. */
  readonly #deciding = new Map<string, Promise<void>>();

  constructor(most: number) {
    this.#most = most;
  }

  has(key: string): boolean {
    return this.#tasks.has(key);
  }

  get(key: string): GloveTask | undefined {
    return this.#tasks.get(key);
  }

  /** Opens a task and runs it; it is let go of when that has ended. Gives its work once it is open. */
  async run<T>(
    key: string,
    open: () => Promise<GloveTask>,
    work: (task: GloveTask) => Promise<T>,
  ): Promise<{ readonly ended: Promise<T> }> {
    this.#admit(key);
    this.#tasks.set(key, undefined);
    try {
      const task = await open();
      this.#tasks.set(key, task);
      const ended = work(task).finally(() => {
        this.#leave(key);
        task.close();
      });
      return { ended };
    } catch (error) {
      this.#leave(key);
      throw error;
    }
  }

  #leave(key: string): void {
    this.#tasks.delete(key);
    this.#stopped.delete(key);
  }

  /** Who goes on does not want the stop of before: the one that stood there then, and none that came since. */
  async forgetStop(key: string, workspace: TaskWorkspace, before: string | undefined): Promise<void> {
    if (before !== undefined && (await stopIn(workspace)) === before) await workspace.remove("progress/STOP");
    if (this.#stopped.has(key)) await watchTask(workspace).stop(this.#stopped.get(key));
  }

  #admit(key: string): void {
    if (this.#tasks.has(key)) {
      const { code, message } = taskBusy();
      refuse(409, code, message);
    }
    const working = [...this.#tasks.values()].filter((task) => task?.getSnapshot().state.status !== "waiting").length;
    if (working < this.#most && this.#tasks.size < this.#most * maxWaiting) return;
    const message = "The server works on as many tasks as it may. Try again later.";
    throw new Refused({ status: 429, code: "TASK_LIMIT", message, retryable: true });
  }

  /** Of two who decide about a request at once, the second is told that it is decided. */
  async decide(key: string, workspace: TaskWorkspace, decision: TaskDecision): Promise<void> {
    const before = this.#deciding.get(key);
    const deciding = (async () => {
      await before?.catch(() => {});
      await (this.#tasks.get(key) ?? watchTask(workspace)).decide(decision);
    })();
    this.#deciding.set(key, deciding);
    try {
      await deciding;
    } finally {
      if (this.#deciding.get(key) === deciding) this.#deciding.delete(key);
    }
  }

  /** Its runner sees the file, wherever it is. */
  async stop(key: string, workspace: TaskWorkspace, reason?: string): Promise<void> {
    if (this.#tasks.has(key)) this.#stopped.set(key, reason);
    // The process that runs the task may die before it sees this, so write the file first.
    await watchTask(workspace).stop(reason);
    await this.#tasks.get(key)?.stop(reason);
  }
}
