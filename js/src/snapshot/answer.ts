// The answer that is being written: pieces of its text, and calls whose arguments come.

import type { Reducers } from "./events.js";
import { type Answer, type PieceKind, type SessionState, withBase, withoutEarly } from "./state.js";
import { withPatches } from "./streaming-call.js";

const emptyAnswer = (call?: number): Answer => ({ call, text: "", isBlank: true, reasoning: "", over: false });

const blank = (text: string) => !/\S/.test(text);

/** Nothing is being written. */
export const silent = { answers: [], calls: [] } as const satisfies Partial<SessionState>;

/** What was written elsewhere gives way; an answer that has no text yet stays. */
export function dropStale(state: SessionState): SessionState {
  if (!state.stale) return state;
  const answers = state.answers.filter(({ text, reasoning }) => text === "" && reasoning === "");
  return { ...state, answers, calls: [], stale: false };
}

function goesOn(state: SessionState): SessionState {
  const { timeline } = state.base;
  // What an earlier page had shown of it gives way.
  const partial = timeline.at(-1)?.id.endsWith(".partial");
  const comes = state.base.waiting ? withBase(state, { waiting: undefined }) : state;
  return { ...dropStale(partial ? withBase(comes, { timeline: timeline.slice(0, -1) }) : comes), answering: true };
}

/** A piece of the answer to this call of a model of the page, or of what the core tells. */
export function addPiece(before: SessionState, kind: PieceKind, text: string, call?: number): SessionState {
  const state = goesOn(before);
  const answers = state.answers.length === 0 && call === undefined ? [emptyAnswer()] : state.answers;
  const at = call === undefined ? 0 : answers.findIndex((answer) => answer.call === call);
  const answer = answers[at];
  if (!answer) return state;
  // Looking at the text as a whole would copy it, which grows with each piece.
  const isBlank = answer.isBlank && (kind !== "text" || blank(text));
  return { ...state, answers: answers.with(at, { ...answer, [kind]: answer[kind] + text, isBlank }) };
}

export const answerReducers: Reducers<"input" | "modelCalled" | "piece" | "failed" | "renewed"> = {
  input(before, { id, name, patches }, _context, unseen) {
    const state = goesOn(before);
    const { calls } = state;
    const at = calls.findIndex((call) => call.id === id && call.name === name);
    const call = withPatches(calls[at] ?? { id, name, input: undefined, at: undefined }, patches, unseen);
    if (at >= 0) return { ...state, calls: calls.with(at, call) };
    return call.input === undefined ? state : { ...state, calls: [...calls, call] };
  },
  // What is shown stays until the first piece comes.
  modelCalled: (state, { call }) => ({ ...state, answers: [...state.answers, emptyAnswer(call)] }),
  piece: (state, { of, text, call }) => addPiece(state, of, text, call),
  failed: (state, { call }) => ({
    ...state,
    answers: state.answers.map((answer) => (answer.call === call ? { ...answer, over: true } : answer)),
  }),
  renewed: (state, { written }) => ({
    ...withBase(state, { timeline: [], waiting: undefined }),
    stale: !written,
    answers: written ? [{ ...emptyAnswer(), ...written, isBlank: blank(written.text) }] : state.answers,
    calls: [],
  }),
};

/** An answer is whole: its text is an entry now. */
export function answered(before: SessionState): SessionState {
  const state = dropStale(withoutEarly(before));
  return { ...state, answering: true, answers: state.answers.slice(1), calls: [] };
}

/** A request is over: nothing of the answer that broke off with it is part of the next one. */
export const requestEnded = (state: SessionState): SessionState => ({
  ...state,
  answers: state.answers.filter(({ call }) => call !== undefined),
  calls: [],
});

/** Another request is answered from now on. */
export function nextRequest({ answers: before, calls }: SessionState): Pick<SessionState, "answers" | "answering"> {
  const answers = before.filter(({ over }) => !over);
  const { text, reasoning } = answers[0] ?? emptyAnswer();
  return { answers, answering: text !== "" || reasoning !== "" || calls.length > 0 };
}
