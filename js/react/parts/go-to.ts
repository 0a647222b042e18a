// Brings a message into sight, also where it is not in the document yet. Loaded when it is first asked for.
import { viewOf } from "../render/drawn-view.js";

/** In frames: what draws a long conversation has come by then, and a place has been found. */
const patience = 300;

/** False when it cannot be drawn, or when the reader goes elsewhere meanwhile. */
export async function goTo(log: HTMLElement, id: string): Promise<boolean> {
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
      const found = log.querySelector<HTMLElement>(`[data-glove-entry="${CSS.escape(id)}"]`);
      if (found) {
        found.scrollIntoView({ block: "start" });
        const { top } = found.getBoundingClientRect();
        // What is drawn around it may move it.
        still = Math.abs(top - before) < 1 ? still + 1 : 0;
        before = top;
        if (still === 3) {
          found.tabIndex = -1;
          found.focus({ preventScroll: true });
        }
      } else viewOf(log)?.show(id);
      await frame();
    }
    return still === 3;
  } finally {
    gone.abort();
  }
}
