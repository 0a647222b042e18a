// The entry for WebMCP: tools that scripts of a page share with agents by `document.modelContext`.

export type { McpHints, McpStore, McpToolInfo } from "../mcp/types.js";
export { type PageToolsOptions, pageTools } from "./page-tools.js";
export { type PublishOptions, publishTools } from "./publish.js";
