// What is seldom asked of stores, and loaded together then: sessions that are exported, imported, or damaged.
export { salvageRows } from "./indexeddb/salvage.js";
export { exported, imported } from "./indexeddb/transfer.js";
export { exportStore, repair, salvageOf } from "./salvage.js";
