// The entry without the wasm file: the application says where its bytes come from.

import * as loop from "./classic/agent.js";
import * as calls from "./classic/executor.js";
import * as glove from "./classic/glove.js";
import { setProviders } from "./relay/source.js";
import * as client from "./session/client.js";
import * as machine from "./session/run.js";
import type { StoreAdapter } from "./store/adapter.js";
import type { ToolConfig } from "./tools/tool.js";
import type { WasmSourceNow } from "./wasm/core.js";
import { openCore } from "./wasm/sessions.js";
import { compileSource, noSource, type WasmSource } from "./wasm/source.js";
import type { Message } from "./wire/record.js";
import type { RunSettings } from "./wire/run-types.js";

export * from "./exports.js";
export type { WasmSourceNow } from "./wasm/core.js";
export type { WasmSource } from "./wasm/source.js";

const core = /* @__PURE__ */ openCore(noSource);

/** Makes sessions and keeps them; what an application gives to its provider. */
export class GloveClient<T extends readonly ToolConfig[] = readonly ToolConfig[]> extends client.GloveClient<T> {
  constructor(config: client.GloveClientConfig<T>) {
    super(config, core);
  }
}

/** The builder of agents: fold tools in, build, ask. */
export class Glove extends glove.Glove {
  constructor(config: glove.GloveConfig) {
    super(config, core);
  }
}

/** The loop alone, over an executor and a prompt machine of your own. */
export class Agent extends loop.Agent {
  constructor(...parts: loop.AgentParts) {
    super(core, ...parts);
  }
}

/** Runs calls one after another, each with exactly one result, in their order. */
export class Executor extends calls.Executor {
  /** `MAX_RETRIES` holds for tools that are `idempotent`; a tool that may have done something is not run twice. */
  constructor(MAX_RETRIES?: number, store?: StoreAdapter) {
    super(core, MAX_RETRIES, store);
  }
}

/** The state machine under a session, for programs that drive it themselves. */
export class Run extends machine.Run {
  constructor(settings?: RunSettings, messages?: readonly Message[], snapshot?: string) {
    super(core, settings, messages, snapshot);
  }

  /** The run that `snapshot()` gave. */
  static restore(snapshot: string): Run {
    return new Run(undefined, undefined, snapshot);
  }
}

/**
 * Starts the core from a URL, a Response, bytes or a compiled module. Comes before the first use. `providers` is the second
 * wasm file (`glove-wasm/wasm/providers`), for `createAdapter` where bytes cannot be compiled; elsewhere it comes by itself.
 */
export async function init(
  source: WasmSource | Promise<WasmSource>,
  providers?: WasmSource | Promise<WasmSource>,
): Promise<void> {
  setProviders(providers === undefined ? undefined : () => compileSource(providers));
  await core.load(() => compileSource(source));
}

/** Starts the core at once, from bytes or a compiled module. */
export function initSync(source: WasmSourceNow): void {
  core.now(source);
}

/** The version of the package. */
export function version(): string {
  return core.now().version();
}
