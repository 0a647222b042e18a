// Which commands the letters before the cursor may mean.
import { folded } from "../../src/plugins/slash-names.js";
import type { Command } from "./list.js";

/** A `/name` that is being written, and where. */
export interface Typed {
  /** Up to the cursor. */
  readonly prefix: string;
  /** All of it. */
  readonly name: string;
  /** That of the `/`. */
  readonly start: number;
  readonly end: number;
}

/** Nothing where what is written there calls nothing: in `/usr/local`, and where something is selected. */
export function typedIn({ value, selectionStart: at, selectionEnd }: HTMLTextAreaElement): Typed | null {
  if (at !== selectionEnd) return null;
  const [, prefix] = /(?:^|\s)\/([\p{L}\p{M}\p{N}_-]*)$/u.exec(value.slice(0, at)) ?? [];
  const [, rest] = /^([\p{L}\p{M}\p{N}_-]*)(?:\s|$)/u.exec(value.slice(at)) ?? [];
  if (prefix === undefined || rest === undefined) return null;
  return { prefix, name: prefix + rest, start: at - prefix.length - 1, end: at + rest.length };
}

/** Those whose names begin with it, and then those that have it elsewhere in their names. */
export function matching(commands: readonly Command[], { prefix }: Typed): Command[] {
  const letters = folded(prefix);
  const at = ({ name }: Command) => folded(name).indexOf(letters);
  return [...commands.filter((command) => at(command) === 0), ...commands.filter((command) => at(command) > 0)];
}
