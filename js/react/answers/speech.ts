// Reads a text aloud with the voice of the browser: one at a time, sentence by sentence, as browsers cut off what is long.
import { withoutMarks } from "../parts/without-marks.js";

export const canSpeak = (): boolean => typeof speechSynthesis !== "undefined" && typeof SpeechSynthesisUtterance !== "undefined";

/** In UTF-16 units. */
const most = 200;
const code = /^ {0,3}(```+|~~~+)[^\n]*\n(?:[\s\S]*?^ {0,3}\1[^\n]*$|[\s\S]*)/gm;

/** Marks of sources, and addresses. */
const notSaid = /\[\d{1,2}\](?!\()|https?:\/\/[^\s)>\]]+/g;

/** The words of an answer, in pieces: without code, addresses and marks. */
export function spoken(markdown: string): string[] {
  const text = withoutMarks(markdown.replace(code, "\n").replace(notSaid, "")).replace(/^[•\s]+/gm, "");
  const pieces: string[] = [];
  for (const sentence of sentencesOf(text)) {
    const last = pieces.at(-1);
    if (last !== undefined && last.length + sentence.length < most) pieces[pieces.length - 1] = `${last} ${sentence}`;
    else pieces.push(sentence);
  }
  return pieces;
}

function sentencesOf(text: string): string[] {
  const lines = text.split("\n");
  const parts = Intl.Segmenter
    ? lines.flatMap((line) =>
        Array.from(new Intl.Segmenter(undefined, { granularity: "sentence" }).segment(line), ({ segment }) => segment),
      )
    : lines;
  return parts.map((part) => part.trim()).filter((part) => /[\p{L}\p{N}]/u.test(part));
}

/** Ends what is being read. */
let end: (() => void) | undefined;

/** Reads, and gives what stops it. `over` is called once, whatever ended it. */
export function speak(markdown: string, over: () => void): () => void {
  end?.();
  const pieces = spoken(markdown);
  const stop = () => {
    if (end !== stop) return;
    end = undefined;
    removeEventListener("pagehide", stop);
    speechSynthesis.cancel();
    over();
  };
  end = stop;
  // Some browsers speak on when the page is gone.
  addEventListener("pagehide", stop);
  const next = () => {
    if (end !== stop) return;
    const piece = pieces.shift();
    if (piece === undefined) return stop();
    const utterance = new SpeechSynthesisUtterance(piece);
    utterance.onend = next;
    utterance.onerror = stop;
    speechSynthesis.speak(utterance);
  };
  // Whatever the page reads otherwise.
  speechSynthesis.cancel();
  next();
  return stop;
}
