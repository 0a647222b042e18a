// Names that a person can call in a message.
import { GloveError } from "./error.js";

const form = /^[\p{L}\p{M}\p{N}_-]+$/u;

export function checkName(what: string, name: unknown, code: string): void {
  if (typeof name === "string" && form.test(name)) return;
  throw new GloveError(code, `\`name\` of ${what} must be letters, digits, "_" and "-", got ${JSON.stringify(name)}.`);
}
