// Finds words in the index, and shows where they stand.
import { read, sought } from "../../messages/words.js";
import type { SessionDatabase } from "../../store/indexeddb/database.js";
import type { MessagesRow } from "../../store/indexeddb/schema.js";
import type { SessionHit } from "../../store/sessions.js";
import { listedSessions } from "./build.js";
import { type Lines, linesKey, messagesOf, shownText } from "./words-of.js";

export interface Found {
  readonly hits: readonly SessionHit[];
  /** How many messages have the words, also those that are not in `hits`. */
  readonly total: number;
}

const shown = { all: 30, thread: 3 };
/** So many sessions are read in one transaction. */
const atOnce = 20;
/** In characters: before the words and in all. */
const around = { before: 40, all: 160 };
const piece = 2_000;

/** The latest messages of the latest sessions first. Nothing when it is no longer asked for. */
export async function find(database: SessionDatabase, text: string, signal: AbortSignal): Promise<Found | undefined> {
  const words = [...new Set(sought(text).split(" ").filter(Boolean))];
  if (words.length === 0) return { hits: [], total: 0 };
  const sessions = await listedSessions(database);
  const places: { readonly id: string; readonly title: string; readonly message: string; readonly row: number }[] = [];
  let total = 0;
  for (let from = 0; from < sessions.length; from += atOnce) {
    const some = sessions.slice(from, from + atOnce);
    const lines = await database.run(["extras"], "readonly", ({ ask, store }) =>
      Promise.all(some.map(({ id }) => ask<Lines | undefined>(store("extras").get(linesKey(id))))),
    );
    if (signal.aborted) return undefined;
    for (const [at, { id, title, first }] of some.entries()) {
      const { text = [], ids = [], rows = [] } = lines[at] ?? {};
      let ofThread = 0;
      for (let line = text.length - 1; line >= 0; line--) {
        if (!words.every((word) => text[line]?.includes(word))) continue;
        total++;
        if (++ofThread <= shown.thread && places.length < shown.all)
          places.push({ id, title: title ?? first ?? "", message: ids[line] ?? "", row: rows[line] ?? 0 });
      }
    }
  }
  const hits: SessionHit[] = [];
  const texts = await database.run(["messages"], "readonly", ({ ask, store }) =>
    Promise.all(places.map(({ id, row }) => ask<MessagesRow | undefined>(store("messages").get([id, row])))),
  );
  if (signal.aborted) return undefined;
  for (const [at, { id, title, message }] of places.entries()) {
    const said = messagesOf(texts[at]?.text).find((one) => String(one.id ?? "") === message);
    if (said) hits.push({ id, title, message, ...excerptOf(shownText(said), words) });
  }
  return { hits, total };
}

/** The words and what stands around them, as it was written, and where the words are in it. */
export function excerptOf(text: string, words: readonly string[]): Pick<SessionHit, "excerpt" | "marks"> {
  const written = text.replace(/\s+/g, " ").trim();
  /** For each unit of what is searched, which unit of the text it comes from. */
  const from: number[] = [];
  let searched = "";
  let at = 0;
  let looked = piece;
  for (const character of written) {
    const unit = read(character);
    searched += unit;
    for (let n = 0; n < unit.length; n++) from.push(at);
    at += character.length;
    // Of a long text, as far as the first of them.
    if (at >= looked) {
      if (words.some((word) => searched.lastIndexOf(word, searched.length - around.all) >= 0)) break;
      looked += piece;
    }
  }
  const seen = at;
  const whole = searched.indexOf(words.join(" "));
  const places = words.map((word) => searched.indexOf(word)).filter((place) => place >= 0);
  const best = whole >= 0 ? whole : Math.min(...places, searched.length - 1);
  const first = from[Math.max(0, best)] ?? 0;
  const start = first <= around.before ? 0 : beginOf(written, first - around.before, first);
  const end = written.length - start <= around.all ? written.length : endOf(written, start + around.all);
  const lead = start > 0 ? "…" : "";
  const excerpt = `${lead}${written.slice(start, end)}${end < written.length ? "…" : ""}`;
  const marks: [number, number][] = [];
  for (const word of words) {
    for (let at = searched.indexOf(word); at >= 0; at = searched.indexOf(word, at + word.length)) {
      const begin = from[at] ?? 0;
      // With the accents of its last letter.
      let next = at + word.length;
      while (from[next] === from[next - 1] && next < from.length) next++;
      const to = from[next] ?? seen;
      if (begin >= start && to <= end) marks.push([begin - start + lead.length, to - start + lead.length]);
    }
  }
  return { excerpt, marks: apart(marks.sort((a, b) => a[0] - b[0])) };
}

/** Behind a space, where there is one before the words. */
function beginOf(text: string, from: number, to: number): number {
  const space = text.indexOf(" ", from);
  if (space >= 0 && space < to) return space + 1;
  return isInPair(text, from) ? from + 1 : from;
}

const endOf = (text: string, to: number) => (isInPair(text, to) ? to + 1 : to);
const isInPair = (text: string, at: number) => /[\udc00-\udfff]/.test(text[at] ?? "");

/** Those that overlap as one. */
function apart(marks: readonly (readonly [number, number])[]): [number, number][] {
  const joined: [number, number][] = [];
  for (const [from, to] of marks) {
    const last = joined.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}
