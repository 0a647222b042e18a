// The same handler for workerd, which compiles no bytes: there the wasm file is imported as a compiled module.
import file from "../glove_wasm_bg.wasm";
import { openCore } from "../src/wasm/core.js";
import type { ChatHandler, ChatHandlerConfig } from "./config.js";
import { chatHandler } from "./handler.js";

export { GloveError } from "../src/error.js";

const core = /* @__PURE__ */ openCore();

export function createChatHandler(config: ChatHandlerConfig): ChatHandler {
  return chatHandler(core, { wasm: file, ...config });
}
