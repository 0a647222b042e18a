// The answer that is being written: pieces of its text, and calls whose arguments come.

import type { CoreEvent } from "../wasm/core-api.js";
import { type Answer, type SessionState, type Written, withShown } from "./state.js";
import { withPatches } from "./streaming-call.js";

export type PieceKind = "text" | "reasoning";

const begun = (call?: number): Answer => ({ call, text: "", reasoning: "", over: false });

/** A piece of the answer to this call of a model of the page, or of what the core tells. */
export function addPiece(before: SessionState, kind: PieceKind, text: string, call?: number): SessionState {
  const state = goesOn(before);
  const answers = state.answers.length === 0 && call === undefined ? [begun()] : state.answers;
  const at = call === undefined ? 0 : answers.findIndex((answer) => answer.call === call);
  const answer = answers[at];
  return answer ? { ...state, answers: answers.with(at, { ...answer, [kind]: answer[kind] + text }) } : state;
}

/** More of a call's arguments. What is in `unseen` is in no snapshot yet, so it is changed in place. */
export function addInput(
  before: SessionState,
  { id, name, patches }: Extract<CoreEvent, { kind: "input" }>,
  unseen: WeakSet<object>,
): SessionState {
  const state = goesOn(before);
  const at = state.calls.findIndex((call) => call.id === id && call.name === name);
  const call = withPatches(state.calls[at] ?? { id, name, input: undefined, at: undefined }, patches, unseen);
  if (at >= 0) return { ...state, calls: state.calls.with(at, call) };
  return call.input === undefined ? state : { ...state, calls: [...state.calls, call] };
}

function goesOn(state: SessionState): SessionState {
  const { timeline } = state.shown;
  // What an earlier page had shown of it gives way.
  const partial = timeline.at(-1)?.id.endsWith(".partial");
  const shown = partial ? withShown(state, { timeline: timeline.slice(0, -1) }) : state;
  return { ...shown, ...(state.stale && silent), stale: false, answering: true };
}

/** Nothing is being written. */
export const silent = { answers: [], calls: [] } as const satisfies Partial<SessionState>;

/** A model of the page was asked; what it shows comes ahead of what the core tells. */
export function modelAsked(state: SessionState, call: number): SessionState {
  const now = { ...state, ...(state.stale && silent), stale: false };
  return { ...now, answers: [...now.answers, begun(call)] };
}

/** It gives no answer to this call. */
export function modelFailed(state: SessionState, call: number): SessionState {
  return { ...state, answers: state.answers.map((answer) => (answer.call === call ? { ...answer, over: true } : answer)) };
}

/** An answer is whole: its text is an entry now. */
export const answered = (state: SessionState): SessionState => ({
  ...state,
  answering: true,
  answers: state.answers.slice(1),
  calls: [],
});

/** A request is over: nothing of the answer that broke off with it is part of the next one. */
export const requestEnded = (state: SessionState): SessionState => ({
  ...state,
  answers: state.answers.filter(({ call }) => call !== undefined),
  calls: [],
});

/** Another request is answered from now on. */
export function nextRequest({ answers: before, calls }: SessionState): Pick<SessionState, "answers" | "answering"> {
  const answers = before.filter(({ over }) => !over);
  const [first] = answers;
  return { answers, answering: calls.length > 0 || (first !== undefined && (first.text !== "" || first.reasoning !== "")) };
}

/**
 * Somebody else tells from now on, and tells all of it: the answer that was being written stays until it is written anew, unless
 * that is known too.
 */
export function renewed(state: SessionState, written?: Written): SessionState {
  const answers = written ? [{ ...begun(), ...written }] : state.answers;
  return { ...withShown(state, { timeline: [] }), stale: written === undefined, answers, calls: [] };
}
