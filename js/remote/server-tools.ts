// The tools of a chat handler, as a plugin of the page: their calls are recorded, asked about and drawn here, and run there.
//
// What a call has begun is a step of its record, so a page that died knows whether the server may have run it, and then asks for what that run
// told: it never begins one again that may have begun, unless the tool is `idempotent`.

import { definePlugin, type PluginRound, type ToolPlugin } from "../src/ports/plugin.js";
import type { ApprovalRule, ToolConfig, ToolDisplay } from "../src/ports/tool.js";
import { issuesText } from "../src/schema/check.js";
import type { StandardResult, StandardSchema } from "../src/schema/types.js";
import { AbortError, GloveError } from "../src/values/error.js";
import { check, checkOptions, type Options } from "../src/values/validate-options.js";
import type { PageTool } from "../src/wire/core-types.js";
import type { Message, SideOutput, ToolResultData } from "../src/wire/record.js";
import type { Issue } from "../src/wire/run-types.js";
import { type RemoteOptions, RemoteServer } from "./server.js";

/** Where the tools are, beside their address. */
export interface ServerToolsOptions extends Omit<RemoteOptions, "url"> {
  /** Milliseconds after which the list is asked for anew; default 300,000. */
  readonly listMs?: number | undefined;
}

const serverToolsOptions = {
  headers: "any",
  credentials: "omit|same-origin|include",
  fetch: "work",
  listMs: "large",
} as const satisfies Options<ServerToolsOptions>;

interface ListedTool extends PageTool {
  readonly title?: string;
  readonly confirm?: string;
  readonly danger?: true;
  /** The server makes something of the arguments: other names, defaults, transformed values, or a sentence about them. */
  readonly reads?: true;
}
type Conversation = Pick<PluginRound["conversation"], "messages">;

const firstWaitMs = 250;
const longestWaitMs = 5_000;
const maxTries = 12;
/** What stands before a server says with these that it did not answer. */
const gateway: readonly unknown[] = [502, 504];
/** So long is looked whether a call that was broken off was stopped, or its page only left. */
const stopLooks = 40;
const stopLookMs = 250;

const mayHaveRun =
  "The connection to the server was lost while this tool was running, and what came of it is not known: it may have run.";

/** The tools of a handler, or of a type of tools. */
export type ToolsOf<H> = H extends { readonly "~tools"?: infer T } ? (unknown extends T ? H : NonNullable<T>) : H;

/**
 * Adds the tools of a chat handler (`createChatHandler({ tools })`, `glove serve FOLDER`) at this address to a session:
 * `new GloveClient({ endpoint: "/api/chat", plugins: [serverTools("/api/chat")] })`.
 * `serverTools<typeof POST>(…)`, with the type of the handler, types their calls in `useGlove<typeof client>()`.
 */
export function serverTools<H = unknown>(endpoint: string, options: ServerToolsOptions = {}): ToolPlugin<ToolsOf<H>> {
  check("The endpoint of `serverTools`", endpoint, "text");
  checkOptions(options, serverToolsOptions);
  const { listMs = 300_000, ...rest } = options;
  const server = new RemoteServer({ ...rest, url: endpoint });
  let listed: { readonly at: number; readonly tools: readonly ServerTool[] } | undefined;
  return definePlugin({
    id: `glove.server ${endpoint}`,
    // A model that lacks its tools would give other answers.
    required: true,
    timeoutMs: 30_000,
    async prepare({ tools, conversation, signal }) {
      if (!listed || Date.now() - listed.at > listMs) {
        try {
          const tools = toolsOf(await server.json("GET", "", undefined, signal));
          listed = { at: Date.now(), tools: tools.map((spec) => ({ spec, reading: new Reading(spec, server) })) };
        } catch (error) {
          if (!listed || !(error instanceof GloveError && error.retryable)) throw noList(endpoint, error);
        }
      }
      // A tool of the page stands in the place of one of the server.
      const own = new Set(tools.names.map((name) => name.toLowerCase()));
      const added = listed.tools.filter(({ spec: { name } }) => !own.has(name.toLowerCase()));
      tools.add(...added.map((tool) => toolOf(tool, server, conversation)));
    },
  });
}

/** Many routes answer POST alone, as they did before they had tools. */
function noList(endpoint: string, error: unknown): unknown {
  if (!(error instanceof GloveError) || error.code !== "SERVER_REFUSED" || !(error.status === 404 || error.status === 405))
    return error;
  const message = `${endpoint} does not list its tools (HTTP ${error.status}). Check the address, and let the route answer GET with the same handler as POST.`;
  return new GloveError("SERVER_REFUSED", message, { cause: error, status: error.status });
}

function toolsOf(answer: unknown): readonly ListedTool[] {
  const tools = (answer as { readonly tools?: unknown } | null)?.tools;
  if (Array.isArray(tools)) return tools as readonly ListedTool[];
  throw new GloveError("SERVER_REFUSED", "The endpoint did not list its tools; it needs `tools`, and a version that has them.");
}

interface ServerTool {
  readonly spec: ListedTool;
  /** One for as long as the list holds: what it has read is not asked for again. */
  readonly reading: Reading;
}

const isGated = ({ permission, approval }: ListedTool) => Boolean(permission || approval);

/** So many arguments that were read are known by what the model wrote. */
const mostRead = 100;

/** What the server says of arguments. */
interface Meant {
  readonly input?: unknown;
  readonly invalid?: readonly Issue[];
  readonly title?: string;
  readonly confirm?: string;
}

/** A call as its model wrote it, and what the server says of it. */
interface ReadCall extends Meant {
  readonly written: unknown;
}

/** The arguments of calls as the server means them: what a person is shown, allows, and what runs. */
class Reading implements StandardSchema {
  readonly #spec: ListedTool;
  readonly #server: RemoteServer;
  readonly #read = new Map<string, ReadCall>();

  constructor(spec: ListedTool, server: RemoteServer) {
    this.#spec = spec;
    this.#server = server;
  }

  readonly "~standard" = { version: 1, vendor: "glove", validate: (input: unknown) => this.#ask(input) } as const;

  /** What a rule of the server is asked with: as the model wrote it, where this page has seen that. */
  asked(input: unknown): { readonly input: unknown; readonly read?: true } {
    const read = this.of(input);
    return read ? { input: read.written } : { input, read: true };
  }

  /** What the server has said of these arguments to this page. */
  of(input: unknown): ReadCall | undefined {
    return this.#read.get(JSON.stringify(input));
  }

  async #ask(written: unknown): Promise<StandardResult<unknown>> {
    // Nobody is shown them, and the server checks what it runs.
    if (!isGated(this.#spec)) return { value: written };
    try {
      const toolCall = { name: this.#spec.name, input: written, wants: "arguments" };
      const meant = (await this.#server.json("POST", "", { toolCall })) as Meant;
      if (meant.invalid) return { issues: meant.invalid };
      const [oldest] = this.#read.keys();
      if (oldest !== undefined && this.#read.size >= mostRead) this.#read.delete(oldest);
      this.#read.set(JSON.stringify(meant.input), { ...meant, written });
      return { value: meant.input };
    } catch {
      // What is shown is sent with the call, and the server runs nothing else.
      return { value: written };
    }
  }
}

function toolOf({ spec, reading }: ServerTool, server: RemoteServer, conversation: Conversation): ToolConfig {
  const { name, description, schema, permission, approval, parallel, idempotent, timeout_ms, reads, danger } = spec;
  // A sentence that is made of the arguments comes with them.
  const said = (name: "title" | "confirm") => spec[name] ?? (reads && ((input: unknown) => reading.of(input)?.[name] ?? ""));
  const [title, confirm] = [said("title"), said("confirm")];
  const rule = async <V>(wants: "permission" | "approval", input: unknown): Promise<V> => {
    const about = reads ? reading.asked(input) : { input };
    const answer = await server.json("POST", "", { toolCall: { name, ...about, wants } });
    return (answer as { readonly verdict: V }).verdict;
  };
  return {
    name,
    description,
    jsonSchema: schema as NonNullable<ToolConfig["jsonSchema"]>,
    ...(reads && { inputSchema: reading }),
    ...(title !== undefined && { title }),
    ...(confirm !== undefined && { confirm }),
    ...(danger && { danger }),
    ...(permission && {
      requiresPermission: permission === "always" || (async (input: unknown) => asked(await rule("permission", input)).required),
    }),
    ...(approval && {
      requireApproval: approval === "always" || (async (input: unknown) => asked(await rule("approval", input))),
    }),
    ...(parallel && { parallel }),
    ...(idempotent && { idempotent }),
    ...(timeout_ms && { timeoutMs: timeout_ms }),
    // It finds out from the server what became of a run.
    onInterrupted: "rerun",
    do: (input, display, _agent, signal = display.signal) =>
      new ServerCall(spec, server, conversation, display, signal).run(isGated(spec) && reads ? { shown: input } : {}),
  };
}

/** What a rule of the server says; anything unknown lets nothing run unasked. */
function asked(verdict: unknown): ApprovalRule {
  if (verdict === "not_needed") return { required: false };
  if (typeof verdict === "object" && verdict) {
    if ("failed" in verdict) throw new GloveError("TOOL_RULE_FAILED", String(verdict.failed));
    if ("needed" in verdict) {
      const { reason } = verdict.needed as { readonly reason: string | null };
      return { required: true, ...(reason !== null && { reason }) };
    }
  }
  return { required: true };
}

interface Outcome {
  readonly returned?: { readonly result: ToolResultData; readonly outputs: readonly { readonly output?: SideOutput }[] };
  readonly invalid?: readonly Issue[];
  readonly threw?: string;
}

/** One call that runs on the server. */
class ServerCall {
  readonly #spec: ListedTool;
  readonly #server: RemoteServer;
  readonly #conversation: Conversation;
  readonly #display: ToolDisplay;
  readonly #signal: AbortSignal;
  /** The last event that was read. */
  #last: string | undefined;

  constructor(spec: ListedTool, server: RemoteServer, conversation: Conversation, display: ToolDisplay, signal: AbortSignal) {
    this.#spec = spec;
    this.#server = server;
    this.#conversation = conversation;
    this.#display = display;
    this.#signal = signal;
  }

  /** `shown` is what a person was asked about, where that is something else than the model wrote. */
  async run(more: { readonly shown?: unknown }): Promise<ToolResultData> {
    let fresh = false;
    await this.#display.step("server", () => {
      fresh = true;
      return null;
    });
    const recorded = await this.#recorded();
    const call = recorded && { ...recorded, ...more };
    if (!call) return failed(`The tool ${this.#spec.name} runs on the server, which did not sign this call, so it did not run.`);
    const stop = () => void this.#stop(call);
    this.#signal.addEventListener("abort", stop, { once: true });
    try {
      return await this.#outcome(call, !fresh);
    } finally {
      this.#signal.removeEventListener("abort", stop);
    }
  }

  /** The call as the model made it, with its ticket. */
  async #recorded(): Promise<Posted | undefined> {
    const messages = await this.#conversation.messages();
    const calls = messages.findLast(({ tool_calls }) => tool_calls?.some(({ id }) => id === this.#display.callId))?.tool_calls;
    const call = calls?.find(({ id }) => id === this.#display.callId) as
      | (NonNullable<typeof calls>[number] & { ticket?: unknown })
      | undefined;
    if (!call || typeof call.ticket !== "string") return undefined;
    return { id: call.id ?? "", name: call.tool_name, input: call.input_args, ticket: call.ticket };
  }

  async #outcome(call: Posted, begun: boolean): Promise<ToolResultData> {
    let again = begun;
    for (let tries = 0; tries < maxTries; tries++) {
      if (tries > 0) await this.#wait(Math.min(firstWaitMs * 2 ** tries, longestWaitMs));
      if (this.#signal.aborted) throw new AbortError();
      try {
        for await (const { id, data } of this.#server.follow("", this.#last, this.#signal, { toolCall: { ...call, again } })) {
          tries = 0;
          again = true;
          const event = JSON.parse(data) as {
            readonly type: string;
            readonly slot?: Parameters<ToolDisplay["pushAndForget"]>[0];
          };
          if (event.type === "tool_slot" && event.slot) await this.#display.pushAndForget(event.slot);
          if (event.type === "tool_outcome") return this.#result((event as unknown as { readonly outcome: Outcome }).outcome);
          // Only now: what breaks off before is read again.
          this.#last = id || this.#last;
        }
      } catch (error) {
        if (!(error instanceof GloveError)) throw error;
        if (error.code === "ANSWER_GONE") {
          if (!this.#spec.idempotent) return interrupted();
          [again, this.#last] = [false, undefined];
          continue;
        }
        // If the request never reached the server, it did not run. Gateways report that with their own status codes.
        if (error.code !== "SERVER_UNREACHABLE" && !gateway.includes(error.status)) {
          // Who may not read on knows as little of what came of it.
          if (again) return interrupted();
          throw error;
        }
      }
      again = true;
    }
    return interrupted();
  }

  #result({ returned, invalid, threw }: Outcome): ToolResultData {
    if (returned) {
      for (const output of returned.outputs) this.#display.addOutput(output as SideOutput);
      return returned.result;
    }
    if (invalid) return failed(`The arguments do not fit: ${issuesText(invalid)}.`);
    throw new Error(threw || "the tool failed on the server");
  }

  /** A page that leaves breaks off too, and comes back to the call; a person who stopped it has its result in the record. */
  async #stop(call: Posted): Promise<void> {
    try {
      for (let looks = 0; looks < stopLooks; looks++) {
        if (hasResult(await this.#conversation.messages(), call.id)) {
          await this.#server.text("POST", "", { toolCall: { ...call, wants: "stop" } });
          return;
        }
        await new Promise((later) => setTimeout(later, stopLookMs));
      }
    } catch {
      // The session is closed, or the server cannot be reached: the tool ends by its time limit.
    }
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#signal.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.#signal.addEventListener("abort", end, { once: true });
      if (this.#signal.aborted) end();
    });
  }
}

interface Posted {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly ticket: string;
  readonly shown?: unknown;
}

function hasResult(messages: readonly Message[], callId: string): boolean {
  return messages.some(({ tool_results }) => tool_results?.some(({ call_id }) => call_id === callId));
}

const failed = (message: string): ToolResultData => ({ status: "error", data: null, message });
const interrupted = (): ToolResultData => ({ ...failed(mayHaveRun), outcome: "interrupted" });
