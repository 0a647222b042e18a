// A task of a server, as a screen shows it: read on by its events, and decided about, stopped and taken up over HTTP.
import type { TaskClient } from "../remote/tasks.js";
import { asError, GloveError } from "../src/values/error.js";
import { check, type Options } from "../src/values/validate-options.js";
import type { RemoteTaskState, TaskBudgets, TaskState } from "../src/wire/task-types.js";
import { toldQuietly } from "./channel.js";
import { type TaskSight, tickedIn } from "./watch.js";

/** A task that a server runs: its client (`createTaskClient`), and its id. */
export interface ServedTask {
  readonly client: TaskClient;
  readonly id: string;
}

/** Where a task stands, wherever it runs. */
export type ShownTaskState = TaskState | RemoteTaskState;

/** What is known of a task, wherever it runs. */
export interface ShownTask extends Omit<TaskSight, "state"> {
  readonly state?: ShownTaskState | undefined;
}

const todo = "progress/todo.md";
/** How long a burst of events is waited for. */
const burstMs = 150;
/** How soon it is seen that nobody works on it any more, once it has stood still, and otherwise. */
const [soonMs, laterMs] = [500, 10_000];
/** How soon a server that refused is asked again. */
const refusedMs = 2_000;

const servedOptions = { client: "object", id: "text" } as const satisfies Options<ServedTask>;

export class ServedWatch {
  readonly #client: TaskClient;
  readonly #id: string;
  readonly #listeners = new Set<() => void>();
  #sight: ShownTask = { status: "loading", events: [], files: [], ticked: [], changes: 0 };
  #lastSeen = "";
  #following: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #looking: Promise<void> | undefined;
  #again = false;

  constructor({ client, id }: ServedTask) {
    this.#client = client;
    this.#id = id;
  }

  /** Its files, as far as they are for clients. */
  readonly workspace = {
    read: async (path: string): Promise<Uint8Array | undefined> => {
      try {
        return new Uint8Array(await (await this.#client.file(this.#id, path)).arrayBuffer());
      } catch (error) {
        if (isCode(error, "TASK_FILE_MISSING")) return undefined;
        throw error;
      }
    },
  };

  getSnapshot = (): ShownTask => this.#sight;

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (!this.#following) void this.#follow();
    return () => {
      if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
      this.#following?.abort();
      this.#following = undefined;
      clearTimeout(this.#timer);
    };
  }

  look(): Promise<void> {
    if (this.#looking) this.#again = true;
    this.#looking ??= this.#looks().finally(() => {
      this.#looking = undefined;
      // What came while it looked may not have been seen.
      this.#schedule(this.#again ? burstMs : undefined);
    });
    return this.#looking;
  }

  async approve(id: string): Promise<void> {
    await this.#client.decide(this.#id, id, "approved");
  }

  async deny(id: string, reason?: string): Promise<void> {
    await this.#client.decide(this.#id, id, "denied", reason);
  }

  async stop(reason?: string): Promise<void> {
    await this.#client.stop(this.#id, reason);
  }

  async run(budgets?: TaskBudgets): Promise<void> {
    // What has no bound keeps none, and no JSON says so.
    const bounds = Object.entries(budgets ?? {}).filter(([, most]) => Number.isFinite(most));
    await this.#client.resume(this.#id, bounds.length > 0 ? { budgets: Object.fromEntries(bounds) } : {});
    // The stream of one that was interrupted has nothing to tell.
    await this.look();
  }

  async write(path: string, content: string): Promise<void> {
    await this.#client.write(this.#id, path, content);
    await this.look();
  }

  /** Until the task is finished, is not there, or nobody looks. What failed is tried again: the application may have a new token by then. */
  async #follow(): Promise<void> {
    const following = new AbortController();
    this.#following = following;
    const { signal } = following;
    while (!signal.aborted) {
      await this.look();
      const { status, error, events } = this.#sight;
      if (status === "missing" || signal.aborted) return;
      if (status === "ready" && !error) {
        try {
          const after = events.at(-1)?.id;
          for await (const event of this.#client.events(this.#id, { signal, ...(after && { after }) })) {
            this.#set({ events: [...this.#sight.events, event] });
            if (this.#looking) this.#again = true;
            else this.#schedule(burstMs);
          }
          return await this.look();
        } catch (error) {
          if (signal.aborted) return;
          this.#set({ error: asError(error) });
        }
      }
      await new Promise((go) => setTimeout(go, isCode(this.#sight.error, "SERVER_UNREACHABLE") ? soonMs : refusedMs));
    }
  }

  #schedule(ms?: number): void {
    const { state } = this.#sight as { readonly state?: RemoteTaskState };
    if (!this.#following || !state) return;
    const still = state.status === "paused" || state.status === "finished";
    if (ms === undefined && still && !state.running) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.look(), ms ?? (still ? soonMs : laterMs));
  }

  async #looks(): Promise<void> {
    do {
      this.#again = false;
      try {
        await this.#seen();
      } catch (error) {
        if (isCode(error, "TASK_MISSING")) this.#set({ status: "missing", state: undefined, error: undefined });
        // One that cannot be reached is looked at again.
        else this.#set({ error: asError(error) });
      }
    } while (this.#again);
  }

  async #seen(): Promise<void> {
    const state = await this.#client.state(this.#id);
    const listed = await this.#client.files(this.#id);
    const files = [...listed].sort((a, b) => (a.path < b.path ? -1 : 1));
    const bytes = files.some(({ path }) => path === todo) ? await this.workspace.read(todo) : undefined;
    const ticked = tickedIn(new TextDecoder().decode(bytes));
    const told = JSON.stringify([state, files, ticked]);
    if (told === this.#lastSeen && !this.#sight.error) return this.#set({ changes: this.#sight.changes + 1 });
    this.#lastSeen = told;
    const changes = this.#sight.changes + 1;
    this.#set({ status: "ready", state, files, ticked, leased: state.running, error: undefined, changes });
  }

  #set(changes: Partial<ShownTask>): void {
    this.#sight = { ...this.#sight, ...changes };
    toldQuietly(this.#listeners, undefined);
  }
}

export const isServed = (of: unknown): of is ServedTask => typeof of === "object" && of !== null && "client" in of;

export function checkServed(of: ServedTask): void {
  check("`task`", of, servedOptions);
  check("`id` of the task", of.id, "text");
  check("`client` of the task", (of.client as Partial<TaskClient>).events, "work");
}

const isCode = (error: unknown, code: string) => error instanceof GloveError && error.code === code;
