// What a store of the application offers.
import type { Message, PermissionStatus, Task, Usage, WireInboxItem } from "../wire/record.js";
import type { CorePhase } from "../wire/run-types.js";

/** What is added to the token counters. */
export type TokenCount = Partial<Usage> & Pick<Usage, "tokens_in" | "tokens_out">;

/** Those that are known; a store may keep others. */
export type InboxItemStatus = InboxItem["status"];

/** Something that waits to be answered by another system, or was. */
export interface InboxItem extends WireInboxItem {
  readonly created_at?: string | number;
}

/** What a list of sessions says of one after a step. */
export interface StepMarks {
  /** What the run does. */
  readonly phase?: CorePhase | undefined;
  /** A person is asked something. */
  readonly asks?: boolean | undefined;
  /** How many messages of a person wait for their turn. */
  readonly queued?: number | undefined;
}

/** One write of a session, to be kept whole or not at all. */
export interface StoredStep extends StepMarks {
  /** The index of the first of `messages` in the conversation. A store that holds another number of messages refuses. */
  readonly firstMessage: number;
  /** Messages to append. */
  readonly messages: readonly Message[];
  /** Entries to append to the journal; opaque. */
  readonly records: readonly unknown[];
  /** Replaces the stored checkpoint; records before it are no longer needed. */
  readonly checkpoint?: string;
  /** The number of the last entry of the journal that this write covers; a store that is further refuses. */
  readonly seq: number;
}

/** A message that is not in the record yet. */
export interface SentRequest {
  readonly id: string;
  /** What the core is to be asked; opaque. */
  readonly request: string;
  /** Of two, the later one has the larger number. */
  readonly at: number;
}

/** `strict`: something irrevocable follows (a tool runs, a person has decided), so it has to survive a power cut. */
export type Durability = "relaxed" | "strict";

/** Everything that was stored by `appendStep`. */
export interface StoredRun {
  readonly messages: readonly Message[];
  readonly records: readonly unknown[];
  readonly checkpoint?: string | undefined;
}

/**
 * Keeps one session. The first group is enough for a conversation; a store that also has `appendStep` and `readRun` keeps
 * the run itself, so that a session whose page died goes on where it was.
 */
export interface StoreAdapter {
  readonly identifier: string;
  /** Where it stores data, for `snapshot.storage`; default `custom`. Read again once the session is open. */
  readonly storage?: "indexeddb" | "memory" | "custom";
  /** Sent to subscribers as a `warning` event when a session is opened. */
  readonly warning?: { readonly code: string; readonly message: string } | undefined;
  getMessages(): Promise<Message[]>;
  appendMessages(msgs: Message[]): Promise<void>;
  getTokenCount(): Promise<number>;
  /** Called with an object that is the sum where it is added, or with the sum where `tokenCounterStyle` is `"number"`. */
  // biome-ignore lint/suspicious/noExplicitAny: stores were written for a number, later ones for the object.
  addTokens(count: any): Promise<void>;
  getTurnCount(): Promise<number>;
  incrementTurn(): Promise<void>;
  /** Resets the counters and keeps the messages. */
  resetCounters?(): Promise<void>;
  /** Never called: in older stores it deletes the conversation. */
  resetHistory?(): Promise<void>;

  getTasks?(): Promise<Task[]>;
  /** Replaces the list. */
  addTasks?(tasks: Task[]): Promise<void>;
  updateTask?(taskId: string, updates: Partial<Omit<Task, "id">>): Promise<void>;

  getPermission?(toolName: string, input?: unknown): Promise<PermissionStatus>;
  /** `unset` without an input takes back all that is kept for the tool, also what holds for certain arguments. */
  setPermission?(toolName: string, status: PermissionStatus, input?: unknown): Promise<void>;

  getInboxItems?(): Promise<InboxItem[]>;
  addInboxItem?(item: InboxItem): Promise<void>;
  updateInboxItem?(id: string, updates: Partial<InboxItem>): Promise<void>;
  getResolvedInboxItems?(): Promise<InboxItem[]>;

  /** Stores a step in one transaction: all of it, or nothing and an error with a code (`STORE_CONFLICT`, `STORE_QUOTA`, …). */
  appendStep?(step: StoredStep, durability?: Durability): Promise<void>;
  /** Everything that was kept. */
  readRun?(): Promise<StoredRun>;
  /** The same two methods with JSON text, for stores that keep text: avoids parsing and serialising. */
  appendStepText?(step: string, durability: Durability, marks?: StepMarks): Promise<void>;
  readRunText?(): Promise<string>;

  /**
   * Writes down a message that is on its way to whoever runs the session, so that it is not lost with the page that it was sent in. The
   * step that has it in its `records`, as a request with this id, removes it in the same transaction.
   */
  keepSent?(message: SentRequest): Promise<void>;
  /** It is not on its way any more. */
  dropSent?(id: string): Promise<void>;
  /** All that are written down and in no step, in the order of `at`. */
  listSent?(): Promise<readonly SentRequest[]>;

  /** Reading failed with `STORE_LOST`, and the person knows: from now on the session is a new one. */
  forget?(): void;
  /** The messages of a damaged session one by one. Without it they are those that are read. */
  salvage?(): Promise<Salvage>;

  /**
   * A name that the stores of other tabs have too when they keep the same session: then one of these tabs runs it, and the others
   * follow. Nothing when this store is the only one.
   */
  shared?(): Promise<string | undefined>;
  /**
   * The session was read and is whole: from now on writes are of this store alone, and whoever claimed before is refused. Fails with
   * `STORE_CONFLICT` where somebody has written or claimed since `readRun`; then the session is read again. What is damaged is never
   * claimed, and reading alone changes nothing.
   */
  claim?(): Promise<void>;
  /** Whether the claim of this store is still the last one. */
  holds?(): Promise<boolean>;
  /**
   * Keeps the session for a holder for some milliseconds, where the browser has no locks; false when another holder has it, unless
   * it is to be taken away from that one. With a time of 0 the holder gives it back.
   */
  lease?(holder: string, ms: number, takesAway?: boolean): Promise<boolean>;
  /**
   * Calls the listener when a newer version of the application wants what the store keeps, and gives way to it when what the
   * listener gave has settled. Gives its undo.
   */
  onNewer?(listener: () => Promise<void>): () => void;
  /** @internal It is used in a moment: what that takes may be loaded. */
  ahead?(): void;
  /** @internal Its session is closed. */
  release?(): void;
  /** @internal The session runs somewhere else: gives a `Sharing`. */
  elsewhere?(): Promise<unknown>;
  /** Calls the listener when the store can be used after calls of it were given up: sessions open by themselves then. Gives its undo. */
  onLate?(listener: () => void): () => void;
}

/** Where a session with this store is kept. */
export function storageOf(store: StoreAdapter): "indexeddb" | "memory" | "custom" {
  return store.storage ?? "custom";
}

/** Something of a session that cannot be read. */
export interface SessionDamage {
  /** `messages[3]`, `checkpoint`, … */
  readonly place: string;
  readonly reason: string;
  /** What stands there, where it is text. */
  readonly stored?: string;
}

/** What a store can read of a damaged session. */
export interface Salvage {
  /** The JSON of each message, or whatever stands in its place. */
  readonly texts: readonly string[];
  /** What cannot be read besides messages. */
  readonly damage: readonly SessionDamage[];
  /** The checkpoint, where there is one. */
  readonly checkpoint?: string | undefined;
}

/** Whether the method for text is the one to call: not where a subclass, or the store itself, has only the other one anew. */
export function takesText(store: StoreAdapter, text: keyof StoreAdapter, other: keyof StoreAdapter): boolean {
  for (let at: object | null = store; at; at = Object.getPrototypeOf(at)) {
    if (Object.hasOwn(at, text)) return true;
    if (Object.hasOwn(at, other)) return false;
  }
  return true;
}
