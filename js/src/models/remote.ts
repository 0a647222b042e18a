// A model behind callbacks of the application. Its events are objects, which the core would have to be given as text to read them, and
// it may be asked without a session: so they are read here.

import type { ModelAdapter, PromptRequest, SerializedTool } from "../ports/model.js";
import { collect, type RemotePromptResponse, type RemoteStreamEvent, resultOf } from "../relay/collect.js";
import { checkRequest, serialized, stoppable } from "../relay/model-call.js";
import { GloveError, stoppedBy } from "../values/error.js";
import { checkMethods, type Options } from "../values/validate-options.js";
import type { Message } from "../wire/record.js";
import { forModel } from "./record.js";

/** The complete request, as plain data. */
export interface RemotePromptRequest {
  readonly systemPrompt: string;
  readonly messages: Message[];
  /** Left out when there are none. */
  readonly tools?: SerializedTool[];
}

/** At least one is required; `promptStream` takes precedence. */
export interface RemoteModelActions {
  prompt?(request: RemotePromptRequest, signal?: AbortSignal): Promise<RemotePromptResponse>;
  promptStream?(request: RemotePromptRequest, signal?: AbortSignal): AsyncIterable<RemoteStreamEvent>;
}

const actionOptions = { prompt: "work", promptStream: "work" } as const satisfies Options<RemoteModelActions>;

/** A model whose calls are the application's. */
export function createRemoteModel(name: string, actions: RemoteModelActions): ModelAdapter {
  checkMethods(actions, actionOptions);
  let systemPrompt = "";
  return {
    name,
    setSystemPrompt: (text) => {
      systemPrompt = text;
    },
    async prompt(request, notify, signal) {
      if (signal?.aborted) throw stoppedBy(signal);
      checkRequest(request ?? {});
      const asked = await remoteRequest(systemPrompt, request);
      if (actions.promptStream) {
        const missing = "Remote model stream ended without a 'done' event";
        return collect(actions.promptStream(asked, signal), notify, missing, signal);
      }
      if (actions.prompt) return resultOf(await stoppable(Promise.resolve(actions.prompt(asked, signal)), signal));
      throw new GloveError("MODEL_CONFIG", `The remote model "${name}" has neither \`prompt\` nor \`promptStream\`.`);
    },
  };
}

async function remoteRequest(systemPrompt: string, { messages, tools }: PromptRequest): Promise<RemotePromptRequest> {
  const described = serialized(tools);
  return { systemPrompt, messages: await forModel(messages), ...(described.length ? { tools: described } : {}) };
}
