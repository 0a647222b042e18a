// The entry for AG-UI: conversations with agents that speak it, and our sessions for clients that do.

export type { AgUiOptions } from "./agent/agent-model.js";
export type { AgentEvent } from "./agent/event-lines.js";
export { type AgUiHandlerOptions, createAgUiHandler } from "./handler.js";
export { agUiState } from "./serve/client-tools.js";
export { type AgUiSession, createAgUiSession } from "./session.js";
