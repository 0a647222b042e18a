// The core of the entries that carry it. The wasm file is loaded apart from the code, so that a page draws before it has come.
import { late } from "../error.js";
import { openCore } from "./sessions.js";

export const core = /* @__PURE__ */ openCore(async () => (await late(import("./carried-file.js"))).file());
