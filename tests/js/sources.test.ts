// Where an answer says that it comes from: kept in its message, shown with its entry, and the same after a reload.
import { GloveClient, MemoryStore, type ModelAdapter } from "glove-wasm";
import { expect, test } from "vitest";

const sources = [{ url: "https://a.example/", title: "A" }, { url: "https://b.example/" }];

test("the sources of an answer are kept with it, shown at its entry, and there again after a reload", async () => {
  const model = {
    name: "own",
    setSystemPrompt() {},
    async prompt() {
      return { messages: [{ sender: "agent", text: "Rome.", sources }], tokens_in: 1, tokens_out: 1 };
    },
  } as unknown as ModelAdapter;
  const store = new MemoryStore("s");
  const open = () => new GloveClient({ createModel: () => model, systemPrompt: "t", createStore: () => store }).session("s");
  const session = open();
  await session.sendMessage("Where?");
  const shown = (one: ReturnType<typeof open>) => one.getSnapshot().timeline.at(-1);
  expect(shown(session)).toMatchObject({ kind: "agent_text", text: "Rome.", sources });
  expect((await store.getMessages()).at(-1)).toMatchObject({ text: "Rome.", sources });
  const again = open();
  await again.messages();
  expect(shown(again)).toMatchObject({ text: "Rome.", sources });
});
