// How a request came to an end or to a stop.

import type { InferOutput, Schema } from "../schema/types.js";
import { GloveError } from "../values/error.js";
import { fromCore } from "../wasm/core-errors.js";
import type { CoreOutcome } from "../wire/core-types.js";
import type { Message, Usage } from "../wire/record.js";
import type { ImageInput, MessageInput } from "./request.js";

/** How a request ended. */
export type RunOutcome =
  /** The answer, with the usage of the last model call only. */
  | { readonly type: "completed"; readonly text: string; readonly messages: readonly Message[]; readonly usage: Usage }
  /** Actions were undone. */
  | { readonly type: "undone"; readonly steps: number; readonly error?: string }
  | { readonly type: "aborted" }
  /** Not started, because another request was running. */
  | { readonly type: "dropped" }
  /** A budget is used up; `resume()` continues. */
  | { readonly type: "paused"; readonly rule: string; readonly message: string }
  /** The run waits for the user's answer. */
  | { readonly type: "waiting" };

/** The same of a request that asked for an answer with a schema. */
export type AnswerOutcome<T> =
  | (Extract<RunOutcome, { readonly type: "completed" }> & { readonly value: T })
  | Exclude<RunOutcome, { readonly type: "completed" }>;

/** Sends a message; with an `output` schema the answer is typed by it. */
export interface SendMessage {
  <S extends Schema>(
    input: MessageInput & { readonly output: S },
    images?: readonly ImageInput[],
  ): Promise<AnswerOutcome<InferOutput<S>>>;
  (input: string | MessageInput, images?: readonly ImageInput[]): Promise<RunOutcome>;
}

/** Throws what it failed with: the error that is shown, where that is the same. */
export function outcomeOf(coreOutcome: CoreOutcome, shown: Error | undefined): RunOutcome {
  switch (coreOutcome.outcome) {
    case "completed": {
      const { messages, usage } = coreOutcome.reply;
      return { type: "completed", text: messages.map((message) => message.text).join("\n"), messages, usage };
    }
    case "undone":
      return { type: "undone", steps: coreOutcome.steps, ...(coreOutcome.error && { error: coreOutcome.error }) };
    case "failed": {
      const error = fromCore(coreOutcome.error);
      throw String(shown) === String(error) ? shown : error;
    }
    case "aborted":
    case "dropped":
    case "waiting":
      return { type: coreOutcome.outcome };
    case "paused":
      return { type: "paused", rule: coreOutcome.rule, message: coreOutcome.message };
    default:
      throw new GloveError(
        "OUT_OF_PROTOCOL",
        "The core reported an unknown outcome: the package's files are of different versions. Reload them all.",
      );
  }
}
