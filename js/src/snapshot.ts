// What a session shows to a screen: one immutable snapshot, replaced as a whole, with unchanged parts keeping their identity.
import type { Task, Usage } from "./message.js";

/** The state in the words of a chat: `submitted` until the first piece of an answer, then `streaming`. */
export type GloveStatus = "ready" | "submitted" | "streaming" | "error";

/** What the run is doing. */
export type RunPhase = "idle" | "model" | "tools" | "waiting" | "compacting" | "undoing" | "paused" | "interrupted";

/** One entry of the chat. */
export type TimelineEntry =
  | { readonly kind: "user"; readonly id: string; readonly text: string; readonly images?: readonly string[] }
  | { readonly kind: "agent_text"; readonly id: string; readonly text: string; readonly partial?: boolean }
  | {
      readonly kind: "tool";
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
      readonly status: "running" | "pending" | "success" | "error" | "aborted";
      readonly output?: string;
      readonly renderData?: unknown;
      readonly durationMs?: number;
    }
  /** Older messages were summarised for the model here. */
  | { readonly kind: "compaction"; readonly id: string; readonly text: string };

/** A call of a tool in the timeline. */
export type ToolEntry = Extract<TimelineEntry, { kind: "tool" }>;

/** When a slot goes away: never, once it was answered, or when the next one of its tool comes. */
export type SlotDisplayStrategy = "stay" | "hide-on-complete" | "hide-on-new";

/** A slot on the display, and the call that pushed it. */
export interface EnhancedSlot {
  readonly id: string;
  readonly renderer: string;
  readonly input: unknown;
  /** The tool and call that pushed it; empty for slots pushed from outside of a tool. */
  readonly toolName: string;
  readonly toolCallId: string;
  readonly createdAt: number;
  readonly displayStrategy: SlotDisplayStrategy;
  readonly status: "pending" | "resolved" | "rejected";
}

/** Something that only a person can decide; answered with `approve` or `reject`. */
export interface Approval {
  readonly id: string;
  readonly kind: "permission" | "approval" | "interrupted" | "budget";
  readonly toolName?: string;
  readonly toolCallId?: string;
  readonly input?: unknown;
  readonly reason?: string;
}

/** What the session used so far. */
export interface GloveStats extends Usage {
  readonly turns: number;
}

/** A message that waits for its turn. */
export interface QueuedMessage {
  readonly id: string;
  readonly text: string;
}

/** All that a session shows, as one immutable value. Parts that did not change are the same objects. */
export interface GloveSnapshot {
  readonly sessionId: string;
  /** The stored session has been read. */
  readonly sessionReady: boolean;
  readonly status: GloveStatus;
  readonly busy: boolean;
  readonly run: { readonly phase: RunPhase };
  readonly timeline: readonly TimelineEntry[];
  /** The answer that is being written. */
  readonly streamingText: string;
  readonly slots: readonly EnhancedSlot[];
  readonly approvals: readonly Approval[];
  readonly queue: readonly QueuedMessage[];
  readonly tasks: readonly Task[];
  readonly inbox: readonly unknown[];
  readonly stats: GloveStats;
  readonly isCompacting: boolean;
  readonly error: Error | undefined;
  /** Where the session is kept. */
  readonly storage: "indexeddb" | "memory" | "custom";
}
