// The entry for applications that are MCP servers themselves: their tools for clients such as an editor, with the same approvals.

export { createMcpHandler } from "./handler.js";
export type { McpHandlerLimits, McpHandlerOptions, OfferedAgent, OfferedTool } from "./options.js";
