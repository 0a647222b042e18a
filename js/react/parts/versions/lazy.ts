// The parts of `index.ts`, which are loaded when the first of them is shown.
import { Loader } from "../../look/loader.js";

const versions = /* @__PURE__ */ new Loader(() => import("./index.js"));

/** An edit makes a version. */
export const loadVersions = versions.load;

export const BranchPicker = /* @__PURE__ */ versions.component("BranchPicker");
export const Sources = /* @__PURE__ */ versions.component("Sources");
