// The same frame for code that uses tasks, whose file is large.
import * as tasks from "glove-wasm/tasks";
import { begin } from "./begin.js";
import { modules } from "./modules.js";

// They throw in a frame without an origin, and there is no other tab that could hold one.
Object.defineProperty(navigator, "locks", { value: undefined });

modules["glove-wasm/tasks"] = tasks;
begin();
