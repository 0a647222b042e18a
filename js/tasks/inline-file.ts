// The wasm file of tasks, inside JavaScript: loaded with the first task.
import { bytes } from "../src/wasm/generated/glove_tasks_bytes.js";
import { unpack } from "../src/wasm/inline.js";

export const file = () => unpack(bytes);
