// The core's memory never shrinks, so what is let go of has to be used again.
import { GloveClient, MemoryStore, type ToolConfig } from "glove-wasm";
import { createScriptedModel } from "glove-wasm/testing";
import { expect, test } from "vitest";
import { until } from "../support/session.js";

const glue = (await import(new URL("../../pkg/src/wasm/generated/glove_wasm.js", import.meta.url).href)) as {
  initSync(): { memory: WebAssembly.Memory };
};
const size = () => glue.initSync().memory.buffer.byteLength;

/** How much it grows by a thousand rounds, after the first fifty. */
async function growth(round: (at: number) => Promise<void>): Promise<number> {
  for (let at = 0; at < 50; at++) await round(at);
  const before = size();
  for (let at = 50; at < 1050; at++) await round(at);
  return size() - before;
}

const slow = { timeout: 240_000 };

test("a thousand sessions that are made, used and let go of", slow, async () => {
  const text = "word ".repeat(2000);
  const client = new GloveClient({ createModel: () => createScriptedModel([text]), systemPrompt: text });
  const grown = await growth(async (at) => {
    const session = client.session(`s${at}`);
    await session.sendMessage(text);
    await client.deleteSession(session.sessionId);
  });
  expect(grown).toBeLessThan(1_000_000);
});

test("a thousand runs that are stopped in a tool, at a question or in an answer, and opened again", slow, async () => {
  const ask: ToolConfig = {
    name: "ask",
    description: "",
    jsonSchema: { type: "object" },
    do: (_, display) => display.pushAndWait({ input: "?" }),
  };
  const answers = [
    { toolCalls: [{ name: "ask" }] },
    { text: "Never", after: 60_000 },
    { toolCalls: [{ name: "ask" }, { name: "ask" }] },
  ];
  const grown = await growth(async (at) => {
    const model = createScriptedModel(({ messages }) =>
      messages.some(({ text }) => text === "Again") ? "Well." : (answers[at % answers.length] ?? ""),
    );
    const store = new MemoryStore("s");
    const open = () => new GloveClient({ createModel: () => model, tools: [ask], createStore: () => store }).session("s");
    const first = open();
    const going = first.sendMessage("Hi");
    await until(first, ({ slots, run }) => slots.length > 0 || (at % 3 === 1 && run.phase === "model"));
    if (at % 2) {
      first.abort();
      await going;
    }
    first.dispose();
    await going.catch(() => {});
    const second = open();
    await second.start();
    second.abort();
    await second.sendMessage("Again");
    second.dispose();
  });
  expect(grown).toBeLessThan(1_000_000);
});
