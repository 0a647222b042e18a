// What somebody is told who asks a session that is closed, or gone.
import { GloveError } from "../error.js";

export function sessionClosed(): GloveError {
  return new GloveError("SESSION_CLOSED", "The session is closed; open a new one to continue.");
}

export function sessionDeleted(): GloveError {
  return new GloveError("SESSION_DELETED", "This session was deleted; open another one to continue.");
}
