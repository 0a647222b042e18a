// A request on its way: method, permission, body and key, then the answer.

import type { ModelNotice } from "../src/ports/model.js";
import { answer, broken } from "../src/relay/answer.js";
import type { Fetch } from "../src/relay/http.js";
import { clientDisconnected, type Refusal, refusedResponse } from "../src/relay/refusal-response.js";
import { asError, failureOf, GloveError, reasonOf } from "../src/values/error.js";
import { check } from "../src/values/validate-options.js";
import type { Providers } from "../src/wasm/providers.js";
import { checkPermission, ownerOf } from "./authorize.js";
import { readBody } from "./body.js";
import type { ChatHandler, ChatHandlerConfig } from "./config.js";
import { corsHeaders } from "./cors.js";
import { withFiles } from "./files/resolve.js";
import { McpForward } from "./mcp/forward.js";
import { Within } from "./middleware/within.js";
import { Refused, refuse } from "./refuse.js";
import { relayOf } from "./relay.js";
import { answerHeader, answerKey, overHeader, ResumableAnswers } from "./resume/resume.js";
import { ServerTools } from "./tools.js";
import { traceChat } from "./traces.js";
import { upstreamOf } from "./upstream.js";

/** Refuses at once what can never be answered. */
export function chatHandler(core: Providers, config: ChatHandlerConfig): ChatHandler {
  const upstream = upstreamOf(config);
  const within = config.middleware?.length ? new Within(core, config, upstream) : undefined;
  const relay = within?.relay ?? relayOf(core, config, upstream);
  const answers = config.resume && new ResumableAnswers(config.resume, config.heartbeatMs ?? 15_000);
  const tools = config.tools?.length ? new ServerTools(core, config, upstream.key) : undefined;
  const mcp = config.mcp && new McpForward(config, config.mcp, upstream.key);
  const serve = async (request: Request): Promise<Response> => {
    const lists = tools && request.method === "GET";
    const forwards = mcp && McpForward.asks(request);
    const returns = mcp?.returns(request) ?? false;
    if (request.method !== "POST" && !lists && !forwards && !returns)
      refuse(405, "METHOD_NOT_ALLOWED", `The chat endpoint accepts only ${tools ? "GET and POST" : "POST"}.`);
    const refused = await checkPermission(config, request);
    if (refused) return refused;
    if (lists && !forwards && !returns) return tools.list();
    const owner = await ownerOf(config, request);
    if (mcp && returns) return mcp.finish(request, owner);
    if (forwards) return mcp.answer(request, owner);
    const name = answers?.nameOf(request);
    if (answers && name && request.headers.has(overHeader)) return answers.forget((await answerKey(name, owner)).id);
    const body = await readBody(request, config.limits);
    if (tools && ServerTools.isCall(body)) {
      return tools.answer(body, request, owner, (error) => toldOf(config, request, error));
    }
    const { signal } = request;
    const report = (refusal: Refusal, cause?: unknown) => logRefusal(config, request, refusal, cause);
    const notice = (message: ModelNotice) => noticed(config, request, message);
    const { heartbeatMs = 15_000 } = config;
    // Read when it is called, so that a fetch which was put in its place later is the one that is used.
    const fetch: Fetch = (url, init) => (upstream.fetch ?? globalThis.fetch)(url, init);
    const model = modelOf(config, body);
    const { resolveFile, limits } = config;
    const whole = resolveFile ? await withFiles(body, resolveFile, request, limits?.fileBytes) : body;
    const ask = (signal: AbortSignal) =>
      traceChat(config.tracer, { ...upstream, model: model ?? upstream.model }, (trace) => {
        const key = upstream.key();
        return answer({
          relay: relay(),
          body: whole,
          key,
          tickets: tools?.tickets(owner),
          signal,
          fetch,
          heartbeatMs,
          trace,
          report,
          notice,
          ...within?.begin({ request, owner, model, key, fetch, notice }),
        });
      });
    if (!answers || !name) return ask(signal);
    const response = await answers.answer(await answerKey(name, owner, body), request, ask);
    if (response.ok) response.headers.set(answerHeader, name);
    return response;
  };
  return async (request) => {
    check("The request", request, "object");
    const cors = corsHeaders(config.cors, request);
    const preflight = request.method === "OPTIONS" && "access-control-allow-origin" in cors;
    const response = preflight ? new Response(null, { status: 204 }) : await serve(request).catch(failed(config, request));
    if (tools && response.status === 405) response.headers.set("allow", "GET, POST");
    for (const [name, value] of Object.entries(cors)) response.headers.set(name, value);
    return response;
  };
}

/** What a client asks for, where it may choose and a trace or a middleware is told of it; the core decides. */
function modelOf({ tracer, middleware, models }: ChatHandlerConfig, body: string): string | undefined {
  if ((!tracer && !middleware?.length) || !models?.length) return undefined;
  try {
    const { model } = JSON.parse(body) as { readonly model?: string };
    return models.find((known) => known === model);
  } catch {
    return undefined;
  }
}

function failed(config: ChatHandlerConfig, request: Request): (thrown: unknown) => Response {
  return (thrown) => {
    const refusal = thrown instanceof Refused ? thrown.refusal : broken;
    if (refusal !== clientDisconnected) logRefusal(config, request, refusal, thrown instanceof Refused ? thrown.cause : thrown);
    return refusedResponse(refusal);
  };
}

/** What nobody but this server's owner can mend. */
const ownFaults: readonly string[] = [
  "MODEL_CONFIG",
  "MODEL_AUTHENTICATION",
  "INTERNAL",
  "AUTHORIZE_TIMEOUT",
  "TOOL_FAILED",
  "FILE_NOT_RESOLVED",
  "MIDDLEWARE_FAILED",
];

/** What anybody can bring about is said once by each handler: how a limit is raised, and that `authorize` gives no plain yes. */
const saidOnce: readonly string[] = ["BODY_TOO_LARGE", "UNAUTHORIZED"];
const said = new WeakMap<ChatHandlerConfig, Set<string>>();

function log(config: ChatHandlerConfig, { code, message }: GloveError, { detail, log }: Partial<Refusal>): void {
  const say = (line: string) => console.error(`createChatHandler: ${line}`);
  if (log !== undefined) {
    say(log);
    return;
  }
  const before = said.get(config) ?? new Set();
  said.set(config, before);
  // Who is not signed in is no fault of the server.
  const once = saidOnce.includes(code) && (detail !== undefined || code !== "UNAUTHORIZED") && !before.has(code);
  if (once) before.add(code);
  if (once || ownFaults.includes(code)) say(message);
}

/** What a handler has warned of: each sentence once, and not for ever, as clients have a part in them. */
const warned = new WeakMap<ChatHandlerConfig, Set<string>>();
const maxWarnings = 100;

function warn(config: ChatHandlerConfig, { code, message }: ModelNotice): void {
  const known = warned.get(config) ?? new Set();
  warned.set(config, known);
  if (known.has(message) || known.size >= maxWarnings) return;
  known.add(message);
  console.warn(`createChatHandler: ${code}: ${message}`);
}

function noticed(config: ChatHandlerConfig, request: Request, notice: ModelNotice): void {
  void (async () => (config.onNotice ? config.onNotice(notice, request) : warn(config, notice)))().catch(() => {});
}

function logRefusal(config: ChatHandlerConfig, request: Request, refusal: Refusal, cause: unknown): void {
  const why = refusal === broken && cause !== undefined ? reasonOf(cause) : (refusal.detail ?? refusal.message);
  const known = refusal.model && failureOf({ transient: false, ...refusal.model });
  const error = new GloveError(refusal.code, why, { ...(cause !== undefined && { cause: asError(cause) }), ...known });
  toldOf(config, request, error, refusal);
}

function toldOf(config: ChatHandlerConfig, request: Request, error: GloveError, refusal: Partial<Refusal> = {}): void {
  // A log that fails, at once or later, is no reason to fail a client or to end a server.
  void (async () => (config.onError ? config.onError(error, request) : log(config, error, refusal)))().catch(() => {});
}
