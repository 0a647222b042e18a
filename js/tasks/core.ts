// The core of tasks, loaded with the first of them.
import { late } from "../src/values/error.js";
import { openTasks } from "../src/wasm/tasks.js";

export const core = /* @__PURE__ */ openTasks(async () => (await late(import("./inline-file.js"))).file());
