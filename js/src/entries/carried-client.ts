// The client of the entry with the wasm file inside. In a module of its own: bundlers keep every class of a module that extends another.
import * as client from "../session/client.js";
import type { ToolConfig } from "../tools/tool.js";
import { core } from "../wasm/carried.js";

/** Makes sessions and keeps them; what an application gives to its provider. */
export class GloveClient<T extends readonly ToolConfig[] = readonly ToolConfig[]> extends client.GloveClient<T> {
  constructor(config: client.GloveClientConfig<T>) {
    super(config, core);
  }
}
