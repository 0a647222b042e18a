// The builder and the loop of the entry with the wasm file inside.
import * as loop from "../classic/agent.js";
import * as calls from "../classic/executor.js";
import * as glove from "../classic/glove.js";
import type { StoreAdapter } from "../ports/store.js";
import { core } from "./inline-core.js";

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
