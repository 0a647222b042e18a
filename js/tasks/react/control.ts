// One task for all components that show it: watched by its files, and run here when somebody here asks for it.

import { asError, GloveError } from "../../src/values/error.js";
import { withoutEvent } from "../../src/values/events.js";
import type { TaskBudgets, TaskRunOptions, TaskSpec } from "../../src/wire/task-types.js";
import type { TaskAgent } from "../agent.js";
import { isServed, type ServedTask, ServedWatch, type ShownTask } from "../remote-task.js";
import type { GloveTask } from "../task.js";
import { TaskWatch } from "../watch.js";
import { taskBusy } from "../workspaces/refusals.js";
import { openTaskWorkspace } from "../workspaces/stored.js";
import type { TaskWorkspace } from "../workspaces/workspace.js";

/** Who runs a task: this page, another tab or program, nobody; `unknown` where the workspace cannot tell. */
export type TaskRunner = "here" | "elsewhere" | "nobody" | "unknown";

/** What a screen shows of a task. What did not change is the same object. */
export interface TaskView extends Omit<ShownTask, "leased"> {
  readonly runner: TaskRunner;
  /** Something that was asked for here is being done: the task is opened, or is about to stop. */
  readonly busy: boolean;
  /** A server runs it. */
  readonly served: boolean;
  /** The workspace, once it is open; of a task of a server, its files. */
  readonly workspace: Pick<TaskWorkspace, "read"> | undefined;
}

/** Before anything of it is read, and on a server. */
export const unread: TaskView = {
  status: "loading",
  events: [],
  files: [],
  ticked: [],
  changes: 0,
  runner: "unknown",
  busy: false,
  served: false,
  workspace: undefined,
};

const stopFile = "progress/STOP";

export class TaskControl {
  /** The last one that a component gave. */
  agent: TaskAgent | undefined;
  readonly #ownTask: GloveTask | undefined;
  readonly #of: string | TaskWorkspace | ServedTask;
  #watching: Promise<TaskWatch | ServedWatch> | undefined;
  #watch: TaskWatch | ServedWatch | undefined;
  /** The task, while it runs here. */
  #task: GloveTask | undefined;
  #view = unread;
  #pending = 0;
  #failure: Error | undefined;
  #deaf: (() => void) | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(of: TaskSource) {
    this.#ownTask = typeof of !== "string" && "workspace" in of ? of : undefined;
    this.#of = this.#ownTask?.workspace ?? (of as string | TaskWorkspace | ServedTask);
  }

  getView = (): TaskView => this.#view;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#watch) this.#hear();
    else this.#open().catch((thrown) => this.#failed(thrown));
    return () => {
      if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
      this.#deaf?.();
      this.#deaf = undefined;
    };
  };

  start(task: TaskSpec | string): Promise<boolean> {
    return this.#working((agent, { workspace }) => agent.startTask(workspace, task));
  }

  run(given?: TaskRunOptions & { readonly budgets?: TaskBudgets }): Promise<boolean> {
    const { budgets, ...options } = withoutEvent(given) ?? {};
    const work = async (task: GloveTask) => {
      if (budgets) await task.setBudgets(budgets);
      return task.run(options);
    };
    if (this.#ownTask) return this.#done(() => this.#ran(this.#ownTask as GloveTask, work));
    // Whose money it is decides there.
    if (isServed(this.#of)) return this.#done((watch) => (watch as ServedWatch).run(budgets));
    return this.#working(resumed, work);
  }

  stepOnce(): Promise<boolean> {
    if (this.#ownTask) return this.#done(() => this.#ran(this.#ownTask as GloveTask, (task) => task.stepOnce()));
    return this.#working(resumed, (task) => task.stepOnce());
  }

  stop(reason?: string): Promise<boolean> {
    return this.#done((watch) => (this.#task ?? watch).stop(withoutEvent(reason)));
  }

  approve(id: string, by?: string): Promise<boolean> {
    return this.#done((watch) => (this.#task ?? watch).approve(id, by));
  }

  deny(id: string, reason?: string, by?: string): Promise<boolean> {
    return this.#done((watch) => (this.#task ?? watch).deny(id, reason, by));
  }

  write(path: string, content: string): Promise<boolean> {
    return this.#done((watch) => watch.write(path, content));
  }

  dismissError(): void {
    this.#failure = undefined;
    this.#show();
  }

  #open(): Promise<TaskWatch | ServedWatch> {
    const open = async () => {
      const of = this.#of;
      if (isServed(of)) this.#watch = new ServedWatch(of);
      else this.#watch = new TaskWatch(typeof of === "string" ? await openTaskWorkspace(of) : of);
      this.#hear();
      return this.#watch;
    };
    this.#watching ??= open().catch((thrown) => {
      // It is tried again with the next thing that is asked for.
      this.#watching = undefined;
      throw thrown;
    });
    return this.#watching;
  }

  #hear(): void {
    if (this.#listeners.size > 0 && this.#watch) this.#deaf ??= this.#watch.subscribe(() => this.#show());
    this.#show();
  }

  /** Opens the task, runs it, and lets go of it. */
  async #working(
    open: (agent: TaskAgent, watch: TaskWatch) => Promise<GloveTask>,
    work: (task: GloveTask) => Promise<unknown> = (task) => task.run(),
  ): Promise<boolean> {
    return this.#done(async (watch) => {
      if (watch instanceof ServedWatch) {
        throw new GloveError(
          "CONFIG_INVALID",
          "A server runs this task: begin one with `client.startTask`; it can be run, not stepped.",
        );
      }
      const { agent } = this;
      if (!agent) throw new GloveError("CONFIG_INVALID", "To run a task, `useTask` needs an `agent`.");
      if (this.#task) throw taskBusy();
      const task = await open(agent, watch);
      try {
        await this.#ran(task, work);
      } finally {
        task.close();
      }
    });
  }

  async #ran(task: GloveTask, work: (task: GloveTask) => Promise<unknown>): Promise<void> {
    this.#task = task;
    this.#pending--;
    this.#show();
    try {
      await work(task);
    } finally {
      this.#task = undefined;
      this.#pending++;
    }
  }

  /** Does it, or shows why it failed. Tells which. */
  async #done(work: (watch: TaskWatch | ServedWatch) => Promise<unknown>): Promise<boolean> {
    this.#pending++;
    this.#failure = undefined;
    this.#show();
    let isDone = false;
    try {
      const watch = await this.#open();
      await work(watch);
      isDone = true;
      await watch.look();
    } catch (thrown) {
      this.#failed(thrown);
    } finally {
      this.#pending--;
      this.#show();
    }
    return isDone;
  }

  #failed(thrown: unknown): void {
    this.#failure = asError(thrown);
    this.#show();
  }

  #show(): void {
    const { leased, ...sight } = this.#watch?.getSnapshot() ?? (unread as ShownTask);
    const others = leased === undefined ? "unknown" : leased ? "elsewhere" : "nobody";
    const next: TaskView = {
      ...sight,
      runner: this.#task || this.#ownTask?.getSnapshot().running ? "here" : others,
      busy: this.#pending > 0,
      served: isServed(this.#of),
      workspace: this.#watch?.workspace,
      error: this.#failure ?? sight.error,
    };
    const names = new Set([...Object.keys(next), ...Object.keys(this.#view)]) as Set<keyof TaskView>;
    if ([...names].every((name) => Object.is(next[name], this.#view[name]))) return;
    this.#view = next;
    for (const listener of [...this.#listeners]) listener();
  }
}

/** Who goes on does not want the stop of before. */
async function resumed(agent: TaskAgent, { workspace }: TaskWatch): Promise<GloveTask> {
  const task = await agent.resume(workspace);
  await workspace.remove(stopFile);
  return task;
}

/** What a screen can show. */
export type TaskSource = string | TaskWorkspace | GloveTask | ServedTask;

const byId = new Map<string, TaskControl>();
const byObject = new WeakMap<object, TaskControl>();
const byClient = new WeakMap<object, Map<string, TaskControl>>();

/** The same task has one control in its page. */
export function controlOf(of: TaskSource): TaskControl {
  if (isServed(of)) {
    const tasks = byClient.get(of.client) ?? new Map<string, TaskControl>();
    byClient.set(of.client, tasks);
    return known(tasks, of.id, of);
  }
  return typeof of === "string" ? known(byId, of, of) : known(byObject, of, of);
}

interface Controls<K> {
  get(key: K): TaskControl | undefined;
  set(key: K, control: TaskControl): unknown;
}

function known<K>(controls: Controls<K>, key: K, of: TaskSource): TaskControl {
  const control = controls.get(key) ?? new TaskControl(of);
  controls.set(key, control);
  return control;
}
