// The core of the entries that carry it. Its glue and the wasm file are loaded apart from the code, so that a page draws before they have come.

import type { Core } from "../ports/core.js";
import { loadPart } from "../values/error.js";

let coming: Promise<typeof import("../wasm/inline-file.js")> | undefined;

/** Whoever asks for it while it is on its way hears the same of it. */
function file(): Promise<typeof import("../wasm/inline-file.js")> {
  coming ??= loadPart(import("../wasm/inline-file.js")).finally(() => {
    coming = undefined;
  });
  return coming;
}

const opened = async () => {
  const { openCore } = await loadPart(import("../core/session-chunk.js"));
  return openCore(async () => (await file()).file());
};

export const core: Core = {
  opened,
  ahead: () => void file().catch(() => {}),
  async load() {
    core.ahead?.();
    return (await opened()).load();
  },
};
