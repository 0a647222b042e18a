// The core that asks providers, and that code without a session asks. Loaded when it is first used.
import { bytes } from "../wasm/generated/glove_providers_bytes.js";
import { unpack } from "../wasm/inline.js";
import { openProviders } from "../wasm/providers.js";
import { providersSource } from "./source.js";

const providers = /* @__PURE__ */ openProviders(() => unpack(bytes));

export const core = () => providers.load(providersSource());
