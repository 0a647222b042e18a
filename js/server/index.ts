// The server's end of the wire: a handler that answers a chat's model calls, with the wasm file inside.

import type { ToolConfig } from "../src/ports/tool.js";
import { bytes } from "../src/wasm/generated/glove_providers_bytes.js";
import { unpack } from "../src/wasm/inline.js";
import { openProviders } from "../src/wasm/providers.js";
import type { ChatHandler, ChatHandlerConfig, ChatHandlerOptions } from "./config.js";
import { chatHandler } from "./handler.js";

export type { ProviderFormat, ProviderId, ProviderName, ReasoningEffort } from "../src/models/providers.js";
export type { RemotePromptRequest } from "../src/models/remote.js";
export {
  defineMiddleware,
  type Middleware,
  type MiddlewareContext,
  type MiddlewareModelCall,
  type MiddlewareModelChanges,
  type MiddlewareOutput,
  type MiddlewareStop,
  type MiddlewareToolCall,
} from "../src/ports/middleware/middleware.js";
export type { ModelAdapter, ModelNotice, SerializedTool } from "../src/ports/model.js";
export type { ModelCallOptions, ModelFacts, ToolChoice } from "../src/ports/model-options.js";
export { GloveError } from "../src/values/error.js";
export { type AiSdkCallOptions, type AiSdkModel, fromAiSdkModel } from "./ai-sdk/model.js";
export type { ChatHandler, ChatHandlerConfig, ChatHandlerLimits, ChatHandlerOptions } from "./config.js";
export type { FileReference, ResolvedFile, ResolveFile } from "./files/resolve.js";
export { mcpAppPage } from "./mcp/app-page.js";
export type { McpTokenStore, McpUpstream, McpUpstreamAuth } from "./mcp/mcp-upstream.js";
export { type AnswerBuffer, createMemoryBuffer, type MemoryBufferOptions } from "./resume/answer-buffer.js";
export type { Tracer, TraceSpan } from "./traces.js";

const core = /* @__PURE__ */ openProviders(() => unpack(bytes));

/**
 * A handler for `POST` that stands between clients and a model provider: `createEndpointModel` and the clients of
 * `glove-react` understand what it streams. Takes a Fetch API request: Next route handlers, Workers, Deno, Bun, Node.
 */
export function createChatHandler<P extends string, T extends ToolConfig = ToolConfig>(
  config: ChatHandlerOptions<P, T>,
): ChatHandler<T> {
  return chatHandler(core, config as ChatHandlerConfig) as ChatHandler<T>;
}
