// The parts of a list of threads, loaded as one.
export { ThreadListHits, ThreadListNew, ThreadListSearch, ThreadListUndo } from "./built-in.js";
export { ThreadListItems } from "./items.js";
export { LoadedThreadList } from "./thread-list.js";
export { ThreadListTrigger } from "./trigger.js";
