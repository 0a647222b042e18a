// What is kept of a session for the search: in the rows of the session, so that whatever removes the session removes it too.
import { read, unmarked } from "../../messages/words.js";
import type { StoredText } from "../../store/indexeddb/media.js";
import type { Message } from "../../wire/record.js";

/** In UTF-16 units: of one session its latest messages, and of all the sessions that changed last. */
export const most = { session: 1_000_000, all: 20_000_000 };

/** How far a session has been read. */
export interface Head {
  /** A change of what is kept makes all of it anew. */
  readonly v: 1;
  /** How many messages the session had. */
  readonly count: number;
  /** The key of the first row of messages that was not read. */
  readonly next: number;
  readonly size: number;
}

/** The words of a session: a line for each message, its id, and the key of the row in which it is. */
export interface Lines {
  readonly text: readonly string[];
  readonly ids: readonly string[];
  readonly rows: readonly number[];
}

export type MutableLines = { readonly [Part in keyof Lines]: Lines[Part][number][] };

/** Both are in `extras`, which older versions leave alone. */
export const headKey = (session: string) => [session, "search"];
export const linesKey = (session: string) => [session, "search", "lines"];

/** When all of that has given way to messages, as the storage was full. */
export const fullKey = ["", "full"];

export const isHead = (head: unknown): head is Head => (head as Head | undefined)?.v === 1;

/** What a person sees of a message: nothing of what the framework wrote, or what nobody is to see. */
export function shownText(message: Message): string {
  const { sender, text, pre_modified_text, tool_results, hidden, framework_context } = message;
  const { is_compaction, is_compaction_request, is_skill_injection } = message;
  if (hidden || framework_context || is_compaction || is_compaction_request || is_skill_injection) return "";
  if (sender === "agent") return unmarked(text ?? "");
  return tool_results ? "" : (pre_modified_text ?? text ?? "");
}

/** The messages of a row, without their files. */
export function messagesOf(text: StoredText | undefined): readonly Message[] {
  try {
    return JSON.parse(`[${typeof text === "string" ? text : (text?.pieces.join("") ?? "")}]`) as Message[];
  } catch {
    // What is damaged hides nothing else.
    return [];
  }
}

/** The words of one row of messages. */
export function linesOf(messages: readonly Message[], row: number): Lines {
  const found = messages.flatMap((message) => {
    const text = read(shownText(message)).trim();
    return text ? [{ text, id: String(message.id ?? "") }] : [];
  });
  return { text: found.map(({ text }) => text), ids: found.map(({ id }) => id), rows: found.map(() => row) };
}

/** Puts those of later rows behind. */
export function addTo(lines: MutableLines, { text, ids, rows }: Lines): void {
  lines.text.push(...text);
  lines.ids.push(...ids);
  lines.rows.push(...rows);
}

/** Leaves out the earliest ones where there is more than is kept of a session. */
export function cutToSize({ text, ids, rows }: MutableLines): void {
  let first = text.length;
  for (let size = 0; first > 0; first--) {
    size += text[first - 1]?.length ?? 0;
    if (size > most.session) break;
  }
  for (const list of [text, ids, rows]) list.splice(0, first);
}

export const sizeOf = ({ text }: Lines): number => text.reduce((sum, line) => sum + line.length, 0);
