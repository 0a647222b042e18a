// A task as its files tell it: for screens, whoever runs it. They may decide about its requests, and stop it.
import { asError } from "../src/values/error.js";
import { decodeUtf8 } from "../src/values/utf8.js";
import { check } from "../src/values/validate-options.js";
import type { TaskEvent, TaskState } from "../src/wire/task-types.js";
import { hear, tellerOf, toldQuietly } from "./channel.js";
import { byFiles } from "./read-task.js";
import type { TaskDecision } from "./task.js";
import { inTurn } from "./workspaces/lease.js";
import { checkWorkspace, type TaskWorkspace, type WorkspaceEntry } from "./workspaces/workspace.js";

/** What the files of a task say. What did not change is the same object. */
export interface TaskSight {
  /** `missing`: there is no task in the workspace. */
  readonly status: "loading" | "missing" | "ready";
  readonly state?: TaskState | undefined;
  /** Everything that happened, in order. */
  readonly events: readonly TaskEvent[];
  /** All files, by their paths. */
  readonly files: readonly WorkspaceEntry[];
  /** The ids of the steps of the plan that are ticked off. */
  readonly ticked: readonly string[];
  /** Whether somebody runs the task right now; not known of workspaces without `leased`. */
  readonly leased?: boolean | undefined;
  /** Grows with each change that was seen, in any file. */
  readonly changes: number;
  /** Why the files could not be read. */
  readonly error?: Error | undefined;
}

const nothing: TaskSight = { status: "loading", events: [], files: [], ticked: [], changes: 0 };

/** How long a burst of writes is waited for. */
const burstMs = 60;

/** Watches the task of a workspace while somebody listens. */
export class TaskWatch {
  readonly workspace: TaskWorkspace;
  readonly #pollMs: number;
  readonly #asksLease: boolean;
  readonly #listeners = new Set<(sight: TaskSight) => void>();
  #sight = nothing;
  #stateText = "";
  #todo = "";
  /** How much of the journal is read. */
  #read = 0;
  #deaf: (() => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #looking: Promise<void> | undefined;
  #again = false;
  #notified = false;

  /** Whether somebody runs the task may be left away: a workspace may have to ask the system. */
  constructor(workspace: TaskWorkspace, pollMs = 1_000, asksLease = true) {
    this.workspace = checkWorkspace(workspace);
    this.#asksLease = asksLease;
    this.#pollMs = check("`pollMs`", pollMs, "whole");
  }

  getSnapshot = (): TaskSight => this.#sight;

  /** Calls the listener when the files say something else. Gives its undo; without listeners nothing is read. */
  subscribe = (listener: (sight: TaskSight) => void): (() => void) => {
    check("The listener", listener, "work");
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#begin();
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.#end();
    };
  };

  /** Looks at the files now. */
  look(): Promise<void> {
    if (this.#looking) this.#again = true;
    this.#looking ??= this.#looks().finally(() => {
      this.#looking = undefined;
      this.#schedule(this.#pollMs);
    });
    return this.#looking;
  }

  /** Approves a request. `by` stands in the decision; the runner sees it at its next look. */
  approve(id: string, by = "user"): Promise<void> {
    return this.decide({ id: check("`id`", id, "text"), decision: "approved", by: check("`by`", by, "text") });
  }

  /** Denies a request; the model reads the reason. */
  deny(id: string, reason?: string, by = "user"): Promise<void> {
    if (reason !== undefined) check("`reason`", reason, "text");
    return this.decide({ id: check("`id`", id, "text"), decision: "denied", by: check("`by`", by, "text"), reason });
  }

  /** Stops the task after the call in flight, whoever runs it. */
  async stop(reason = "stopped by the user"): Promise<void> {
    check("`reason`", reason, "text");
    await this.write("progress/STOP", `${reason}\n`);
  }

  /** Writes a file that a person may edit, and tells other screens. */
  async write(path: string, content: string): Promise<void> {
    await this.workspace.write(path, content);
    this.#tell(path);
    await this.look();
  }

  #begin(): void {
    this.#deaf = hear(this.workspace.name, () => {
      this.#notified = true;
      this.#schedule(burstMs);
    });
    void this.look();
  }

  #end(): void {
    this.#deaf?.();
    this.#deaf = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #schedule(ms: number): void {
    if (!this.#deaf) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.look(), ms);
  }

  async #looks(): Promise<void> {
    do {
      this.#again = false;
      const notified = this.#notified;
      this.#notified = false;
      try {
        await this.#seen(notified);
      } catch (thrown) {
        this.#set({ error: asError(thrown) });
      }
    } while (this.#again);
  }

  async #seen(notified: boolean): Promise<void> {
    const { workspace } = this;
    const text = async (path: string) => decodeUtf8((await workspace.read(path)) ?? new Uint8Array());
    // In this order: what the state tells of stands in the other files before.
    const stateText = await text("progress/state.json");
    const [todo, inputs, work, leased] = await Promise.all([
      text("progress/todo.md"),
      workspace.list("task"),
      workspace.list("progress"),
      this.#asksLease ? workspace.leased?.() : undefined,
    ]);
    const files = [...inputs, ...work].sort((a, b) => (a.path < b.path ? -1 : 1));
    const changes: { -readonly [part in keyof TaskSight]?: TaskSight[part] } = {};
    if (stateText !== this.#stateText || this.#sight.status === "loading") {
      changes.state = stateText === "" ? undefined : stateOf(stateText, await text("progress/state.previous.json"));
      changes.status = stateText === "" ? "missing" : "ready";
      this.#stateText = stateText;
    }
    if (todo !== this.#todo) {
      changes.ticked = tickedIn(todo);
      this.#todo = todo;
    }
    if (!sameFiles(files, this.#sight.files)) changes.files = files;
    const size = work.find(({ path }) => path === journal)?.size ?? 0;
    if (size !== this.#read) Object.assign(changes, await this.#events());
    if (leased !== this.#sight.leased) changes.leased = leased;
    if (this.#sight.error) changes.error = undefined;
    if (notified || Object.keys(changes).length > 0) this.#set({ ...changes, changes: this.#sight.changes + 1 });
  }

  async #events(): Promise<Pick<TaskSight, "events">> {
    const content = (await this.workspace.read(journal)) ?? new Uint8Array();
    // It is another one where it got shorter.
    const from = content.length < this.#read ? 0 : this.#read;
    const to = content.lastIndexOf(newline) + 1;
    this.#read = to;
    const lines = decodeUtf8(content.subarray(from, to)).split("\n").slice(0, -1);
    const events = lines.flatMap((line) => {
      try {
        return [JSON.parse(line) as TaskEvent];
      } catch {
        return [];
      }
    });
    return { events: from === 0 ? events : [...this.#sight.events, ...events] };
  }

  #set(changes: Partial<TaskSight>): void {
    this.#sight = { ...this.#sight, ...changes };
    toldQuietly(this.#listeners, this.#sight);
  }

  /**
   * As the runner itself decides: what may be decided is known to the core alone.
   * @internal
   */
  async decide(decision: TaskDecision): Promise<void> {
    await inTurn(this.workspace.name, () =>
      byFiles(
        this.workspace,
        (task) => task.decide(JSON.stringify(decision)),
        (path) => this.#tell(path),
      ),
    );
    await this.look();
  }

  #tell(path: string): void {
    const teller = tellerOf(this.workspace.name);
    teller.wrote(path);
    teller.close();
  }
}

const journal = "progress/events.ndjson";
const newline = 10;

/** Watches the task of a workspace, whoever runs it: another tab, a program, or this page. */
export function watchTask(workspace: TaskWorkspace, { pollMs }: { readonly pollMs?: number | undefined } = {}): TaskWatch {
  return new TaskWatch(workspace, pollMs);
}

/** As the core reads the todo list: `- [x] s1: Write the page`. */
export function tickedIn(todo: string): string[] {
  return todo.split("\n").flatMap((line) => /^\s*- \[[xX]\] ([^:]*):/.exec(line)?.[1]?.trim() ?? []);
}

/** Where a hand has broken the state, the one before it, as `resume` does. */
function stateOf(text: string, before: string): TaskState {
  try {
    return JSON.parse(text) as TaskState;
  } catch (error) {
    if (before === "") throw error;
    return JSON.parse(before) as TaskState;
  }
}

function sameFiles(a: readonly WorkspaceEntry[], b: readonly WorkspaceEntry[]): boolean {
  return a.length === b.length && a.every(({ path, size }, at) => path === b[at]?.path && size === b[at]?.size);
}
