// Tasks that run on a server, as a client starts, follows and decides about them.
import { AbortError, GloveError } from "../src/values/error.js";
import { check, checkOptions, type Options } from "../src/values/validate-options.js";
import type {
  RemoteTaskEntry,
  RemoteTaskState,
  TaskBudgets,
  TaskEvent,
  TaskResult,
  TaskRunOptions,
  TaskSpec,
} from "../src/wire/task-types.js";
import { type RemoteOptions, RemoteServer } from "./server.js";

/** What a client may say of a task; the rest is the server's. */
export interface RemoteTaskSpec extends Pick<TaskSpec, "goal" | "budgets" | "history" | "ext" | "require_plan_approval"> {
  /** Inputs of the task: `{ "task/brief.md": "…" }`, bytes as `{ base64 }`. */
  readonly files?: RemoteFiles | undefined;
}

/** A task that a server has begun. */
export interface RemoteTaskStart {
  readonly id: string;
  /**
   * Stands in the address of its events (`…/events?stream_token=`) for who can send no headers, such as `EventSource`; for a day, and for
   * these alone.
   */
  readonly stream_token: string;
}

/** Files by their paths below `task/`: texts, or bytes as base64. */
export type RemoteFiles = Readonly<Record<string, string | { readonly base64: string }>>;

/** A file of a task; its size is in bytes. */
export interface RemoteFile {
  readonly path: string;
  readonly size: number;
}

/** From where events are read, and how long. */
export interface RemoteEventOptions {
  /** The id of the last event that is known. */
  readonly after?: string | undefined;
  /** Ends the stream; the task goes on. */
  readonly signal?: AbortSignal | undefined;
}

/** What `doTask` of a server's tasks takes. */
export interface RemoteDoOptions {
  /** Told the state of the task whenever it changes. */
  readonly view?: TaskRunOptions["view"];
  /** Told each event, and the id of the task; a request for approval is decided with `decide`. */
  readonly onEvent?: ((event: TaskEvent, id: string) => void) | undefined;
  /** Ends the wait, not the task. */
  readonly signal?: AbortSignal | undefined;
}

/** With what a task of a server goes on. */
export interface RemoteResumeOptions {
  /** The whole of each, with what is used already. */
  readonly budgets?: TaskBudgets | undefined;
}

const resumeOptions = { budgets: "object" } as const satisfies Options<RemoteResumeOptions>;

const clientOptions = {
  url: "text",
  headers: "any",
  credentials: "omit|same-origin|include",
  fetch: "work",
} as const satisfies Options<RemoteOptions>;

const longestWaitMs = 15_000;
/** How often it is asked of a task whether somebody works on it. */
const silentMs = 15_000;
/** After these a task may have paused. */
const stops: ReadonlySet<string> = new Set(["task.stop", "error", "budget.hit"]);

/** The tasks of a server. */
export class TaskClient {
  readonly #server: RemoteServer;

  /** @internal */
  constructor(options: RemoteOptions) {
    check("The options", options, "object");
    checkOptions(options, clientOptions);
    if (!options.url) throw new GloveError("CLIENT_CONFIG", "createTaskClient requires the `url` of the server's tasks.");
    this.#server = new RemoteServer(options);
  }

  /** Begins a task, which goes on without this client. */
  async startTask(task: RemoteTaskSpec | string): Promise<RemoteTaskStart> {
    const spec = typeof task === "string" ? { goal: task } : check("The task", task, "object");
    return (await this.#server.json("POST", "/do/async", spec)) as RemoteTaskStart;
  }

  /** The tasks that are there, the newest first, and which of them can be resumed. `more`: there are others beyond the `limit` (100). */
  async list(limit = 100): Promise<{ readonly tasks: readonly RemoteTaskEntry[]; readonly more: boolean }> {
    const found = await this.#server.json("GET", `?limit=${check("`limit`", limit, "count")}`);
    return found as { readonly tasks: readonly RemoteTaskEntry[]; readonly more: boolean };
  }

  /**
   * Begins a task and gives what came of it once it is finished or has paused, also over lost connections. Fails with `TASK_INTERRUPTED`
   * where nobody works on it any more; `resume` goes on with it.
   */
  async doTask(task: RemoteTaskSpec | string, { view, onEvent, signal }: RemoteDoOptions = {}): Promise<TaskResult> {
    const { id } = await this.startTask(task);
    const over = new AbortController();
    const leave = () => over.abort();
    signal?.addEventListener("abort", leave);
    if (signal?.aborted) leave();
    let failure: unknown;
    const look = async () => {
      try {
        if (await this.#stands(id)) leave();
      } catch (error) {
        if (isUnreachable(error)) return;
        failure = error;
        leave();
      }
    };
    // A runner that died sends no event, so look from time to time.
    const timer = setInterval(look, silentMs);
    try {
      for await (const event of this.#read(id, undefined, over.signal, look)) {
        onEvent?.(event, id);
        // It may have paused there, which ends no stream.
        if (stops.has(event.type)) await look();
      }
    } catch (error) {
      if (failure) throw failure;
      if (signal?.aborted || !over.signal.aborted) throw error;
    } finally {
      clearInterval(timer);
      signal?.removeEventListener("abort", leave);
      over.abort();
    }
    return this.result(id, view);
  }

  /** Whether it has paused; the end of one that is finished is told by its events. */
  async #stands(id: string): Promise<boolean> {
    const { status, running } = await this.state(id);
    if (status === "paused" || status === "finished" || running) return status === "paused";
    const message = `Nobody works on the task ${id} any more: its server was started anew, or its files failed. \`resume\` goes on with it.`;
    throw new GloveError("TASK_INTERRUPTED", message);
  }

  /** What happens in a task, from its beginning or after an event, until it is finished. Reads on where a connection was lost. */
  events(id: string, { after, signal = new AbortController().signal }: RemoteEventOptions = {}): AsyncGenerator<TaskEvent> {
    return this.#read(id, after, signal);
  }

  async *#read(
    id: string,
    after: string | undefined,
    signal: AbortSignal,
    lost?: () => Promise<void>,
  ): AsyncGenerator<TaskEvent> {
    let last = after;
    let failures = 0;
    while (!signal.aborted) {
      try {
        for await (const { id: eventId, data } of this.#server.follow(`/${named(id)}/events`, last, signal)) {
          if (data === "{}") return;
          last = eventId;
          failures = 0;
          yield JSON.parse(data) as TaskEvent;
        }
      } catch (error) {
        if (signal.aborted) break;
        if (!isUnreachable(error)) throw error;
      }
      await lost?.();
      await pause(Math.min(500 * 2 ** failures++, longestWaitMs), signal);
    }
    throw new AbortError();
  }

  /** Where it stands, and what waits for a person. */
  async state(id: string): Promise<RemoteTaskState> {
    return (await this.#server.json("GET", `/${named(id)}`)) as RemoteTaskState;
  }

  /** What came of it so far. */
  async result(id: string, view: TaskRunOptions["view"] = "summary"): Promise<TaskResult> {
    return (await this.#server.json("GET", `/${named(id)}/result?view=${view}`)) as TaskResult;
  }

  /** Decides about a request of `pending`. The model reads the reason of a denial. */
  async decide(id: string, request: string, decision: "approved" | "denied", reason?: string): Promise<void> {
    const body = { decision, ...(reason !== undefined && { reason }) };
    await this.#server.json("POST", `/${named(id)}/approvals/${named(request)}/decision`, body);
  }

  /** Stops the task after the call in flight. */
  async stop(id: string, reason?: string): Promise<void> {
    await this.#server.json("POST", `/${named(id)}/stop`, reason === undefined ? {} : { reason });
  }

  /**
   * Goes on with a task that has paused, or whose server was restarted; with other `budgets`, if some are given: what is left out stays.
   * The server may refuse them (`TASK_BUDGET_REFUSED`).
   */
  async resume(id: string, options: RemoteResumeOptions = {}): Promise<void> {
    checkOptions(options, resumeOptions);
    const { budgets } = options;
    await this.#server.json("POST", `/${named(id)}/resume`, budgets && { budgets });
  }

  /** Further inputs, below `task/`; the next step reads them. */
  async upload(id: string, files: RemoteFiles): Promise<void> {
    await this.#server.json("POST", `/${named(id)}/upload`, { files });
  }

  /** The files that clients may read. */
  async files(id: string): Promise<readonly RemoteFile[]> {
    const { files } = (await this.#server.json("GET", `/${named(id)}/files`)) as { readonly files: readonly RemoteFile[] };
    return files;
  }

  /** Writes notes, todo list, findings or plan, which the next step reads. */
  async write(id: string, path: string, content: string): Promise<void> {
    const query = new URLSearchParams({ path: check("`path`", path, "text") });
    await this.#server.json("POST", `/${named(id)}/file?${query}`, { content: check("`content`", content, "text") });
  }

  /** A file of the task: what it made (`deliverables`), an input, or one that people read. */
  file(id: string, path: string): Promise<Blob> {
    const query = new URLSearchParams({ path: check("`path`", path, "text") });
    return this.#server.read("GET", `/${named(id)}/file?${query}`, (response) => response.blob());
  }
}

/** For tasks that a server runs: `createTaskHandler` of `glove-wasm/tasks/server`. `url` is that of its tasks, such as `/agent/tasks`. */
export function createTaskClient(options: RemoteOptions): TaskClient {
  return new TaskClient(options);
}

const isUnreachable = (error: unknown) => error instanceof GloveError && error.code === "SERVER_UNREACHABLE";

function named(id: string): string {
  return encodeURIComponent(check("The id", id, "text"));
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((go) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      go();
    }
    signal.addEventListener("abort", done);
    if (signal.aborted) done();
  });
}
