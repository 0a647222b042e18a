// What is in the database.
import type { StepMarks, TokenCount } from "../../ports/store.js";
import type { StoredText } from "./media.js";

/** One for each session, under its id. It is read for the list of sessions and replaced by each step, so it stays small. */
export interface SessionRow extends StepMarks {
  readonly id: string;
  /** How many messages are stored. */
  readonly count: number;
  readonly seq: number;
  readonly turns: number;
  readonly tokens: TokenCount;
  readonly created: number;
  readonly updated: number;
  /** Later than that of each row that was written before, whatever the clock says; that of older rows is `updated`. */
  readonly order?: number;
  /** What a person wrote first. */
  readonly first?: string;
  /** What a person or a model named it. */
  readonly title?: string;
  /** A model was asked for its title; false once a person has named it since then. */
  readonly asked?: boolean;
  readonly unfinished: boolean;
  /** Whether there are records after the checkpoint. */
  readonly records: boolean;
  /** The write that was stored last. */
  readonly write: string;
  /** Whoever claimed the session last; only they append to it. */
  readonly claim?: string;
  /** Something new is in it that nobody has looked at. */
  readonly unread?: true;
  /** A person has put it away. */
  readonly archived?: true | undefined;
  /** When a person has deleted it: it is removed some time later, unless it is brought back. */
  readonly deleted?: number | undefined;
}

export const orderOf = ({ order, updated }: SessionRow) => order ?? updated;

/** Whether the list of sessions can be made of it. */
export function isRow(row: unknown): row is SessionRow {
  const { id, created, updated, count } = (row ?? {}) as Partial<SessionRow>;
  return typeof id === "string" && [created, updated, count].every((value) => Number.isFinite(value));
}

/** The messages of one step, under `[session, index of the first]`: the JSON of an array without its brackets. */
export interface MessagesRow {
  readonly count: number;
  readonly text: StoredText;
}

// `records`: StoredText under [session, seq], as messages. `checkpoints`: StoredText under session.
// `media`: Media under [session, hash]. `extras`: JSON text under [session, "tasks" | "inbox"], for permissions the status under
// [session, "permission", key], under [session, "lease"] who runs it and until when, SentRequest under [session, "sent", id], and under
// [session, "search", …] what is searched; under ["", "full"] when that has given way to messages. A version that does not know of these leaves
// them alone.
export const stores = ["sessions", "messages", "records", "checkpoints", "media", "extras"] as const;
export type StoreName = (typeof stores)[number];

/** All messages of a session that are in no step yet, in `extras`. */
export function allSent(session: string): IDBKeyRange {
  return IDBKeyRange.bound([session, "sent"], [session, "sent", []]);
}

/** Everything of a session in a store with compound keys. */
export function allOf(session: string): IDBKeyRange {
  // Arrays come behind all other keys. Where there is no database, `InMemory` needs the session alone.
  return globalThis.IDBKeyRange?.bound([session], [session, []]) ?? ({ lower: [session] } as unknown as IDBKeyRange);
}
