// Whoever a test asks is asked through the judge: adapters, handlers and endpoints that are given a `fetch` of the test's own. What
// was refused, and was not meant to be, is the test's failure.
import { afterEach, vi } from "vitest";
import type * as Core from "../../pkg/src/wasm/core.js";
import type * as Glue from "../../pkg/src/wasm/generated/glove_wasm.js";
import type * as Sessions from "../../pkg/src/wasm/sessions.js";
import { watched } from "./for-people.js";
import { judged, leaked, refused } from "./stand-in.js";

type Maker = (...args: never[]) => unknown;

/** `at` is where the options stand that may hold a `fetch`. */
function asking<M extends Maker>(make: M, at: number, host?: string): M {
  const wrapped = (...args: unknown[]) => {
    const options = args[at] as { readonly fetch?: unknown } | null | undefined;
    const fetch = options?.fetch;
    if (typeof fetch === "function") args[at] = { ...options, fetch: judged(fetch as typeof globalThis.fetch, host) };
    return make(...(args as never[]));
  };
  return wrapped as unknown as M;
}

vi.mock("glove-wasm", async (original) => {
  const real = await original<typeof import("glove-wasm")>();
  return {
    ...real,
    createAdapter: asking(real.createAdapter, 0),
    createEndpointModel: asking(real.createEndpointModel, 1, "endpoint"),
  };
});

vi.mock("glove-wasm/server", async (original) => {
  const real = await original<typeof import("glove-wasm/server")>();
  return { ...real, createChatHandler: asking(real.createChatHandler, 0) };
});

// And the core of every session is watched for what no model may read.
vi.mock("../../pkg/src/wasm/sessions.js", async (original) => {
  // Beside what the module declares, the file exports the core's classes and what opens them.
  const real = await original<typeof Sessions & typeof Core & typeof Glue>();
  return { ...real, openCore: real.openerOf({ ...real, CoreSession: watched(real.CoreSession as never, leaked) } as never) };
});

afterEach(() => {
  const found = refused();
  if (found.length)
    throw new Error(
      `A model was sent what a provider would have refused, or what is not for models:\n${[...new Set(found)].join("\n")}`,
    );
});
