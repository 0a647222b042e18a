// Loads the official server, which an application may not have installed.

import { GloveError } from "../../src/values/error.js";
import type * as Sdk from "./sdk.js";

export type ServerSdk = typeof Sdk;

export async function loadServerSdk(): Promise<ServerSdk> {
  try {
    return await import("./sdk.js");
  } catch (cause) {
    const message = 'Install "@modelcontextprotocol/server", which glove-wasm/mcp/server answers clients with.';
    throw new GloveError("MCP_SERVER_MISSING", message, { cause });
  }
}
