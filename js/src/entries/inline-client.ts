// The client of the entry with the wasm file inside. In a module of its own: bundlers keep every class of a module that extends another.

import type { AnyPlugin } from "../ports/plugin.js";
import type { ToolConfig } from "../ports/tool.js";
import * as client from "../session/client.js";
import { core } from "./inline-core.js";

/** Makes sessions and keeps them; what an application gives to its provider. */
export class GloveClient<
  T extends readonly ToolConfig[] = readonly ToolConfig[],
  P extends readonly AnyPlugin[] = readonly AnyPlugin[],
> extends client.GloveClient<T, P> {
  constructor(config: client.GloveClientConfig<T, P>) {
    super(config, core);
  }
}
