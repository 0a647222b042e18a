// The signals of what the page does for the core: they fire while the work goes on, and leave nothing behind it.
import { getEventListeners } from "node:events";
import { createEndpointModel, createRemoteModel, type ModelAdapter } from "glove-wasm";
import { breakCore } from "glove-wasm/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { scene } from "../support/session.js";

/** All signals that were made. */
let made: AbortSignal[];
const { any } = AbortSignal;
beforeEach(() => {
  made = [];
  // As in browsers that are some years old.
  Object.assign(AbortSignal, { any: undefined });
  class Recorded extends AbortController {
    constructor() {
      super();
      made.push(this.signal);
    }
  }
  vi.stubGlobal("AbortController", Recorded);
});
afterEach(() => {
  Object.assign(AbortSignal, { any });
  vi.unstubAllGlobals();
});

const rounds = 20;
/** Each answer with a call is followed by one without. */
const answer = (asked: number) =>
  asked % 2 === 0
    ? { sender: "agent" as const, text: "", tool_calls: [{ tool_name: "look", input_args: {}, id: `c${asked}` }] }
    : { sender: "agent" as const, text: "Done." };

const given: AbortSignal[] = [];
const usage = { tokens_in: 1, tokens_out: 1 };
const models: Record<string, () => ModelAdapter> = {
  "an endpoint": () => {
    let asked = 0;
    const fetch = async (_: string, { signal }: RequestInit) => {
      given.push(signal as AbortSignal);
      return new Response(`data: ${JSON.stringify({ type: "done", message: answer(asked++), ...usage })}\n\n`);
    };
    return createEndpointModel("/x", { fetch });
  },
  "a model of the page": () => {
    let asked = 0;
    return createRemoteModel("mine", {
      prompt: async (_, signal) => {
        given.push(signal as AbortSignal);
        return { message: answer(asked++), ...usage };
      },
    });
  },
};

test.each(Object.entries(models))(
  "without AbortSignal.any, requests to %s leave no listener and no work behind",
  async (_, model) => {
    given.length = 0;
    const look = {
      name: "look",
      description: "",
      jsonSchema: { type: "object" },
      do: (_: unknown, _display: unknown, _agent?: unknown, signal?: AbortSignal) => {
        if (signal) given.push(signal);
        return "seen";
      },
    };
    const { session } = scene([], { createModel: model, tools: [look] });
    for (let round = 0; round < rounds; round++) expect(await session.sendMessage("Hi")).toMatchObject({ text: "Done." });
    await new Promise((resolve) => setTimeout(resolve, 20));
    const listeners = made.map((signal) => getEventListeners(signal, "abort").length);
    expect(Math.max(...listeners)).toBeLessThan(rounds / 2);
    expect(given.length).toBe(3 * rounds);
    // What has ended is not stopped any more.
    breakCore();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(given.filter(({ aborted }) => aborted)).toEqual([]);
  },
);
