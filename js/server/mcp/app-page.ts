// The page that apps of MCP servers are drawn in, where a page's own policy would stand above theirs.

import { appPageText } from "../../mcp/apps/page-text.js";

/**
 * Answers a GET at the address that `createMcpApps({ page })` names. What is drawn in it has no origin, so it may be at the application's own
 * address; this answer must not get the application's Content-Security-Policy.
 */
export function mcpAppPage(): Response {
  return new Response(appPageText, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      // Also for whoever opens it by itself.
      "content-security-policy": "sandbox allow-scripts allow-forms",
      "cache-control": "public, max-age=3600",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    },
  });
}
