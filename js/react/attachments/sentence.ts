// What is the matter with a file, in words.
import { mediaSentences } from "../../src/wire/attachments.js";
import type { Note, Sentence } from "./prepare.js";
import { shortName } from "./words.js";

export function sentence(note: Note, name: string, say: (word: string) => string): string {
  const values: Record<string, string | number> = { ...note.values, name: `\u2068${shortName(name)}\u2069` };
  const { types } = values;
  if (typeof types === "string")
    values.types = types
      .split(" ")
      .map((kind) => say(mediaSentences[kind as Sentence]))
      .join(", ");
  return say(mediaSentences[note.code]).replace(/\{(\w+)\}/g, (whole, gap: string) => String(values[gap] ?? whole));
}
