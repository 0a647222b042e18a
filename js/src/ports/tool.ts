// What an application writes as a tool, and what the tool is given: its display, and the agent that runs it.

import type { Issue, JsonSchema, Schema } from "../schema/types.js";
import type { EnhancedSlot, SlotDisplayStrategy } from "../snapshot/snapshot.js";
import type { Maybe } from "../timing/sync-or-promise.js";
import type { ContentPart, SideOutput } from "../wire/record.js";
import type { DisplayManagerAdapter, SlotRequest } from "./display.js";
import type { ModelAdapter, ModelPromptResult } from "./model.js";
import type { HasState, PluginState } from "./plugin-state.js";
import type { StoreAdapter } from "./store.js";
import type { SubscriberAdapter } from "./subscriber.js";

/** The display as a tool sees it. Slots belong to the call that pushes them; without a renderer the tool's own is used. */
export interface ToolDisplay {
  /** Shows something and waits for the user's answer; rejects with the user's reason. */
  pushAndWait<I, O = unknown>(slot: SlotRequest<I>): Promise<O>;
  /** Shows something without waiting. Returns the slot's id. */
  pushAndForget<I>(slot: SlotRequest<I>): Promise<string>;
  /** Removes a slot. */
  removeSlot(id: string): boolean;
  /**
   * Shows something next to the result, in the chat and in the record, when the call has succeeded. `widget` names the renderer
   * (`renderers`), `fallback` is what stands where there is none. No model reads it.
   */
  displayWidget(widget: string, data?: unknown, fallback?: string): void;
  /** Gives the user a file when the call has succeeded. Of it a model reads the `summary`, or its name. */
  addFileOutput(file: FileOutput): void;
  /** The same for a type of your own, drawn by the renderer of that name. A model reads its `summary`, if it has one. */
  addOutput(output: SideOutput): void;
  /**
   * Does `work` once for this call, also when the page dies and the tool is entered again: its result is stored before the
   * tool continues and returned from there the next time. It must be JSON. If a step was interrupted, the user is asked, as
   * for a tool.
   */
  step<T>(name: string, work: () => Maybe<T>): Promise<T>;
  /**
   * Tells how far the call is: in words, and as a number, of another one if that is known. Shown in its card while it runs; neither stored nor
   * read by a model.
   */
  progress(message?: string, done?: number, of?: number): void;
  /** Stays the same each time this call runs and is unique to it: for services that handle each key only once. */
  readonly idempotencyKey: string;
  readonly callId: string;
  /** Fires when the user stops the run. */
  readonly signal: AbortSignal;
  /** The `services` of the client. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever the application gave.
  readonly services: any;
  /** The `userId` of the client. */
  readonly userId: string | undefined;
  /** What this call of a task may prove itself with (`credentials` of its agent); none in a chat. */
  readonly credentials?: Readonly<Record<string, string>> | undefined;
  /** The files of the task; none in a chat. */
  readonly files?: ToolFiles | undefined;
  /** The id of the conversation; none where the tool runs outside of one. */
  readonly sessionId?: string | undefined;
  /** The files of the conversation; none in a task, nor where the tool runs outside of a conversation. */
  readonly attachments?: ToolAttachments | undefined;
  /** What a plugin keeps in this session. What is set is stored before the result of the call; it stays when the call fails. */
  state<S>(plugin: HasState<S>): PluginState<S>;
  /** Has the rest of this prompt answered by another model, by its name in `models`. */
  switchModel(name: string): void;
}

/** The files of a task, as its tools reach them: its workspace. */
export interface ToolFiles {
  /** Nothing where there is no file. */
  read(path: string): Promise<Uint8Array | undefined>;
  /** Writes a file as a whole, with the folders that it needs. */
  write(path: string, content: string | Uint8Array): Promise<void>;
  /** The files below a folder. */
  list(folder: string): Promise<readonly { readonly path: string; readonly size: number }[]>;
}

/** The files of a conversation, as its tools reach them: those of its messages, and those that calls returned or added. */
export interface ToolAttachments {
  /** All of them, the oldest first. */
  list(): Promise<readonly ToolAttachment[]>;
  /**
   * One of them, by its id, or the newest of this name: a model knows files by their names. Rejects with `ATTACHMENT_UNKNOWN`, and with
   * `ATTACHMENT_TOO_LARGE` where it has more than `maxBytes` (32 MiB).
   */
  read(id: string, options?: { readonly maxBytes?: number }): Promise<ToolAttachment>;
}

/** A file of a conversation. Its content is decoded when it is asked for. */
export interface ToolAttachment {
  readonly id: string;
  /** Empty for a picture: those are kept without. */
  readonly name: string;
  /** Its media type. */
  readonly type: string;
  /** In bytes; 0 where it is elsewhere. */
  readonly size: number;
  readonly from: "message" | "tool";
  /** Where it is, if it is not in the conversation: nothing else reads it then. */
  readonly url?: string;
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  text(): Promise<string>;
  blob(): Promise<Blob>;
  stream(): ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** A file for the user: one that the browser has, or a name with its content or its address. */
export type FileOutput =
  | File
  | ({
      readonly name: string /** Its media type. */;
      readonly type?: string /** What the model reads of it. */;
      readonly summary?: string;
    } & (
      | { readonly content: string | Blob | Uint8Array; readonly url?: undefined }
      | { readonly url: string; readonly content?: undefined }
    ));

/** An option of a question: the answer is its `value`. */
export type BuiltInChoice = string | { readonly label: string; readonly value: string };

/** The input of the built-in questions; each answer is a string. */
export interface BuiltInQuestions {
  /** Answered with `yes` or `no`, unless there are options. */
  readonly confirm: { readonly message: string; readonly options?: readonly BuiltInChoice[] };
  readonly input: { readonly message: string; readonly default?: string };
  readonly secret: { readonly message?: string; readonly key_name?: string };
  readonly select: { readonly message: string; readonly options: readonly BuiltInChoice[] };
}

/** The input of the built-in `questions`; the answer is a list with one for each, `null` for what was skipped. */
export interface SeveralQuestions {
  readonly questions: readonly (
    | string
    | {
        readonly message: string;
        readonly options?: readonly BuiltInChoice[] | undefined;
        /** Any number of the options: the answer is a list. */
        readonly multiple?: boolean | undefined;
        /** Words of one's own beside the options; default `true`. */
        readonly own?: boolean | undefined;
        /** It cannot be skipped. */
        readonly required?: boolean | undefined;
      }
  )[];
}

/** The input of the built-in `info`. */
export interface BuiltInInfo {
  readonly message: string;
  readonly title?: string;
  readonly type?: "info" | "success" | "warning" | "error";
}

/** The props of a tool's `render`. */
// biome-ignore lint/suspicious/noExplicitAny: what applications were written for; `defineTool` infers it.
export interface SlotRenderProps<T = any, R = any> {
  readonly data: T;
  /** Returns whether the answer was accepted (also `true` if the schema checks it asynchronously). May return nothing if you draw slots yourself. */
  resolve(value: R): unknown;
  reject(reason?: string): void;
  /** Slots that stay are also drawn after they were answered. Missing only if you draw slots without `<Render>` and `renderSlot`. */
  readonly status?: EnhancedSlot["status"];
  /** The answer, also after a reload; never that of a secret. */
  readonly answer?: R;
  /** Why the last answer was refused. Shown below the slot unless the component displays it. */
  readonly error?: string;
  /** The same for each place in the answer: `issues?.find(({ path }) => path[0] === "email")?.message`. */
  readonly issues?: readonly Issue[];
}

/** The props of a tool's `renderResult`. */
// biome-ignore lint/suspicious/noExplicitAny: what applications were written for; it is what the tool put into renderData.
export interface ToolResultRenderProps<T = any> {
  /** The `renderData` of the tool's result. */
  readonly data: T;
  readonly output?: string;
  readonly status: "success" | "error" | "aborted";
}

/** Whether the user must approve a call, and the reason shown to them. */
export interface ApprovalRule {
  readonly required: boolean;
  readonly reason?: string;
}

/** What tools of other libraries have, so that the compiler says how it is called here. A tool that has one is refused. */
export interface NamedElsewhere {
  /** @deprecated Here it is `do`. */
  readonly execute?: { readonly "did you mean `do`?": never };
  /** @deprecated Here it is `inputSchema`, or `jsonSchema` for a JSON Schema. */
  readonly parameters?: { readonly "did you mean `inputSchema`?": never };
  /** @deprecated Here it is `requireApproval`. */
  readonly needsApproval?: { readonly "did you mean `requireApproval`?": never };
}

/** The definition of a tool. `defineTool` infers its types. */
// biome-ignore lint/suspicious/noExplicitAny: what applications were written for; `defineTool` infers it.
export interface ToolConfig<I = any> extends NamedElsewhere {
  /** What the model calls it: letters, digits, `_` and `-`. */
  readonly name: string;
  /** Tells the model what it does, and when to use it. */
  readonly description: string;
  /** What a call does, for users: shown in questions about it, and as `title` of its timeline entry. */
  readonly title?: string | ((input: I) => string);
  /** The sentence that asks a person to allow a call, in the place of `title`. Shown only: the arguments stand below it, and decide. */
  readonly confirm?: string | ((input: I) => string);
  /** What it does cannot be taken back: the button that allows it is red. It changes the look alone; `requireApproval` decides whether a person is asked. */
  readonly danger?: boolean;
  /** Describes the arguments to the model and checks them. The tool receives its output. */
  readonly inputSchema?: Schema<unknown, I>;
  /** The JSON Schema for the model; also checks the arguments if there is no `inputSchema`. */
  readonly jsonSchema?: JsonSchema;
  /** Checks the input of everything the tool shows with its own renderer. */
  readonly displayPropsSchema?: Schema;
  /** Checks every answer; if it does not match, it is refused and the slot stays open. */
  readonly resolveSchema?: Schema;
  /**
   * Does the work. What it gives becomes the result: any JSON value, or a whole `ToolResultData`.
   * `signal` fires when the user stops the run.
   */
  do(input: I, display: ToolDisplay, agent?: IGloveRunnable, signal?: AbortSignal): unknown;
  /** Undoes a successful call. `result` is the data that the call returned. `signal` fires when the undo is stopped. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever `do` gives, as it comes out of the record.
  undo?(input: I, result: any, display: ToolDisplay, agent?: IGloveRunnable, signal?: AbortSignal): unknown;
  /** Draws what the tool shows with its own renderer. Needs React. */
  render?(props: SlotRenderProps): unknown;
  /** Draws the result of a call. Gets its `renderData`. Needs React. */
  renderResult?(props: ToolResultRenderProps): unknown;
  /** What stands around that in `<Render>`: a `card` with a border, by default, or `none`, where your component draws its own. */
  readonly frame?: "card" | "none";
  /** How long its slots stay visible; default `stay`. */
  readonly displayStrategy?: SlotDisplayStrategy;
  /** Whether the user must permit the tool; "always" and "never" are stored. A function can decide by the arguments. */
  readonly requiresPermission?: boolean | ((input: I) => Maybe<boolean>);
  /** Whether the user must approve each call. A function can decide by the arguments. */
  readonly requireApproval?: boolean | ApprovalRule | ((input: I) => Maybe<boolean | ApprovalRule>);
  /** Whether running it again does no harm. */
  readonly idempotent?: boolean;
  /** How often a failed run is retried; only for `idempotent` tools. */
  readonly maxRetries?: number;
  /** Whether it may run at the same time as neighbouring calls that also allow it. */
  readonly parallel?: boolean;
  /**
   * A run is stopped after working for this many milliseconds: `signal` fires, the model is told that the outcome is
   * unknown, and a late result is ignored. Waiting for a person does not count. If unset or 0, only `budgets.wall_clock_ms`
   * applies.
   */
  readonly timeoutMs?: number;
  /** Whether it runs to completion even if the user stops the run. */
  readonly unAbortable?: boolean;
  /**
   * What happens to a call that was running when its page died: it is repeated, the user is asked, or the model is told that
   * its outcome is unknown. A call that had only asked questions and run steps continues by itself.
   */
  readonly onInterrupted?: "rerun" | "ask" | "fail";
  /**
   * The sentence that later requests show the model in the place of the result. Gets the result's `generateSummaryArgs`. The
   * result is stored first: stopping the run in the meantime stops only the summary.
   */
  generateToolSummary?(args: unknown): Maybe<string>;
}

/** An agent, after `build()`. */
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
  /** Replaces the tools with these names by the others, all or none. */
  replaceTools(previous: readonly string[], next: readonly ToolConfig[]): void;
  /** Undoes the last actions. Returns how many. */
  undo(steps?: number): Promise<number>;
  readonly displayManager: DisplayManagerAdapter;
  readonly model: ModelAdapter;
  readonly store: StoreAdapter | undefined;
  readonly tools: readonly ToolConfig[];
  readonly systemPrompt: string;
}
