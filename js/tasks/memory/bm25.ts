// Words of entries, and how well an entry fits those of a question (BM25).
import type { MemoryEntry } from "../../src/wire/task-types.js";

/** Longer questions are cut. */
const maxWords = 64;
/** Usual values of BM25: how soon a word counts no more, and how much long entries count less. */
const [saturation, lengthShare] = [1.2, 0.75];
/** A word of the title counts as often. */
const titleWeight = 3;

/** How often a word is in an entry, and how many words that has. */
export interface Occurrence {
  readonly id: string;
  readonly count: number;
  readonly length: number;
}

/** Languages without spaces have words all the same. */
const segmenter = typeof Intl.Segmenter === "function" ? new Intl.Segmenter(undefined, { granularity: "word" }) : undefined;
const spaceless = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

/** Without case and accents. */
export function wordsOf(text: string): string[] {
  const plain = text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase();
  const words = plain.match(/[\p{L}\p{N}]+/gu) ?? [];
  if (!segmenter || !spaceless.test(plain)) return words;
  return words.flatMap((word) => (spaceless.test(word) ? [...segmenter.segment(word)].map(({ segment }) => segment) : [word]));
}

/** The different words of a question. */
export const askedWords = (text: string): readonly string[] => [...new Set(wordsOf(text))].slice(0, maxWords);

/** How often each word is in an entry. */
export function countsOf({ title = "", text, tags = [] }: MemoryEntry): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (words: readonly string[], times: number) => {
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + times);
  };
  add(wordsOf(title), titleWeight);
  add(wordsOf(text), 1);
  add(wordsOf(tags.join(" ")), 1);
  return counts;
}

/** The ids of entries, the best first. `found` has the occurrences of each word; the channel has so many entries of so many words. */
export function ranked(found: readonly (readonly Occurrence[])[], entries: number, words: number): string[] {
  const scores = new Map<string, number>();
  const average = words / Math.max(1, entries) || 1;
  for (const occurrences of found) {
    const rarity = Math.log(1 + (entries - occurrences.length + 0.5) / (occurrences.length + 0.5));
    for (const { id, count, length } of occurrences) {
      const weight = 1 - lengthShare + (lengthShare * length) / average;
      const score = (rarity * count * (saturation + 1)) / (count + saturation * weight);
      scores.set(id, (scores.get(id) ?? 0) + score);
    }
  }
  return best(scores);
}

/** By their numbers, and by their ids where those are equal. */
export function best(scores: ReadonlyMap<string, number>): string[] {
  return [...scores].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([id]) => id);
}
