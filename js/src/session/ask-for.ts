// An answer in the form of a schema, for programs that go on with it.

import type { AnswerOutcome } from "../messages/outcome.js";
import type { Watcher } from "../ports/subscriber.js";
import type { InferInput, InferOutput, Partly, Schema } from "../schema/types.js";
import { answerTool, unwrapped } from "../tools/answer-tool.js";
import { GloveError } from "../values/error.js";
import { generateId } from "../values/ids.js";
import { check, checkOptions, type Options } from "../values/validate-options.js";
import type { ContentPart } from "../wire/record.js";
import type { GloveSession } from "./session.js";

/** What else `askFor` takes. */
export interface AskForOptions<T = unknown> {
  /** Stops the request. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the answer as far as the model has written it, at most once a frame. No schema has checked it. */
  readonly onPartial?: ((partial: Partly<T>) => unknown) | undefined;
}

const askForOptions = { signal: "signal", onPartial: "work" } as const satisfies Options<AskForOptions>;

/**
 * Asks, and gives an answer that fits the schema: `sendMessage` with `output`, for programs that want the value alone. It waits for its
 * turn, whatever runs. Rejects as `session.request` does, and with `ANSWER_MISSING`.
 */
export async function askFor<S extends Schema>(
  session: GloveSession,
  question: string | readonly ContentPart[],
  schema: S,
  options: AskForOptions<InferInput<S>> | AbortSignal = {},
): Promise<InferOutput<S>> {
  check("`session`", session, "session");
  const { signal, onPartial }: AskForOptions<InferInput<S>> = "aborted" in options ? { signal: options } : options;
  if (!("aborted" in options)) checkOptions(options, askForOptions);
  const id = generateId();
  const stop = onPartial && followPartial(session, id, onPartial as (partial: unknown) => unknown);
  try {
    const input = typeof question === "string" ? { text: question } : { content: question };
    const asked = session.requestAs(id, { ...input, output: schema, whenBusy: "queue" }, signal);
    const outcome = (await asked) as AnswerOutcome<InferOutput<S>>;
    if (outcome.type === "completed") return outcome.value;
    throw new GloveError("ANSWER_MISSING", `The request is "${outcome.type}", so there is no answer yet.`);
  } finally {
    stop?.();
  }
}

function followPartial(session: GloveSession, id: string, onPartial: (partial: unknown) => unknown): () => void {
  let before: unknown;
  let serves: unknown = id;
  // Another question may be answered before this one.
  const watcher: Watcher = {
    watches: true,
    record(type, data) {
      if (type === "request_started") serves = (data as { readonly request: string }).request;
    },
  };
  const leave = session.addSubscriber(watcher);
  const stop = session.subscribe(() => {
    if (serves !== id) return;
    const partial = unwrapped(session.getSnapshot().streamingCalls.find(({ name }) => name === answerTool)?.input);
    if (partial === undefined || partial === before) return;
    before = partial;
    try {
      onPartial(partial);
    } catch (error) {
      session.report("LISTENER_FAILED", error);
    }
  });
  return () => {
    stop();
    leave();
  };
}
