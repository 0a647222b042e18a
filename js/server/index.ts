// The server's end of the wire: a handler that answers a chat's model calls, with the wasm file inside.
import { openCore } from "../src/wasm/core.js";
import { inlineBytes } from "../src/wasm/inline.js";
import type { ChatHandler, ChatHandlerConfig } from "./config.js";
import { chatHandler } from "./handler.js";

export { GloveError } from "../src/error.js";
export type { ModelAdapter, SerializedTool } from "../src/models/model.js";
export type { ProviderFormat, ReasoningEffort } from "../src/models/providers.js";
export type { RemotePromptRequest } from "../src/models/remote.js";
export type { ChatHandler, ChatHandlerConfig, ChatHandlerLimits } from "./config.js";

const core = /* @__PURE__ */ openCore(inlineBytes);

/**
 * A handler for `POST` that stands between clients and a model provider: `createEndpointModel` and the clients of
 * `glove-react` understand what it streams. Takes a Fetch API request: Next route handlers, Workers, Deno, Bun, Node.
 */
export function createChatHandler(config: ChatHandlerConfig): ChatHandler {
  return chatHandler(core, config);
}
