// The core of tasks, loaded with the first of them.
import { loadPart } from "../src/values/error.js";
import { openTasks } from "../src/wasm/tasks.js";

export const core = /* @__PURE__ */ openTasks(async () => (await loadPart(import("./inline-file.js"))).file());
