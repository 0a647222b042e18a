// `createMcpHandler`: tools of an application for clients of MCP. Each call is a session, so it is allowed, recorded and asked about after a crash as
// any other call is.

import type {
  CallToolRequest,
  CallToolResult,
  InputRequiredResult,
  RequestStateCodec,
  Server,
  ServerContext,
} from "@modelcontextprotocol/server";
import { checkPermission, ownerOf } from "../../server/authorize.js";
import { checkOrigin, corsHeaders } from "../../server/cors.js";
import { Refused } from "../../server/refuse.js";
import { clientDisconnected, refusedResponse } from "../../src/relay/refusal-response.js";
import { jsonSchemaOf } from "../../src/schema/json-schema-of.js";
import type { JsonSchema } from "../../src/schema/types.js";
import type { Maybe } from "../../src/timing/sync-or-promise.js";
import { asError, GloveError } from "../../src/values/error.js";
import { generateId } from "../../src/values/ids.js";
import { check } from "../../src/values/validate-options.js";
import { canonical, digestOf } from "../tools/fingerprint.js";
import { agentCall, agentInput, agentTool } from "./conversation.js";
import { loadServerSdk, type ServerSdk } from "./load-sdk.js";
import { OpenCalls } from "./open-calls.js";
import { type Chosen, checkHandler, defaults, type McpHandlerOptions } from "./options.js";
import { checkRebound } from "./rebound.js";
import { failed } from "./result.js";
import { serveCall } from "./served-call.js";
import { toolCall } from "./tool-call.js";
import { type Listed, listedTools, pageOf } from "./tool-list.js";

/**
 * A handler for `POST` that clients of MCP call: those of 2026-07-28, and older ones as far as nobody has to be asked. Takes a Fetch API request, as
 * `createChatHandler` does.
 */
export function createMcpHandler(given: McpHandlerOptions): (request: Request) => Promise<Response> {
  const served = new ServedTools(given, checkHandler(given));
  return async (request) => {
    check("The request", request, "object");
    const cors = corsHeaders(given.cors, request);
    const preflight = request.method === "OPTIONS" && "access-control-allow-origin" in cors;
    const response = preflight
      ? new Response(null, { status: 204 })
      : await served.answer(request).catch((thrown: unknown) => served.refused(request, thrown));
    if (Object.keys(cors).length === 0) return response;
    const headers = new Headers(response.headers);
    for (const [name, value] of Object.entries(cors)) headers.set(name, value);
    return new Response(response.body, { status: response.status, headers });
  };
}

/** Whose request it is, from the handler to what answers it. */
interface Caller {
  readonly owner: string;
  readonly request: Request;
}

/** A call, as it came. `one` is its tool, if it is none to the agent. */
interface Call {
  readonly era: "legacy" | "modern";
  readonly caller: Caller;
  readonly one: Listed | undefined;
  readonly params: CallToolRequest["params"];
  readonly context: ServerContext;
  readonly codec: RequestStateCodec<CallState>;
}

/** What a client brings back with an answer. */
interface CallState {
  readonly id: string;
  /** The conversation that a message to the agent began. */
  readonly conversation?: string;
  /** What was asked. */
  readonly asks: string;
  /** Of the tool and its arguments. */
  readonly digest: string;
}

type Answer = CallToolResult | InputRequiredResult;

class ServedTools {
  readonly #given: McpHandlerOptions;
  readonly #chosen: readonly Chosen[];
  readonly #calls: OpenCalls;
  readonly #secret: string | Uint8Array;
  #listed: Promise<readonly Listed[]> | undefined;
  #handler: Promise<(request: Request, caller: Caller) => Promise<Response>> | undefined;

  constructor(given: McpHandlerOptions, chosen: readonly Chosen[]) {
    this.#given = given;
    this.#chosen = chosen;
    this.#calls = new OpenCalls(given.client);
    this.#secret = given.secret ?? crypto.getRandomValues(new Uint8Array(32));
  }

  async answer(request: Request): Promise<Response> {
    checkOrigin(this.#given, request);
    checkRebound(this.#given, request);
    const refused = await checkPermission(this.#given, request);
    if (refused) return refused;
    const owner = await ownerOf(this.#given, request);
    const handler = this.#handler ?? this.#open();
    this.#handler = handler;
    // It can be installed meanwhile.
    handler.catch(() => {
      this.#handler = undefined;
    });
    return (await handler)(request, { owner, request });
  }

  async #open() {
    const sdk = await loadServerSdk();
    const { limits, heartbeatMs } = this.#given;
    const handler = sdk.createMcpHandler(({ era, authInfo }) => this.#serverOf(sdk, era, authInfo?.extra as unknown as Caller), {
      legacy: "stateless",
      maxRequestBodySize: limits?.bodyBytes ?? defaults.bodyBytes,
      // Its lists stay as they are: there is nothing to listen to.
      maxSubscriptions: 0,
      ...(heartbeatMs !== undefined && { keepAliveMs: heartbeatMs }),
    });
    return (request: Request, { owner, request: asked }: Caller) =>
      handler.fetch(request, { authInfo: { token: "", clientId: owner, scopes: [], extra: { owner, request: asked } } });
  }

  #serverOf(sdk: ServerSdk, era: "legacy" | "modern", caller: Caller): Server {
    const { name, version = "1.0.0", title, instructions, questionMs = defaults.questionMs, limits, agent } = this.#given;
    const codec = sdk.createRequestStateCodec<CallState>({
      key: this.#secret,
      ttlSeconds: Math.ceil(questionMs / 1000),
      bind: () => JSON.stringify([name, caller.owner]),
    });
    const server = new sdk.Server(
      { name, version, ...(title !== undefined && { title }) },
      {
        capabilities: { tools: {} },
        requestState: { verify: codec.verify },
        inputRequired: { legacyShim: false },
        ...(instructions !== undefined && { instructions }),
      },
    );
    const invalid = (message: string) => new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, message);
    server.setRequestHandler("tools/list", async ({ params }) => {
      const tools = (await this.#tools(caller)).map(({ told }) => told);
      const all = agent ? [agentTool(agent), ...tools] : tools;
      const page = pageOf(all, params?.cursor, limits?.pageTools ?? defaults.pageTools);
      if (!page) throw invalid("The cursor is not one of this list.");
      return page;
    });
    server.setRequestHandler("tools/call", async ({ params }, context) => {
      const isAgent = params.name === agent?.name;
      const one = isAgent ? undefined : (await this.#tools(caller)).find(({ tool }) => tool.name === params.name);
      if (!isAgent && !one) throw invalid(`There is no tool "${params.name.slice(0, 100)}".`);
      const done = this.#calls.begin(caller.owner, limits?.calls ?? defaults.calls);
      if (!done) return failed("Too many calls run at once. Wait for one of them; this one has not begun.");
      try {
        const answer = await this.#call(sdk, { era, caller, one, params, context, codec });
        return isResult(answer) ? server.projectCallToolResult(answer, one?.told.outputSchema) : answer;
      } catch (error) {
        if (error instanceof sdk.ProtocolError) throw error;
        this.#report(caller.request, asGlove(error));
        return failed(`The server could not run "${params.name}". It may have run.`);
      } finally {
        done();
      }
    });
    return server;
  }

  async #call(sdk: ServerSdk, { era, caller, one, params, context, codec }: Call): Promise<Answer> {
    const { timeoutMs = defaults.timeoutMs, limits } = this.#given;
    const { owner, request } = caller;
    const { mcpReq } = context;
    const { name, arguments: input = {} } = params;
    const digest = await digestOf(canonical({ name, input }));
    const state = mcpReq.requestState<CallState>();
    if (state && state.digest !== digest)
      return failed("The answer belongs to a call with other arguments. Nothing was run for it.");
    const id = state?.id ?? generateId();
    const said = one ? undefined : agentInput(input);
    if (typeof said === "string") return failed(said);
    const conversation = said && (state?.conversation ?? said.conversation ?? generateId());
    const report = (error: GloveError) => this.#report(request, error);
    const letters = limits?.resultLetters ?? defaults.resultLetters;
    const work =
      said && conversation
        ? agentCall(id, name, said, conversation, letters)
        : toolCall(id, input, { name, outputSchema: one?.offer.outputSchema, letters, report });
    const token = mcpReq._meta?.progressToken;
    const { session, release } = this.#calls.open(sessionOf(owner, conversation ? "talk" : "call", conversation ?? id), owner);
    try {
      const served = await serveCall({
        session,
        work,
        id,
        answer: state && { asks: state.asks, said: sdk.inputResponse(mcpReq.inputResponses, question) },
        asksPeople: era === "modern" && asksForms(Object(mcpReq.envelope)[sdk.CLIENT_CAPABILITIES_META_KEY]),
        answersOf: (tool) => this.#answersOf(tool),
        timeoutMs,
        signal: mcpReq.signal,
        report,
        ...(token !== undefined && {
          progressed: (progress) =>
            void mcpReq
              .notify({ method: "notifications/progress", params: { ...progress, progressToken: token } })
              .catch(() => {}),
        }),
      });
      if ("result" in served) return served.result;
      // Older versions of the protocol have no word for it.
      if ("unasked" in served && era === "legacy") return failed(served.unasked);
      if ("unasked" in served)
        throw new sdk.MissingRequiredClientCapabilityError(
          { requiredCapabilities: { elicitation: { form: {} } } },
          served.unasked,
        );
      const asked: CallState = { id, asks: served.open.id, digest, ...(conversation && { conversation }) };
      return sdk.inputRequired({
        inputRequests: { [question]: sdk.inputRequired.elicit(served.form) },
        requestState: await codec.mint(asked, context),
      });
    } finally {
      release();
    }
  }

  /** What the tool's own renderer may answer, where the tool says so. */
  #answersOf(name: string): Maybe<JsonSchema | undefined> {
    const schema = this.#given.client.tools?.find((tool) => tool.name === name)?.resolveSchema;
    return schema && jsonSchemaOf(schema);
  }

  #tools({ request }: Caller): Promise<readonly Listed[]> {
    this.#listed ??= listedTools(this.#chosen, (error) => this.#report(request, error));
    return this.#listed;
  }

  refused(request: Request, thrown: unknown): Response {
    const refusal =
      thrown instanceof Refused
        ? thrown.refusal
        : { status: 500, code: "INTERNAL", message: "The server could not answer this request." };
    const cause = thrown instanceof Refused ? thrown.cause : thrown;
    if (refusal !== clientDisconnected) {
      const detail = thrown instanceof Refused ? (refusal.detail ?? refusal.message) : asError(thrown).message;
      const code = thrown instanceof GloveError ? thrown.code : refusal.code;
      this.#report(request, new GloveError(code, detail, { ...(cause !== undefined && { cause }) }));
    }
    return refusedResponse(refusal);
  }

  /** What a client did wrong is in its response, and of what a tool throws the session tells; the rest is the server's. */
  #report(request: Request, error: GloveError): void {
    const { onError } = this.#given;
    const log = () =>
      !/^(UNAUTHORIZED|FORBIDDEN|MCP_RESULT_TOO_LARGE|TOOL_FAILED)$/.test(error.code) &&
      console.error(`createMcpHandler: ${error.code}: ${error.message}`);
    // A log that fails, at once or later, is no reason to fail a client or to end a server.
    void (async () => (onError ? onError(error, request) : log()))().catch(() => {});
  }
}

/** The only question of an answer, by its name there. */
const question = "answer";

/** Whoever names a call gets only one of the same owner. */
const sessionOf = (owner: string, kind: "call" | "talk", id: string): string => `mcp:${encodeURIComponent(owner)}:${kind}:${id}`;

/** A client that says nothing of its kinds of questions knows forms. */
function asksForms(capabilities: unknown): boolean {
  const { elicitation } = Object(capabilities) as { readonly elicitation?: Readonly<Record<string, unknown>> };
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

const isResult = (answer: Answer): answer is CallToolResult => "content" in answer;

function asGlove(error: unknown): GloveError {
  return error instanceof GloveError ? error : new GloveError("INTERNAL", asError(error).message, { cause: error });
}
