// Several questions of one call: how they are read from data that nobody has checked, what is answered to them, and how that is kept over a reload.
import { draftText, saveDraftText } from "../parts/draft-text.js";
import { type Option, options, read, text } from "../renderers/props.js";

export interface Asked {
  readonly message: string;
  readonly options: readonly Option[];
  /** Any number of the options. */
  readonly multiple: boolean;
  /** Words of one's own, beside the options or alone. */
  readonly own: boolean;
  /** It cannot be skipped. */
  readonly required: boolean;
}

/** What somebody has chosen and written so far. */
export interface Given {
  readonly chosen: readonly number[];
  readonly own: string;
}

export interface Progress {
  /** The question that is shown. */
  readonly at: number;
  readonly given: readonly Given[];
}

export const nothing: Given = { chosen: [], own: "" };

/** A text alone is a question too. */
export function questionsIn(data: unknown): readonly Asked[] {
  const given = read(data, "questions");
  const asked = (Array.isArray(given) ? given : []).map((question: unknown): Asked | undefined => {
    const message = typeof question === "string" ? question : text(question, "message");
    if (!message) return undefined;
    const choices = options(question);
    return {
      message,
      options: choices,
      multiple: read(question, "multiple") === true,
      own: choices.length === 0 || read(question, "own") !== false,
      required: read(question, "required") === true,
    };
  });
  const all = asked.filter((question) => question !== undefined);
  // Who has asked would take an answer for that of another question.
  if (all.length === 0 || all.length < asked.length)
    throw new Error("`questions` must be a list of `{ message }`, with one at least.");
  return all;
}

export const isAnswered = ({ chosen, own }: Given): boolean => chosen.length > 0 || own.trim() !== "";

/** An option, or words: a list of them where several may be chosen. Null for what was skipped. */
export function answerTo({ options, multiple, own }: Asked, given: Given): unknown {
  const words = own ? given.own.trim() : "";
  const chosen = given.chosen.map((at) => options[at]?.value);
  const all = words === "" ? chosen : [...chosen, words];
  if (all.length === 0) return null;
  return multiple ? all : all.at(-1);
}

/** What was answered, in the words that the person chose. */
export function labelOf({ options, multiple }: Asked, answer: unknown): string | undefined {
  if (answer === null || answer === undefined) return undefined;
  const word = (value: unknown) => {
    const json = JSON.stringify(value);
    return options.find((option) => JSON.stringify(option.value) === json)?.label ?? String(value);
  };
  return multiple && Array.isArray(answer) ? answer.map(word).join(", ") : word(answer);
}

/** The element of a slot keeps what is typed in it under this too, and forgets it when it is answered. */
const keyOf = (slot: string) => `slot:${slot}`;

export function keep(slot: string, progress: Progress): void {
  saveDraftText(keyOf(slot), JSON.stringify(progress));
}

/** Storage may hold anything, and of other questions. */
export function kept(slot: string, asked: readonly Asked[]): Progress | undefined {
  let stored: unknown;
  try {
    stored = JSON.parse(draftText(keyOf(slot)) ?? "null");
  } catch {}
  const at = read(stored, "at");
  const list = read(stored, "given");
  if (!Number.isInteger(at) || !Array.isArray(list)) return undefined;
  const given = asked.map((question, index): Given => {
    const chosen = read(list[index], "chosen");
    const own = read(list[index], "own");
    const real = Array.isArray(chosen) ? chosen.filter((at) => Number.isInteger(at) && question.options[at]) : [];
    return { chosen: question.multiple ? real : real.slice(-1), own: typeof own === "string" ? own : "" };
  });
  return { at: Math.min(Math.max(at as number, 0), asked.length - 1), given };
}
