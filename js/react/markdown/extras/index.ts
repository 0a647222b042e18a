// What can be done with tables and code of an answer, and marks that lead to its sources.

export { Cited } from "./cited.js";
export { CodeTools } from "./code-tools.js";
export { SortButton, sorted, TableTools } from "./table-tools.js";
