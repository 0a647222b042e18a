// Loads what speaks with apps, which an application may not have installed.

import { GloveError } from "../../src/values/error.js";

export async function loadBridge(): Promise<typeof import("./bridge.js")> {
  try {
    return await import("./bridge.js");
  } catch (cause) {
    const message =
      'Install "@modelcontextprotocol/ext-apps", which glove-wasm/mcp/apps draws apps with; or, if it is installed, check the network and reload the page.';
    throw new GloveError("MCP_CLIENT_MISSING", message, { cause });
  }
}
