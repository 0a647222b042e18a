// W7: ten thousand stored messages until they can be listed.
export const title = "W7 10,000 stored messages until they can be listed";

const count = 10_000;
const words = "The quick brown fox jumps over the lazy dog, again and again. ".repeat(4);
const texts = Array.from({ length: count }, (_, at) => `${at} ${words}`);

/** The median of some runs after one that is not counted. */
async function timed(work, runs = 5) {
  const times = [];
  for (let at = 0; at <= runs; at++) {
    globalThis.gc?.();
    const since = performance.now();
    if ((await work()) !== count) throw new Error("not every message was listed");
    if (at > 0) times.push(performance.now() - since);
  }
  return { "to the list, ms": times.sort((one, other) => one - other)[Math.floor(times.length / 2)] };
}

const gloveMessages = () => texts.map((text, at) => ({ sender: at % 2 ? "agent" : "user", text }));
const uiMessages = () =>
  texts.map((text, at) => ({
    id: `m${at}`,
    role: at % 2 ? "assistant" : "user",
    parts: [{ type: "text", text, content: text }],
  }));

export const contenders = {
  async bare() {
    const stored = JSON.stringify(gloveMessages());
    return timed(() => JSON.parse(stored).length);
  },
  async ours() {
    const { GloveClient, MemoryStore } = await import("glove-wasm");
    const store = new MemoryStore("s");
    await store.appendMessages(gloveMessages());
    return timed(async () => {
      const client = new GloveClient({ endpoint: "/", createStore: () => store, systemPrompt: "" });
      const session = client.session("s");
      await session.start();
      const { length } = session.getSnapshot().timeline;
      session.dispose();
      return length;
    });
  },
  async "AI SDK"() {
    const { Chat } = await import("@ai-sdk/react");
    const stored = JSON.stringify(uiMessages());
    return timed(() => new Chat({ messages: JSON.parse(stored) }).messages.length);
  },
  async TanStack() {
    const { ChatClient, fetchServerSentEvents } = await import("@tanstack/ai-client");
    const stored = JSON.stringify(uiMessages());
    return timed(() => {
      const client = new ChatClient({ connection: fetchServerSentEvents("/"), initialMessages: JSON.parse(stored) });
      return client.getMessages().length;
    });
  },
};
