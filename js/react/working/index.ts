// What is drawn while something waits, when the context fills, and where an answer was cut at its limit.

export { AtLimit, ContinueButton, drawn } from "./at-limit.js";
export { ContextMeter } from "./context-meter.js";
export { QueueTools } from "./queue-tools.js";
