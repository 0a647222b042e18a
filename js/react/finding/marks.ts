// Marks the places that were found, without a change of the document: React knows nothing of it, and a selection stays.
import { type Hit, type Place, rangesIn } from "./matches.js";

const names = ["glove-found", "glove-found-now"] as const;
/** Beyond so many, only those of the message are marked that one is at. */
const most = 2_000;

/** Of several chats on a page, each takes away its own marks only. */
export class Marks {
  readonly #log: HTMLElement;
  readonly #page: Window & typeof globalThis;
  #own: readonly (readonly [name: string, range: Range])[] = [];
  #now: Element | undefined;

  constructor(log: HTMLElement) {
    this.#log = log;
    this.#page = log.ownerDocument.defaultView ?? window;
  }

  /** Of the messages that are drawn. Gives where the place is, where that is drawn. */
  show(hits: readonly Hit[], words: string, place: Place | undefined): Range | undefined {
    this.clear();
    const drawn = new Map<string | null, Element>();
    for (const message of this.#log.querySelectorAll("[data-glove-entry]")) {
      drawn.set(message.getAttribute("data-glove-entry"), message);
    }
    const own: (readonly [string, Range])[] = [];
    let found: Range | undefined;
    for (const { id } of hits) {
      const message = drawn.get(id);
      if (!message || (own.length > most && id !== place?.id)) continue;
      const ranges = rangesIn(message, words);
      // What is folded, or in an address, is counted and not drawn.
      const now = id === place?.id ? ranges[Math.min(place.nth, ranges.length - 1)] : undefined;
      found ??= now;
      for (const range of ranges) own.push([names[range === now ? 1 : 0], range]);
      if (id !== place?.id) continue;
      this.#now = message;
      message.setAttribute("data-glove-found", now ? "words" : "");
    }
    this.#own = own;
    for (const [name, range] of own) this.#highlight(name)?.add(range);
    return found;
  }

  clear(): void {
    for (const [name, range] of this.#own) this.#highlight(name)?.delete(range);
    this.#own = [];
    this.#now?.removeAttribute("data-glove-found");
    this.#now = undefined;
  }

  /** Nothing in browsers that know no such marks: there the message has an edge. */
  #highlight(name: string): Highlight | undefined {
    const { CSS, Highlight } = this.#page;
    if (!Highlight || !CSS?.highlights) return undefined;
    let highlight = CSS.highlights.get(name);
    if (!highlight) {
      highlight = new Highlight();
      highlight.priority = names.indexOf(name as (typeof names)[number]);
      CSS.highlights.set(name, highlight);
    }
    return highlight;
  }
}

/** Brings a place into sight, where it is not. */
export function bring(range: Range, log: HTMLElement): void {
  const scroller = log.closest("[data-glove-scroller]");
  const around = range.startContainer.parentElement;
  if (!scroller || !around || typeof range.getBoundingClientRect !== "function") return;
  // Code and tables scroll by themselves.
  const box = scroller.getBoundingClientRect();
  let { left, top, right, bottom, width } = range.getBoundingClientRect();
  const aside = around.closest("pre, [data-glove-table]");
  if (aside) {
    const edge = aside.getBoundingClientRect();
    if (left < edge.left || right > edge.right) aside.scrollLeft += left + width / 2 - (edge.left + edge.width / 2);
    ({ top, bottom } = range.getBoundingClientRect());
  }
  if (top < box.top + 8 || bottom > box.bottom - 8) scroller.scrollTop += (top + bottom) / 2 - (box.top + box.height / 2);
}
