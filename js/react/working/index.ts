// What is drawn while something waits, when the context fills, and where an answer was cut at its limit.

export { withContinued } from "../../src/messages/continued.js";
export { AtLimit, ContinueButton } from "./at-limit.js";
export { ContextMeter } from "./context-meter.js";
export { QueueTools } from "./queue-tools.js";
