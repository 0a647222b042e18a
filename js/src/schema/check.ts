// Schemas of any library: how a value is checked by them.

import type { Maybe } from "../timing/sync-or-promise.js";
import { GloveError, reasonOf } from "../values/error.js";
import type { Issue, Schema, StandardIssue, StandardResult } from "./types.js";

/** With an `error` the schema itself is wrong, whatever the value. */
export type Checked<T> = { readonly value: T } | { readonly issues: readonly Issue[]; readonly error?: GloveError };

/** Checks a value: at once, unless the schema itself is asynchronous. It never throws. */
export function checkWithSchema<Output>(schema: Schema<unknown, Output>, value: unknown): Maybe<Checked<Output>> {
  try {
    if (!("~standard" in schema)) {
      const parsed = schema.safeParse(value);
      return parsed.success ? { value: parsed.data } : { issues: parsed.error.issues.map(issue) };
    }
    const result = schema["~standard"].validate(value);
    const read = (given: StandardResult<Output>): Checked<Output> =>
      given.issues ? { issues: given.issues.map(issue) } : { value: given.value };
    return "then" in result ? Promise.resolve(result).then(read).catch(broken) : read(result);
  } catch (error) {
    return broken(error);
  }
}

function issue({ path, message }: StandardIssue): Issue {
  // Some libraries give a path that is more than an array.
  const steps = Array.from(path ?? [], (step) => (typeof step === "object" ? step.key : step));
  return { path: steps.map((step) => (typeof step === "number" ? step : String(step))), message };
}

// A transform or a refinement that throws: the value is refused, and the sentence says why.
function broken(error: unknown): { issues: Issue[]; error?: GloveError } {
  const issues = [{ path: [], message: `the schema failed: ${reasonOf(error)}` }];
  return error instanceof GloveError ? { issues, error } : { issues };
}

/** Issues as one sentence. */
export function issuesText(issues: readonly Issue[]): string {
  return issues.map(({ path, message }) => (path.length ? `${path.join(".")}: ${message}` : message)).join("; ");
}
