// Brings a message into sight, also where it is not in the document yet. Loaded when it is first asked for.
import type { TimelineEntry } from "../../../src/snapshot/snapshot.js";
import { views } from "./view-of.js";

/** In frames: what draws a long conversation has come by then, and a place has been found. */
const patience = 300;

const isSaid = (entry: TimelineEntry | undefined) =>
  entry?.kind === "user" || (entry?.kind === "agent_text" && entry.text !== "");

/** The entry with words at which one reads a message: for a call those before it, for an answer its first ones. */
function placeOf(timeline: readonly TimelineEntry[], id: string): string | undefined {
  let at = timeline.findIndex((entry) => entry.id === id);
  const question = timeline.findIndex((entry) => `${entry.id}:answer` === id);
  if (at < 0 && (question >= 0 || id === "start:answer")) {
    at = question + 1;
    while (at < timeline.length && !isSaid(timeline[at])) at++;
    // It has not said anything.
    if (at === timeline.length || timeline[at]?.kind === "user") at = question;
  }
  while (at >= 0 && !isSaid(timeline[at])) at--;
  return timeline[at]?.id;
}

/** A field outside of the list has the focus: somebody types what they look for. */
const isTypedInto = (log: HTMLElement) => {
  const active = (log.getRootNode() as Document | ShadowRoot).activeElement;
  // Nothing where the list is gone by now.
  return !!active && !log.contains(active) && active.matches("input, textarea, [contenteditable]");
};

/** False when there is no such message, and when the reader goes elsewhere meanwhile. `begins` before anything moves. */
export async function goTo(
  log: HTMLElement,
  timeline: readonly TimelineEntry[],
  message: string,
  begins: () => void,
): Promise<boolean> {
  const id = placeOf(timeline, message);
  if (id === undefined) return false;
  begins();
  const page = log.ownerDocument.defaultView ?? window;
  const frame = () => new Promise((later) => page.requestAnimationFrame(later));
  const gone = new page.AbortController();
  for (const moves of ["wheel", "touchmove", "keydown"]) {
    page.addEventListener(moves, () => gone.abort(), { passive: true, signal: gone.signal });
  }
  try {
    let still = 0;
    let before = Number.NaN;
    for (let tries = 0; tries < patience && still < 3 && !gone.signal.aborted; tries++) {
      const found = log.querySelector<HTMLElement>(`[data-glove-entry=${JSON.stringify(id)}]`);
      if (found) {
        found.scrollIntoView({ block: "start" });
        const { top } = found.getBoundingClientRect();
        // What is drawn around it may move it.
        still = Math.abs(top - before) < 1 ? still + 1 : 0;
        before = top;
        if (still === 3 && !isTypedInto(log)) {
          found.tabIndex = -1;
          found.focus({ preventScroll: true });
        }
      } else views.get(log)?.show(id);
      await frame();
    }
    return still === 3;
  } finally {
    gone.abort();
  }
}
