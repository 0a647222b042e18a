// A model of the application in the provider's place: what the core calls is answered with the events of an endpoint.

import { checkAnswer, errorKind, ownCode } from "../src/models/bridge.js";
import type { RemotePromptRequest } from "../src/models/remote.js";
import { transportOf } from "../src/models/transport.js";
import type { ModelAdapter, ModelNotice } from "../src/ports/model.js";
import { EventStream } from "../src/relay/events.js";
import type { Fetch } from "../src/relay/http.js";
import { failureFields, GloveError, reasonOf, type ToldFailure } from "../src/values/error.js";
import type { Message } from "../src/wire/record.js";

/** What the core calls then. Nothing is ever sent there. */
export const nowhere = "http://own-model.invalid/";

/** A model that may stand in a provider's place. */
export function ownModel(createModel: () => ModelAdapter): ModelAdapter {
  const model = createModel();
  if (transportOf(model)) {
    throw new GloveError("MODEL_CONFIG", "A chat handler calls providers itself: pass it `provider` instead of this model.");
  }
  return model;
}

export function fetchOf(createModel: () => ModelAdapter): Fetch {
  return (_, { body, signal }) => {
    const stream = new EventStream(0, () => {});
    const tell = (event: object) => stream.write(`data: ${JSON.stringify(event)}\n\n`);
    ask(createModel, JSON.parse(String(body)), tell, () => stream.ready(), signal ?? undefined)
      .catch((error: unknown) =>
        tell({
          type: "error",
          kind: errorKind(error) ?? "adapter",
          ...ownCode(error),
          message: reasonOf(error),
          retryable: false,
          ...known(error),
        }),
      )
      .then(() => stream.end(() => new Response(null, { status: 502 })));
    return stream.response;
  };
}

function known(error: unknown): ToldFailure {
  if (!(error instanceof GloveError)) return {};
  const { status, ...told } = failureFields(error);
  return { ...told, ...(status !== undefined && { provider_status: status }) };
}

/** The protocol has one message for an answer; a model may give several. What stands twice is the first one's. */
function joined([first, ...more]: readonly Message[]): Message | undefined {
  let answer = first;
  for (const message of more) {
    const lines = (key: "text" | "reasoning_content") => [answer?.[key], message[key]].filter(Boolean).join("\n");
    const lists = <K extends "content" | "tool_calls">(key: K) => {
      const both = [...(answer?.[key] ?? []), ...(message[key] ?? [])];
      return both.length > 0 && { [key]: both };
    };
    const reasoning_content = lines("reasoning_content");
    answer = {
      ...message,
      ...answer,
      text: lines("text"),
      ...lists("content"),
      ...lists("tool_calls"),
      ...(reasoning_content && { reasoning_content }),
    };
  }
  return answer;
}

async function ask(
  createModel: () => ModelAdapter,
  { systemPrompt, messages, tools }: RemotePromptRequest,
  tell: (event: object) => void,
  ready: () => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const model = ownModel(createModel);
  model.setSystemPrompt(systemPrompt);
  const described = tools?.map(({ parameters, ...tool }) => ({ ...tool, jsonSchema: parameters }));
  const notify = async (type: string, data: unknown) => {
    const { text, code, message } = (data ?? {}) as { text?: unknown } & Partial<ModelNotice>;
    if (type === "model_notice") tell({ type, code, message });
    if ((type === "text_delta" || type === "reasoning_delta") && typeof text === "string") tell({ type, text });
    // A model that awaits this writes as fast as its client reads.
    await ready();
  };
  const answered = await model.prompt({ messages, ...(described && { tools: described }) }, notify, signal);
  const { messages: given, ...rest } = checkAnswer(model.name, answered);
  const message = joined(given);
  if (!message) throw new GloveError("MODEL_BAD_RESPONSE", `The model "${model.name}" returned an empty \`messages\` array.`);
  tell({ ...rest, type: "done", message });
}
