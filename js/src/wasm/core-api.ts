// The seam between TypeScript and the Rust core: what a session exports, and what it asks of the page. Everything that
// crosses is text (JSON) or bytes, so that no value is converted twice and a callback can never hold a borrow.

import type { Maybe } from "../timing/sync-or-promise.js";
import type { CorePhase } from "../wire/run-types.js";

/** What the core asks of the page. Arguments and answers are JSON text where they are called so. */
export interface SessionHost {
  /** What happened, in order: a JSON array of `CoreEvent`. One call for each network chunk at most. */
  events(batch: string): void;
  /** Whether this call needs a permission. JSON: `{"verdict":…,"validated"?:Validated,"judged"?:…}`, where the verdict is `"not_needed"`, `"unset"`,
   *  `{"invalid":[Issue]}` or `{"failed":string}`. `validated` is what the tool's schema has just made of the arguments, where that is
   *  something else than the model sent; it is given back with everything about this call from then on, and so are the arguments of a
   *  call that was allowed. `judged` is what a decision about the call rests on: it is stored with it, stands in its questions, and is
   *  given back when it runs. */
  permissionOf(callId: string, tool: string, input: string, validated: string | undefined): Promise<string>;
  /** The same, with `"not_needed"`, `{"needed":{"reason"?:string}}`, `{"invalid":[Issue]}`, `{"failed":string}`, or `"changed"` where the
   *  arguments cannot be made again as they were allowed. */
  approval(callId: string, tool: string, input: string, validated: string | undefined): Promise<string>;
  /** Runs a call. JSON: `{"returned":{"result":ToolResultData,"outputs":[]}}`, `{"summed":string|null}` behind
   *  `CoreSession.returned`, `{"invalid":[Issue]}`, `"changed"`, `{"threw":string}` or `{"rejected":string|null}`. */
  run(
    callId: string,
    tool: string,
    input: string,
    validated: string | undefined,
    signal: AbortSignal,
    idempotencyKey: string,
    judged?: string,
  ): Promise<string>;
  /** Takes a call back; rejects when that fails. */
  undo(callId: string, tool: string, input: string, validated: string | undefined, signal: AbortSignal): Promise<void>;

  /** Before a model call: nothing, or a promise after which it is made with the settings of then. A rejection pauses the request. */
  prepare(): Promise<void> | undefined;

  /** Model in the page. `messages` is a JSON array; `from` says how many of the messages of the previous call stay in
   *  front of them (so that history crosses once). Gives a JSON `Reply`. `delta(kind, text)` shows a piece of it.
   *  A rejection may have the JSON of a `ModelError` in `detail`. */
  prompt?(
    request: HostPrompt,
    delta: (kind: "text" | "reasoning" | "notice", text: string) => void,
    signal: AbortSignal,
  ): Promise<string>;
  /** Model behind HTTP: a POST. `headers` is JSON `[[name, value], …]`. The signal closes the connection, also while the
   *  body is read. */
  fetch?(url: string, headers: string, body: string, signal: AbortSignal): Promise<HostResponse>;

  /** Store of the page. `load` gives JSON `{messages, checkpoint?, records}`. */
  load?(): Promise<string>;
  /** Of a damaged session: a JSON array with the JSON of each message, or with whatever stands in its place. */
  salvage?(): Promise<string>;
  /** JSON `{firstMessage, messages, records, checkpoint?, seq}`; all of it or nothing. A rejection may
   *  have the JSON of a `StoreError` in `detail`. */
  append?(step: string, strict: boolean, phase?: CorePhase, asks?: boolean, queued?: number): Promise<void>;
  /** Before something irreversible: rejects, as `append` does, where it cannot be told whether another page has taken the session
   *  over. Nothing where none can have done that. */
  confirm(): Promise<void> | undefined;
  permission?(tool: string, input: string | undefined): Promise<"granted" | "denied" | "unset">;
  setPermission?(tool: string, input: string | undefined, granted: boolean): Promise<void>;
  tasks?(): Promise<string>;
  setTasks?(tasks: string): Promise<void>;
  inbox?(): Promise<string>;
  consumeInbox?(ids: string): Promise<void>;
}

export interface HostPrompt {
  readonly purpose: "turn" | "summary";
  readonly systemPrompt: string;
  readonly from: number;
  readonly messages: string;
  /** Nothing where they are those of the call before. */
  readonly tools?: string;
}

export interface HostResponse {
  readonly status: number;
  /** The headers of the request as it was sent, as JSON. */
  readonly sent: string;
  /** Header names in lower case. */
  header(name: string): string | undefined;
  /** All of them. */
  readonly headers: Iterable<readonly [string, string]>;
  /** Pushes each chunk of the body as it comes, until the signal fires; resolves at the end. */
  read(push: (chunk: Uint8Array) => void): Promise<void>;
  /** Nothing more is pushed: the rest of the body is of no use. */
  suffices(): void;
}

/** The session class that the wasm module exports. What is thrown is an object `{code, message, model?}`. */
export interface CoreSession {
  /** Only for a core in a worker, whose other methods return before the result is known: returns the result. */
  ask?(method: string, ...args: readonly unknown[]): Promise<unknown>;
  /** Of one in a worker: it hears what need not be asked before a model is called. */
  ahead?(): void;
  /** JSON `{id?, text?, content?, extra?, whenBusy?, regenerate?, edits?, leaveWhenWaiting?}`; resolves with the JSON of a `CoreOutcome`. The id
   *  is the one in `state.request`, `state.queue` and the events. */
  request(request: string): Promise<string>;
  /** Go on after a pause or a failure. */
  resume(): Promise<string>;
  /** `last`: nothing is undone where the action of another call is the last by then. */
  undo(steps: number, last?: string): Promise<string>;
  /** Shows the branch that has this message. Settles when that is written. */
  switchBranch(message: string): Promise<string>;
  /** The messages up to this one, as the record of another session: JSON. */
  fork(message: string): Maybe<string>;
  /** What was recorded: JSON `{start, records, end}`; an empty text where nothing was. */
  recorded(): Maybe<string>;
  /** Stops the request that is being served. */
  abort(): void;
  /** Takes a request out of the queue; its promise fails with `ABORTED`. False when it does not wait there. */
  cancelQueued?(request: string): boolean;
  /** Brings a request that waits in front of another; without one, the request that runs reads it before its next model call. False when one
   *  of them does not wait there. */
  moveQueued?(request: string, before?: string): boolean;
  /** The page may be gone in a moment: keep the text that a model has shown so far. */
  keepPartial(): void;
  /** JSON `{"allow":{"remember":boolean}}` or `{"deny":{"remember":boolean,"reason"?:string}}`. False when nothing is asked under this id
   *  any more. */
  answer(questionOrCall: string, answer: string): boolean | Promise<boolean>;
  /** JSON of any part of `SessionOptions` that may change: tools, systemPrompt, model, compaction, limits, budgets. */
  configure(changes: string): void;
  /** Display. Push gives the slot's id; the answer comes through the promise. `clean`: the tool waited for nothing else since it
   *  was told something. No id: the tool was entered again and shows something else than before, and must not go on. */
  pushAndForget(owner: string | undefined, renderer: string, input: string, clean: boolean): Maybe<string | undefined>;
  pushAndWait(
    owner: string | undefined,
    renderer: string,
    input: string,
    clean: boolean,
  ): Maybe<{ readonly id: string; readonly answer: Promise<string> }>;
  /** Before a step: the JSON of a `CoreStep`. Nothing when this call is not running. */
  beginStep(callId: string, name: string, clean: boolean): Promise<string | undefined> | undefined;
  /** After it: JSON `{"returned":…}` or `{"threw":string}`. Settles when that is written. */
  endStep(callId: string, key: string, result: string): Promise<void>;
  /** What the schema of a running call's tool made of its arguments, before the tool begins: JSON of a `Validated`. */
  validated(callId: string, validated: string): void;
  /** What the tool of a running call has returned, before its summary is made: `{"summing":…}` as `SessionHost.run` would give. */
  returned(callId: string, outcome: string): void;
  resolveSlot(id: string, value: string): boolean | Promise<boolean>;
  rejectSlot(id: string, reason: string | undefined): boolean | Promise<boolean>;
  removeSlot(id: string): boolean;
  clearStack(): void;
  /** Reads: JSON. */
  messages(from: number): Maybe<string>;
  /** From the prompt with this id on; all where there is none. */
  prompts(since: string): Maybe<string>;
  checkpoint(): string;
  /** What plugins are to find again, as JSON: `plugins` in the state of the checkpoint. Written in the order of what tools do. */
  setPlugins(states: string): void;
  /** What the page tells the model of itself, behind the messages: up to the end of the request. Written in the same order. */
  setContext(text: string): void;
  /** Reads the store; what comes of it arrives as events. Called by anything else too. Gives the error of a damaged session,
   *  which can be read and not written. */
  open(): Promise<unknown>;
  /** Stops all work without ending anything; the session can be opened again. */
  close(): void;
  free(): void;
}

/**
 * Whoever runs a session, as it is asked: the core of this page or of its worker (`CoreSession`), another tab (`Tabs`), or a server (`RemoteSession`).
 * - A request is made once, whoever is asked again with its id, and settles with its outcome wherever it ends. What runs it may change meanwhile: what
 *   was not answered is asked of the next one, and what might be done twice by that is refused (`SESSION_MOVED`).
 * - `answer`, `resolveSlot` and `rejectSlot` say whether they were taken: at once in this page, and as a promise elsewhere. One that came too late
 *   changes nothing.
 * - `abort`, `cancelQueued`, `moveQueued`, `removeSlot` and `clearStack` are said and not awaited. What they failed with is told to subscribers.
 * - What is read is JSON. What happens comes as events, whether it was asked for here or elsewhere.
 */
export type SessionCore = Pick<
  CoreSession,
  | "request"
  | "resume"
  | "undo"
  | "switchBranch"
  | "abort"
  | "cancelQueued"
  | "moveQueued"
  | "answer"
  | "resolveSlot"
  | "rejectSlot"
  | "removeSlot"
  | "clearStack"
> & {
  messages(from: number): Maybe<string>;
  prompts(since: string): Maybe<string>;
  fork(message: string): Maybe<string>;
  /** Not of a session on a server. */
  recorded?(): Maybe<string>;
};

/** What is asked of whoever runs a session and is waited for, also where somebody else runs it before it is answered. */
export type AwaitedCalls = Required<
  Pick<SessionCore, "request" | "resume" | "undo" | "switchBranch" | "messages" | "prompts" | "fork" | "recorded">
>;
