// What only some messages need: versions, sources. Loaded with the first of these.

export { Sources } from "../sources.js";
export { BranchPicker } from "./branch-picker.js";
