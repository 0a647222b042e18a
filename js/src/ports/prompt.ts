// A prompt of the record, with what sessions put on its message.
import type { PromptRecord } from "../wire/run-types.js";

/** A request and everything that came of it. */
export interface Prompt extends PromptRecord {
  /** Whose it is. */
  readonly userId?: string;
  /** The model that was asked for, by its name in `models`; none for the usual one. */
  readonly model?: string;
  /** The skills that its message took up. */
  readonly skills?: readonly string[];
}
