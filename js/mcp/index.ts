// The entry for servers of the Model Context Protocol.

export type { McpAppsHost } from "./apps/host.js";
export type { McpAuthOptions, McpSignInWay } from "./auth/auth-options.js";
export { createMcpAuth, McpAuth } from "./auth/mcp-auth.js";
export type { McpAllowed, McpLimits, McpSampling, McpSamplingWish, McpServerOptions } from "./options.js";
export { mcpPrompts } from "./prompts.js";
export { McpServer, mcpServer } from "./server.js";
export type {
  McpHints,
  McpLog,
  McpPromptInfo,
  McpResourceContent,
  McpResourceInfo,
  McpRoot,
  McpState,
  McpStatus,
  McpStore,
  McpToolInfo,
} from "./types.js";
