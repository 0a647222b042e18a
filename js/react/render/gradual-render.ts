// How much of a conversation is drawn: of what comes hundreds at a time some with each frame, so that the page does not stand still for it.
import { useRef, useState } from "react";
import type { ShownEntry } from "../../src/snapshot/snapshot.js";
import { nextFrame } from "../../src/timing/next-frame.js";
import { useBrowserLayoutEffect } from "../hooks/use-browser-layout-effect.js";

/** So many are drawn at once, as they come. */
const atOnce = 60;
const eachFrame = 12;

/** The entries to draw now. A conversation that is opened is drawn whole. */
export function useDrawnInTurn(timeline: readonly ShownEntry[]): readonly ShownEntry[] {
  const { length } = timeline;
  const first = timeline[0]?.id;
  const drawn = useRef({ first, count: length, isBehind: false });
  const [, again] = useState({});
  const before = drawn.current;
  const isMuch = length - before.count > (before.isBehind ? eachFrame : atOnce);
  const count = before.first === first && isMuch ? before.count + eachFrame : length;
  const isBehind = count < length;
  useBrowserLayoutEffect(() => {
    drawn.current = { first, count, isBehind };
    return isBehind ? nextFrame(() => again({})) : undefined;
  });
  return isBehind ? timeline.slice(0, count) : timeline;
}
