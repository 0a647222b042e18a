// The messages between tabs that have one session open.

import type { GloveSnapshot } from "../snapshot/snapshot.js";
import type { MaybeHidden, SessionState, Written } from "../snapshot/state.js";
import { GloveError } from "../values/error.js";
import type { CoreError, CoreEvent } from "../wire/core-types.js";
import { type Check, isCount, isOptional, isText, type Method } from "./command-rules.js";

/** What a screen shows beside what the core tells. */
export type Extras = Partial<Pick<GloveSnapshot, "tasks" | "inbox" | "storage">> & {
  /** How far calls are. */
  readonly progress?: SessionState["progress"];
  /** Null for none. */
  readonly error?: CoreError | null;
  /** What is sent does not get into the session. */
  readonly readOnly?: boolean;
  /** What waits with an interrupted run, and is in no queue of the core. */
  readonly held?: readonly MaybeHidden[];
};

export interface CommandMessage {
  readonly kind: "ask";
  readonly leader: string;
  readonly id: string;
  readonly method: Method;
  readonly args: readonly unknown[];
  /** It was asked of another tab before, which is gone: it may have been done. */
  readonly again: boolean;
}

export type TabMessage =
  /** From a tab that follows: who runs the session shows it all of it. */
  | { readonly kind: "hello"; readonly tab: string }
  /** From the tab that runs it from now on, whether it can show anything yet or not. */
  | { readonly kind: "leads"; readonly leader: string }
  /** All of it, for one tab or for every one. */
  | {
      readonly kind: "all";
      readonly leader: string;
      readonly to: string | undefined;
      readonly events: readonly CoreEvent[];
      /** The answer that is being written. */
      readonly written: Written;
      readonly extras: Extras;
    }
  | { readonly kind: "events"; readonly leader: string; readonly events: readonly CoreEvent[] }
  | { readonly kind: "extras"; readonly leader: string; readonly extras: Extras }
  | CommandMessage
  /** It is being done: it may be asked again only if doing it twice does nothing. */
  | { readonly kind: "taken"; readonly leader: string; readonly id: string }
  | {
      readonly kind: "answered";
      readonly leader: string;
      readonly id: string;
      readonly value?: unknown;
      readonly error?: CoreError;
    }
  /** Whether the tab that runs the session is awake; answered at once, as messages are not slowed down in hidden tabs. */
  | { readonly kind: "ping" | "pong"; readonly leader: string }
  /** The session is not stored any more. */
  | { readonly kind: "deleted" };

// ---- what is taken for a message -------------------------------------------------------------------------------------

type Fields = Readonly<Record<string, Check>>;

const isObject: Check = (value) => typeof value === "object" && value !== null;
const has =
  (fields: Fields): Check =>
  (value) =>
    isObject(value) && Object.entries(fields).every(([name, check]) => check((value as Record<string, unknown>)[name]));
const isList =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
/** The fields of whatever its `kind` says. */
const isOne =
  (kinds: Readonly<Record<string, Fields>>): Check =>
  (value) => {
    const kind = isObject(value) && (value as TabMessage).kind;
    return isText(kind) && Object.hasOwn(kinds, kind as string) && has(kinds[kind as string] ?? {})(value);
  };
/** One that tabs give; what is longer comes from nobody. */
const isId: Check = (value) => isText(value) && (value as string).length < 200;

const isError: Check = (value) => value === null || has({ code: isText, message: isText })(value);
const isIdentified = isList(has({ id: isText }));
const isEvents = isList(
  isOne({
    event: { type: isText, data: isObject },
    timeline: {
      len: isCount,
      set: isList((part) => Array.isArray(part) && isCount(part[0]) && isList(has({ id: isText, kind: isText }))(part[1])),
    },
    input: { id: isText, name: isText, patches: isList(Array.isArray) },
    ended: { error: isError },
    slots: { slots: isList(has({ id: isText, renderer: isText })) },
    state: { phase: isText, queue: isIdentified, questions: isIdentified, undoable: isList(isObject), usage: isObject },
  }),
);
const isNumber: Check = (value) => typeof value === "number";
const isProgress: Check = (value) =>
  isObject(value) &&
  isList(has({ message: isOptional(isText), done: isOptional(isNumber), of: isOptional(isNumber) }))(
    Object.values(value as object),
  );
const isFlag: Check = (value) => typeof value === "boolean";
const isExtras = has({
  tasks: isOptional(Array.isArray),
  inbox: isOptional(Array.isArray),
  storage: isOptional(isText),
  progress: isOptional(isProgress),
  error: isOptional(isError),
  readOnly: isOptional(isFlag),
  held: isOptional(isList(has({ id: isText, text: isText, files: isOptional(isCount), hidden: isOptional(isFlag) }))),
});

const leader = isId;
const isMessage = isOne({
  hello: { tab: isId },
  leads: { leader },
  all: { leader, to: isOptional(isId), events: isEvents, written: has({ text: isText, reasoning: isText }), extras: isExtras },
  events: { leader, events: isEvents },
  extras: { leader, extras: isExtras },
  // A command with an id always gets an answer, even if it is otherwise invalid.
  ask: { id: isId },
  taken: { leader, id: isId },
  answered: { leader, id: isId },
  ping: { leader },
  pong: { leader },
  deleted: {},
});

/** A message and its version; nothing where it is none. */
export function readMessage(data: unknown): (TabMessage & { readonly v: unknown }) | undefined {
  return isMessage(data) ? (data as TabMessage & { readonly v: unknown }) : undefined;
}

// ---- errors ----------------------------------------------------------------------------------------------------------

export function openElsewhereError(): GloveError {
  return new GloveError(
    "SESSION_OPEN_ELSEWHERE",
    "Another tab has this session open and does not respond; continue in that tab, close it, or take the session over here " +
      "with `takeOver()`.",
  );
}

/** For a page that is newer than the one that runs the session. */
export function olderLeads(): GloveError {
  return new GloveError(
    "TAB_VERSION",
    "An older version of this page runs this session in another tab. This tab takes over as soon as that one finishes what it is " +
      "doing; close it, or take the session over here with `takeOver()`.",
  );
}

/** For a page that is older than the one that runs the session. */
export function newerLeads(): GloveError {
  return new GloveError(
    "TAB_VERSION",
    "A newer version of this page runs this session in another tab; reload this page to continue here.",
  );
}

/** For a page that is older than the database. */
export function newerDatabase(): GloveError {
  return new GloveError(
    "STORE_NEWER",
    "A newer version of this page opened the database in another tab, so this one has stopped; reload this page to continue here.",
  );
}

/** Of a message between tabs. */
export function malformedError(what: string): GloveError {
  return new GloveError("TAB_PROTOCOL", `${what} Reload the tabs that have this session open.`);
}

export function sessionMovedError(): GloveError {
  return new GloveError(
    "SESSION_MOVED",
    "The tab that ran this session closed before it finished; the outcome is unknown. Check the conversation, " +
      "and send the request again if it is missing.",
  );
}

export function sessionFollowsError(): GloveError {
  return new GloveError("SESSION_FOLLOWS", "Another tab runs this session; only tools in that tab can show slots.");
}
