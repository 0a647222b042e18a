// The names that a message calls: `/name`, between the ends of the text and white space.
import { GloveError } from "../values/error.js";
import { check } from "../values/validate-options.js";

/** A name that was called, and where. */
export interface Called {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Keyboards begin words with a capital letter, and write one letter as two characters. */
export const folded = (name: string) => name.normalize("NFC").toLowerCase();

/** Those of the names that the text calls, in their order. `/usr/local` calls nothing, and neither does a name that is not there. */
export function calledIn(text: string, names: readonly string[]): Called[] {
  const found: Called[] = [];
  for (const { 0: whole, 1: name = "", index } of text.matchAll(/(?:^|\s)\/([\p{L}\p{M}\p{N}_-]+)(?=\s|$)/gu)) {
    const end = index + whole.length;
    const called = names.find((one) => folded(one) === folded(name));
    if (called !== undefined) found.push({ name: called, start: end - name.length - 1, end });
  }
  return found;
}

/** Refuses two of one name: a person who calls it could mean either. */
export function checkNames(all: readonly { readonly name: string }[]): void {
  const names = new Set<string>();
  for (const one of all) {
    const { name } = check("Each of `skills` and `hooks`", one, "object");
    check("`name` of each of `skills` and `hooks`", name, "text");
    if (names.has(folded(name)))
      throw new GloveError("COMMAND_NAME_TAKEN", `Two of \`skills\` and \`hooks\` are called "${name}"; rename one of them.`);
    names.add(folded(name));
  }
}
