// The core of entries that carry no wasm file: the application says where it is.

import type { Core } from "../ports/core.js";
import { openCore } from "../wasm/sessions.js";
import { noSource } from "../wasm/source.js";

export const slimCore = /* @__PURE__ */ openCore(noSource);

export const core: Core = { opened: async () => slimCore, load: () => slimCore.load() };
