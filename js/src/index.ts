// The package's default entry: everything, with the wasm file inside.
import { core } from "./entries/inline-core.js";

export * from "./entries/inline-classic.js";
export * from "./entries/inline-client.js";
export * from "./exports.js";
export * from "./session/synchronous.js";

/** Starts the core ahead of its first use. Never needed: whatever uses the core starts it. */
export async function init(): Promise<void> {
  await core.load();
}
