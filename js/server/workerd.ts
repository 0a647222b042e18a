// The same handler for workerd, which compiles no bytes: there the wasm file is imported as a compiled module.
import file from "../glove_providers_bg.wasm";
import type { ToolConfig } from "../src/ports/tool.js";
import { openProviders } from "../src/wasm/providers.js";
import { noSource } from "../src/wasm/source.js";
import type { ChatHandler, ChatHandlerConfig, ChatHandlerOptions } from "./config.js";
import { chatHandler } from "./handler.js";

export { defineMiddleware } from "../src/ports/middleware/middleware.js";
export { GloveError } from "../src/values/error.js";
export { fromAiSdkModel } from "./ai-sdk/model.js";
export { createMemoryBuffer } from "./resume/answer-buffer.js";

const core = /* @__PURE__ */ openProviders(noSource);

export function createChatHandler<P extends string, T extends ToolConfig = ToolConfig>(
  config: ChatHandlerOptions<P, T>,
): ChatHandler<T> {
  return chatHandler(core, { wasm: file, ...(config as ChatHandlerConfig) }) as ChatHandler<T>;
}
