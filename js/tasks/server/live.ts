// The tasks that run in this process, each once, and what is asked of one wherever it runs.
import { refuse } from "../../server/refuse.js";
import { GloveError } from "../../src/error.js";
import type { GloveTask } from "../task.js";
import { watchTask } from "../watch.js";
import type { TaskWorkspace } from "../workspaces/workspace.js";

export class LiveTasks {
  readonly #most: number;
  /** Nothing yet while a task is opened. */
  readonly #tasks = new Map<string, GloveTask | undefined>();

  constructor(most: number) {
    this.#most = most;
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
    if (this.#tasks.has(key)) refuse(409, "TASK_BUSY", "This task is running; wait for its end, or stop it.");
    if (this.#tasks.size >= this.#most)
      refuse(429, "TASK_LIMIT", "The server works on as many tasks as it may. Try again later.");
    this.#tasks.set(key, undefined);
    try {
      const task = await open();
      this.#tasks.set(key, task);
      const ended = work(task).finally(() => {
        this.#tasks.delete(key);
        task.close();
      });
      return { ended };
    } catch (error) {
      this.#tasks.delete(key);
      throw error;
    }
  }

  async decide(key: string, workspace: TaskWorkspace, id: string, allowed: boolean, by: string, reason?: string): Promise<void> {
    const decider = this.#tasks.get(key) ?? watchTask(workspace);
    await (allowed ? decider.approve(id, by) : decider.deny(id, reason, by));
  }

  /** Its runner sees the file, wherever it is. */
  async stop(key: string, workspace: TaskWorkspace, reason?: string): Promise<void> {
    const live = this.#tasks.get(key);
    if (live) return live.stop(reason);
    await unfinished(workspace);
    await watchTask(workspace).stop(reason);
  }
}

/** For what a task at its end cannot do. */
export async function unfinished(workspace: TaskWorkspace): Promise<void> {
  const watch = watchTask(workspace);
  await watch.look();
  if (watch.getSnapshot().state?.status === "finished") throw new GloveError("TASK_FINISHED", "This task is at its end.");
}
