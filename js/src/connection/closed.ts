// What somebody is told who asks for what is closed, or gone.
import { GloveError } from "../error.js";

export function sessionClosed(): GloveError {
  return new GloveError("SESSION_CLOSED", "The session is closed; open a new one to continue.");
}

export function sessionDeleted(): GloveError {
  return new GloveError("SESSION_DELETED", "This session was deleted; open another one to continue.");
}

/** For whoever decides what is decided already. */
export function approvalClosed(id: string): GloveError {
  return new GloveError(
    "APPROVAL_CLOSED",
    `Nothing with the id "${id}" waits for a decision: it was decided before, here or in another tab, or its call was stopped.`,
  );
}
