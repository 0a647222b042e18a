// Tasks over HTTP: started, watched, decided about and stopped by clients, and run by this process.
import { checkPermission, ownerOf } from "../../server/authorize.js";
import { readBody, readPieces } from "../../server/body.js";
import { checkOrigin, corsHeaders } from "../../server/cors.js";
import { Refused, refuse } from "../../server/refuse.js";
import { broken } from "../../src/relay/answer.js";
import { clientDisconnected, type Refusal, refusedResponse } from "../../src/relay/refusal-response.js";
import { Limits, limited } from "../../src/store/limits.js";
import { asError, GloveError, reasonOf } from "../../src/values/error.js";
import { check, checkOptions, type Options } from "../../src/values/validate-options.js";
import type { RemoteTaskEntry, TaskBudgets, TaskResult, TaskRunOptions, TaskSpec } from "../../src/wire/task-types.js";
import { silent } from "../files.js";
import type { GloveTask } from "../task.js";
import { watchTask } from "../watch.js";
import { checkWorkspace, type TaskWorkspace } from "../workspaces/workspace.js";
import type { TaskHandler, TaskHandlerConfig } from "./config.js";
import { eventStream } from "./events.js";
import { entryOf, fileOf, filesIn, filesOf, json, refusalOf, resultOf, stateOf, unfinished } from "./replies.js";
import {
  budgetsOf,
  checkFits,
  clientPath,
  decisionOf,
  editOf,
  formFiles,
  inputsOf,
  taskOf,
  textOf,
  uploadOf,
} from "./request-body.js";
import { isTaskId, NotAllowed, routeOf, type TaskRoute } from "./routes.js";
import { LiveTasks, stopIn } from "./running-tasks.js";
import { type Follower, StreamTokens } from "./stream-token.js";

const handlerOptions = {
  agent: "any",
  workspace: "work",
  authorize: "work",
  authorizeMs: "whole",
  owner: "work",
  task: "work",
  list: "work",
  streamSecret: "text",
  streamTokenMs: "count",
  mostRunning: "count",
  pollMs: "count",
  heartbeatMs: "whole",
  bodyBytes: "count",
  cors: "any",
  onError: "work",
} as const satisfies Options<TaskHandlerConfig>;

type View = NonNullable<TaskRunOptions["view"]>;

/**
 * A handler for tasks: `POST …/tasks/do`, `POST …/tasks/do/async`, `GET …/tasks/{id}/events` and the others of the guide. `createTaskClient` of
 * `glove-wasm/remote` speaks to it. It runs tasks in this process, so it is for servers that live longer than a request.
 */
export function createTaskHandler(config: TaskHandlerConfig): TaskHandler {
  check("The options", config, "object");
  checkOptions(config, handlerOptions);
  for (const [name, expected] of Object.entries(handlerOptions)) {
    const value = config[name as keyof TaskHandlerConfig];
    if (value !== undefined || name === "workspace") check(`\`${name}\``, value, expected);
  }
  if (typeof config.agent !== "function") check("`agent`", config.agent, "object");
  const tasks = new Tasks(config);
  return async (request) => {
    check("The request", request, "object");
    const cors = corsHeaders(config.cors, request);
    const preflight = request.method === "OPTIONS" && "access-control-allow-origin" in cors;
    const response = preflight ? new Response(null, { status: 204 }) : await tasks.serve(request).catch(failed(config, request));
    for (const [name, value] of Object.entries(cors)) response.headers.set(name, value);
    return response;
  };
}

class Tasks {
  readonly #config: TaskHandlerConfig;
  readonly #live: LiveTasks;
  readonly #streamTokens: StreamTokens;

  constructor(config: TaskHandlerConfig) {
    this.#config = config;
    this.#streamTokens = new StreamTokens(config.streamSecret, config.streamTokenMs);
    this.#live = new LiveTasks(config.mostRunning ?? 100);
  }

  async serve(request: Request): Promise<Response> {
    const route = routeOf(request);
    checkOrigin(this.#config, request);
    const follower = await this.#follower(route, request);
    if (follower && "id" in route && route.id) return this.#ofTask("events", route.id, request, follower.owner, follower.until);
    const refused = await checkPermission(this.#config, request);
    if (refused) return refused;
    const owner = await ownerOf(this.#config, request);
    switch (route.does) {
      case "start":
      case "do":
        return this.#begin(request, owner, route.does === "do");
      case "list":
        return this.#list(request, owner);
      case "decide":
        return this.#decide(route, request, owner);
      default:
        return this.#ofTask(route.does, route.id, request, owner);
    }
  }

  async #begin(request: Request, owner: string, wait: boolean): Promise<Response> {
    const view = viewOf(request);
    const { spec: requested, files } = taskOf(await this.#body(request));
    const inputs = await inputsOf(files);
    const spec = await this.#spec(requested, owner);
    const id = crypto.randomUUID();
    const workspace = await this.#workspace(id, owner);
    const agent = await this.#agent(owner);
    const open = async () => {
      try {
        for (const [path, content] of inputs) await workspace.write(path, content);
        return await agent.startTask(workspace, { ...spec, id });
      } catch (error) {
        // Nobody would look for them.
        await Promise.allSettled([...inputs.keys()].map((path) => workspace.remove(path)));
        throw error;
      }
    };
    // Whoever waits for the result cannot decide meanwhile.
    const leaveWhenWaiting = wait;
    const { ended } = await this.#live.run(keyOf(id, owner), open, (task) =>
      working(task, { view, leaveWhenWaiting }, wait ? request : undefined),
    );
    if (wait) return json({ id, ...(await ended) });
    this.#behind(ended, request);
    return json({ id, task_id: id, stream_token: await this.#streamTokens.make(owner, id) }, 202);
  }

  /** Whose task is followed, by the token of its address. */
  async #follower(route: TaskRoute, request: Request): Promise<Follower | undefined> {
    const token = route.does === "events" ? new URL(request.url).searchParams.get("stream_token") : null;
    return token === null || route.does !== "events" ? undefined : this.#streamTokens.follower(token, route.id);
  }

  async #list(request: Request, owner: string): Promise<Response> {
    const limit = new URL(request.url).searchParams.get("limit") ?? String(usualListed);
    const most = /^\d{1,4}$/.test(limit) ? Number(limit) : 0;
    if (most < 1 || most > mostListed) refuse(400, "REQUEST_INVALID", `\`limit\` is a number from 1 to ${mostListed}.`);
    const { list } = this.#config;
    if (!list) refuse(501, "TASK_LIST_UNSUPPORTED", "This server does not list its tasks.");
    const ids = check("What `list` returned", await list(owner), "list");
    const tasks: RemoteTaskEntry[] = [];
    for (const id of ids.slice(0, most)) {
      if (!isTaskId(check("An id of `list`", id, "text"))) continue;
      const workspace = await this.#workspace(id, owner);
      const entry = await entryOf(workspace, id, await this.#isRunning(keyOf(id, owner), workspace));
      // One that was deleted meanwhile is none.
      if (entry) tasks.push(entry);
    }
    return json({ tasks, more: ids.length > most });
  }

  async #isRunning(key: string, workspace: TaskWorkspace): Promise<boolean> {
    return this.#live.has(key) || (await workspace.leased?.()) === true;
  }

  async #decide(route: Extract<TaskRoute, { does: "decide" }>, request: Request, owner: string): Promise<Response> {
    const { task_id, decision, reason, said } = decisionOf(await this.#body(request), route.request);
    const id = route.id ?? task_id;
    if (!id) refuse(400, "REQUEST_INVALID", "The decision does not say of which task: add `task_id`.");
    const workspace = await this.#known(id, owner);
    await this.#live.decide(keyOf(id, owner), workspace, { id: route.request, decision, by: owner, reason, said });
    return json({ id, request: route.request, decision });
  }

  async #ofTask(
    does: Exclude<TaskRoute["does"], "start" | "do" | "list" | "decide">,
    id: string,
    request: Request,
    owner: string,
    until?: number,
  ): Promise<Response> {
    const workspace = await this.#known(id, owner);
    const key = keyOf(id, owner);
    const { searchParams: asked } = new URL(request.url);
    const path = asked.get("path") ?? "";
    switch (does) {
      case "events":
        // What is wrong with it is said before the stream begins, and not in the middle of it.
        await stateOf(workspace);
        return eventStream(workspace, {
          after: request.headers.get("last-event-id") ?? asked.get("after") ?? "",
          sse: !(request.headers.get("accept") ?? "").includes("ndjson"),
          follow: asked.get("follow") !== "false",
          pollMs: this.#config.pollMs ?? 500,
          heartbeatMs: this.#config.heartbeatMs ?? 15_000,
          until,
          signal: request.signal,
        });
      case "state":
        return json(await stateOf(workspace, await this.#isRunning(key, workspace)));
      case "result":
        return json({ id, ...(await resultOf(workspace, viewOf(request))) });
      case "files":
        return json({ id, files: await filesOf(workspace) });
      case "file":
        return fileOf(workspace, path);
      case "edit": {
        const edited = await clientPath(path, "edit");
        await unfinished(workspace);
        const content = editOf(await this.#body(request));
        checkFits([edited], await filesIn(workspace));
        await watchTask(workspace).write(edited, content);
        return json({ id, path: edited });
      }
      case "stop":
        await unfinished(workspace);
        await this.#live.stop(key, workspace, textOf(await readText(request, this.#config), "reason"));
        return json({ id });
      case "upload": {
        await unfinished(workspace);
        const type = request.headers.get("content-type") ?? "";
        const isForm = /^multipart\/form-data\s*;/i.test(type);
        const sent = isForm ? await formFiles(await this.#bytes(request), type) : uploadOf(await this.#body(request));
        const inputs = await inputsOf(sent);
        checkFits(inputs.keys(), await filesIn(workspace));
        for (const [path, content] of inputs) await workspace.write(path, content);
        return json({ id, files: [...inputs.keys()] });
      }
      case "resume": {
        await unfinished(workspace);
        const stop = await stopIn(workspace);
        const more = budgetsOf(await readText(request, this.#config));
        const agent = await this.#agent(owner);
        const open = async () => {
          const task = await agent.resume(workspace);
          if (more) await this.#give(task, more, owner);
          await this.#live.forgetStop(key, workspace, stop);
          return task;
        };
        const { ended } = await this.#live.run(key, open, (task) => working(task, {}));
        this.#behind(ended, request);
        return json({ id }, 202);
      }
    }
  }

  /** Logs the failure of a task that continues after its response. A normal end is in the task's files. */
  #behind(ended: Promise<unknown>, request: Request): void {
    ended.catch((error: unknown) => logRefusal(this.#config, request, broken, error));
  }

  async #spec(requested: TaskSpec, owner: string): Promise<TaskSpec> {
    const spec = this.#config.task ? await this.#config.task(requested, owner) : requested;
    return { ...check("What `task` returned", spec, "object"), ...(owner && { user_id: owner }) };
  }

  /** Other budgets for a task that is there. The server says of them what it says of those of a new one. */
  async #give(task: GloveTask, more: TaskBudgets, owner: string): Promise<void> {
    const { spec } = task.getSnapshot().state;
    const now = spec.budgets ?? {};
    const requested = { ...now, ...more };
    // What `task` leaves out stays, as it would have been its usual one at the start.
    const accepted: TaskBudgets = { ...now, ...(await this.#spec({ ...spec, budgets: requested }, owner)).budgets };
    const differs = (from: TaskBudgets) => Object.entries(now).some(([name, most]) => from[name as keyof TaskBudgets] !== most);
    if (!differs(accepted) && differs(requested)) {
      refuse(403, "TASK_BUDGET_REFUSED", "The server gives this task no more than it has.");
    }
    // The state says null of what has no bound.
    const bounds = Object.entries(accepted).map(([name, most]) => [name, most ?? Number.POSITIVE_INFINITY]);
    await task.setBudgets(Object.fromEntries(bounds));
  }

  async #agent(owner: string) {
    const { agent } = this.#config;
    return typeof agent === "function" ? agent(owner) : agent;
  }

  async #workspace(id: string, owner: string): Promise<TaskWorkspace> {
    return limited(checkWorkspace(await this.#config.workspace(id, owner)), new Limits(silent));
  }

  /** That of a task that was begun. */
  async #known(id: string, owner: string): Promise<TaskWorkspace> {
    // It may come from a body, and an application makes paths of it.
    if (!isTaskId(id)) refuse(404, "TASK_MISSING", noTask);
    const workspace = await this.#workspace(id, owner);
    for (const state of ["progress/state.json", "progress/state.previous.json"]) {
      if (await workspace.read(state)) return workspace;
    }
    return refuse(404, "TASK_MISSING", noTask);
  }

  #body(request: Request): Promise<string> {
    return readBody(request, limitsOf(this.#config));
  }

  async #bytes(request: Request): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    await readPieces(request, limitsOf(this.#config), (piece) => pieces.push(piece));
    return new Uint8Array(await new Blob(pieces as Uint8Array<ArrayBuffer>[]).arrayBuffer());
  }
}

/** Tasks in one list. */
const usualListed = 100;
const mostListed = 1_000;

const noTask = "There is no task with this id.";

const limitsOf = ({ bodyBytes }: TaskHandlerConfig) => (bodyBytes === undefined ? undefined : { bodyBytes });

/** A body may be left away. */
async function readText(request: Request, config: TaskHandlerConfig): Promise<string> {
  return request.headers.has("content-type") ? readBody(request, limitsOf(config)) : "";
}

/** Stops when whoever waits for the result leaves: it can be resumed. */
async function working(task: GloveTask, options: TaskRunOptions, waits?: Request): Promise<TaskResult> {
  const leave = () => void task.stop("the client left").catch(() => {});
  waits?.signal.addEventListener("abort", leave);
  try {
    const running = task.run(options);
    if (waits?.signal.aborted) leave();
    return await running;
  } finally {
    waits?.signal.removeEventListener("abort", leave);
  }
}

function viewOf(request: Request): View {
  const view = new URL(request.url).searchParams.get("view") ?? "summary";
  if (view === "minimal" || view === "summary" || view === "full") return view;
  return refuse(400, "REQUEST_INVALID", "`view` is minimal, summary or full.");
}

const keyOf = (id: string, owner: string) => JSON.stringify([owner, id]);

function failed(config: TaskHandlerConfig, request: Request): (thrown: unknown) => Response {
  return (thrown) => {
    const refusal = refusalOf(thrown);
    if (refusal !== clientDisconnected) logRefusal(config, request, refusal, thrown instanceof Refused ? thrown.cause : thrown);
    const response = refusedResponse(refusal);
    if (thrown instanceof NotAllowed) response.headers.set("allow", thrown.allowed);
    return response;
  };
}

function logRefusal({ onError }: TaskHandlerConfig, request: Request, refusal: Refusal, cause: unknown): void {
  const why = refusal === broken && cause !== undefined ? reasonOf(cause) : (refusal.detail ?? refusal.message);
  const error = new GloveError(refusal.code, why, cause !== undefined ? { cause: asError(cause) } : {});
  // A log that fails is no reason to fail a client or to end a server.
  void (async () =>
    onError ? onError(error, request) : refusal === broken && console.error(`createTaskHandler: ${why}`))().catch(() => {});
}
