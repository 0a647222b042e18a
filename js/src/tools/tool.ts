// Tools: what an application writes, and what of it reaches the model and the core.

import type { IGloveRunnable } from "../classic/runnable.js";
import type { SlotRequest } from "../display/manager.js";
import { GloveError, reasonOf } from "../error.js";
import type { SideOutput, ToolResultData } from "../message.js";
import type { EnhancedSlot, SlotDisplayStrategy } from "../snapshot/snapshot.js";
import { after, type Maybe } from "../timing/sync-or-promise.js";
import { copyOf } from "../values/copy.js";
import { toJson, toPlain } from "../values/json.js";
import { check, checkOptions, isApprovalRule, type Options, said } from "../values/validate-options.js";
import type { ToolSpec } from "../wasm/core-api.js";
import { type InferInput, type InferOutput, type JsonSchema, jsonSchema, jsonSchemaOf, type Schema } from "./schema.js";

/** The display as a tool sees it. Slots belong to the call that pushes them; without a renderer the tool's own is used. */
export interface ToolDisplay {
  /** Shows something and waits for the person's answer; rejects with what the person gave as a reason. */
  pushAndWait<I, O = unknown>(slot: SlotRequest<I>): Promise<O>;
  /** Shows something and goes on. Gives the slot's id. */
  pushAndForget<I>(slot: SlotRequest<I>): Promise<string>;
  /** Takes a slot away again. */
  removeSlot(id: string): boolean;
  /** Keeps something beside the result: a file, a widget, a type of yours. */
  addOutput(output: SideOutput): void;
  /**
   * Does `work` once for this call, also when the page dies and the tool is entered again: what comes of it is stored before the
   * tool goes on, and given from there the next time. It has to be JSON. A step that was cut off is asked about like a tool.
   */
  step<T>(name: string, work: () => Maybe<T>): Promise<T>;
  /** The same however often this call is run, and no other call's: for services that do a request once for each key. */
  readonly idempotencyKey: string;
}

/** Something to choose: the answer is `value`. */
export type BuiltInChoice = string | { readonly label: string; readonly value: string };

/** What the ready-made questions show; each is answered with a text. */
export interface BuiltInQuestions {
  /** Answered with `yes` or `no`, unless there are options. */
  readonly confirm: { readonly message: string; readonly options?: readonly BuiltInChoice[] };
  readonly input: { readonly message: string; readonly default?: string };
  readonly secret: { readonly message?: string; readonly key_name?: string };
  readonly select: { readonly message: string; readonly options: readonly BuiltInChoice[] };
}

/** What the ready-made `info` shows. */
export interface BuiltInInfo {
  readonly message: string;
  readonly title?: string;
  readonly type?: "info" | "success" | "warning" | "error";
}

/** The display of a tool made by `defineTool`: its own renderer, or a ready-made one by name. */
export interface TypedDisplay<D, R = void> {
  pushAndWait<Q extends keyof BuiltInQuestions>(input: BuiltInQuestions[Q], renderer: Q): Promise<string>;
  pushAndWait(input: D): Promise<R>;
  pushAndForget(input: BuiltInInfo, renderer: "info"): Promise<string>;
  pushAndForget(input: D): Promise<string>;
  removeSlot(id: string): boolean;
  addOutput(output: SideOutput): void;
  /** Does `work` once for this call, also when the tool is entered again after a reload. */
  step<T>(name: string, work: () => Maybe<T>): Promise<T>;
  /** The same however often this call is run, and no other call's. */
  readonly idempotencyKey: string;
}

/** What a tool's `render` gets. */
// biome-ignore lint/suspicious/noExplicitAny: what applications were written for; `defineTool` infers it.
export interface SlotRenderProps<T = any, R = any> {
  readonly data: T;
  /** Says whether the answer was taken; a schema that decides later has taken it. Nothing, maybe, where somebody draws by hand. */
  resolve(value: R): unknown;
  reject(reason?: string): void;
  /** A slot that stays is drawn when it was answered too. Missing only where somebody draws without `<Render>` and `renderSlot`. */
  readonly status?: EnhancedSlot["status"];
  /** What was answered, also after a reload; never a secret. */
  readonly answer?: R;
  /** Why the last answer was refused. It stands under the slot, unless the component shows it. */
  readonly error?: string;
}

/** What a tool's `renderResult` gets. */
// biome-ignore lint/suspicious/noExplicitAny: what applications were written for; it is what the tool put into renderData.
export interface ToolResultRenderProps<T = any> {
  /** The `renderData` of the tool's result. */
  readonly data: T;
  readonly output?: string;
  readonly status: "success" | "error" | "aborted";
}

/** Whether a person must agree to a call, and what they are told. */
export interface ApprovalRule {
  readonly required: boolean;
  readonly reason?: string;
}

/** A tool as an application may write it down itself. `defineTool` infers its types. */
// biome-ignore lint/suspicious/noExplicitAny: what applications were written for; `defineTool` infers it.
export interface ToolConfig<I = any> {
  readonly name: string;
  readonly description: string;
  /** What a call does, for people: in the questions about it, and as `title` of its entry in the timeline. */
  readonly title?: string | ((input: I) => string);
  /** Checks the arguments, and tells the model what they are. The tool gets what comes out of it. */
  readonly inputSchema?: Schema<unknown, I>;
  /** JSON Schema for the model, and for checking the arguments where there is no `inputSchema`. */
  readonly jsonSchema?: JsonSchema;
  /** Enforced on everything that the tool shows with its own renderer. */
  readonly displayPropsSchema?: Schema;
  /** Enforced on every answer to it; a wrong answer is refused and the slot stays open. */
  readonly resolveSchema?: Schema;
  /**
   * Does the work. What it gives becomes the result: any JSON value, or a whole `ToolResultData`.
   * `signal` fires when the user stops the run.
   */
  do(input: I, display: ToolDisplay, agent?: IGloveRunnable, signal?: AbortSignal): unknown;
  /** Takes a successful call back. `result` is the data that it gave. `signal` fires when the undo is stopped. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever `do` gives, as it comes out of the record.
  undo?(input: I, result: any, display: ToolDisplay, agent?: IGloveRunnable, signal?: AbortSignal): unknown;
  render?(props: SlotRenderProps): unknown;
  renderResult?(props: ToolResultRenderProps): unknown;
  /** How long its slots are shown; `stay` unless given. */
  readonly displayStrategy?: SlotDisplayStrategy;
  /** Asked once for each tool, and the answer is kept. A function looks at the arguments. */
  readonly requiresPermission?: boolean | ((input: I) => Maybe<boolean>);
  /** Asked for each call. A function looks at the arguments. */
  readonly requireApproval?: boolean | ApprovalRule | ((input: I) => Maybe<boolean | ApprovalRule>);
  /** Running it again does no harm. */
  readonly idempotent?: boolean;
  /** How often a failed run is repeated; heeded only where `idempotent`. */
  readonly maxRetries?: number;
  /** May run at the same time as its neighbours that say so too. */
  readonly parallel?: boolean;
  /**
   * A run that has worked for so many milliseconds is stopped: `signal` fires, the model is told that the outcome is unknown, and what the
   * tool gives later is not looked at. Waiting for a person does not count. No limit unless given, or with 0, but for `budgets.wall_clock_ms`.
   */
  readonly timeoutMs?: number;
  /** Runs to its end also when the user stops the run. */
  readonly unAbortable?: boolean;
  /**
   * What becomes of a call that was running when its page died: repeated, asked about, or told as failed. A call goes on by itself
   * where all that it did before was to ask, and steps.
   */
  readonly onInterrupted?: "rerun" | "ask" | "fail";
  /**
   * The sentence that later requests show the model in the place of the result. Gets the result's `generateSummaryArgs`. The result is
   * kept before: who stops the run meanwhile stops the summary alone.
   */
  generateToolSummary?(args: unknown): Maybe<string>;
}

/** As it comes out of the record, which is JSON. */
type Kept<T> = T extends { toJSON(): infer J } ? J : T extends object ? { [K in keyof T]: Kept<T[K]> } : T;

/** What an `undo` is told of what `do` gave: the data of its successes. */
type DataOf<O> = unknown extends O
  ? // biome-ignore lint/suspicious/noExplicitAny: nothing is known of it.
    any
  : O extends { readonly status: "success"; readonly data: infer Data }
    ? Kept<Data>
    : O extends { readonly status: "error" | "aborted" }
      ? never
      : O extends ToolResultData
        ? // biome-ignore lint/suspicious/noExplicitAny: what it was declared as says nothing of it.
          any
        : undefined extends O
          ? null
          : Kept<O>;

/** What `do` put into `renderData`. */
type RenderDataOf<O> = O extends { readonly renderData: infer Data } ? Kept<Data> : never;

/** What `defineTool` takes. */
export interface ToolDefinition<I extends Schema, D extends Schema, R extends Schema, O = unknown>
  extends Omit<
    ToolConfig<InferOutput<I>>,
    | "inputSchema"
    | "displayPropsSchema"
    | "resolveSchema"
    | "title"
    | "do"
    | "undo"
    | "render"
    | "renderResult"
    | "requiresPermission"
    | "requireApproval"
  > {
  readonly inputSchema: I;
  readonly displayPropsSchema?: D;
  readonly resolveSchema?: R;
  readonly title?: string | ((input: InferOutput<I>) => string);
  readonly requiresPermission?: boolean | ((input: InferOutput<I>) => Maybe<boolean>);
  readonly requireApproval?: boolean | ApprovalRule | ((input: InferOutput<I>) => Maybe<boolean | ApprovalRule>);
  do(
    input: InferOutput<I>,
    display: TypedDisplay<InferInput<D>, InferOutput<R>>,
    agent?: IGloveRunnable,
    signal?: AbortSignal,
  ): Maybe<O | ToolResultData>;
  undo?(
    input: InferOutput<I>,
    result: DataOf<O>,
    display: TypedDisplay<InferInput<D>, InferOutput<R>>,
    agent?: IGloveRunnable,
    signal?: AbortSignal,
  ): unknown;
  render?(props: TypedRenderProps<InferOutput<D>, InferInput<R>, InferOutput<R>>): unknown;
  // biome-ignore lint/suspicious/noExplicitAny: where `do` says nothing of it.
  renderResult?(props: ToolResultRenderProps<[RenderDataOf<O>] extends [never] ? any : RenderDataOf<O>>): unknown;
}

/** What the renderer of a tool made by `defineTool` gets. `data` is `props` by the raw tools' name. */
export interface TypedRenderProps<D, R, A = R> {
  readonly props: D;
  readonly data: D;
  /** Says whether the answer was taken. A schema that decides later has taken it. */
  resolve(value: R): boolean;
  reject(reason?: string): void;
  /** A slot that stays is drawn when it was answered too. */
  readonly status?: EnhancedSlot["status"];
  /** What was answered, as JSON, also after a reload; never a secret. */
  readonly answer?: A;
  /** Why the last answer was refused. It stands under the slot, unless the component shows it. */
  readonly error?: string;
}

/**
 * A tool with its types inferred from its schemas: the input of `do`, what it may show, what the person answers, and the
 * props of `render`. Gives a `ToolConfig`.
 */
export function defineTool<I extends Schema, D extends Schema = Schema, R extends Schema = Schema<void>, O = unknown>(
  definition: ToolDefinition<I, D, R, O>,
): ToolConfig<InferOutput<I>> {
  const { do: work, undo, render, ...rest } = check("What `defineTool` gets", definition, "object", "TOOL_INVALID");
  checkTool(definition);
  const typed = (display: ToolDisplay): TypedDisplay<InferInput<D>, InferOutput<R>> => ({
    // biome-ignore lint/suspicious/noExplicitAny: the answer to its own renderer, or to a ready-made one.
    pushAndWait: (input: unknown, renderer?: string) => display.pushAndWait<unknown, any>({ input, renderer }),
    pushAndForget: (input: unknown, renderer?: string) => display.pushAndForget({ input, renderer }),
    removeSlot: (id) => display.removeSlot(id),
    addOutput: (output) => display.addOutput(output),
    step: (name, work) => display.step(name, work),
    idempotencyKey: display.idempotencyKey,
  });
  return {
    ...rest,
    do: (input, display, agent, signal) => work.call(definition, input, typed(display), agent, signal),
    ...(undo && {
      undo: (input: InferOutput<I>, result: unknown, display: ToolDisplay, agent?: IGloveRunnable, signal?: AbortSignal) =>
        undo.call(definition, input, result as DataOf<O>, typed(display), agent, signal),
    }),
    ...(render && {
      render: Object.assign(
        (props: SlotRenderProps) =>
          render({ props: props.data, ...props } as TypedRenderProps<InferOutput<D>, InferInput<R>, InferOutput<R>>),
        // By it the view knows whose hooks are called: all of these functions have the same text.
        { toString: () => String(render) },
      ),
    }),
  } as ToolConfig<InferOutput<I>>;
}

/** What a call does, if its tool says so. `input` is as the model wrote it, and nobody has checked it yet. */
export function callTitle(tool: ToolConfig | undefined, input: unknown): string | undefined {
  try {
    const title = typeof tool?.title === "function" ? tool.title(copyOf(input)) : tool?.title;
    return typeof title === "string" ? title : undefined;
  } catch {
    // Arguments of another form than it expects.
    return undefined;
  }
}

const described = new WeakMap<JsonSchema, Schema>();

/** The schema that checks a tool's arguments. */
export function argumentsSchema(tool: ToolConfig): Schema | undefined {
  if (tool.inputSchema) return tool.inputSchema;
  if (!tool.jsonSchema) return undefined;
  const known = described.get(tool.jsonSchema);
  const schema = known ?? jsonSchema(tool.jsonSchema);
  if (!known) described.set(tool.jsonSchema, schema);
  return schema;
}

const toolOptions = {
  name: "any",
  description: "text",
  title: "any",
  inputSchema: "any",
  jsonSchema: "any",
  displayPropsSchema: "any",
  resolveSchema: "any",
  do: "any",
  undo: "work",
  render: "any",
  renderResult: "any",
  requiresPermission: "permission",
  requireApproval: "approval",
  parallel: "flag",
  idempotent: "flag",
  maxRetries: "whole",
  timeoutMs: "large",
  unAbortable: "flag",
  onInterrupted: "rerun|ask|fail",
  displayStrategy: "stay|hide-on-complete|hide-on-new",
  generateToolSummary: "work",
} as const satisfies Options<ToolConfig>;

const moved = {
  execute: "It is `do` here.",
  parameters: "It is `inputSchema` here.",
  needsApproval: "It is `requireApproval` here.",
  maxRetry: "It is `maxRetries` here.",
};

/** Refuses what a tool cannot have: a rule that is misspelt would let it run unasked. */
export function checkTool(tool: { readonly name: string }): void {
  const called = (option: string) => `\`${option}\` of the tool "${tool.name}"`;
  checkOptions(tool, toolOptions, { called, code: "TOOL_INVALID", moved });
}

/** What the model and the core are told of a tool. */
export function specOf(tool: ToolConfig): Maybe<ToolSpec> {
  checkTool(tool);
  if (typeof tool.do !== "function") {
    throw new GloveError("TOOL_INVALID", `The tool "${tool.name}" has no \`do\`: give it the function that does its work.`);
  }
  return after(toolSchema(tool), (schema) => ({
    name: tool.name,
    description: tool.description ?? "",
    schema: plainSchema(tool.name, schema),
    ...optional("permission", gate(tool.requiresPermission)),
    ...optional("approval", gate(tool.requireApproval)),
    ...optional("parallel", tool.parallel),
    ...optional("idempotent", tool.idempotent),
    ...optional("retries", tool.maxRetries),
    ...optional("timeout_ms", Number.isFinite(tool.timeoutMs) ? tool.timeoutMs || undefined : undefined),
    ...optional("un_abortable", tool.unAbortable),
    ...optional("undo", tool.undo && true),
    ...optional("on_interrupted", tool.onInterrupted),
  }));
}

/** So deep may a schema be: the core reads JSON of 127 levels, and the schema is a part of it. */
const deepest = 120;

function plainSchema(name: string, schema: JsonSchema): JsonSchema {
  const plain = toPlain(schema, `The tool "${name}": its JSON Schema`);
  if (isDeeper(plain, deepest)) {
    const message = `its JSON Schema is nested deeper than ${deepest} levels. Name parts of it in \`$defs\`, and refer to them.`;
    throw namedAs(name, new GloveError("TOOL_SCHEMA_INVALID", message));
  }
  return plain;
}

function isDeeper(value: unknown, levels: number): boolean {
  return (
    typeof value === "object" && value !== null && (!levels || Object.values(value).some((part) => isDeeper(part, levels - 1)))
  );
}

/** The JSON Schema of a tool's arguments, as the model is told. */
export function toolSchema(tool: Pick<ToolConfig, "name" | "inputSchema" | "jsonSchema">): Maybe<JsonSchema> {
  if (tool.jsonSchema) return tool.jsonSchema;
  if (!tool.inputSchema) {
    throw new GloveError("TOOL_INVALID", `The tool "${tool.name}" has no schema: give it \`inputSchema\` or \`jsonSchema\`.`);
  }
  try {
    return jsonSchemaOf(tool.inputSchema);
  } catch (error) {
    if (!(error instanceof GloveError)) throw error;
    throw namedAs(tool.name, error);
  }
}

/** What is wrong with a tool, with the name of the tool. */
export function namedAs(name: string, error: GloveError): GloveError {
  return new GloveError(error.code, `The tool "${name}": ${error.message}`, { cause: error });
}

/** Whether a tool needs a permission for this. Rejects when its rule gives no answer. The rule gets a copy of the arguments. */
export async function permissionRule(
  { name, requiresPermission: rule }: Pick<ToolConfig, "name" | "requiresPermission">,
  copy: () => Maybe<unknown>,
): Promise<boolean> {
  const asks: unknown = typeof rule === "function" ? await rule(await copy()) : (rule ?? false);
  if (typeof asks === "boolean") return asks;
  throw ruleAnswered(name, "requiresPermission", asks, "true or false");
}

/** Whether a person must agree to this call. Rejects when its rule gives no answer. */
export async function approvalRule(
  { name, requireApproval: rule }: ToolConfig,
  copy: () => Maybe<unknown>,
): Promise<ApprovalRule> {
  const asks: unknown = typeof rule === "function" ? await rule(await copy()) : (rule ?? false);
  if (!isApprovalRule(asks)) throw ruleAnswered(name, "requireApproval", asks, "true, false or { required: true or false }");
  return typeof asks === "boolean" ? { required: asks } : asks;
}

function ruleAnswered(tool: string, rule: string, answer: unknown, wanted: string): GloveError {
  const message = `\`${rule}\` of the tool "${tool}" gave ${said(answer)}, and has to give ${wanted}.`;
  return new GloveError("TOOL_RULE_FAILED", message);
}

function gate(rule: ToolConfig["requireApproval"]): "always" | "by_input" | undefined {
  if (typeof rule === "function") return "by_input";
  if (typeof rule === "object") return rule.required ? "by_input" : undefined;
  return rule ? "always" : undefined;
}

function optional<K extends string, V>(key: K, value: V | undefined): { [key in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [key in K]: V });
}

/** What a tool gave, as a result: a `ToolResultData` is taken as it is, everything else is the data of a success. */
export function resultOf(given: unknown): ToolResultData {
  return isResult(given) ? given : { status: "success", data: given ?? null };
}

const statuses: readonly unknown[] = ["success", "error", "aborted"];

function isResult(given: unknown): given is ToolResultData {
  if (typeof given !== "object" || given === null || !("status" in given)) return false;
  return statuses.includes(given.status) && ("data" in given || (given.status !== "success" && "message" in given));
}

/**
 * A result as JSON text; what cannot be JSON is named by its place. What should be a text and is none is told as one: the work is
 * done, and must not be taken for failed.
 */
export function resultJson(tool: string, { data, renderData, ...told }: ToolResultData): string {
  const rest: Record<string, unknown> = told;
  for (const key of ["message", "summary", "outcome"]) if (rest[key] != null) rest[key] = reasonOf(rest[key]);
  const parts = [`"data":${toJson(data, `The result of ${tool}: data`)}`];
  if (renderData !== undefined) parts.push(`"renderData":${toJson(renderData, `The result of ${tool}: renderData`)}`);
  const others = toJson(rest, `The result of ${tool}`).slice(1, -1);
  return `{${others ? `${others},` : ""}${parts.join(",")}}`;
}
