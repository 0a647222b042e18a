// Errors for calls of something that is closed, gone, or not running here.
import { GloveError } from "./error.js";

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

/** Why nothing is begun in the session of an agent that is not at work: the tools and the prompt that a page has are not the agent's. */
export const agentNotRunning = (): GloveError =>
  new GloveError("AGENT_NOT_RUNNING", "The agent of this session is not running here; resume the session that called it.");
