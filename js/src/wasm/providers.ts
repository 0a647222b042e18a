// The wasm file that asks model providers: for chat handlers, and for pages whose people bring a key of their own.
import { openerOf, type Started } from "./core.js";
import * as glue from "./generated/glove_providers.js";

export type Relay = InstanceType<(typeof glue)["CoreRelay"]>;
export type Providers = Started<typeof glue>;

export const openProviders = /* @__PURE__ */ openerOf(glue);

export const { guard } = glue;
