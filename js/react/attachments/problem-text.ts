// What is the matter with a file, in words.
import { mediaSentences } from "../../src/wire/attachments.js";
import type { Say } from "../render/labels.js";
import { uploadSentences } from "./elsewhere/upload.js";
import { shortName } from "./file-labels.js";
import type { Note, Sentence } from "./prepare.js";

const sentences: { readonly [code in Sentence]: string } = { ...mediaSentences, ...uploadSentences };

export function sentence(note: Note, name: string, say: Say): string {
  const isolated = (text: string) => `\u2068${shortName(text)}\u2069`;
  const values: Record<string, unknown> = { ...note.values, name: isolated(name) };
  const { types, names } = values;
  // A few are named.
  if (Array.isArray(names))
    values.names = names.length > 3 ? say("{n} files", { n: names.length }) : names.map(isolated).join(", ");
  if (typeof types === "string")
    values.types = types
      .split(" ")
      .map((kind) => say(sentences[kind as Sentence]))
      .join(", ");
  return say(sentences[note.code], values);
}
