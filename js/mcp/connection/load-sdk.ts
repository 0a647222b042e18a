// Loads the official client, which an application may not have installed.

import { GloveError } from "../../src/values/error.js";
import type { SdkModule } from "./errors.js";

export async function loadSdk(): Promise<SdkModule> {
  try {
    return await import("./sdk.js");
  } catch (cause) {
    const message =
      'Install "@modelcontextprotocol/client", which glove-wasm/mcp connects to servers with; or, if it is installed, check the network and reload the page.';
    throw new GloveError("MCP_CLIENT_MISSING", message, { cause });
  }
}
