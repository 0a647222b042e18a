// What a round of the loop costs that does not depend on the machine: texts that cross, steps that are stored, promises, signals, timers.
import { promiseHooks } from "node:v8";
import { GloveClient, MemoryStore, type ModelAdapter } from "glove-wasm";
import { expect, test } from "vitest";

interface Counts {
  /** Texts that come out of the core and are longer than an id or a name, which need no decoder. */
  texts: number;
  /** Letters in them. */
  letters: number;
  parsed: number;
  steps: number;
  promises: number;
  controllers: number;
  timers: number;
}

/** Calls the tool once in each of so many rounds, and then answers. */
function model(rounds: number): ModelAdapter {
  let n = 0;
  return {
    name: "counting",
    setSystemPrompt() {},
    async prompt() {
      const calls = [{ tool_name: "double", input_args: { n: ++n }, id: `c${n}` }];
      const message = n > rounds ? { text: "Done." } : { text: "", tool_calls: calls };
      return { messages: [{ sender: "agent", ...message }], tokens_in: 1, tokens_out: 1 };
    },
  };
}

async function counted(rounds: number): Promise<Counts> {
  const counts: Counts = { texts: 0, letters: 0, parsed: 0, steps: 0, promises: 0, controllers: 0, timers: 0 };
  class Counting extends MemoryStore {
    override appendStepText(...step: Parameters<MemoryStore["appendStepText"]>) {
      counts.steps++;
      return super.appendStepText(...step);
    }
  }
  const client = new GloveClient({
    createModel: () => model(rounds),
    createStore: (id) => new Counting(id),
    systemPrompt: "",
    limits: { turns: 1000 },
    tools: [
      {
        name: "double",
        description: "Doubles a number.",
        jsonSchema: { type: "object", properties: { n: { type: "number" } } },
        do: async ({ n }: { n: number }) => ({ status: "success", data: n * 2 }),
      },
    ],
  });
  const session = client.session("s");
  await session.start();
  const { decode } = TextDecoder.prototype;
  const { parse } = JSON;
  const { AbortController, setInterval, setTimeout } = globalThis;
  TextDecoder.prototype.decode = function (...args) {
    const text = decode.apply(this, args);
    counts.texts++;
    counts.letters += text.length;
    return text;
  };
  JSON.parse = (...args) => {
    counts.parsed++;
    return parse(...args);
  };
  globalThis.AbortController = class extends AbortController {
    constructor() {
      super();
      counts.controllers++;
    }
  };
  const counting = <F extends (...given: never[]) => unknown>(begin: F): F =>
    ((...given: Parameters<F>) => {
      counts.timers++;
      return begin(...given);
    }) as F;
  Object.assign(globalThis, { setInterval: counting(setInterval), setTimeout: counting(setTimeout) });
  const uncounted = promiseHooks.onInit(() => counts.promises++);
  try {
    expect(await session.sendMessage("Go")).toMatchObject({ type: "completed", text: "Done." });
  } finally {
    TextDecoder.prototype.decode = decode;
    JSON.parse = parse;
    Object.assign(globalThis, { AbortController, setInterval, setTimeout });
    uncounted();
  }
  session.dispose();
  return counts;
}

test("what a round costs is what it was, however many were before it", async () => {
  // What is loaded with the first tool is text too.
  await counted(1);
  const [few, many, more] = [await counted(10), await counted(30), await counted(130)];
  const each = (from: Counts, to: Counts, rounds: number) => ({
    texts: (to.texts - from.texts) / rounds,
    letters: (to.letters - from.letters) / rounds,
    parsed: (to.parsed - from.parsed) / rounds,
    steps: (to.steps - from.steps) / rounds,
    promises: (to.promises - from.promises) / rounds,
    controllers: (to.controllers - from.controllers) / rounds,
    timers: (to.timers - from.timers) / rounds,
  });
  const [first, last] = [each(few, many, 20), each(many, more, 100)];
  expect(last.steps).toBe(2);
  expect(last.texts).toBeLessThan(6);
  expect(last.parsed).toBeLessThan(10);
  expect(last.promises).toBeLessThan(165);
  expect(last.controllers).toBeLessThan(2.5);
  expect(last.timers).toBeLessThan(1.5);
  expect(last.letters).toBeLessThan(5_400);
  expect(last.letters / first.letters).toBeLessThan(1.1);
});
