// A request on its way: method, permission, body and key, then the answer.
import { asError, failureOf, GloveError, reasonOf } from "../src/error.js";
import type { Fetch } from "../src/models/http.js";
import type { ModelNotice } from "../src/models/model.js";
import { answer, broken } from "../src/relay/answer.js";
import { clientLeft, type Refusal, refusedResponse } from "../src/relay/refused.js";
import { check } from "../src/values/validate-options.js";
import type { Providers } from "../src/wasm/providers.js";
import { checkPermission } from "./authorize.js";
import { readBody } from "./body.js";
import type { ChatHandler, ChatHandlerConfig } from "./config.js";
import { corsHeaders } from "./cors.js";
import { Refused, refuse } from "./refuse.js";
import { relayOf } from "./relay.js";
import { overHeader, ResumableAnswers } from "./resume.js";
import { upstreamOf } from "./upstream.js";

/** Refuses at once what can never be answered. */
export function chatHandler(core: Providers, config: ChatHandlerConfig): ChatHandler {
  const upstream = upstreamOf(config);
  const relay = relayOf(core, config, upstream);
  const answers = config.resume && new ResumableAnswers(config.resume, config.heartbeatMs ?? 15_000);
  const serve = async (request: Request): Promise<Response> => {
    if (request.method !== "POST") refuse(405, "METHOD_NOT_ALLOWED", "The chat endpoint accepts only POST.");
    const refused = await checkPermission(config, request);
    if (refused) return refused;
    const id = answers?.idOf(request);
    if (answers && id && request.headers.has(overHeader)) return answers.forget(id);
    const body = await readBody(request, config.limits);
    const { signal } = request;
    const report = (refusal: Refusal, cause?: unknown) => told(config, request, refusal, cause);
    const notice = (told: ModelNotice) => noticed(config, request, told);
    const { heartbeatMs = 15_000 } = config;
    // Read when it is called, so that a fetch which was put in its place later is the one that is used.
    const fetch: Fetch = (url, init) => (upstream.fetch ?? globalThis.fetch)(url, init);
    const ask = (signal: AbortSignal) =>
      answer({ relay: relay(), body, key: upstream.key(), signal, fetch, heartbeatMs, report, notice });
    return answers && id ? answers.answer(id, request, ask) : ask(signal);
  };
  return async (request) => {
    check("The request", request, "object");
    const cors = corsHeaders(config.cors, request);
    const preflight = request.method === "OPTIONS" && "access-control-allow-origin" in cors;
    const response = preflight ? new Response(null, { status: 204 }) : await serve(request).catch(failed(config, request));
    for (const [name, value] of Object.entries(cors)) response.headers.set(name, value);
    return response;
  };
}

function failed(config: ChatHandlerConfig, request: Request): (thrown: unknown) => Response {
  return (thrown) => {
    const refusal = thrown instanceof Refused ? thrown.refusal : broken;
    if (refusal !== clientLeft) told(config, request, refusal, thrown instanceof Refused ? thrown.cause : thrown);
    return refusedResponse(refusal);
  };
}

/** What nobody but this server's owner can mend. */
const ownFaults: readonly string[] = ["MODEL_CONFIG", "MODEL_AUTHENTICATION", "INTERNAL", "AUTHORIZE_TIMEOUT"];

/** What anybody can bring about is said once by each handler: how a limit is raised, and that `authorize` gives no plain yes. */
const saidOnce: readonly string[] = ["BODY_TOO_LARGE", "UNAUTHORIZED"];
const said = new WeakMap<ChatHandlerConfig, Set<string>>();

function log(config: ChatHandlerConfig, { code, message }: GloveError, detail: boolean): void {
  const before = said.get(config) ?? new Set();
  said.set(config, before);
  // Who is not signed in is no fault of the server.
  const once = saidOnce.includes(code) && (detail || code !== "UNAUTHORIZED") && !before.has(code);
  if (once) before.add(code);
  if (once || ownFaults.includes(code)) console.error(`createChatHandler: ${message}`);
}

/** What a handler has warned of: each sentence once, and not for ever, as clients have a part in them. */
const warned = new WeakMap<ChatHandlerConfig, Set<string>>();
const mostWarnings = 100;

function warn(config: ChatHandlerConfig, { code, message }: ModelNotice): void {
  const known = warned.get(config) ?? new Set();
  warned.set(config, known);
  if (known.has(message) || known.size >= mostWarnings) return;
  known.add(message);
  console.warn(`createChatHandler: ${code}: ${message}`);
}

function noticed(config: ChatHandlerConfig, request: Request, notice: ModelNotice): void {
  void (async () => (config.onNotice ? config.onNotice(notice, request) : warn(config, notice)))().catch(() => {});
}

function told(config: ChatHandlerConfig, request: Request, refusal: Refusal, cause: unknown): void {
  const why = refusal === broken && cause !== undefined ? reasonOf(cause) : (refusal.detail ?? refusal.message);
  const known = refusal.model && failureOf({ transient: false, ...refusal.model });
  const error = new GloveError(refusal.code, why, { ...(cause !== undefined && { cause: asError(cause) }), ...known });
  // A log that fails, at once or later, is no reason to fail a client or to end a server.
  void (async () => (config.onError ? config.onError(error, request) : log(config, error, refusal.detail !== undefined)))().catch(
    () => {},
  );
}
