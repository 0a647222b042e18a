// Tools of a chat handler: what pages are told of them, and their calls, which run here and stream to the page what comes of them.
//
// The page keeps the record and decides when a call runs, so a call comes as a request of its own: with the ticket that the model's answer gave it, which
// holds for this call, these arguments and this caller alone. A ticket runs once, as long as this process or the buffer
// knows of it: whoever asks with it again reads what that run told.

import type { IGloveRunnable, ToolConfig } from "../src/ports/tool.js";
import { EventStream } from "../src/relay/events.js";
import { clientDisconnected, refusedResponse } from "../src/relay/refusal-response.js";
import { Arguments } from "../src/tools/arguments.js";
import type { CallPort } from "../src/tools/call-display.js";
import { duplicateName, nameOf, said } from "../src/tools/combined-tools.js";
import { checkTool } from "../src/tools/options.js";
import { ToolRunner } from "../src/tools/runner.js";
import { gate } from "../src/tools/spec.js";
import { GloveError, reasonOf } from "../src/values/error.js";
import { toLooseJson } from "../src/values/json.js";
import { omitUndefined } from "../src/values/omit-undefined.js";
import type { Guard } from "../src/wasm/guard.js";
import type { Providers } from "../src/wasm/providers.js";
import type { PageTool } from "../src/wire/core-types.js";
import type { Issue } from "../src/wire/run-types.js";
import { secretOf } from "./authorize.js";
import type { ChatHandlerConfig } from "./config.js";
import { refuse } from "./refuse.js";
import { createMemoryBuffer } from "./resume/answer-buffer.js";
import { answerKey, ResumableAnswers } from "./resume/resume.js";
import { traceTool } from "./traces.js";

/** So long a tool without a `timeoutMs` may work: nobody else ends one whose page is gone. */
const longestMs = 600_000;
/** Calls whose pages are gone, at once. */
const maxUnread = 1_000;
const backOffMs = 500;
/** A person may think about a call for weeks. */
const ticketMs = 30 * 24 * 3_600_000;
/** What works in silence is not to be taken for broken off, nor to be forgotten. */
const beatMs = 15_000;
/** Of so many calls it is known that they have begun, also when what they told is not kept any more. */
const maxStarted = 50_000;
const stopped = `data: ${JSON.stringify({ type: "tool_outcome", outcome: { threw: "it was stopped" } })}`;

const wanted = ["arguments", "permission", "approval", "stop"] as const;
/** A person allows exactly what runs. */
const notShown = "its arguments are no longer what a person was shown, so it did not run; call it again";

/** A call as a page sends it. */
interface PostedCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly ticket: string;
  /** The page knows that it has begun. */
  readonly again: boolean;
  /** What a person was shown; without it, the arguments as the model wrote them. */
  readonly shown: unknown;
  /** The arguments are as the tool's schema made them. */
  readonly read: boolean;
  /** Instead of running it. */
  readonly wants: (typeof wanted)[number] | undefined;
}

export class ServerTools {
  readonly #config: ChatHandlerConfig;
  readonly #tools: readonly ToolConfig[];
  readonly #core: Providers;
  readonly #key: () => string;
  readonly #own = crypto.randomUUID() + crypto.randomUUID();
  readonly #calls: ResumableAnswers;
  readonly #started = new Set<string>();
  #specs: Promise<readonly PageTool[]> | undefined;

  constructor(core: Providers, config: ChatHandlerConfig, key: () => string) {
    this.#core = core;
    this.#config = config;
    this.#key = key;
    this.#tools = config.tools ?? [];
    this.#calls = new ResumableAnswers(config.resume ?? createMemoryBuffer(), config.heartbeatMs ?? 15_000);
    const names = new Set<string>();
    for (const tool of this.#tools) {
      // First, because checks of the rest name the tool.
      if (tool) nameOf(tool);
      checkTool(tool);
      const name = tool.name.toLowerCase();
      if (names.has(name)) throw duplicateName(tool.name);
      names.add(name);
      for (const no of ["undo", "unAbortable"] as const) {
        if (tool[no])
          throw new GloveError(
            "TOOL_INVALID",
            `The tool "${tool.name}" has \`${no}\`, which tools of a chat handler cannot have.`,
          );
      }
    }
  }

  /** What the calls of an answer are signed with. */
  tickets(owner: string, now = Date.now()): string {
    const lasts = Math.min(this.#config.toolTicketMs ?? ticketMs, Number.MAX_SAFE_INTEGER);
    return JSON.stringify({ secret: this.#secret(), owner, tools: this.#tools.map(({ name }) => name), now, lasts });
  }

  /** The tools, as pages add them to their own. */
  async list(): Promise<Response> {
    this.#specs ??= Promise.resolve(this.#runner(new Request("http://tools/"), "", () => {}).specs(this.#tools, []));
    const specs = await this.#specs.catch((error: unknown) => {
      this.#specs = undefined;
      throw error;
    });
    const tools = specs.map((spec, at) => {
      const { title, confirm, danger, inputSchema } = this.#tools[at] ?? {};
      // A schema of a library makes values; a person is to be shown those, and what is said of them.
      const isMade = inputSchema || typeof title === "function" || typeof confirm === "function";
      const reads = isMade && (spec.permission || spec.approval);
      return {
        ...spec,
        ...(reads && { reads: true }),
        ...(typeof title === "string" && { title }),
        ...(typeof confirm === "string" && { confirm }),
        ...(danger && { danger: true }),
      };
    });
    return json({ tools });
  }

  /** Whether this body is a call, and no question to the model. */
  static isCall(body: string): boolean {
    return body.startsWith('{"toolCall":');
  }

  async answer(body: string, request: Request, owner: string, report: (error: GloveError) => void): Promise<Response> {
    const call = posted(body);
    const tool = this.#tools.find(({ name }) => name.toLowerCase() === call.name.toLowerCase());
    if (!tool) refuse(404, "TOOL_UNKNOWN", `This server has no tool called ${call.name} (any more).`);
    const input = inputOf(call.input);
    if (call.wants === "arguments") return json(await this.#meant(tool, input, report));
    if (call.wants === "permission" || call.wants === "approval") {
      let broken = false;
      const runner = this.#runner(request, owner, (error) => {
        broken ||= error.code === "TOOL_RULE_FAILED";
        report(error);
      });
      const asked = call.wants === "permission" ? runner.permissionOf : runner.approval;
      const known = call.read ? await knownOf(tool, input) : undefined;
      const { verdict } = JSON.parse(await asked.call(runner, "rule", tool.name, input, known)) as { verdict: Verdict };
      if (typeof verdict !== "object") return json({ verdict });
      if (verdict.invalid) return json({ verdict: { invalid: this.#issues(tool, verdict.invalid, report) } });
      const failed = `A rule of the tool "${tool.name}" failed on the server.`;
      return json({ verdict: broken && verdict.failed !== undefined ? { failed } : verdict });
    }
    const { ticketHolds } = this.#core.now(this.#config.wasm);
    const holds = (now: number) => ticketHolds(this.tickets(owner, now), call.ticket, call.id, call.name, input);
    if (!holds(0)) {
      refuse(
        403,
        "TOOL_CALL_UNKNOWN",
        "The model of this server did not make this call, or it was made for somebody else; it did not run.",
      );
    }
    // What has begun may be read and stopped for longer.
    if (!call.again && call.wants !== "stop" && !holds(Date.now())) {
      refuse(403, "TOOL_CALL_EXPIRED", "The model made this call too long ago; it did not run. Ask for it again.");
    }
    const key = await answerKey(`tool ${call.ticket}`, owner);
    if (call.wants === "stop") return this.#calls.stop(key, stopped);
    const begin = (signal: AbortSignal) => {
      this.#started.add(key.id);
      const [oldest] = this.#started;
      if (oldest !== undefined && this.#started.size > maxStarted) this.#started.delete(oldest);
      return traceTool(this.#config.tracer, tool.name, call.id, (traced) =>
        this.#run(tool, call, input, request, owner, key.id, signal, report, traced),
      );
    };
    // A caller can say that it knows of no beginning; nothing runs twice for that.
    const again = call.again || (this.#started.has(key.id) && !tool.idempotent);
    return this.#calls.answer(key, request, begin, { again, most: maxUnread });
  }

  /** The arguments as the tool gets them, and what it says of them to a person. */
  async #meant(tool: ToolConfig, input: string, report: (error: GloveError) => void): Promise<unknown> {
    const tell = (code: string, error: unknown) => report(new GloveError(code, reasonOf(error), { cause: error }));
    const made = await new Arguments(tell).of(tool, "rule", input, undefined);
    if ("issues" in made) return { invalid: this.#issues(tool, made.issues, report) };
    const read: unknown = JSON.parse(toLooseJson(made.value));
    return omitUndefined({ input: read, title: said(tool.title, read), confirm: said(tool.confirm, read) });
  }

  #run(
    tool: ToolConfig,
    call: PostedCall,
    input: string,
    request: Request,
    owner: string,
    idempotencyKey: string,
    stopped: AbortSignal,
    report: (error: GloveError) => void,
    traced: (why?: string) => void,
  ): Promise<Response> {
    const stop = new AbortController();
    const stream = new EventStream(Math.min(this.#config.heartbeatMs || beatMs, beatMs), () => stop.abort());
    let why: string | undefined;
    const tell = (event: Record<string, unknown>) => stream.write(`data: ${JSON.stringify(event)}\n\n`);
    const end = () => stream.end(() => refusedResponse(clientDisconnected));
    stopped.addEventListener("abort", () => stop.abort(), { once: true });
    // It has begun: whoever asks from now on reads along.
    tell({ type: "tool_begun", id: call.id });
    const limit = tool.timeoutMs || longestMs;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(
        () => {
          why = "timeout";
          resolve(
            JSON.stringify({
              threw: `it did not end within ${limit / 1000} seconds, and was stopped; it may have done a part of its work`,
            }),
          );
          stop.abort();
        },
        Math.min(limit, 2_147_483_647),
      );
    });
    let summing: { result: Record<string, unknown>; outputs: unknown } | undefined;
    const returned = (outcome: string) => {
      summing = (JSON.parse(outcome) as { summing: NonNullable<typeof summing> }).summing;
    };
    let errorText: string | undefined;
    const failed = (error: unknown) => {
      errorText = this.#errorText(tool, error, report);
    };
    const shown = isGated(tool) ? `{"input":${inputOf(call.shown ?? call.input)},"exact":false}` : undefined;
    const work = async (): Promise<string> => {
      const tries = tool.idempotent ? 1 + (tool.maxRetries ?? 0) : 1;
      for (let attempt = 1; ; attempt++) {
        const runner = this.#runner(request, owner, report, (slot) => tell({ type: "tool_slot", slot }), returned, failed);
        const outcome = await runner.run(call.id, tool.name, input, shown, stop.signal, idempotencyKey);
        if (outcome === '"changed"') {
          report(
            new GloveError(
              "TOOL_FAILED",
              `The tool "${tool.name}" did not run: its schema makes other arguments than were shown.`,
            ),
          );
          return JSON.stringify({ threw: notShown });
        }
        if (!outcome.startsWith('{"threw"')) return outcome;
        if (attempt >= tries || stop.signal.aborted) return JSON.stringify({ threw: errorText ?? "it was stopped" });
        await new Promise((later) => setTimeout(later, backOffMs * 2 ** (attempt - 1)));
      }
    };
    void Promise.race([work(), late])
      .then((outcome) => {
        const reported = JSON.parse(outcome) as Outcome;
        const { status } = reported.returned?.result ?? summing?.result ?? {};
        if (reported.invalid) why ??= "TOOL_INPUT_INVALID";
        else if (!stop.signal.aborted && (reported.rejected || reported.threw !== undefined || status === "error"))
          why ??= "TOOL_FAILED";
        // Nobody can reject a question here: the tool asked although it may not.
        if (reported.rejected) return tell({ type: "tool_outcome", outcome: { threw: reported.rejected } });
        if (reported.invalid) {
          return tell({ type: "tool_outcome", outcome: { invalid: this.#issues(tool, reported.invalid, report) } });
        }
        if (!("summed" in reported) || !summing) return tell({ type: "tool_outcome", outcome: reported });
        const { result, outputs } = summing;
        return tell({
          type: "tool_outcome",
          outcome: { returned: { result: { ...result, summary: reported.summed }, outputs } },
        });
      })
      .catch((error: unknown) => {
        why ??= "TOOL_FAILED";
        tell({ type: "tool_outcome", outcome: { threw: this.#errorText(tool, error, report) } });
      })
      .finally(() => {
        clearTimeout(timer);
        traced(why);
        end();
      });
    return stream.response;
  }

  /** A tool fails in its own words only where it meant them for others: what a library says may hold keys and addresses. */
  #errorText({ name }: ToolConfig, error: unknown, report: (error: GloveError) => void): string {
    const reason = reasonOf(error) || "unknown error";
    if (error instanceof GloveError && error.code === "MIDDLEWARE_FAILED") {
      report(error);
      return "a middleware failed on the server";
    }
    report(new GloveError("TOOL_FAILED", `The tool "${name}" threw: ${reason}`, { cause: error }));
    return error instanceof GloveError ? reason : "the tool failed on the server";
  }

  /** What does not fit is said; what a schema throws is as secret as what a tool throws. */
  #issues(tool: ToolConfig, issues: readonly Issue[], report: (error: GloveError) => void): readonly Issue[] {
    return issues.map((issue) => {
      if (issue.path.length > 0 || !issue.message.startsWith(schemaFailed)) return issue;
      report(new GloveError("TOOL_FAILED", `The tool "${tool.name}" cannot check its arguments: ${issue.message}`));
      return { ...issue, message: `${schemaFailed}on the server` };
    });
  }

  #runner(
    request: Request,
    owner: string,
    report: (error: GloveError) => void,
    show: (slot: unknown) => void = () => {},
    returned: (outcome: string) => void = () => {},
    failed: (error: unknown) => void = () => {},
  ): ToolRunner {
    const { services } = this.#config;
    // Only for a tool that runs; the list of tools is made without a request.
    const runServices = () => ({
      services: typeof services === "function" ? services(request) : services,
      ...(owner && { userId: owner }),
      middleware: this.#config.middleware,
    });
    const context = {
      display: () => port(show),
      agent: () => undefined as unknown as IGloveRunnable,
      services: runServices,
      result: () => Promise.reject(onServer("undo")),
      messages: async () => [],
      validated: () => {},
      returned: (_: string, outcome: string) => returned(outcome),
      report: (code: string, error: unknown) => {
        if (code === "TOOL_FAILED") failed((error as Error).cause);
        else if (code === "MIDDLEWARE_FAILED") failed(error);
        else report(new GloveError(code, reasonOf(error), { cause: error }));
      },
    };
    return new ToolRunner(context, (name) => this.#tools.find((known) => known.name === name));
  }

  #secret(): string {
    return secretOf(this.#config, this.#key, this.#own);
  }
}

const isGated = ({ requiresPermission, requireApproval }: ToolConfig) =>
  Boolean(gate(requiresPermission) || gate(requireApproval));

const json = (value: unknown) =>
  new Response(JSON.stringify(value), { headers: { "content-type": "application/json", "cache-control": "no-store" } });

/** Arguments that a schema made once. Where it makes them again of their JSON, a rule gets its values, such as dates; else the JSON. */
async function knownOf(tool: ToolConfig, input: string): Promise<string> {
  const known = (exact: boolean) => `{"input":${input},"exact":${exact}}`;
  const made = await new Arguments(() => {}).of(tool, "rule", input, known(false));
  return known("issues" in made || made.changed === true);
}

interface Outcome {
  readonly summed?: unknown;
  readonly invalid?: readonly Issue[];
  readonly rejected?: string | null;
  readonly threw?: string;
  readonly returned?: { readonly result: { readonly status?: unknown } };
}

type Verdict = string | { readonly failed?: string; readonly invalid?: readonly Issue[] };

/** So begins what is said of a schema that throws. */
const schemaFailed = "the schema failed: ";

/** As the core reads it. */
function inputOf(input: unknown): string {
  try {
    return JSON.stringify(input ?? null);
  } catch (error) {
    // Nested deeper than the stack is.
    return refuse(400, "REQUEST_INVALID", "The arguments of the call are nested too deep.", error);
  }
}

function posted(body: string): PostedCall {
  let call: Partial<Record<keyof PostedCall, unknown>> | undefined;
  try {
    ({ toolCall: call } = JSON.parse(body) as { toolCall?: typeof call });
  } catch (error) {
    refuse(400, "BODY_NOT_JSON", `The request body cannot be read: ${reasonOf(error)}`);
  }
  const { id = "", name, input, ticket = "", again = false, shown, read = false, wants } = call ?? {};
  const good =
    typeof id === "string" &&
    typeof name === "string" &&
    typeof ticket === "string" &&
    typeof again === "boolean" &&
    typeof read === "boolean" &&
    (wants === undefined || wanted.includes(wants as (typeof wanted)[number]));
  if (!good) refuse(400, "REQUEST_INVALID", "The request's `toolCall` is not valid.");
  return { id, name, input, ticket, again, shown, read, wants: wants as PostedCall["wants"] };
}

/** The display of a tool that runs here: what it shows stands in the page; it asks nobody, and steps are done. */
function port(show: (slot: unknown) => void): CallPort {
  let shown = 0;
  const core = {
    beginStep: () => Promise.resolve('{"begins":"step"}'),
    endStep: () => Promise.resolve(),
  };
  return {
    manager: {} as CallPort["manager"],
    keeps: false,
    show: (slot) => {
      show(slot);
      return `slot ${++shown}`;
    },
    ask: () => Promise.reject(onServer("pushAndWait")),
    core: () => core as unknown as ReturnType<CallPort["core"]>,
    guard: { untilTrap: <T>(promise: Promise<T>) => promise } as unknown as Guard,
  };
}

const onServer = (what: string) =>
  new GloveError(
    "DISPLAY_ON_SERVER",
    `\`${what}\` cannot be used by a tool of the server: ask before the call by \`requireApproval\`, or make it a tool of the page.`,
  );
