// Stores that were written for one number, as glove's first versions had it, count right without an option.
import { createRemoteStore, GloveClient, type GloveClientConfig, MemoryStore, Observer, type StoreAdapter } from "glove-wasm";
import { createScriptedModel } from "glove-wasm/testing";
import { expect, test, vi } from "vitest";

/** As the reference of glove shows it: messages and counters, and nothing of objects. */
class SeedStore implements StoreAdapter {
  readonly identifier = "s";
  readonly #memory = new MemoryStore("s");
  tokens: unknown = 0;
  turns = 0;
  getMessages = () => this.#memory.getMessages();
  appendMessages: StoreAdapter["appendMessages"] = (messages) => this.#memory.appendMessages(messages);
  getTokenCount = async () => this.tokens as number;
  async addTokens(count: number): Promise<void> {
    (this.tokens as number) += count;
  }
  getTurnCount = async () => this.turns;
  incrementTurn = async () => void this.turns++;
}

async function talk(store: StoreAdapter, config: Partial<GloveClientConfig> = {}): Promise<string[]> {
  const told: string[] = [];
  const record = (type: string, data: { code: string; message: string }) =>
    void (type === "error" && told.push(`${data.code}: ${data.message}`));
  const model = createScriptedModel(["One.", "Two."]);
  const client = new GloveClient({ createModel: () => model, createStore: () => store, subscribers: [{ record }], ...config });
  const session = client.session("s", { systemPrompt: "" });
  await session.sendMessage("Hi");
  await session.sendMessage("Hi");
  client.dispose();
  return told;
}

test.each<[string, (this: SeedStore, count: never) => void]>([
  [
    "count += n",
    function (count) {
      (this.tokens as number) += count;
    },
  ],
  [
    "count = count + Number(n)",
    function (count) {
      this.tokens = (this.tokens as number) + Number(count);
    },
  ],
  [
    "a text of it",
    function (count) {
      this.tokens = (this.tokens as number) + Number.parseInt(`${count}`, 10);
    },
  ],
  [
    "the object of glove 4",
    function (count) {
      const { tokens_in, tokens_out } = count as { tokens_in: number; tokens_out: number };
      this.tokens = (this.tokens as number) + tokens_in + tokens_out;
    },
  ],
])("a store that does `%s` counts right, without a word", async (_, add) => {
  const store = new SeedStore();
  store.addTokens = async (count) => add.call(store, count as never);
  expect(await talk(store)).toEqual([]);
  expect([store.tokens, store.turns]).toEqual([30, 2]);
});

test.each<[string, () => Promise<number>]>([
  ["rejects", () => Promise.reject(new Error("no count"))],
  [
    "throws",
    () => {
      throw new Error("no count");
    },
  ],
  ["does not answer", () => new Promise(() => {})],
])("a store whose `getTokenCount` %s is told of each answer all the same, and keeps nobody waiting", async (_, getTokenCount) => {
  const store = new SeedStore();
  store.getTokenCount = getTokenCount;
  const begun = performance.now();
  expect(await talk(store)).toEqual([]);
  expect([store.tokens, store.turns]).toEqual([30, 2]);
  expect(performance.now() - begun).toBeLessThan(10_000);
});

test("the object has nothing that is stored, copied or sent with it", async () => {
  const store = new SeedStore();
  const seen: object[] = [];
  store.addTokens = async (count) => {
    seen.push(count as unknown as object);
    (store.tokens as number) += count;
  };
  await talk(store);
  const [count = {}] = seen;
  expect(structuredClone(count)).toEqual({ tokens_in: 10, tokens_out: 5 });
  expect(JSON.parse(JSON.stringify(count))).toEqual({ tokens_in: 10, tokens_out: 5 });
  expect(Reflect.ownKeys({ ...count })).toEqual(["tokens_in", "tokens_out"]);
});

/** A server whose counter takes a number, and gets what the page sends as JSON. */
function server(add: (before: unknown, count: unknown) => unknown) {
  const messages = new MemoryStore("s");
  let tokens: unknown = 0;
  const asked = vi.fn(async () => tokens as number);
  const store = createRemoteStore("s", {
    getMessages: () => messages.getMessages(),
    appendMessages: (_, added) => messages.appendMessages(added),
    getTokenCount: asked,
    addTokens: async (_, count) => {
      tokens = add(tokens, JSON.parse(JSON.stringify({ count })).count);
    },
  });
  return { store, asked, count: () => tokens };
}

test.each<[string, (before: unknown, count: unknown) => unknown]>([
  ["the text of an object", (before, count) => `${before}${count}`],
  ["no number", (before, count) => Number(before) + Number(count)],
  ["nothing, as SQL adds a text", (before) => before],
])("a callback that forwards JSON to a server that counts %s is told so, once, by the option's name", async (_, add) => {
  const { store, asked } = server(add);
  const told = await talk(store);
  expect(told).toEqual([
    expect.stringMatching(/^TOKEN_COUNT_WRONG: .* after 15 were added to 0\. .*tokenCounterStyle: "number"/),
  ]);
  expect(asked).toHaveBeenCalledTimes(2);
});

test("with `number` that server counts right, and with `object` nobody looks", async () => {
  const right = server((before, count) => (before as number) + (count as number));
  expect(await talk(right.store, { tokenCounterStyle: "number" })).toEqual([]);
  expect(right.count()).toBe(30);
  const stub = server((before) => before);
  expect(await talk(stub.store, { tokenCounterStyle: "object" })).toEqual([]);
  expect(stub.asked).not.toHaveBeenCalled();
});

test("a remote store with `addTokens` alone knows what it was told", async () => {
  const messages = new MemoryStore("s");
  const sent: unknown[] = [];
  const store = createRemoteStore("s", {
    getMessages: () => messages.getMessages(),
    appendMessages: (_, added) => messages.appendMessages(added),
    addTokens: async (_, count) => sent.push(count.tokens_in),
  });
  expect(await talk(store)).toEqual([]);
  expect(sent).toEqual([10, 10]);
  expect(await store.getTokenCount()).toBe(30);
});

test("an observer alone counts in such a store too", async () => {
  const store = new SeedStore();
  const observer = new Observer(store, {} as never, {} as never, "");
  await observer.addTokensConsumed(5);
  await observer.addTokensConsumed({ tokens_in: 2, tokens_out: 1 });
  expect(await observer.getCurrentTokenConsumption()).toBe(8);
});
