// What can be done with an answer where an application wants it: loaded with the first such answer.
import { Loader } from "../look/loader.js";

export const AnswerTools = /* @__PURE__ */ new Loader(() => import("./answer-tools.js"), true).component("AnswerTools");
