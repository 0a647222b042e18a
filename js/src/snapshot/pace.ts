// How often listeners hear of the next snapshot: once a frame while a run goes on, less often of a long answer, of its end at once.
import { nextFrame } from "../timing/next-frame.js";
import { isBusy } from "./busy.js";
import type { SnapshotEvent } from "./events.js";
import type { SessionState } from "./state.js";

/** Reading a text that has grown copies it whole: from this length on it is shown once a second, in place of each frame. */
const longAnswer = 2 ** 20;

export function isLong({ answers }: SessionState): boolean {
  const { text = "", reasoning = "" } = answers[0] ?? {};
  return text.length + reasoning.length >= longAnswer;
}

/** Calls once the time between two snapshots is over. Gives what calls it off. */
export const afterFrame = (long: boolean, work: () => void) => (long ? inASecond : nextFrame)(work);

/** Whether a change is told at the end of the frame, if one has begun, and not at once. */
export const canWait = (state: SessionState, frame: unknown) => frame && isBusy(state);

/** A piece of an answer, or how far a call is, which can wait in any case: there are many of them in a frame. */
export function isPiece(event: SnapshotEvent): boolean {
  return (
    event.kind === "piece" ||
    event.kind === "progress" ||
    event.kind === "input" ||
    (event.kind === "event" && event.type.endsWith("_delta"))
  );
}

function inASecond(work: () => void): () => void {
  const timer = setTimeout(work, 1_000);
  return () => clearTimeout(timer);
}
