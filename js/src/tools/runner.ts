// How the calls of a model become calls of tools; loaded when a session has a tool.

import type { IGloveRunnable, ToolConfig } from "../ports/tool.js";
import { Turn } from "../timing/microtask-turn.js";
import { after, type Maybe } from "../timing/sync-or-promise.js";
import { AbortError, asError, codeOf, GloveError, loadPart, reasonOf } from "../values/error.js";
import { agentNotRunning } from "../values/refusals.js";
import type { SessionHost } from "../wasm/core-api.js";
import type { PageTool } from "../wire/core-types.js";
import type { Message, ToolResultData } from "../wire/record.js";
import { answerTool } from "./answer-tool.js";
import { Arguments, type ToolInput, undoArguments } from "./arguments.js";
import { CallDisplay, type CallPort, type CallServices, type RunningCall } from "./call-display.js";
import { presence } from "./combined-tools.js";
import { type AddedOutput, outputsJson } from "./outputs.js";
import { resultJson, resultOf } from "./result.js";
import { approvalRule, Judgements, permissionRule } from "./rules.js";
import { specOf } from "./spec.js";

/** What a tool's call may use. */
export interface CallContext {
  display(call: RunningCall): CallPort;
  agent(): IGloveRunnable;
  /** What the application gives each tool. */
  services(): CallServices;
  /** What skills add once they are in force. */
  skillTools?(): readonly ToolConfig[];
  /** What a call gave. */
  result(callId: string): Promise<unknown>;
  /** The record. */
  messages(): Promise<readonly Message[]>;
  /** Keeps what a running call's arguments were made to, before its tool begins. */
  validated(callId: string, validated: string): void;
  /** Keeps what a running call has returned, before its summary is made. */
  returned(callId: string, outcome: string): void;
  report(code: string, error: unknown): void;
  /** There are other tools. */
  changed?(): void;
  /** The tools of this page are all that can be called: nothing is added later, and nothing runs elsewhere. */
  hasAll?(): boolean;
}

export type ToolHost = Pick<SessionHost, "permissionOf" | "approval" | "run" | "undo">;

export class ToolRunner implements ToolHost {
  readonly #context: CallContext;
  readonly #find: (name: string) => ToolConfig | undefined;
  readonly #arguments: Arguments;
  readonly #judged: Judgements;
  /** Told of already. */
  readonly #leftOut = new WeakSet<ToolConfig>();

  constructor(
    context: CallContext,
    find: (name: string) => ToolConfig | undefined,
    isAdded: (tool: ToolConfig) => boolean = () => false,
  ) {
    this.#context = context;
    this.#find = find;
    this.#judged = new Judgements(isAdded);
    this.#arguments = new Arguments((code, error) => context.report(code, error));
  }

  /** At once, unless a schema's converter has to be loaded. */
  specs(own: readonly ToolConfig[], added: readonly ToolConfig[]): Maybe<PageTool[]> {
    const specs = own.map((tool) => (presence.has(tool) ? this.#specOfComponent(tool) : specOf(tool)));
    // In a session that is opened again, calls of what plugins had added wait until it is added again.
    for (const tool of added) specs.push(after(specOf(tool), (spec) => ({ ...spec, added: true })));
    const all = specs.some((spec) => spec instanceof Promise) ? Promise.all(specs) : (specs as (PageTool | undefined)[]);
    return after(all, (all) => all.filter((spec) => spec !== undefined));
  }

  /** Nothing, where it is wrong: a component breaks no conversation. */
  #specOfComponent(tool: ToolConfig): Maybe<PageTool | undefined> {
    const leaveOut = (error: unknown) => {
      if (!this.#leftOut.has(tool)) this.#context.report(codeOf(asError(error)), error);
      this.#leftOut.add(tool);
      return undefined;
    };
    try {
      const spec = specOf(tool);
      return spec instanceof Promise ? spec.catch(leaveOut) : spec;
    } catch (error) {
      return leaveOut(error);
    }
  }

  async permissionOf(id: string, name: string, input: string, validated: string | undefined): Promise<string> {
    const tool = await this.#get(name);
    const checked = await this.#arguments.of(tool, id, input, validated);
    if ("issues" in checked) return verdict({ invalid: checked.issues });
    try {
      const required = await permissionRule(tool, () => checked.copy());
      return verdict(required ? "unset" : "not_needed", checked, this.#judged.made(id, tool, checked, required));
    } catch (error) {
      return verdict({ failed: reasonOf(this.#unjudged(name, error)) }, checked);
    }
  }

  async approval(id: string, name: string, input: string, validated: string | undefined): Promise<string> {
    const tool = await this.#get(name);
    const checked = await this.#arguments.of(tool, id, input, validated);
    if ("issues" in checked) return verdict({ invalid: checked.issues });
    if (checked.changed) return verdict("changed", checked);
    try {
      const { required, reason } = await approvalRule(tool, () => checked.copy());
      const judged = this.#judged.made(id, tool, checked, required);
      return verdict(required ? { needed: { reason: reason ?? null } } : "not_needed", checked, judged);
    } catch (error) {
      return verdict({ failed: reasonOf(this.#unjudged(name, error)) }, checked);
    }
  }

  /** Nothing more is done with this call. */
  ended(id: string): void {
    this.#arguments.end(id);
    this.#judged.end(id);
  }

  /** A rule that fails lets nothing run; only the developer can mend it. */
  #unjudged(name: string, error: unknown): GloveError {
    const reason = reasonOf(error);
    const message = `A rule of the tool "${name}" failed${reason ? `: ${reason}` : " without saying why."}`;
    const told = error instanceof GloveError ? error : new GloveError("TOOL_RULE_FAILED", message, { cause: error });
    this.#context.report(told.code, told);
    return told;
  }

  async run(
    id: string,
    name: string,
    input: string,
    validated: string | undefined,
    signal: AbortSignal,
    idempotencyKey: string,
    judged?: string,
  ): Promise<string> {
    let call: RunningCall | undefined;
    let display: CallDisplay | undefined;
    try {
      const tool = await this.#runs(name, idempotencyKey);
      const checked = await this.#arguments.of(tool, id, input, validated);
      if ("issues" in checked) return JSON.stringify({ invalid: checked.issues });
      if (checked.coreUpdate) this.#context.validated(id, checked.coreUpdate);
      const holds = this.#judged.hold(id, tool, checked, judged);
      if (checked.changed || !holds) return '"changed"';
      // What one run makes of its arguments, the next one must not see.
      const value = tool.idempotent ? await other(checked) : checked.value;
      // It was stopped while its arguments were made: its result is that of a stopped call already.
      if (signal.aborted && !tool.unAbortable) throw new AbortError();
      call = { ...begun(tool, signal), id, idempotencyKey, recorded: true };
      call.turn.begin();
      const services = this.#context.services();
      const shown = this.#display(call, services);
      display = shown;
      const work = () => tool.do(value, shown, this.#context.agent(), signal);
      const isWithin = services.middleware?.length && name !== answerTool;
      const done = await (isWithin ? within(services, call, value, work) : work());
      // What is added from now on would be lost.
      call.ended = true;
      const { result, json } = await this.#kept(name, resultOf(done), call.outputs);
      if (call.open > 0)
        this.#context.report(
          "DISPLAY_NOT_AWAITED",
          new Error(`${namedTool(name)} returned while its question was open: await the answer.`),
        );
      if (!tool.generateToolSummary || result.summary !== undefined || result.status !== "success") return `{"returned":${json}}`;
      // Report the result before the summary is made: it is not lost if the run is stopped or the page is closed.
      this.#context.returned(id, `{"summing":${json}}`);
      return JSON.stringify({ summed: await summaryOf(tool, result) });
    } catch (error) {
      const reason = refusal(error, call?.refused);
      if (reason !== undefined) return JSON.stringify({ rejected: reason });
      const threw = reasonOf(error) || "unknown error";
      const code = codeOf(asError(error));
      // No tool of the application has thrown that.
      const isOurs = call ? /^MIDDLEWARE_/.test(code) : code === "TOOL_UNKNOWN" || code === "AGENT_NOT_RUNNING";
      if (isOurs) this.#context.report(code, error);
      else if (!signal.aborted)
        this.#context.report("TOOL_FAILED", new Error(`${namedTool(name)} threw: ${threw}`, { cause: error }));
      return JSON.stringify({ threw });
    } finally {
      if (call) {
        call.ended = true;
        // Who asks nothing pays for no count of microtasks.
        call.turn.begin(0);
        display?.ended();
      }
    }
  }

  async undo(id: string, name: string, input: string, validated: string | undefined, signal: AbortSignal): Promise<void> {
    const tool = await this.#get(name);
    const checked = await undoArguments(this.#arguments, tool, input, validated);
    const call = { ...begun(tool, signal), id, idempotencyKey: `${id}.undo`, recorded: false };
    await tool.undo?.(checked, await this.#context.result(id), this.#display(call), this.#context.agent(), signal);
  }

  /** A tool that has run must not run again because its result cannot be kept: that is an error of the result. */
  async #kept(
    name: string,
    result: ToolResultData,
    outputs: readonly AddedOutput[],
  ): Promise<{ readonly result: ToolResultData; readonly json: string }> {
    const report = (error: unknown) => this.#context.report(codeOf(asError(error)), error);
    try {
      const told = resultJson(name, result);
      return { result, json: `{"result":${told},"outputs":${await outputsJson(name, outputs, report)}}` };
    } catch (error) {
      report(error);
      return this.#kept(name, { status: "error", data: null, message: reasonOf(error) }, []);
    }
  }

  async #get(name: string): Promise<ToolConfig> {
    const { outer } = this.#context.services() as { readonly outer?: { readonly agentless?: boolean } };
    if (outer?.agentless) throw agentNotRunning();
    if (!this.#find(name)) await this.#context.services().plugins?.prepared();
    const tool = this.#find(name);
    if (!tool) throw new GloveError("TOOL_UNKNOWN", `There is no longer a tool called ${name}.`);
    return tool;
  }

  /** The tool that takes an answer with a schema is no tool of the application. */
  async #runs(name: string, key: string): Promise<ToolConfig> {
    if (name !== answerTool) return this.#get(name);
    const { liveAnswerTool, storedAnswerTool } = await loadPart(import("./answers.js"));
    return (
      liveAnswerTool(this.#context.services().outer, key) ?? this.#find(name) ?? storedAnswerTool(await this.#context.messages())
    );
  }

  #display(call: RunningCall, services: CallServices = this.#context.services()): CallDisplay {
    return new CallDisplay(this.#context.display(call), call, services);
  }
}

/** What the tool gives, or what stands around it. */
async function within(around: CallServices, call: RunningCall, input: unknown, work: () => unknown): Promise<unknown> {
  const { id, tool, signal, turn } = call;
  const { runThrough } = await loadPart(import("../middleware/around-tool.js"));
  const stopped = tool.unAbortable ? undefined : signal;
  return runThrough(around, { id, tool, input, stopped }, async () => {
    turn.begin();
    return resultOf(await work());
  });
}

/** An equal value, where there can be one. */
async function other({ copy, value }: ToolInput): Promise<unknown> {
  try {
    return await copy();
  } catch {
    return value;
  }
}

function verdict(verdict: unknown, { coreUpdate: told }: Pick<ToolInput, "coreUpdate"> = {}, judged?: string): string {
  const more = (name: string, json: string | undefined) => (json === undefined ? "" : `,"${name}":${json}`);
  return `{"verdict":${JSON.stringify(verdict)}${more("validated", told)}${more("judged", judged)}}`;
}

function begun(tool: ToolConfig, signal: AbortSignal) {
  const [outputs, refused]: [AddedOutput[], Set<unknown>] = [[], new Set()];
  return { tool, signal, outputs, refused, turn: new Turn(), open: 0, ended: false };
}

const namedTool = (name: string) => `The tool "${name}"`;

async function summaryOf(tool: ToolConfig, { generateSummaryArgs }: ToolResultData): Promise<string | null> {
  try {
    return reasonOf(await tool.generateToolSummary?.(generateSummaryArgs)) || null;
  } catch {
    // A result without its summary is still the result.
    return null;
  }
}

/** The reason when the tool failed because the person turned it down; null without one, undefined when that is not why. */
function refusal(error: unknown, refused: ReadonlySet<unknown> = new Set()): string | null | undefined {
  for (let cause = error, depth = 0; depth < 8; cause = (cause as Error).cause, depth++) {
    if (refused.has(cause)) return reasonOf(cause) || null;
    if (!(cause instanceof Error) || cause.cause === undefined) return undefined;
  }
  return undefined;
}
