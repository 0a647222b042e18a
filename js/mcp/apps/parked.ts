// Frames whose card is not drawn for a moment: React takes a card away and draws it again, and a frame that is moved keeps what it is.

import type { AppFrame } from "./frame.js";

interface Parked {
  readonly frame: AppFrame;
  readonly timer: ReturnType<typeof setTimeout>;
}

const parked = new Map<string, Parked>();

/** So long it waits for its card. */
const parkedMs = 2_000;

type Movable = Element & { moveBefore?: (node: Node, child: Node | null) => void };

/** Into this place; where the browser cannot move a frame, its page is loaded again. */
export function moveInto(place: Movable, element: Element): void {
  if (place.moveBefore && element.isConnected) place.moveBefore(element, null);
  else place.append(element);
}

let lot: HTMLElement | undefined;

export function park(key: string, frame: AppFrame): void {
  if (!lot?.isConnected) {
    lot = document.createElement("div");
    lot.style.cssText = "position:fixed;inset:0 auto auto 0;width:1px;height:1px;overflow:hidden;visibility:hidden";
    lot.inert = true;
    document.body.append(lot);
  }
  moveInto(lot, frame.element);
  const timer = setTimeout(() => {
    parked.delete(key);
    void frame.end();
  }, parkedMs);
  parked.set(key, { frame, timer });
}

export function unpark(key: string): AppFrame | undefined {
  const found = parked.get(key);
  if (!found) return undefined;
  parked.delete(key);
  clearTimeout(found.timer);
  return found.frame;
}
