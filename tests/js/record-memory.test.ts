// What a long conversation takes of the core's memory, beside the JSON of its messages. A file of its own: room that other sessions
// have left would be used first.
import { GloveClient, MemoryStore } from "glove-wasm";
import { expect, test } from "vitest";

const { guard } = (await import(
  new URL("../../pkg/src/wasm/sessions.js", import.meta.url).href
)) as typeof import("../../js/src/wasm/sessions.js");

const words = "The quick brown fox jumps over the lazy dog. ".repeat(4);
const model = {
  name: "none",
  setSystemPrompt() {},
  prompt: async () => ({ messages: [{ sender: "agent" as const, text: words }], tokens_in: 1, tokens_out: 1 }),
};

test("a thousand turns take little more than twice their JSON of the core's memory", async () => {
  const client = new GloveClient({ createModel: () => model, createStore: (id) => new MemoryStore(id), systemPrompt: "" });
  const first = client.session("first");
  await first.sendMessage(words);
  first.dispose();
  const before = guard.memoryBytes();
  const session = client.session("long");
  // A list that doubles has just done so, with 2,048 messages: what it left is still there.
  for (let turn = 0; turn < 1_025; turn++) await session.sendMessage(words);
  const json = JSON.stringify(await session.store.getMessages()).length;
  // It is 1.95, and was 3.4 with the messages themselves in one list.
  expect((guard.memoryBytes() - before) / json).toBeLessThan(2.6);
});
