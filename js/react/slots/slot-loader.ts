// Slots are drawn by what is loaded when the page is idle, or with the first of them.
import { Loader } from "../look/loader.js";

export const slotParts = /* @__PURE__ */ new Loader(() => import("./slot-parts.js"));
