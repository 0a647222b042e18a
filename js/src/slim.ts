// The entry without the wasm file: the application says where its bytes come from.

import { slimCore } from "./entries/slim-core.js";
import { setProviders } from "./relay/source.js";
import * as machine from "./session/run.js";
import type { WasmSourceNow } from "./wasm/core.js";
import { compileSource, type WasmSource } from "./wasm/source.js";
import type { Message } from "./wire/record.js";
import type { RunSettings } from "./wire/run-types.js";

export * from "./entries/slim-classic.js";
export * from "./entries/slim-client.js";
export * from "./exports.js";
export type { WasmSourceNow } from "./wasm/core.js";
export type { WasmSource } from "./wasm/source.js";

/** The state machine under a session, for programs that drive it themselves. */
export class Run extends machine.Run {
  constructor(settings?: RunSettings, messages?: readonly Message[], snapshot?: string) {
    super(slimCore, settings, messages, snapshot);
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
  await slimCore.load(() => compileSource(source));
}

/** Starts the core at once, from bytes or a compiled module. */
export function initSync(source: WasmSourceNow): void {
  slimCore.now(source);
}

/** The version of the package. */
export function version(): string {
  return slimCore.now().version();
}
