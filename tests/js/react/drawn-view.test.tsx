// Which blocks of a long conversation are in the document, with a layout made by hand.
import { afterEach, expect, test, vi } from "vitest";
import { type Rows, View } from "../../../js/react/render/drawn-view.js";

const blocksOf = (count: number, name = "e"): Rows[] =>
  Array.from({ length: Math.ceil(count / 10) }, (_, at) => ({
    start: at * 10,
    entries: Array.from({ length: Math.min(10, count - at * 10) }, (_, index) => ({ id: `${name}${at * 10 + index}` })),
  }));

const gap = 16;
const screen = 600;

/** A list in a box that scrolls, as a browser lays it out, and what draws the parts of a view in it. `scale` is that of a transform around it. */
function listIn(page: Document, heightOf: (start: number) => number = () => 1_000, scale = 1) {
  const box = page.body.appendChild(page.createElement("div"));
  box.setAttribute("data-glove-scroller", "");
  const log = box.appendChild(page.createElement("div"));
  log.style.rowGap = `${gap}px`;
  let scrollTop = 0;
  const rowsOf = (child: Element) => child.getAttribute("data-glove-rows");
  const heightOfChild = (child: Element) => {
    const start = rowsOf(child);
    return start === null ? Number(child.getAttribute("data-height")) : heightOf(Number(start));
  };
  const rect = (top: number, height: number) =>
    ({ top: top * scale, bottom: (top + height) * scale, height: height * scale, width: 800 * scale }) as DOMRect;
  const lay = () => {
    let top = -scrollTop;
    box.getBoundingClientRect = () => rect(0, screen);
    for (const child of log.children) {
      const [at, height] = [top, heightOfChild(child)];
      child.getBoundingClientRect = () => rect(at, height);
      top += height && height + gap;
    }
    const height = top + scrollTop;
    log.getBoundingClientRect = () => rect(-scrollTop, height);
    Object.defineProperty(log, "offsetHeight", { value: height, configurable: true });
  };
  const draw = (parts: ReturnType<View["parts"]>) => {
    const children = parts.map((part) => {
      const start = "block" in part ? part.block.start : undefined;
      const old = start !== undefined && log.querySelector(`[data-glove-rows="${start}"]`);
      const child = old || page.createElement("div");
      if (start === undefined) child.setAttribute("data-height", String("height" in part && part.height));
      else child.setAttribute("data-glove-rows", String(start));
      return child;
    });
    log.replaceChildren(...children);
    lay();
  };
  const drawn = () => [...log.children].map(rowsOf).flatMap((start) => (start === null ? [] : [Number(start)]));
  const scroll = (to: number) => {
    scrollTop = to;
    lay();
  };
  return { log, draw, drawn, scroll, height: () => (log as HTMLElement).offsetHeight };
}

/** A view of a list that was drawn at its end, and has looked at it. */
function open(blocks: readonly Rows[], list = listIn(document)) {
  list.draw(blocks.slice(-4).map((block) => ({ block })));
  const view = new View({ current: list.log }, blocks, 4);
  const again = (now = blocks) => {
    const parts = view.parts(now);
    list.draw(parts);
    view.drawn();
    return parts;
  };
  const look = (now = blocks) => {
    view.look();
    return again(now);
  };
  const unsubscribe = view.watch();
  left.push(unsubscribe);
  again();
  return { ...list, view, again, look };
}

const left: (() => void)[] = [];
let measured: () => void = () => {};
vi.stubGlobal("CSS", { supports: () => true });
vi.stubGlobal(
  "ResizeObserver",
  class {
    readonly #seen = new Set<Element>();
    constructor(tell: (sizes: unknown[]) => void) {
      measured = () =>
        tell(
          [...this.#seen].map((target) => {
            const { width, height } = target.getBoundingClientRect();
            return { target, borderBoxSize: [{ blockSize: height / (width / 800), inlineSize: 800 }] };
          }),
        );
    }
    observe = (element: Element) => this.#seen.add(element);
    unobserve = (element: Element) => this.#seen.delete(element);
    disconnect = () => this.#seen.clear();
  },
);
afterEach(() => {
  for (const leave of left.splice(0)) leave();
  document.body.replaceChildren();
});

test("what is answered after an edit further up is read out, wherever there were blocks before", () => {
  const { again } = open(blocksOf(300));
  const returning = (count: number) =>
    again(blocksOf(count)).flatMap((part) => ("block" in part && part.returns ? [part.block.start] : []));
  expect(returning(226)).not.toContain(220);
  expect(returning(231)).not.toContain(230);
  // Several at once.
  expect(returning(260).filter((start) => start > 230)).toEqual([]);
});

test("blocks of which nothing is seen take no room where they are not drawn, and no gap", () => {
  const blocks = blocksOf(300);
  const isEmpty = (start: number) => start >= 100 && start < 200;
  const { view, look, scroll, drawn, height } = open(
    blocks,
    listIn(document, (start) => (isEmpty(start) ? 0 : 1_000)),
  );
  const all = 20 * (1_000 + gap);
  // Once through all of it, so that everything was measured.
  for (let to = height(); to > 0; to -= 500) {
    scroll(to);
    look();
    measured();
  }
  scroll(0);
  for (let times = 0; times < 3; times++) look();
  expect(height()).toBe(all);
  // What is seen is drawn on either side of them.
  scroll(10 * (1_000 + gap) - 300);
  for (let times = 0; times < 3; times++) look();
  expect(drawn()).toEqual(expect.arrayContaining([90, 200]));
  expect(view.parts(blocks).filter((part) => "away" in part).length).toBeLessThan(4);
});

test("in a chat that is drawn smaller or larger, what is seen is drawn", () => {
  for (const scale of [0.5, 2]) {
    const { look, scroll, drawn, height } = open(
      blocksOf(300),
      listIn(document, () => 1_000, scale),
    );
    scroll(15 * (1_000 + gap));
    for (let times = 0; times < 3; times++) look();
    expect(drawn()).toContain(150);
    // The others have about the room that they need.
    expect(Math.abs(height() - 30_000)).toBeLessThan(1_000);
  }
});

test("a chat in another window looks at that one", () => {
  const frame = document.body.appendChild(document.createElement("iframe"));
  const other = frame.contentWindow as Window & typeof globalThis;
  Object.assign(other, { ResizeObserver: globalThis.ResizeObserver });
  const blocks = blocksOf(300);
  const { again, drawn, look } = open(blocks, listIn(other.document));
  look();
  dispatchEvent(new Event("beforeprint"));
  again();
  expect(drawn().length).toBeLessThan(30);
  other.dispatchEvent(new other.Event("beforeprint"));
  again();
  expect(drawn()).toHaveLength(30);
});

test("what was drawn stays until it is known whether it holds something", () => {
  const { again, look, drawn, log } = open(blocksOf(300));
  for (let times = 0; times < 3; times++) look();
  // As in a tab that nobody sees: no frames, and no look.
  for (let count = 300; count <= 360; count++) again(blocksOf(count));
  expect(drawn()).toEqual(expect.arrayContaining([300, 310, 320, 330, 340, 350]));
  const holding = { 310: "details", 320: "dialog", 330: "video", 340: "iframe" };
  for (const [start, name] of Object.entries(holding)) {
    const rows = log.querySelector(`[data-glove-rows="${start}"]`);
    rows?.appendChild(document.createElement(name)).setAttribute("open", "");
  }
  look(blocksOf(400));
  for (let times = 0; times < 3; times++) look(blocksOf(400));
  expect(drawn()).not.toContain(300);
  expect(drawn()).toEqual(expect.arrayContaining(Object.keys(holding).map(Number)));
});
