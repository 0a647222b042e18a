// `createAgUiHandler`: our sessions for clients of AG-UI.

import { checkPermission, ownerOf } from "../server/authorize.js";
import { readBody } from "../server/body.js";
import type { ChatHandlerConfig, ChatHandlerLimits } from "../server/config.js";
import { corsHeaders } from "../server/cors.js";
import { Refused, refuse } from "../server/refuse.js";
import { clientDisconnected, refusedResponse } from "../src/relay/refusal-response.js";
import type { GloveClient } from "../src/session/client.js";
import { asError, GloveError } from "../src/values/error.js";
import { check, checkOptions, type Options } from "../src/values/validate-options.js";
import { runInput } from "./serve/run-input.js";
import { serveRun } from "./serve/serve-run.js";

/** The options of a handler; those that a chat handler has too mean the same. */
export interface AgUiHandlerOptions
  extends Pick<ChatHandlerConfig, "authorize" | "authorizeMs" | "owner" | "cors" | "heartbeatMs"> {
  /** Whose sessions they are: its model, instructions, tools, plugins and store. */
  readonly client: GloveClient;
  /** What a request may hold: without it 8 MB, 2,000 messages and 128 tools. */
  readonly limits?: Pick<ChatHandlerLimits, "bodyBytes" | "messages" | "tools"> | undefined;
  /** Told of every request that was not answered, and of what was wrong with one that was. */
  readonly onError?: ((error: GloveError, request: Request) => unknown) | undefined;
}

const options = {
  client: "object",
  authorize: "work",
  authorizeMs: "large",
  owner: "work",
  cors: "any",
  heartbeatMs: "large",
  limits: { bodyBytes: "large", messages: "count", tools: "count" },
  onError: "work",
} as const satisfies Options<AgUiHandlerOptions>;

/** So long a request waits for the one before it of the same thread. */
const turnMs = 10_000;

/**
 * A handler for `POST` that clients of AG-UI call with a `RunAgentInput`. A thread is a session of the client: what is stored of it counts, and of the
 * messages that a request brings only what is new. Takes a Fetch API request, as `createChatHandler` does.
 */
export function createAgUiHandler(given: AgUiHandlerOptions): (request: Request) => Promise<Response> {
  check("The options", given, "object");
  checkOptions(given, options);
  if (typeof given.client?.session !== "function")
    throw new GloveError("CONFIG_INVALID", "createAgUiHandler requires a `client`: a GloveClient.");
  const turns = new Turns();
  const serve = async (request: Request): Promise<Response> => {
    if (request.method !== "POST") refuse(405, "METHOD_NOT_ALLOWED", "This endpoint accepts only POST.");
    const refused = await checkPermission(given, request);
    if (refused) return refused;
    const owner = await ownerOf(given, request);
    const { messages = 2_000, tools = 128 } = given.limits ?? {};
    const input = runInput(await readBody(request, given.limits), { messages, tools });
    const sessionId = sessionOf(owner, input.threadId);
    const over = await turns.take(sessionId);
    if (!over) refuse(409, "THREAD_BUSY", "Another request of this thread is being answered. Nothing of this one was taken.");
    const { client, heartbeatMs = 15_000 } = given;
    const report = (error: GloveError) => told(given, request, error);
    return serveRun({ client, sessionId, userId: owner, input, heartbeatMs, signal: request.signal, report, over });
  };
  return async (request) => {
    check("The request", request, "object");
    const cors = corsHeaders(given.cors, request);
    const preflight = request.method === "OPTIONS" && "access-control-allow-origin" in cors;
    const response = preflight
      ? new Response(null, { status: 204 })
      : await serve(request).catch((thrown) => failed(given, request, thrown));
    for (const [name, value] of Object.entries(cors)) response.headers.set(name, value);
    return response;
  };
}

/** Whoever names a thread gets only that of the same owner. */
function sessionOf(owner: string, thread: string): string {
  return owner ? `${encodeURIComponent(owner)}:${encodeURIComponent(thread)}` : encodeURIComponent(thread);
}

function failed(given: AgUiHandlerOptions, request: Request, thrown: unknown): Response {
  const refusal =
    thrown instanceof Refused
      ? thrown.refusal
      : thrown instanceof GloveError && !/^(STORE_|INTERNAL)/.test(thrown.code)
        ? { status: 500, code: thrown.code, message: thrown.message }
        : { status: 500, code: "INTERNAL", message: "The server could not answer this request." };
  if (refusal !== clientDisconnected) {
    const cause = thrown instanceof Refused ? thrown.cause : thrown;
    const detail =
      "detail" in refusal && refusal.detail
        ? refusal.detail
        : thrown instanceof Refused
          ? refusal.message
          : asError(thrown).message;
    told(given, request, new GloveError(refusal.code, detail, { ...(cause !== undefined && { cause }) }));
  }
  return refusedResponse(refusal);
}

/** What a client did wrong is in its response; the rest is the server's. */
function told({ onError }: AgUiHandlerOptions, request: Request, error: GloveError): void {
  const log = () =>
    /^(MODEL_|STORE_|INTERNAL|AUTHORIZE_TIMEOUT)/.test(error.code) &&
    console.error(`createAgUiHandler: ${error.code}: ${error.message}`);
  // A log that fails, at once or later, is no reason to fail a client or to end a server.
  void (async () => (onError ? onError(error, request) : log()))().catch(() => {});
}

/** One request of a thread at a time, and one that waits. */
class Turns {
  readonly #running = new Map<string, Promise<void>>();
  readonly #waiting = new Set<string>();

  /** Gives what ends the turn; nothing where it did not come. */
  async take(id: string): Promise<(() => void) | undefined> {
    if (this.#running.has(id)) {
      if (this.#waiting.has(id)) return undefined;
      this.#waiting.add(id);
      let timer: ReturnType<typeof setTimeout> | undefined;
      let isLate = false;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(() => {
          isLate = true;
          resolve();
        }, turnMs);
      });
      // Another one may have come first.
      while (this.#running.has(id) && !isLate) await Promise.race([this.#running.get(id), late]);
      clearTimeout(timer);
      this.#waiting.delete(id);
      if (isLate) return undefined;
    }
    let end = () => {};
    const turn = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#running.set(id, turn);
    return () => {
      if (this.#running.get(id) === turn) this.#running.delete(id);
      end();
    };
  }
}
