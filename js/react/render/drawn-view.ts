// Which blocks of a long conversation stand in the document: those near what is seen, and those that hold what would be lost with them.
import { views } from "../parts/reading/view-of.js";

/** What is known of a block before it is drawn. */
export interface Rows {
  readonly start: number;
  readonly entries: readonly { readonly id: string }[];
}

/**
 * A block that is drawn, or the room that those take which are not. `returns`: it was not drawn before, and is no news to who listens. `atOnce`: no text of
 * it is drawn by frames.
 */
export type Part<B extends Rows> =
  | { readonly block: B; readonly returns?: boolean; readonly atOnce?: boolean }
  | { readonly away: number; readonly height: number };

/** In screens beyond each edge: so much is drawn, and goes again when it is farther away than that. */
const near = 1;
const far = 2.5;
/** What an entry takes where none was measured, in pixels. */
const guess = 100;
/** So many have to be measured before others are taken to be like them. */
const least = 10;
/** Where an application may keep a state, and what a person has opened, plays, is writing or answering. */
const holding =
  "[data-glove-slot], [data-glove-shows], [data-glove-output], [data-glove-editor], [data-glove-keep], details[open], dialog[open], audio, video, iframe, :focus";

export class View {
  #blocks: readonly Rows[] = [];
  /** What each block takes, by its start. */
  readonly #heights = new Map<number, number>();
  #drawn = new Map<number, Element>();
  /** Those that are drawn, until it was seen that they are far away and hold nothing: nothing is looked at in a tab that nobody sees. */
  #staying = new Set<number>();
  /** Some stay for what they hold. */
  #isHolding = false;
  /** Those that were not drawn at some time. */
  readonly #away = new Set<number>();
  /** The first entry: with another one it is another conversation. */
  #first: string | undefined;
  /** The first and the last that are near. */
  #range: readonly [from: number, to: number] | undefined;
  /** Who prints or selects everything wants everything. */
  #all = false;
  readonly #log: { readonly current: Element | null };
  /** So many blocks are drawn before it is known what is seen. */
  readonly #atFirst: number;
  #gap = 0;
  /** What an entry takes, by the first that were drawn: an average that moves would move what is seen. */
  #each = 0;
  #version = 0;
  readonly #listeners = new Set<() => void>();
  #sizes: ResizeObserver | undefined;
  /** What is seen first, and where, in browsers that do not hold it there themselves. */
  #anchor: readonly [Element, number] | undefined;

  /** Begins with what stands there. */
  constructor(log: { readonly current: Element | null }, blocks: readonly Rows[], atFirst: number) {
    this.#log = log;
    this.#atFirst = atFirst;
    this.#blocks = blocks;
    this.#first = blocks[0]?.entries[0]?.id;
    this.drawn();
    const scale = this.#scale();
    for (const [start, element] of this.#drawn) {
      const { width, height } = element.getBoundingClientRect();
      // Nothing may be seen of a block.
      if (width) this.#heights.set(start, height / scale);
    }
    this.#learn();
  }

  /** The window that it is drawn in, which may be another one than that of the application. */
  get #page(): Window & typeof globalThis {
    return this.#log.current?.ownerDocument.defaultView ?? window;
  }

  readonly version = () => this.#version;
  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #again(): void {
    this.#version++;
    for (const listener of this.#listeners) listener();
  }

  /** Draws the block with this entry, wherever the reader is. */
  show(id: string): void {
    const block = this.#blocks.find(({ entries }) => entries.some((entry) => entry.id === id));
    if (!block || this.#drawn.has(block.start)) return;
    this.#staying.add(block.start);
    this.#again();
  }

  parts<B extends Rows>(blocks: readonly B[]): Part<B>[] {
    this.#blocks = blocks;
    const first = blocks[0]?.entries[0]?.id;
    if (first !== this.#first) {
      this.#first = first;
      this.#range = undefined;
      for (const known of [this.#heights, this.#staying, this.#away]) known.clear();
    }
    // Where it grows again after an undo, what comes is news, and as high as it is.
    const last = blocks.at(-1)?.start ?? 0;
    this.#away.delete(last);
    for (const known of [this.#heights, this.#away]) for (const start of known.keys()) if (start > last) known.delete(start);
    // A conversation is opened at its end.
    const [from, to] = this.#range ?? [blocks.length - this.#atFirst, blocks.length];
    const parts: Part<B>[] = [];
    for (const [at, block] of blocks.entries()) {
      const before = parts.at(-1);
      const { start } = block;
      // The last one grows.
      const isNear = (at >= from && at <= to) || start === last;
      if (this.#all || isNear || this.#staying.has(start)) {
        const returns = this.#away.has(start);
        parts.push({ block, returns, atOnce: this.#all || returns });
        continue;
      }
      this.#away.add(start);
      const height = this.#height(block);
      // It takes no gap either.
      if (!height) continue;
      if (!before || "block" in before) parts.push({ away: start, height });
      else parts[parts.length - 1] = { ...before, height: before.height + this.#gap + height };
    }
    return parts;
  }

  #height({ start, entries }: Rows): number {
    return this.#heights.get(start) ?? entries.length * (this.#each || guess);
  }

  /** What a pixel of the layout is on the screen: an element around the chat may be transformed. */
  #scale(): number {
    const log = this.#log.current as HTMLElement | null;
    return (log && log.getBoundingClientRect().height / log.offsetHeight) || 1;
  }

  /** Draws all of them, or what is near again. */
  readonly showAll = (wanted: boolean): void => {
    if (this.#all === wanted) return;
    this.#all = wanted;
    this.#again();
    // What was kept for it goes.
    this.look();
  };

  /** Looks again whenever something moves. */
  watch(): () => void {
    const all = this.showAll;
    const page = this.#page;
    const sizes = new page.ResizeObserver((entries) => {
      for (const { target, borderBoxSize } of entries) {
        const start = startOf(target);
        const [size] = borderBoxSize;
        if (start !== undefined && size?.inlineSize && this.#drawn.get(start) === target)
          this.#heights.set(start, size.blockSize);
      }
      if (isWaiting) return;
      isWaiting = true;
      // When the list has been moved to its end, which is done as sizes change too.
      page.requestAnimationFrame(() => {
        isWaiting = false;
        this.look();
      });
    });
    let isWaiting = false;
    this.#sizes = sizes;
    const log = this.#log.current;
    if (log) views.set(log, this);
    for (const element of this.#drawn.values()) sizes.observe(element);
    const over = new page.AbortController();
    const listening = { capture: true, signal: over.signal };
    const isOurs = (target: EventTarget | null) => (target as Node).contains?.(this.#log.current);
    const isTyping = (target: EventTarget | null) => (target as Element).matches?.("input, textarea, select, [contenteditable]");
    page.addEventListener("scroll", ({ target }) => isOurs(target) && this.look(), listening);
    page.addEventListener("resize", () => this.look(), listening);
    page.addEventListener("beforeprint", () => all(true), listening);
    page.addEventListener("afterprint", () => all(false), listening);
    page.addEventListener(
      "keydown",
      ({ key, ctrlKey, metaKey, target }) => {
        if (key === "a" && (ctrlKey || metaKey) && !isTyping(target)) all(true);
      },
      listening,
    );
    const selected = () => {
      if (!page.getSelection()?.isCollapsed) return;
      all(false);
      if (this.#isHolding) this.look();
    };
    page.document.addEventListener("selectionchange", selected, listening);
    return () => {
      over.abort();
      sizes.disconnect();
      this.#sizes = undefined;
    };
  }

  /** Takes notice of what stands in the document now. */
  drawn(): void {
    const now = new Map<number, Element>();
    for (const element of this.#log.current?.children ?? []) {
      const start = startOf(element);
      if (start !== undefined) now.set(start, element);
    }
    for (const [start, element] of this.#drawn) if (now.get(start) !== element) this.#sizes?.unobserve(element);
    for (const [start, element] of now) if (this.#drawn.get(start) !== element) this.#sizes?.observe(element);
    this.#drawn = now;
    this.#staying = new Set(now.keys());
    const [anchor, top] = this.#anchor ?? [];
    this.#anchor = undefined;
    const scroller = anchor?.isConnected && anchor.closest(scrollers);
    if (scroller && anchor && top !== undefined) scroller.scrollTop += (anchor.getBoundingClientRect().top - top) / this.#scale();
  }

  /** What is near now. */
  look(): void {
    const log = this.#log.current;
    if (!log?.isConnected) return;
    const box = (log.closest(scrollers) ?? log).getBoundingClientRect();
    const [top, bottom] = [Math.max(0, box.top), Math.min(this.#page.innerHeight, box.bottom)];
    const scale = this.#scale();
    const screen = (bottom - top) / scale;
    // Nobody sees it.
    if (screen <= 0) return;
    // Those that are away take what they are taken for before it is told what is near.
    if (this.#learn()) {
      this.#again();
      this.#page.requestAnimationFrame(() => this.look());
      return;
    }
    const within = (screens: number): [number, number] => {
      let [from, to, at] = [this.#blocks.length, -1, (log.getBoundingClientRect().top - top) / scale];
      for (const [index, block] of this.#blocks.entries()) {
        const height = this.#height(block);
        if (at + height > -screens * screen && at < screen + screens * screen) {
          from = Math.min(from, index);
          to = index;
        }
        at += height && height + this.#gap;
      }
      return [from, to];
    };
    const [[nearFrom, nearTo], [farFrom, farTo]] = [within(near), within(far)];
    const [from, to] = this.#range ?? [nearFrom, nearTo];
    const range = [Math.min(nearFrom, Math.max(from, farFrom)), Math.max(nearTo, Math.min(to, farTo))] as const;
    if (!this.#leave(range) && range[0] === from && range[1] === to && this.#range) return;
    this.#range = range;
    if (!CSS.supports("overflow-anchor", "auto")) {
      const seen = [...this.#drawn.values()].find((element) => element.getBoundingClientRect().bottom > top);
      this.#anchor = seen && [seen, seen.getBoundingClientRect().top];
    }
    this.#again();
  }

  /** Whether it is known now, and was not, what an entry takes. */
  #learn(): boolean {
    if (this.#each || !this.#log.current) return false;
    this.#gap = Number.parseFloat(getComputedStyle(this.#log.current).rowGap) || 0;
    this.#each = this.#average();
    return this.#each > 0;
  }

  #average(): number {
    let [height, count] = [0, 0];
    for (const { start, entries } of this.#blocks) {
      const own = this.#heights.get(start);
      if (own === undefined) continue;
      height += own && own + this.#gap;
      count += entries.length;
    }
    return count >= least ? height / count : 0;
  }

  /** Lets those go that are far away and hold nothing. Whether there are any. */
  #leave([from, to]: readonly [number, number]): boolean {
    const selection = this.#page.getSelection();
    this.#isHolding = false;
    let isAny = false;
    for (const [start, element] of this.#drawn) {
      const at = this.#blocks.findIndex((block) => block.start === start);
      if ((at >= from && at <= to) || at === this.#blocks.length - 1 || this.#all) continue;
      if (element.querySelector(holding) || (!selection?.isCollapsed && selection?.containsNode(element, true))) {
        this.#isHolding = true;
      } else {
        this.#staying.delete(start);
        isAny = true;
      }
    }
    return isAny;
  }
}

const scrollers = "[data-glove-scroller]";

function startOf(element: Element): number | undefined {
  const start = element.getAttribute("data-glove-rows");
  return start === null ? undefined : Number(start);
}
