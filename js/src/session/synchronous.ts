// For code that cannot wait for the core: an import of this file brings the wasm file with it.

import { file } from "../wasm/inline-file.js";
import { openCore } from "../wasm/sessions.js";
import type { Message } from "../wire/record.js";
import type { RunSettings } from "../wire/run-types.js";
import * as machine from "./run.js";

const core = /* @__PURE__ */ openCore(file);

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

/** The version of the package. */
export function version(): string {
  return core.now().version();
}
