// Where words stand: in what was said, drawn or not, and in what is drawn of it.
import { read, unmarked } from "../../src/messages/words.js";
import type { ShownEntry } from "../../src/snapshot/snapshot.js";

/** A message with the words, and how often it has them. */
export interface Hit {
  readonly id: string;
  readonly count: number;
}

/** One place: the message, and which of those in it. */
export interface Place {
  readonly id: string;
  readonly nth: number;
}

/** A person is never made to wait for a key. */
const slice = 8;

const known = new WeakMap<ShownEntry, string>();

function wordsOf(entry: ShownEntry): string {
  if (entry.kind !== "user" && entry.kind !== "agent_text") return "";
  let words = known.get(entry);
  if (words === undefined) {
    words = read(entry.kind === "user" ? entry.text : unmarked(entry.text));
    known.set(entry, words);
  }
  return words;
}

function countOf(text: string, words: string): number {
  let count = 0;
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + words.length)) count++;
  return count;
}

/** The messages that have the words, in their order: piece by piece, so that a long conversation holds nobody up. Nothing when it is no longer asked for. */
export async function hitsOf(
  timeline: readonly ShownEntry[],
  words: string,
  signal: AbortSignal,
): Promise<readonly Hit[] | undefined> {
  const hits = new Map<string, number>();
  let answer = "";
  let until = performance.now() + slice;
  for (const entry of timeline) {
    if (performance.now() > until) {
      await new Promise((later) => setTimeout(later));
      until = performance.now() + slice;
    }
    if (signal.aborted) return undefined;
    // What continues an answer is drawn with it.
    const id = entry.kind === "agent_text" && entry.id?.startsWith("continues.") ? answer : entry.id;
    if (entry.kind === "agent_text") answer = id;
    const count = countOf(wordsOf(entry), words);
    if (count > 0) hits.set(id, (hits.get(id) ?? 0) + count);
  }
  return [...hits].map(([id, count]) => ({ id, count }));
}

/** The place that is so many steps further, round and round; the last one where there was none. */
export function stepFrom(hits: readonly Hit[], place: Place | undefined, step: number): Place | undefined {
  const total = hits.reduce((sum, { count }) => sum + count, 0);
  const at = place ? ordinalOf(hits, place) : -1;
  let rest = at < 0 ? total - 1 : (at + step + total) % total;
  for (const { id, count } of hits) {
    if (rest < count) return { id, nth: rest };
    rest -= count;
  }
  return undefined;
}

/** The number of a place among all, from nought; below that where it is gone. */
export function ordinalOf(hits: readonly Hit[], { id, nth }: Place): number {
  let before = 0;
  for (const hit of hits) {
    if (hit.id === id) return before + Math.min(nth, hit.count - 1);
    before += hit.count;
  }
  return -1;
}

/** What stands in a message and is none of its words. */
const beside =
  "button, svg, [data-glove-label], [data-glove-cut-note], [data-glove-role=failed], [data-glove-code] > :first-child";
const inline = /^(?:A|ABBR|B|BDI|CODE|DEL|EM|I|INS|KBD|MARK|S|SMALL|SPAN|STRONG|SUB|SUP|U)$/;

/** Where the words are drawn in a message. */
export function rangesIn(message: Element, words: string): Range[] {
  const { ownerDocument } = message;
  const characters: string[] = [];
  /** Where each character of it comes from. */
  const from: (readonly [node: Text, start: number, end: number] | undefined)[] = [];
  const add = (read: string, place?: readonly [node: Text, start: number, end: number]) => {
    for (const char of read) {
      if (char === " " && (characters.at(-1) ?? " ") === " ") continue;
      characters.push(char);
      for (let unit = 0; unit < char.length; unit++) from.push(place);
    }
  };
  const walk = (parent: Node) => {
    for (const node of parent.childNodes) {
      if (node.nodeType === 3) {
        let at = 0;
        for (const char of (node as Text).data) {
          add(read(char), [node as Text, at, at + char.length]);
          at += char.length;
        }
      } else if (node.nodeType === 1 && !(node as Element).matches(beside)) {
        const isInline = inline.test(node.nodeName);
        if (!isInline) add(" ");
        walk(node);
        if (!isInline) add(" ");
      }
    }
  };
  walk(message);
  const text = characters.join("");
  const ranges: Range[] = [];
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + words.length)) {
    const places = from.slice(at, at + words.length).filter((place) => place !== undefined);
    const [first, last] = [places[0], places.at(-1)];
    if (!first || !last) continue;
    const range = ownerDocument.createRange();
    range.setStart(first[0], first[1]);
    range.setEnd(last[0], last[2]);
    ranges.push(range);
  }
  return ranges;
}
