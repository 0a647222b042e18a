// The wasm file of tasks: the machine over runs, its driver, and the sessions of steps.
import { type Loaded, openerOf } from "./core.js";
import {
  __wbg_reset_state,
  CoreTask,
  clientPath,
  exportedPaths,
  guard,
  initSync,
  skillOf,
  workspacePath,
} from "./generated/glove_tasks.js";

const glue = { __wbg_reset_state, CoreTask, clientPath, exportedPaths, guard, initSync, skillOf, workspacePath };

export type TasksCore = Loaded<typeof glue>;

export const openTasks = /* @__PURE__ */ openerOf(glue);

export { type CoreTask, guard };
