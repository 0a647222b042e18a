// Why the task of a workspace does not do what it is asked now.
import { GloveError } from "../../src/values/error.js";

export function taskBusy(): GloveError {
  return new GloveError("TASK_BUSY", "This task is running; wait for its end, or stop it.");
}

export function taskClosed(): GloveError {
  return new GloveError("TASK_CLOSED", "The task is closed here; resume it to go on.");
}
