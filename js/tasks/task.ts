// A task of the page: running it, stopping it, deciding about it, and what a screen shows of it.

import { AbortError, asError } from "../src/values/error.js";
import { decodeUtf8 } from "../src/values/utf8.js";
import { check, checkOptions, type Options, withoutInfinity } from "../src/values/validate-options.js";
import { fromCore } from "../src/wasm/core-errors.js";
import { type CoreTask, guard } from "../src/wasm/tasks.js";
import type { Message } from "../src/wire/record.js";
import type {
  ApprovalPolicy,
  TaskApprovals,
  TaskBudgets,
  TaskEvent,
  TaskResult,
  TaskRunOptions,
  TaskState,
} from "../src/wire/task-types.js";
import { toldQuietly } from "./channel.js";
import type { TaskHost } from "./host.js";
import { budgetOptions, checkApprovals } from "./options.js";
import { inTurn } from "./workspaces/lease.js";
import { taskBusy, taskClosed } from "./workspaces/refusals.js";
import type { TaskWorkspace } from "./workspaces/workspace.js";

/** What a screen shows of a task. What did not change is the same object. */
export interface TaskSnapshot {
  readonly state: TaskState;
  /** Everything that happened, in order. */
  readonly events: readonly TaskEvent[];
  /** `run` or `stepOnce` is at work here. */
  readonly running: boolean;
  /** Grows with each file that the task writes. */
  readonly writes: number;
  /** The task is closed here. */
  readonly closed: boolean;
}

/**
 * A decision about a request, as the core reads it.
 * @internal
 */
export interface TaskDecision {
  readonly id: string;
  readonly decision: "approved" | "denied" | "expired";
  /** Who decides. */
  readonly by: string;
  readonly reason?: string | undefined;
  /** Of the client of a server, whose caller is `by`. */
  readonly said?: { readonly approved_by: string; readonly timestamp: string } | undefined;
}

const runOptions = { view: "minimal|summary|full", leaveWhenWaiting: "flag" } as const satisfies Options<TaskRunOptions>;

/** A task that was started or resumed here, and whose workspace nobody else runs meanwhile. */
export class GloveTask {
  readonly workspace: TaskWorkspace;
  readonly #core: CoreTask;
  readonly #host: TaskHost;
  #snapshot: TaskSnapshot;
  readonly #listeners = new Set<(snapshot: TaskSnapshot) => void>();
  readonly #eventListeners = new Set<(event: TaskEvent) => void>();
  readonly #forget: () => void;
  readonly #view: TaskRunOptions["view"];

  /** @internal Of an agent. */
  constructor(
    core: CoreTask,
    host: TaskHost,
    workspace: TaskWorkspace,
    state: TaskState,
    events: readonly TaskEvent[],
    view: TaskRunOptions["view"] = "summary",
  ) {
    this.#core = core;
    this.#view = view;
    this.#host = host;
    this.workspace = workspace;
    this.#snapshot = { state, events, running: false, writes: 0, closed: false };
    // After a crash of the core nothing of this task is alive; what is written can be resumed.
    this.#forget = guard.onTrap(() => this.#over());
  }

  /** Names the task. */
  get id(): string {
    return this.#snapshot.state.task_id;
  }

  getSnapshot = (): TaskSnapshot => this.#snapshot;

  /** Calls the listener when the snapshot is another one. Gives its undo. */
  subscribe = (listener: (snapshot: TaskSnapshot) => void): (() => void) => {
    check("The listener", listener, "work");
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Calls the listener with each event, after it is in the journal. Gives its undo. */
  subscribeEvents(listener: (event: TaskEvent) => void): () => void {
    check("The listener", listener, "work");
    this.#eventListeners.add(listener);
    return () => void this.#eventListeners.delete(listener);
  }

  /** Runs the task until it ends, is stopped, or a budget is used up; a task that was paused goes on. */
  async run(options: TaskRunOptions = {}): Promise<TaskResult> {
    check("The options", options, "object");
    checkOptions(options, runOptions);
    return this.#working((core) => core.run(JSON.stringify({ ...options, view: options.view ?? this.#view })));
  }

  /** Does exactly one step of the loop. Comes back when a person is to decide. */
  stepOnce(): Promise<TaskResult> {
    return this.#working((core) => core.stepOnce());
  }

  /** Stops the task after the call in flight. `run` goes on from there. */
  async stop(reason = "stopped by the user"): Promise<void> {
    await this.#callCore((core) => core.stop(check("`reason`", reason, "text")));
  }

  /** Approves a request. `by` stands in the decision. */
  async approve(id: string, by = "user"): Promise<void> {
    await this.decide({ id: check("`id`", id, "text"), decision: "approved", by: check("`by`", by, "text") });
  }

  /** Denies a request; the model reads the reason. */
  async deny(id: string, reason?: string, by = "user"): Promise<void> {
    if (reason !== undefined) check("`reason`", reason, "text");
    await this.decide({ id: check("`id`", id, "text"), decision: "denied", by: check("`by`", by, "text"), reason });
  }

  /** Gives the next steps something more to read, as a file below `progress/context/`. */
  async pushContext(text: string): Promise<void> {
    await this.#callCore((core) => core.pushContext(check("`text`", text, "text")));
  }

  /** The messages that the next step would read of what came before. */
  async historySnapshot(): Promise<readonly Message[]> {
    return JSON.parse(await this.#callCore((core) => core.historySnapshot())) as Message[];
  }

  /** Other budgets for the rest of the task: what is left out has its default. */
  async setBudgets(budgets: TaskBudgets): Promise<void> {
    check("`budgets`", budgets, budgetOptions);
    await this.#callCore((core) => core.setBudgets(JSON.stringify(withoutInfinity(budgets))));
  }

  /** What a person approves from now on; for tools from the next step on. */
  async setPolicy(approvals: TaskApprovals | ApprovalPolicy): Promise<void> {
    checkApprovals(approvals);
    await this.#callCore((core) => core.setPolicy(JSON.stringify({ approvals })));
  }

  /** What came of it so far; without a view, as much as the agent usually gives. */
  async result(view: TaskRunOptions["view"] = this.#view): Promise<TaskResult> {
    check("`view`", view, runOptions.view);
    return JSON.parse(await this.#callCore((core) => core.result(JSON.stringify({ view })))) as TaskResult;
  }

  /** Lets go of the task where it is: what runs ends, and the lease is given back. It can be resumed, here or elsewhere. */
  close(): void {
    if (this.#snapshot.closed) return;
    try {
      this.#core.close();
    } finally {
      this.#over();
    }
  }

  /** @internal */
  heard(event: TaskEvent): void {
    this.#look([...this.#snapshot.events, event]);
    toldQuietly(this.#eventListeners, event);
  }

  /** @internal */
  wrote(path: string): void {
    if (path === "progress/state.json") this.#look();
    this.#set({ writes: this.#snapshot.writes + 1 });
  }

  #look(events = this.#snapshot.events): void {
    const text = this.#snapshot.closed ? undefined : this.#core.state();
    const state = text === undefined ? undefined : (JSON.parse(text) as TaskState);
    // A request is shown once its file is there: from then on it can be decided.
    this.#set({ events, ...(state?.outgoing.length === 0 && { state }) });
  }

  #over(): void {
    this.#forget();
    this.#host.over();
    this.#set({ running: false, closed: true });
  }

  #set(changes: Partial<TaskSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...changes };
    toldQuietly(this.#listeners, this.#snapshot);
  }

  async #working(work: (core: CoreTask) => Promise<string>): Promise<TaskResult> {
    if (this.#snapshot.running) {
      throw taskBusy();
    }
    this.#set({ running: true });
    try {
      return JSON.parse(await this.#callCore(work)) as TaskResult;
    } finally {
      if (!this.#snapshot.closed) {
        this.#look();
        this.#set({ running: false });
      }
    }
  }

  /** @internal */
  async decide(decision: TaskDecision): Promise<void> {
    await inTurn(this.workspace.name, () => this.#callCore((core) => core.decide(JSON.stringify(decision))));
  }

  async #callCore(work: (core: CoreTask) => Promise<string>): Promise<string> {
    if (this.#snapshot.closed) throw taskClosed();
    try {
      return await guard.untilTrap(work(this.#core));
    } catch (thrown) {
      const error = fromCore(thrown);
      throw error instanceof AbortError ? asError(error) : error;
    }
  }
}

/** The journal as it is stored: what is no whole line is none of it. */
export async function storedEvents(workspace: TaskWorkspace): Promise<TaskEvent[]> {
  const content = await workspace.read("progress/events.ndjson");
  const lines = content ? decodeUtf8(content).split("\n").slice(0, -1) : [];
  return lines.flatMap((line) => {
    try {
      return [JSON.parse(line) as TaskEvent];
    } catch {
      return [];
    }
  });
}
