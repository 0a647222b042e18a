// The wasm file of pages: sessions, and the protocol of endpoints.
import { openerOf, type Started } from "./core.js";
import * as glue from "./generated/glove_wasm.js";

export type Exports = typeof glue;
export type Core = Started<Exports>;

export const openCore = /* @__PURE__ */ openerOf(glue);

export const { guard } = glue;
