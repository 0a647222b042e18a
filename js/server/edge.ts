// The same handler for edge runtimes of Vercel's kind, which name a compiled module by the query `?module`.
import file from "../glove_providers_bg.wasm?module";
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
  // Next's own server compiles outside of the sandbox it runs this in: the class of the module is another one of that name.
  if (!(file instanceof WebAssembly.Module)) Object.setPrototypeOf(file, WebAssembly.Module.prototype);
  return chatHandler(core, { wasm: file, ...(config as ChatHandlerConfig) }) as ChatHandler<T>;
}
