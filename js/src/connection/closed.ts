// What somebody is told who asks a closed session.
import { GloveError } from "../error.js";

export function sessionClosed(): GloveError {
  return new GloveError("SESSION_CLOSED", "The session is closed; open a new one to continue.");
}
