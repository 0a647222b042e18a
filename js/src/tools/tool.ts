// What an application writes as a tool, and what the tool is given: its display, and the agent that runs it.

import type { DisplayManagerAdapter, SlotRequest } from "../display/manager.js";
import type { ModelAdapter, ModelPromptResult } from "../models/model.js";
import type { SubscriberAdapter } from "../session/subscriber.js";
import type { EnhancedSlot, SlotDisplayStrategy } from "../snapshot/snapshot.js";
import type { StoreAdapter } from "../store/adapter.js";
import type { Maybe } from "../timing/sync-or-promise.js";
import type { ContentPart, SideOutput } from "../wire/record.js";
import type { JsonSchema, Schema } from "./schema-types.js";

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

/** An agent that was built. */
export interface IGloveRunnable {
  /**
   * Asks, and gives the last answer of the model with its own usage. Rejects with an `AbortError` when it was stopped, and with
   * the error of the model or the store.
   */
  processRequest(request: string | readonly ContentPart[], signal?: AbortSignal): Promise<ModelPromptResult>;
  setModel(model: ModelAdapter): void;
  setSystemPrompt(systemPrompt: string): void;
  getSystemPrompt(): string;
  addSubscriber(subscriber: SubscriberAdapter): unknown;
  removeSubscriber(subscriber: SubscriberAdapter): void;
  /** The tools with these names give way to the others, at once or not at all. */
  replaceTools(previous: readonly string[], next: readonly ToolConfig[]): void;
  /** Takes the last actions back. Gives how many it were. */
  undo(steps?: number): Promise<number>;
  readonly displayManager: DisplayManagerAdapter;
  readonly model: ModelAdapter;
  readonly store: StoreAdapter | undefined;
  readonly tools: readonly ToolConfig[];
  readonly systemPrompt: string;
}
