// The connection to a server: made when it is needed, made again when it is lost, of either age of the protocol.

import type {
  CallToolRequest,
  CallToolResult,
  Client,
  CreateMessageRequest,
  CreateMessageResult,
  CreateMessageResultWithTools,
  ElicitRequest,
  ElicitResult,
  InputRequiredResult,
  Progress,
  Tool,
  Transport,
} from "@modelcontextprotocol/client";
import { GloveError, stoppedBy } from "../../src/values/error.js";
import type { McpAuth } from "../auth/mcp-auth.js";
import type { SignIn } from "../auth/sign-in-port.js";
import type { McpSettings } from "../options.js";
import type { McpStatus } from "../types.js";
import { appType } from "./app-type.js";
import { boundedFetch } from "./bounded-fetch.js";
import { clientInfo } from "./client-info.js";
import { errorOf, isNotConnected, knowsNoSession, neverSent, type SdkModule } from "./errors.js";
import { loadSdk } from "./load-sdk.js";
import { Patience } from "./patience.js";

/** Which of its lists a server has changed. */
export type ListName = "tools" | "prompts" | "resources";

/** What the application's model answers a server. */
type Sample = CreateMessageResult | CreateMessageResultWithTools;

/** What a server asks of a person. */
export type Elicitation = ElicitRequest["params"];

/** What came of one request of a call. It is kept in the record. */
export type Leg = { readonly answer: CallToolResult | InputRequiredResult } | { readonly failed: LegFailure };

export interface LegFailure {
  readonly code: string;
  readonly message: string;
  /** Whether the tool has run, as far as that is known. */
  readonly ran: "no" | "yes" | "perhaps";
}

/** What a call may do while its server works on it. */
export interface CallOptions {
  readonly tool: Tool;
  readonly params: CallToolRequest["params"];
  /** Tells this call from the others of its connection. */
  readonly key: string;
  readonly signal: AbortSignal;
  /** Asks the person in the middle of the call, as servers before 2026-07-28 do. `gone`: nobody waits for the answer any more. */
  ask(request: Elicitation, gone: AbortSignal): Promise<ElicitResult>;
  /** The same, of the application's model; a sentence where there is no answer. */
  sample(request: CreateMessageRequest["params"], gone: AbortSignal): Promise<Sample | string>;
  progressed(progress: Progress): void;
}

interface RunningCall {
  readonly key: string;
  readonly ask: CallOptions["ask"];
  readonly sample: CallOptions["sample"];
  readonly patience: Patience;
  /** Ends the waiting, with the reason. */
  readonly ending: AbortController;
  /** How often it has asked the person. */
  asked: number;
}

interface Connected {
  readonly sdk: SdkModule;
  readonly client: Client;
}

/** How long a server may take to say which protocol it speaks. */
const connectMs = 8_000;

/** A stream that ends is opened again after so long, whatever its server says; where it ends at once again, after up to `grown`. */
const reopenMs = { least: 1_000, grown: 16_000, most: 60_000, atOnce: 5_000 };

/** What the protocol says where a person wants no model to be asked. */
const rejected = -1;

/** No timer of the client's own: a person may take days for an answer. */
const never = 0x7fff_fffe;

export class Connection {
  readonly #settings: McpSettings;
  readonly #changed: (list: ListName) => void;
  /** Of the person whose connection it is, where people sign in. */
  readonly #findSignIn: (() => Promise<SignIn>) | undefined;
  #signIn: Promise<SignIn> | undefined;
  #connecting: Promise<Connected> | undefined;
  /** The client that is connected. */
  #client: Client | undefined;
  #status: McpStatus = { state: "idle" };
  /** How it was when it was connected. */
  #ready: McpStatus = this.#status;
  #era: string | undefined;
  readonly #listeners = new Set<(status: McpStatus) => unknown>();
  /** Calls that wait for their answers. */
  readonly #calls = new Set<RunningCall>();
  /** The end of the last call, where calls are one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(settings: McpSettings, changed: (list: ListName) => void, signIn?: () => Promise<SignIn>) {
    this.#settings = settings;
    this.#changed = changed;
    this.#findSignIn = signIn;
  }

  get status(): McpStatus {
    return this.#status;
  }

  /** Its server tells calls apart. */
  get isModern(): boolean {
    return this.#era === "modern";
  }

  subscribe(listener: (status: McpStatus) => unknown): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #set(status: McpStatus): void {
    this.#status = status;
    for (const listener of [...this.#listeners]) listener(status);
  }

  connect(): Promise<Connected> {
    if (this.#connecting) return this.#connecting;
    const connecting = this.#connect();
    this.#connecting = connecting;
    connecting.catch(() => this.#forget(connecting));
    return connecting;
  }

  #forget(connecting: Promise<Connected> | undefined): void {
    if (this.#connecting === connecting) this.#connecting = undefined;
  }

  async close(): Promise<void> {
    const connected = await this.#connecting?.catch(() => undefined);
    if (!connected) return;
    await connected.client.close();
    this.#lost(connected.client);
  }

  async #connect(): Promise<Connected> {
    this.#set({ state: "connecting" });
    const { name: server } = this.#settings;
    let sdk: SdkModule | undefined;
    const ending = new AbortController();
    const timer = setTimeout(() => ending.abort(), connectMs);
    try {
      sdk = await loadSdk();
      const signIn = await this.#signedIn();
      const client = this.#newClient(sdk);
      const transport = await raced(this.#transport(sdk, ending.signal, signIn), ending.signal);
      await raced(client.connect(transport, { signal: ending.signal, timeout: connectMs }), ending.signal);
      const { name, version } = client.getServerVersion() ?? { name: server, version: "" };
      void signIn?.look();
      this.#client = client;
      this.#era = client.getProtocolEra();
      const protocol = client.getNegotiatedProtocolVersion() ?? "";
      this.#ready = { state: "ready", protocol, server: { name: name.slice(0, 200), version: version.slice(0, 200) } };
      this.#set(this.#ready);
      return { sdk, client };
    } catch (cause) {
      const late = `The MCP server "${server}" did not answer within ${connectMs / 1000} seconds.`;
      const silent = ending.signal.aborted && new GloveError("MCP_UNREACHABLE", late, { cause, retryable: true });
      const error = silent || (sdk ? await this.#errorOf(sdk, cause) : (cause as GloveError));
      if (this.#status.state === "connecting")
        this.#set({ state: error.code === "MCP_SIGNED_OUT" ? "signed-out" : "failed", error });
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** The sign-in of the person, and what it changes here. */
  #signedIn(): Promise<SignIn> | undefined {
    this.#signIn ??= this.#findSignIn?.().then(
      (signIn) => {
        signIn.subscribe(() => {
          if (signIn.state.state === "signed-in" && this.#status.state === "signed-out")
            this.#set(this.#client ? this.#ready : { state: "idle" });
        });
        signIn.onSignedOut(() => void this.close().catch(() => {}));
        return signIn;
      },
      (error: unknown) => {
        this.#signIn = undefined;
        throw error;
      },
    );
    return this.#signIn;
  }

  /** What went wrong; where a person has to sign in for it, that is kept, and asked for. */
  async #errorOf(sdk: SdkModule, cause: unknown): Promise<GloveError> {
    const { name } = this.#settings;
    const error = errorOf(sdk, name, cause);
    const more = sdk.InsufficientScopeError.isInstance(cause) && {
      metadata: cause.resourceMetadataUrl?.href,
      scope: cause.requiredScope,
    };
    if (!this.#signIn || (error.code !== "MCP_SIGNED_OUT" && !more)) return error;
    const wants = more ? "wants rights that it was not given yet" : "wants you to sign in";
    const signedOut = new GloveError("MCP_SIGNED_OUT", `The MCP server "${name}" ${wants}.`, { cause });
    this.#set({ state: "signed-out", error: signedOut });
    await (await this.#signIn).refused(more || undefined);
    return signedOut;
  }

  /** What was connected is not any more. */
  #lost(client: Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#connecting = undefined;
    this.#set({ state: "idle" });
  }

  #newClient(sdk: SdkModule): Client {
    const { allow = {}, onLog, apps } = this.#settings;
    const { questions = true, links = true, roots, sampling } = allow;
    const elicitation = { ...(questions && { form: {} }), ...(links && { url: {} }) };
    const changed = (list: ListName) => ({ autoRefresh: false, debounceMs: 50, onChanged: () => this.#changed(list) });
    const client: Client = new sdk.Client(clientInfo, {
      capabilities: {
        ...((questions || links) && { elicitation }),
        ...(roots && { roots: {} }),
        ...(sampling && { sampling: { tools: {} } }),
        ...(apps && { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [appType] } } }),
      },
      versionNegotiation: { mode: "auto", probe: { timeoutMs: connectMs } },
      // What it asks for is a question of the call, which is in the record.
      inputRequired: { autoFulfill: false },
      listChanged: { tools: changed("tools"), prompts: changed("prompts"), resources: changed("resources") },
      // Results are checked where they are taken, by a validator that every policy of a page allows.
      jsonSchemaValidator: { getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }) },
    });
    if (questions || links)
      client.setRequestHandler("elicitation/create", ({ params }, { mcpReq }) => this.#asked(params, mcpReq.signal));
    if (sampling)
      client.setRequestHandler("sampling/createMessage", ({ params }, { mcpReq }) => this.#sampled(sdk, params, mcpReq.signal));
    if (roots)
      client.setRequestHandler("roots/list", () => ({ roots: roots.map(({ uri, name }) => ({ uri, ...(name && { name }) })) }));
    if (onLog)
      client.setNotificationHandler(
        "notifications/message",
        ({ params: { level, logger, data } }) => void onLog({ level, logger, data }),
      );
    client.onclose = () => this.#lost(client);
    // What concerns a request rejects it, and the rest is noise of streams that are opened again.
    client.onerror = () => {};
    return client;
  }

  async #transport(sdk: SdkModule, signal: AbortSignal, signIn: SignIn | undefined): Promise<Transport> {
    const { url, isVia, transport, auth, headers, fetch: own, limits, name } = this.#settings;
    if (!url) return (transport as NonNullable<McpSettings["transport"]>)({ signal });
    // Where people sign in at an address, there is what signs them in.
    const authProvider = signIn ? signIn.provider : (auth as Exclude<typeof auth, McpAuth>);
    const send = boundedFetch({
      server: name,
      url,
      send: (to, init) => {
        // A token is for this address alone, and for none that it leads to.
        if (signIn && new URL(to).href !== url.href) throw ledElsewhere(name);
        return (own ?? globalThis.fetch)(to, signIn ? { ...init, redirect: "manual" } : init);
      },
      headers: async () => {
        const all = new Headers(typeof headers === "function" ? await headers() : headers);
        if (isVia) all.set("x-glove-mcp", name);
        return all;
      },
      maxBytes: Math.max(limits.resultBytes, limits.listLetters),
      tooLarge: (body, error) => {
        for (const { key, ending } of this.#calls) if (body.includes(JSON.stringify(key))) ending.abort(error);
      },
    });
    return new sdk.StreamableHTTPClientTransport(url, {
      fetch: send,
      ...(authProvider && { authProvider }),
      reconnectionScheduler: this.#reopening(),
    });
  }

  /** Its tries begin anew with each stream that opens, so those that end at once are waited for longer and longer. */
  #reopening() {
    const { least, grown, most, atOnce } = reopenMs;
    let opened = 0;
    let wait = least;
    return (again: () => void, ms: number) => {
      const now = Date.now();
      wait = now - opened > atOnce ? least : Math.min(wait * 2, grown);
      const pause = Math.min(Math.max(ms, wait), most);
      opened = now + pause;
      const timer = setTimeout(again, pause);
      return () => clearTimeout(timer);
    };
  }

  /** A question in the middle of a call. Calls of such a server run one after the other, so it is of the one that runs. */
  async #asked(params: Elicitation, gone: AbortSignal): Promise<ElicitResult> {
    const [call] = this.#calls;
    // Each is kept in the record.
    if (!call || call.asked++ >= this.#settings.limits.rounds) return { action: "decline" };
    return call.patience.without(() => raced(call.ask(params, gone), gone));
  }

  /** The same for the model. */
  async #sampled(sdk: SdkModule, params: CreateMessageRequest["params"], gone: AbortSignal): Promise<Sample> {
    const [call] = this.#calls;
    const may = call && call.asked++ < this.#settings.limits.rounds;
    const answer = may
      ? await call.patience.without(() => raced(call.sample(params, gone), gone))
      : "Only a call may ask the model, and not without end.";
    if (typeof answer !== "string") return answer;
    throw new sdk.ProtocolError(rejected, answer);
  }

  /** Asks for something that has no effects. */
  async request<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const { sdk, client } = await this.connect();
    try {
      return await work(client);
    } catch (cause) {
      if (!this.#isGone(sdk, client, cause)) throw await this.#errorOf(sdk, cause);
    }
    const again = await this.connect();
    try {
      return await work(again.client);
    } catch (cause) {
      throw await this.#errorOf(again.sdk, cause);
    }
  }

  /** There is no connection any more, or its server was started anew and knows its session no more: it has begun with nothing. */
  #isGone(sdk: SdkModule, client: Client, cause: unknown): boolean {
    const isUnknown = client.transport?.sessionId !== undefined && knowsNoSession(sdk, cause);
    if (!isUnknown && !isNotConnected(sdk, cause)) return false;
    this.#lost(client);
    client.close().catch(() => {});
    return true;
  }

  /** Sends one request of a call. Throws only when it was stopped. */
  async call(options: CallOptions): Promise<Leg> {
    let connected: Connected;
    try {
      connected = await raced(this.connect(), options.signal);
    } catch (error) {
      if (options.signal.aborted) throw stoppedBy(options.signal);
      return failed(error as GloveError, "no");
    }
    // A live question does not say of which call it is.
    if (connected.client.getProtocolEra() === "modern") return this.#send(connected, options);
    if (this.#calls.size > 0) options.progressed({ progress: 0, message: "It waits for another call of this server." });
    const before = this.#last;
    let done = () => {};
    this.#last = new Promise<void>((resolve) => {
      done = () => void before.then(() => resolve());
    });
    try {
      await raced(before, options.signal);
      return await this.#send(connected, options);
    } finally {
      done();
    }
  }

  async #send({ sdk, client }: Connected, options: CallOptions, again = false): Promise<Leg> {
    const { tool, params, key, signal, ask, sample, progressed } = options;
    const { timeoutMs = 60_000, maxTotalMs = 600_000, name, limits } = this.#settings;
    const ending = new AbortController();
    const stop = () => ending.abort(stoppedBy(signal));
    const late = () => ending.abort(new GloveError("MCP_TIMEOUT", `The MCP server "${name}" did not answer in time.`));
    const patience = new Patience(timeoutMs, maxTotalMs, late);
    const running: RunningCall = { key, ask, sample, patience, ending, asked: 0 };
    this.#calls.add(running);
    signal.addEventListener("abort", stop, { once: true });
    try {
      const answer = await client.callTool(params, {
        signal: ending.signal,
        timeout: never,
        onprogress: (progress) => {
          patience.heard();
          progressed(progress);
        },
        allowInputRequired: true,
        toolDefinition: withoutOutputSchema(tool),
      });
      if (JSON.stringify(answer).length > limits.resultBytes) return failed(resultTooLarge(name, limits.resultBytes), "yes");
      return { answer };
    } catch (cause) {
      if (signal.aborted) throw stoppedBy(signal);
      const reason = ending.signal.reason as GloveError | undefined;
      if (reason) return failed(reason, reason.code === "MCP_TIMEOUT" ? "perhaps" : "yes");
      if (sdk.UrlElicitationRequiredError.isInstance(cause)) return { answer: asInputRequired(cause.elicitations) };
      if (!again && this.#isGone(sdk, client, cause)) {
        const connected = await this.connect().catch((error: GloveError) => error);
        return connected instanceof Error ? failed(connected, "no") : this.#send(connected, options, true);
      }
      const error = await this.#errorOf(sdk, cause);
      // It has answered, whatever it says.
      if (error.code === "MCP_REFUSED" || error.code === "MCP_PROTOCOL") return failed(error, "yes");
      return failed(error, neverSent(sdk, cause) ? "no" : "perhaps");
    } finally {
      patience.end();
      signal.removeEventListener("abort", stop);
      this.#calls.delete(running);
    }
  }
}

const failed = ({ code, message }: GloveError, ran: LegFailure["ran"]): Leg => ({ failed: { code, message, ran } });

function resultTooLarge(server: string, bytes: number): GloveError {
  const message = `The result of the MCP server "${server}" is larger than ${bytes} bytes (\`limits.resultBytes\`).`;
  return new GloveError("MCP_RESULT_TOO_LARGE", message);
}

/** Of an older server that wants an address opened first. */
function asInputRequired(links: readonly Elicitation[]): InputRequiredResult {
  const requests = links.map((params, at) => [`link ${at + 1}`, { method: "elicitation/create", params }]);
  return { resultType: "input_required", inputRequests: Object.fromEntries(requests) } as InputRequiredResult;
}

function withoutOutputSchema({ outputSchema: _, ...tool }: Tool): Tool {
  return tool as Tool;
}

/** Who waits is told at once when it is stopped. */
function raced<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(stoppedBy(signal));
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

function ledElsewhere(server: string): GloveError {
  return new GloveError(
    "MCP_UNREACHABLE",
    `The MCP server "${server}" leads to another address, which gets no token: check its \`url\`.`,
  );
}
