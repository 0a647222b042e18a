// Names that code written for glove imports: they are here, and fit what such code does with them.
import type {
  AnthropicAdapterConfig,
  AnthropicCompatAdapterConfig,
  BedrockAdapterConfig,
  InboxItem,
  InboxItemStatus,
  MimoAdapterConfig,
  OpenAICompatAdapterConfig,
  OpenRouterAdapterConfig,
  StoreAdapter,
  SubscriberAdapter,
  SubscriberEvent,
  SubscriberEventDataMap,
  SubscriberEventOf,
  Task,
  TaskStatus,
  TokenConsumptionCounter,
} from "glove-wasm";
import { AnthropicCompatAdapter, BedrockAdapter, MimoAdapter } from "glove-wasm";

export const status: TaskStatus = "in_progress";
export const task: Task = { id: "1", content: "Look", activeForm: "Looking", status };
export const resolved: InboxItemStatus = "resolved";
export const item: InboxItem = { id: "1", status: resolved };

export const counted: TokenConsumptionCounter = { tokens_in: 1, tokens_out: 2, cache_read_input_tokens: 3 };
export const add: StoreAdapter["addTokens"] = async (count: TokenConsumptionCounter) => void count.tokens_in;

export const said: SubscriberEventOf<"text_delta">["text"] = "Hi";
export const call: SubscriberEventDataMap["tool_use"] = { id: "1", name: "look", input: {} };
// @ts-expect-error: a call has a name.
export const nameless: SubscriberEventDataMap["tool_use"] = { id: "1", input: {} };

/** The data of an event is known by its type. */
export function line(event: SubscriberEvent): string {
  switch (event.type) {
    case "text_delta":
      return event.text;
    case "tool_use_result":
      return `${event.tool_name} ${event.result.status} ${event.duration_ms?.toFixed()}`;
    case "token_consumption":
      return event.consumption.tokens_in.toFixed();
    default:
      return event.type;
  }
}

export const logger: SubscriberAdapter = {
  record(event_type, data) {
    console.log(line({ type: event_type, ...data } as SubscriberEvent));
  },
};

const config: MimoAdapterConfig = { model: "mimo-v2.5", apiKey: "k", maxTokens: 100 };
export const models = [
  new MimoAdapter(config),
  new AnthropicCompatAdapter({
    baseURL: "https://models.example",
    model: "m",
    apiKey: "k",
  } satisfies AnthropicCompatAdapterConfig),
  new BedrockAdapter({ model: "m" } satisfies BedrockAdapterConfig),
];
export type Configs = [AnthropicAdapterConfig, OpenAICompatAdapterConfig, OpenRouterAdapterConfig];
