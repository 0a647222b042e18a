// What is the matter with a file, in words.
import { mediaSentences } from "../../src/wire/attachments.js";
import { shortName } from "./file-labels.js";
import type { Note, Sentence } from "./prepare.js";

export function sentence(note: Note, name: string, say: (word: string) => string): string {
  const isolated = (text: string) => `\u2068${shortName(text)}\u2069`;
  const values: Record<string, unknown> = { ...note.values, name: isolated(name) };
  const { types, names } = values;
  // A few are named.
  if (Array.isArray(names)) values.names = names.length > 3 ? `${names.length} ${say("files")}` : names.map(isolated).join(", ");
  if (typeof types === "string")
    values.types = types
      .split(" ")
      .map((kind) => say(mediaSentences[kind as Sentence]))
      .join(", ");
  return say(mediaSentences[note.code]).replace(/\{(\w+)\}/g, (whole, gap: string) => String(values[gap] ?? whole));
}
