"use client";
// The entry for apps of MCP servers in a chat.
export { createMcpApps, McpApps, type McpAppsOptions } from "./mcp-apps.js";
