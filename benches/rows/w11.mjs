// W11: what a session leaves behind, and what a turn costs when there were many.
export const title = "W11 memory and growth";

const sessions = 1_000;
const turns = 2_000;
const words = "The quick brown fox jumps over the lazy dog. ".repeat(4);

async function leftBehind(round) {
  for (let at = 0; at < 100; at++) await round(at);
  const before = await settledHeap();
  for (let at = 100; at < 100 + sessions; at++) await round(at);
  return ((await settledHeap()) - before) / 1e6;
}

/** Garbage is collected in several steps, some of which wait for a task. */
async function settledHeap() {
  for (let at = 0; at < 5; at++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return process.memoryUsage().heapUsed;
}

/** µs of a turn in the first and in the last tenth. */
async function growth(turn) {
  const times = [];
  for (let at = 0; at < turns; at++) {
    const since = performance.now();
    await turn(at);
    times.push((performance.now() - since) * 1000);
  }
  const median = (some) => some.sort((one, other) => one - other)[Math.floor(some.length / 2)];
  const tenth = turns / 10;
  const [first, last] = [median(times.slice(tenth / 2, tenth)), median(times.slice(-tenth))];
  return { "a turn, first tenth, µs": first, "a turn, last tenth, µs": last, "last ÷ first": last / first };
}

const model = () => ({
  name: "none",
  setSystemPrompt() {},
  prompt: async () => ({ messages: [{ sender: "agent", text: words }], tokens_in: 1, tokens_out: 1 }),
});

export const contenders = {
  async ours() {
    const { GloveClient, MemoryStore } = await import("glove-wasm");
    const { guard } = await import("../../pkg/src/wasm/sessions.js");
    const config = { createModel: model, createStore: (id) => new MemoryStore(id), systemPrompt: "" };
    const client = new GloveClient(config);
    const left = await leftBehind(async (at) => {
      const session = client.session(`s${at}`);
      await session.start();
      session.dispose();
    });
    const before = guard.memoryBytes();
    const session = client.session("long");
    const grown = await growth(() => session.sendMessage(words));
    const json = JSON.stringify(await session.store.getMessages()).length;
    return {
      "1,000 sessions disposed, MB": left,
      ...grown,
      "wasm memory ÷ JSON": (guard.memoryBytes() - before) / json,
    };
  },
  async glove() {
    const { Glove, Displaymanager, MemoryStore } = await import("glove-core");
    const agent = (id) =>
      new Glove({
        store: new MemoryStore(id),
        model: model(),
        displayManager: new Displaymanager(),
        systemPrompt: "",
        compaction_config: { compaction_instructions: "", max_turns: 10 },
        serverMode: true,
      }).build();
    const left = await leftBehind(async (at) => void agent(`s${at}`));
    const long = agent("long");
    return { "1,000 sessions disposed, MB": left, ...(await growth(() => long.processRequest(words))) };
  },
  async "AI SDK"() {
    const { Chat } = await import("@ai-sdk/react");
    return { "1,000 sessions disposed, MB": await leftBehind(async (at) => void new Chat({ id: `s${at}` }).messages) };
  },
  async TanStack() {
    const { ChatClient, fetchServerSentEvents } = await import("@tanstack/ai-client");
    const connection = fetchServerSentEvents("/");
    const left = await leftBehind(async (at) => {
      const client = new ChatClient({ id: `s${at}`, connection });
      client.getMessages();
      client.dispose?.();
    });
    return { "1,000 sessions disposed, MB": left };
  },
};
