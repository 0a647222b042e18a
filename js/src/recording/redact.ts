// What may not leave with a recorded run. crates/native/src/recording.rs strikes out the same; both are held to tests/fixtures/keys.json.
import { endOfString } from "../store/json-text.js";

/** How keys of providers and of services begin. */
const beginning = /^(sk-|sk_|pk-|pk_|rk_|ghp_|gho_|ghs_|github_pat_|glpat-|gsk_|xai-|hf_|AIza|AKIA)/;
/** A shorter word is none. */
const words = /[A-Za-z0-9_-]{16,}/g;

export function withoutKeys(text: string): string {
  return text.replace(words, (word, at: number) => {
    const isKey = beginning.test(word) || text.slice(Math.max(0, at - 7), at).toLowerCase() === "bearer ";
    return isKey ? "[key]" : word;
  });
}

/** JSON in which each text that is no name of a field has become what `redact` makes of it. */
export function redacted(json: string, redact: (text: string) => string): string {
  const parts: string[] = [];
  let done = 0;
  for (let at = json.indexOf('"'); at >= 0; at = json.indexOf('"', at)) {
    const end = endOfString(json, at) + 1;
    const isName = /^\s*:/.test(json.slice(end, end + 20));
    const text = isName ? "" : (JSON.parse(json.slice(at, end)) as string);
    const made = isName ? "" : redact(text);
    if (made !== text) {
      parts.push(json.slice(done, at), JSON.stringify(made));
      done = end;
    }
    at = end;
  }
  return parts.join("") + json.slice(done);
}
