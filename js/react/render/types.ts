// What the hook gives and what `<Render>` and its render props take.
import type { ComponentType, CSSProperties, JSX, ReactNode, Ref } from "react";
import type { MessageInput } from "../../src/messages/request.js";
import type { UndoOptions } from "../../src/session/outgoing-message.js";
import type {
  Approval,
  EnhancedSlot,
  GloveStats,
  GloveStatus,
  ModelWait,
  QueuedMessage,
  RunPhase,
  ShownEntry,
  ShownSlot,
  StreamingCall,
  TabRole,
  TimelineEntry,
  ToolEntry,
  UndoableCall,
} from "../../src/snapshot/snapshot.js";
import type { SideOutput, Source } from "../../src/wire/record.js";
import type { AttachmentOptions } from "../attachments/tray.js";
import type { Command } from "../commands/list.js";
import type { ChatView, Scroll } from "../parts/reading/scroll.js";
import type { Labels } from "./labels.js";

/** What `<Render>` needs. `useGlove()` returns one; your own object or a modified copy works too. */
export interface GloveHandle<T extends TimelineEntry = TimelineEntry> {
  timeline: T[];
  streamingText: string;
  streamingReasoning?: string;
  streamingCalls?: readonly StreamingCall[];
  busy: boolean;
  slots: EnhancedSlot[];
  sendMessage: (message: string | MessageInput, images?: { data: string; media_type: string }[]) => unknown;
  abort: () => void;
  renderSlot: (slot: EnhancedSlot) => ReactNode;
  renderToolResult: (entry: ToolEntry) => ReactNode;
  /** Draws what a tool showed beside its result; without it nothing of that is drawn. */
  renderOutput?: ((output: SideOutput) => ReactNode) | undefined;
  resolveSlot: (slotId: string, value: unknown) => unknown;
  rejectSlot: (slotId: string, reason?: string) => unknown;
  status?: GloveStatus;
  run?: { readonly phase: RunPhase };
  error?: Error | undefined;
  /** The model is asked again then. */
  waiting?: ModelWait | undefined;
  /** What the store warns of. */
  warning?: { readonly code: string } | undefined;
  queue?: readonly QueuedMessage[];
  /** For the meter of the context. */
  stats?: GloveStats;
  approvals?: readonly Approval[];
  resume?: () => unknown;
  /** Also retries opening the session. */
  clearError?: () => void;
  /** Takes back a message of `queue`; false when its turn has come. */
  cancelQueued?: (id: string) => boolean;
  /** Brings a message of `queue` in front of another. */
  moveQueued?: (id: string, before: string) => boolean;
  /** Lets the run that goes on read a message of `queue` after its current step. */
  sendNow?: (id: string) => boolean;
  /** What `undo` takes back, the next one first: the cards of these calls have a button for it. */
  undoable?: readonly UndoableCall[];
  /** Takes the last actions back; what it gives may be a promise of an outcome. */
  undo?: (steps?: number, options?: UndoOptions) => unknown;
  regenerate?: () => unknown;
  /** Says something else in the place of a message, also of one of `queue`. */
  edit?: (messageId: string, text: string) => unknown;
  switchBranch?: (messageId: string) => unknown;
  sessionReady?: boolean;
  /** What a message can call by `/name`. */
  commands?: readonly Command[];
  /** What the draft of a message is kept under. */
  sessionId?: string;
  tab?: TabRole;
  takeOver?: () => unknown;
}

/** How `<Render>` looks. */
export type RenderVariant = "bubble" | "document";

/** Where `<Render>` puts slots: between the messages where they were pushed, before all messages, after them, or alone. */
export type RenderStrategy = "interleaved" | "slots-before" | "slots-after" | "slots-only";

/** A message as it is drawn. */
export type MessageEntry<E extends TimelineEntry = TimelineEntry> = Extract<E, { kind: "user" | "agent_text" }> &
  Pick<ShownEntry, "error">;

/** The props of what draws the text of an answer. */
export interface TextRenderProps {
  text: string;
  /** More of it will come. */
  streaming: boolean;
  /** What it is based on, where the provider tells: marks such as `[1]` in it stand for these. */
  sources?: readonly Source[] | undefined;
}

/** A message to begin with: on a button, and as it is sent. */
export type Suggestion = string | { readonly label: string; readonly text: string };

/** The props of `renderMessage`. */
export interface MessageRenderProps<E extends TimelineEntry = TimelineEntry> {
  entry: MessageEntry<E>;
  index: number;
  /** Whether it is the last entry of the timeline and no answer is being written after it. */
  isLast: boolean;
}

/** The props of `renderToolStatus`. Its calls are those of `glove`: `useGlove<typeof client>()` types them by the client's tools. */
export interface ToolStatusRenderProps<T extends TimelineEntry = TimelineEntry> {
  entry: Extract<T, { kind: "tool" }>;
  index: number;
  /** Whether a slot of this call is visible and unanswered. */
  hasSlot: boolean;
}

/** The props of `renderStreaming`: the answer so far. */
export interface StreamingRenderProps {
  text: string;
}

/** The props of `renderReasoning`: the reasoning so far. */
export interface ReasoningRenderProps {
  text: string;
  /** It is still being written. */
  streaming: boolean;
}

/** The props of `renderError`: why the last request failed, or why the session could not be opened. */
export interface ErrorRenderProps {
  error: Error;
  /** Continues or retries; missing if there is nothing to retry. */
  retry?: (() => unknown) | undefined;
  dismiss?: (() => unknown) | undefined;
}

/** The props of `renderInput`. */
export interface InputRenderProps {
  /** `files` of a message are sent as they are; the composer makes pictures fit first. */
  send: (message: string | MessageInput, images?: { data: string; media_type: string }[]) => void;
  busy: boolean;
  abort: () => void;
}

/**
 * The renderer of something below the card of a call whose arguments the model writes; its data is the call. With ` of ` and the name of a tool
 * behind it, it draws only that tool's. No tool is called so.
 */
export type WrittenCall = "a written call";

/** The props of `renderSlotContainer`. */
export interface SlotContainerRenderProps<S extends EnhancedSlot = EnhancedSlot> {
  slots: S[];
  renderSlot: (slot: EnhancedSlot) => ReactNode;
}

/**
 * Render props may use hooks: they are mounted as components. Keep them stable where the conversation is long. One that is written inline
 * keeps its state: functions of the same source are one component, as are those of `renderers` and tools. What a factory makes, and
 * calls hooks, needs a `displayName` to be told apart. What throws is a sentence in its place.
 */
export interface RenderProps<T extends TimelineEntry = TimelineEntry> {
  /** What `useGlove` gave. */
  glove: GloveHandle<T>;
  /** Where slots appear; default `interleaved`. */
  strategy?: RenderStrategy | undefined;
  /** Draws a message of the user or of the model. */
  renderMessage?: ((props: MessageRenderProps<ShownEntry>) => ReactNode) | undefined;
  /** Draws the status of a call. */
  renderToolStatus?: ((props: ToolStatusRenderProps<T>) => ReactNode) | undefined;
  /** Draws the text that is being written. */
  renderStreaming?: ((props: StreamingRenderProps) => ReactNode) | undefined;
  /** Draws the model's reasoning; by default it is folded into a `<details>`. */
  renderReasoning?: ((props: ReasoningRenderProps) => ReactNode) | undefined;
  /** Replaces the error panel. */
  renderError?: ((props: ErrorRenderProps) => ReactNode) | undefined;
  /** Draws the input, in the place of the composer. */
  renderInput?: ((props: InputRenderProps) => ReactNode) | undefined;
  /** For the strategies that show all slots together. */
  renderSlotContainer?: ((props: SlotContainerRenderProps<ShownSlot>) => ReactNode) | undefined;
  /** Stands where there is no message yet: words are one large heading, elements are composed. `null` for nothing. */
  welcome?: ReactNode;
  /** Messages to begin with, below it. */
  suggestions?: readonly Suggestion[] | undefined;
  /**
   * How the texts of answers are drawn: as markdown, unless it is `false`, which leaves them as they are, or a component of yours.
   * Keep it stable.
   */
  markdown?: boolean | ComponentType<TextRenderProps> | undefined;
  /**
   * Files in messages: which ones a chat takes, or `false` for none. What reads and scales them is loaded with the first one.
   * Keep the object stable.
   */
  attachments?: AttachmentOptions | boolean | undefined;
  /** `document` draws the conversation as a document: without bubbles, what a person said as headings, calls as notes. Default `bubble`. */
  variant?: RenderVariant | undefined;
  /** Omits the built-in style sheet. */
  unstyled?: boolean | undefined;
  /** For the style sheet in HTML from a server, where a policy asks for it. */
  nonce?: string | undefined;
  /** Replacements for the built-in labels. Keep the object stable in long conversations. */
  labels?: Labels | undefined;
  /** The language of the built-in labels, such as `de`: that of the page, unless you say another one. Where it is not built in they are English. */
  lang?: string | undefined;
  /** What Enter does where a message is written. By itself it sends, but begins a new line where a finger is the pointer. Ctrl+Enter always sends. */
  enter?: "send" | "line" | undefined;
  /**
   * A line below the composer that says how much of the model's context is used, and what becomes of older messages when it is full: there from 70 %
   * on, and always or never with `true` or `false`. It counts in parts of `compaction_context_limit`.
   */
  contextMeter?: boolean | undefined;
  /**
   * Finding in the conversation: `true` shows a bar above the messages with a search and the list of the person's messages, which Ctrl+Shift+F or
   * Cmd+Shift+F opens too; with `"key"` the bar comes with that key. It is loaded where it is wanted.
   */
  find?: boolean | "key" | undefined;
  /**
   * Puts two buttons below each answer, and is told which one was pressed: what the person thinks of it. It stays seen in this browser; where this
   * fails, it does not.
   */
  onFeedback?: ((message: MessageEntry<ShownEntry>, verdict: "up" | "down") => unknown) | undefined;
  /** Puts a button below each answer that reads it aloud with the browser's voice, where it has one. */
  readAloud?: boolean | undefined;
  /** A line below the composer: that answers may be wrong, say. */
  disclaimer?: ReactNode;
  /** The element around everything; default `div`. */
  as?: keyof JSX.IntrinsicElements | undefined;
  /** The element around everything. */
  rootRef?: Ref<HTMLElement> | undefined;
  /** The element around the messages. */
  logRef?: Ref<HTMLElement> | undefined;
  /**
   * What moves the list. `turn`, the default: what was sent rises near the upper edge, and its answer grows below it. `end`: the end is kept in sight.
   * `none`: nothing moves by itself.
   */
  scroll?: Scroll | undefined;
  /** Gets a `ChatView`, whose `scrollToMessage(id)` goes to a message. */
  viewRef?: Ref<ChatView> | undefined;
  /** The class of the element around the messages. With `unstyled`, that element has a box only if it has a class. */
  logClassName?: string | undefined;
  /** A class of that element. */
  className?: string | undefined;
  /** Its inline style. */
  style?: CSSProperties | undefined;
}

/** The phase of a spoken turn. */
export type VoiceMode = "idle" | "listening" | "thinking" | "speaking";

/** What glove's voice hooks return for the screen. */
export interface VoiceRenderHandle {
  mode: VoiceMode;
  /** What the user is saying. */
  transcript: string;
  enabled: boolean;
}

/** What draws the words of the person while they speak. */
export interface TranscriptRenderProps {
  transcript: string;
}

/** What draws how far a spoken turn is. */
export interface VoiceStatusRenderProps {
  mode: VoiceMode;
}
