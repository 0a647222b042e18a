// What is told to whoever decides what is decided already.
import { GloveError } from "../error.js";

export function approvalClosed(id: string): GloveError {
  return new GloveError(
    "APPROVAL_CLOSED",
    `Nothing with the id "${id}" waits for a decision: it was decided before, here or in another tab, or its call was stopped.`,
  );
}
