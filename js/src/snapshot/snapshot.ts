// What a session shows to a screen: one immutable snapshot, replaced as a whole, with unchanged parts keeping their identity.
import type { CallOutcome, SideOutput, Source, Task, Usage } from "../wire/record.js";
import type { CorePhase, Issue, MessageBranches } from "../wire/run-types.js";

/** The state in the words of a chat: `submitted` until the first piece of an answer, then `streaming`, also while tools run and questions wait. */
export type GloveStatus = "ready" | "submitted" | "streaming" | "error";

/** The phase of the run. */
export type RunPhase = CorePhase | "interrupted";

/** A file of a message, without what is in it. */
export interface ShownFile {
  /** Empty for what was made without a name. */
  readonly name: string;
  /** Its media type, as far as the browser knew it. */
  readonly type: string;
  /** In bytes. */
  readonly size: number;
}

/** One entry of the chat. Made by hand, for a test or a story, it may have no id where `ShownEntry` has one. */
export type TimelineEntry =
  | {
      readonly kind: "user";
      readonly id?: string;
      readonly text: string;
      readonly images?: readonly string[];
      /** What else came with it. */
      readonly files?: readonly ShownFile[];
      /** The model does not read what came with it: it was too large, refused, or of a kind that its provider does not take. */
      readonly leftOut?: boolean;
      /** When it was written, in milliseconds since 1970. */
      readonly at?: number;
      readonly branches?: MessageBranches;
    }
  | {
      readonly kind: "agent_text";
      readonly id?: string;
      /** Empty if the model only reasoned. */
      readonly text: string;
      /** It was cut off. */
      readonly partial?: boolean;
      /** By the person: with Stop, or with the next message. */
      readonly stopped?: boolean;
      /** It ends where the model may write no more: "Continue" goes on with it. */
      readonly atLimit?: boolean;
      /** The model's reasoning before it. */
      readonly reasoning?: string;
      /** When it was written, in milliseconds since 1970. */
      readonly at?: number;
      /** Where it says that it comes from. */
      readonly sources?: readonly Source[];
      readonly branches?: MessageBranches;
    }
  | {
      readonly kind: "tool";
      readonly id: string;
      readonly name: string;
      /** What the call does, in the words of the tool's `title`. */
      readonly title?: string;
      readonly input: unknown;
      readonly status: "running" | "pending" | "success" | "error" | "aborted";
      /** It has not begun: others of its answer come before it. */
      readonly queued?: boolean;
      /** The component that brings its tool (`useTool`) is not there: it waits for that, and Stop ends it. */
      readonly away?: boolean;
      /** How far it is, while it runs, if its tool says so. */
      readonly progress?: CallProgress;
      readonly output?: string;
      /** Why there is no result of the tool's own. */
      readonly outcome?: CallOutcome;
      readonly renderData?: unknown;
      readonly durationMs?: number;
      /** What it showed beside its result: files, widgets and types of your own. */
      readonly outputs?: readonly SideOutput[];
      /** It was taken back. */
      readonly undone?: boolean;
      /** What the model thought before it, where it said nothing. */
      readonly reasoning?: string;
      readonly branches?: MessageBranches;
    }
  /** Older messages were summarised for the model here. */
  | { readonly kind: "compaction"; readonly id?: string; readonly text: string };

/** An entry as a conversation gives it. */
export type ShownEntry = TimelineEntry & {
  readonly id: string;
  /** Its request ended here with this error, and another one was answered then. */
  readonly error?: Error;
  /** What stands in its place on other branches of the conversation, where there is anything. */
  readonly branches?: MessageBranches;
};

/** A call of a tool in the timeline. */
export type ToolEntry = Extract<TimelineEntry, { kind: "tool" }>;

/** How far a call is, in the words and numbers of its tool. */
export interface CallProgress {
  readonly message?: string;
  readonly done?: number;
  /** What `done` will be at the end, if that is known. */
  readonly of?: number;
}

/** When a slot goes away: never, once it was answered, or when the next one of its tool comes. */
export type SlotDisplayStrategy = "stay" | "hide-on-complete" | "hide-on-new";

/** A slot on the display, and the call that pushed it. Made by hand it may lack what `ShownSlot` has. */
export interface EnhancedSlot {
  readonly id: string;
  readonly renderer: string;
  readonly input: unknown;
  /** The tool and call that pushed it; empty for slots pushed from outside of a tool. */
  readonly toolName: string;
  readonly toolCallId: string;
  readonly createdAt: number;
  /** Somebody waits for its answer: it is a question. */
  readonly waits?: boolean;
  readonly displayStrategy: SlotDisplayStrategy;
  readonly status: "pending" | "resolved" | "rejected";
  /** What was answered, as JSON; never a secret. */
  readonly answer?: unknown;
  /** Why the last answer was refused. */
  readonly error?: string;
  /** The same for each place in the answer, for the fields of a form. */
  readonly issues?: readonly Issue[];
  /** With `hide-on-new`: another one of its tool has come, and it is not shown any more. */
  readonly replaced?: boolean;
}

/** A slot as a conversation gives it. */
export type ShownSlot = EnhancedSlot & { readonly waits: boolean };

/** A call that a model is writing. */
export interface StreamingCall {
  readonly id: string;
  readonly name: string;
  /** As far as it is written; parts that did not change are the same objects. Not checked by the tool's schema. */
  readonly input: unknown;
  /** The place that is being written, as a JSON Pointer (`""`, `/title`, `/items/2`); what is beside it is complete. Nothing when all is. */
  readonly at: string | undefined;
}

/** Something that only a person can decide; answered with `approve` or `reject`. */
export interface Approval {
  readonly id: string;
  readonly kind: "permission" | "approval" | "interrupted" | "budget";
  readonly toolName?: string;
  /** What the call does, in the words of the tool's `title`. */
  readonly title?: string;
  /** The sentence that asks for it, in the words of the tool's `confirm`. */
  readonly confirm?: string;
  /** What its button may be named by: the tool's `title`, where that is the same for all calls. */
  readonly act?: string;
  /** What it lets run cannot be taken back, as its tool says. */
  readonly danger?: true;
  /** What would run it is not on this page, nor in this tab: a component that brings its tool (`useTool`), say. It can be decided all the same. */
  readonly away?: true;
  readonly toolCallId?: string;
  readonly input?: unknown;
  readonly reason?: string;
}

/** What the session used so far. */
export interface GloveStats extends Usage {
  readonly turns: number;
  /** How long the last prompt was, in tokens; 0 where no provider has told since the last summary. */
  readonly contextTokens: number;
  /** At so many tokens older messages are summarised (`compaction_context_limit`); 0 until the core is there. */
  readonly contextLimit: number;
}

/** A call that can be taken back. */
export interface UndoableCall {
  readonly toolCallId: string;
  readonly toolName: string;
}

/** A message that waits for its turn. */
export interface QueuedMessage {
  readonly id: string;
  /** With neither text nor files nobody wrote it: another answer is waited for, or what a trigger begins. */
  readonly text: string;
  /** How many images and files it has. */
  readonly files?: number;
  /** The run that goes on reads it before its next model call; where it makes none, it is the next. */
  readonly steers?: boolean;
}

/** A model that has too much to do, or that did not answer, is asked again by itself. */
export interface ModelWait {
  /** What it failed with: `MODEL_RATE_LIMIT`, `MODEL_OVERLOADED`, … */
  readonly code: string;
  /** When it is asked again, in milliseconds since 1970. */
  readonly until: number;
}

/** All that a session shows, as one immutable value. Parts that did not change are the same objects. */
export interface GloveSnapshot {
  readonly sessionId: string;
  /** The stored session has been read. */
  readonly sessionReady: boolean;
  readonly status: GloveStatus;
  readonly busy: boolean;
  readonly run: { readonly phase: RunPhase };
  readonly timeline: readonly ShownEntry[];
  /** The answer that is being written. */
  readonly streamingText: string;
  /** What the model thinks before it. */
  readonly streamingReasoning: string;
  /** The calls whose arguments are being written. Nothing of them runs yet. */
  readonly streamingCalls: readonly StreamingCall[];
  /** Includes a question for each item of `approvals`, under its id; if you draw those yourself, use `slotsWithoutApprovals`. */
  readonly slots: readonly ShownSlot[];
  readonly approvals: readonly Approval[];
  readonly queue: readonly QueuedMessage[];
  /** What `undo()` takes back, the next one first. */
  readonly undoable: readonly UndoableCall[];
  readonly tasks: readonly Task[];
  readonly inbox: readonly unknown[];
  readonly stats: GloveStats;
  readonly isCompacting: boolean;
  /** The model is asked again after a while that a person notices. */
  readonly waiting: ModelWait | undefined;
  readonly error: Error | undefined;
  /** Where the session is kept. */
  readonly storage: "indexeddb" | "memory" | "custom";
  /**
   * What the store warns of: `STORAGE_MEMORY` where the browser allows no database, so that all is gone with the page. `STORAGE_PENDING`: the
   * first answer is in this page alone, as the core has not come.
   */
  readonly warning: { readonly code: string; readonly message: string } | undefined;
  /**
   * Which tab runs the session. `leader`: this one, also where no other can. `follower`: another one; this one shows the same, live,
   * and whatever is asked or answered here goes there. `blocked`: another one, which does not answer, or is of an older version.
   * `outdated`: a newer version of the page has taken over; this one does nothing more until it is loaded anew.
   */
  readonly tab: TabRole;
}

/** What a tab is to a session that several of them have open. */
export type TabRole = "leader" | "follower" | "blocked" | "outdated";
