// The wasm file of pages, inside JavaScript.
import { bytes } from "./generated/glove_wasm_bytes.js";
import { unpack } from "./inline.js";

export const file = () => unpack(bytes);
