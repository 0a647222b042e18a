// What the hook gives and what `<Render>` and its render props take.
import type { CSSProperties, JSX, ReactNode, Ref } from "react";
import type {
  Approval,
  EnhancedSlot,
  GloveStatus,
  QueuedMessage,
  RunPhase,
  ShownEntry,
  ShownSlot,
  StreamingCall,
  TabRole,
  TimelineEntry,
  ToolEntry,
} from "../../src/snapshot/snapshot.js";
import type { Labels } from "./labels.js";

/** What `<Render>` needs. `useGlove()` gives one; one made by hand, or a changed copy, works as well. */
export interface GloveHandle {
  timeline: TimelineEntry[];
  streamingText: string;
  streamingReasoning?: string;
  streamingCalls?: readonly StreamingCall[];
  busy: boolean;
  slots: EnhancedSlot[];
  sendMessage: (text: string, images?: { data: string; media_type: string }[]) => unknown;
  abort: () => void;
  renderSlot: (slot: EnhancedSlot) => ReactNode;
  renderToolResult: (entry: ToolEntry) => ReactNode;
  resolveSlot: (slotId: string, value: unknown) => unknown;
  rejectSlot: (slotId: string, reason?: string) => unknown;
  status?: GloveStatus;
  run?: { readonly phase: RunPhase };
  error?: Error | undefined;
  queue?: readonly QueuedMessage[];
  approvals?: readonly Approval[];
  resume?: () => unknown;
  /** Also tries again what could not be opened. */
  clearError?: () => void;
  sessionReady?: boolean;
  tab?: TabRole;
  takeOver?: () => unknown;
}

/** Where `<Render>` puts slots: between the messages where they were pushed, before or after all of them, or alone. */
export type RenderStrategy = "interleaved" | "slots-before" | "slots-after" | "slots-only";

/** What `renderMessage` gets, and what a component for it takes. */
export interface MessageRenderProps<E extends TimelineEntry = TimelineEntry> {
  entry: Extract<E, { kind: "user" | "agent_text" }> & Pick<ShownEntry, "error">;
  index: number;
  /** The last of the timeline, with no answer being written after it. */
  isLast: boolean;
}

/** What `renderToolStatus` gets. */
export interface ToolStatusRenderProps {
  entry: ToolEntry;
  index: number;
  /** A slot of this call is on the screen, and not answered. */
  hasSlot: boolean;
}

/** What `renderStreaming` gets: the answer as far as it is written. */
export interface StreamingRenderProps {
  text: string;
}

/** What `renderReasoning` gets: thoughts, as far as they are written. */
export interface ReasoningRenderProps {
  text: string;
  /** It is still being written. */
  streaming: boolean;
}

/** What `renderError` gets: why the last request failed, or why there is no conversation. */
export interface ErrorRenderProps {
  error: Error;
  /** Goes on where it failed, or tries again; not there where nothing is to be tried. */
  retry?: (() => unknown) | undefined;
  dismiss?: (() => unknown) | undefined;
}

/** What `renderInput` gets. */
export interface InputRenderProps {
  send: (text: string, images?: { data: string; media_type: string }[]) => void;
  busy: boolean;
  abort: () => void;
}

/** What `renderSlotContainer` gets. */
export interface SlotContainerRenderProps<S extends EnhancedSlot = EnhancedSlot> {
  slots: S[];
  renderSlot: (slot: EnhancedSlot) => ReactNode;
}

/**
 * Render props may use hooks: they are mounted as components. Keep them stable where the conversation is long. One that is written inline
 * keeps its state: functions of the same source are one component, as are those of `renderers` and tools. What a factory makes, and
 * calls hooks, needs a `displayName` to be told apart. What throws is a sentence in its place.
 */
export interface RenderProps {
  glove: GloveHandle;
  strategy?: RenderStrategy | undefined;
  renderMessage?: ((props: MessageRenderProps<ShownEntry>) => ReactNode) | undefined;
  renderToolStatus?: ((props: ToolStatusRenderProps) => ReactNode) | undefined;
  renderStreaming?: ((props: StreamingRenderProps) => ReactNode) | undefined;
  /** What the model thought; behind a button unless given. */
  renderReasoning?: ((props: ReasoningRenderProps) => ReactNode) | undefined;
  /** In the place of the panel that says what went wrong. */
  renderError?: ((props: ErrorRenderProps) => ReactNode) | undefined;
  renderInput?: ((props: InputRenderProps) => ReactNode) | undefined;
  /** For the strategies that show all slots in one place. */
  renderSlotContainer?: ((props: SlotContainerRenderProps<ShownSlot>) => ReactNode) | undefined;
  /** Other words for those that are said here. Keep the object stable where the conversation is long. */
  labels?: Labels | undefined;
  as?: keyof JSX.IntrinsicElements | undefined;
  /** The element around everything. */
  rootRef?: Ref<HTMLElement> | undefined;
  /** The element around the messages. It has no box of its own unless it has a class: give it one to let it scroll. */
  logRef?: Ref<HTMLElement> | undefined;
  logClassName?: string | undefined;
  className?: string | undefined;
  style?: CSSProperties | undefined;
}

/** How far a spoken turn is. */
export type VoiceMode = "idle" | "listening" | "thinking" | "speaking";

/** What glove's voice hooks give for the screen. */
export interface VoiceRenderHandle {
  mode: VoiceMode;
  /** What the person is saying. */
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
