// Conformance: messages and counters, which every store has.
import { answer, type Case, equal, holds, message } from "./kit.js";

/** Goes in, and comes out the same, also after a reload. */
function keeps(name: string, given: ReturnType<typeof message>): Case {
  return {
    name: `keeps ${name}`,
    async run(store, { reopen }) {
      await store.appendMessages([given]);
      equal(await store.getMessages(), [given], "messages");
      equal(await (await reopen(store)).getMessages(), [given], "messages after a reload");
    },
  };
}

const call = { tool_name: "lookup", id: "c1", input_args: { city: "Zürich", deep: [{ a: [null, true, 1.5, -0.25, 1e21] }] } };
const result = { status: "success" as const, data: { n: 1 }, message: "ok", renderData: { html: "<b>" }, summary: "one" };
const strange = JSON.parse('{"__proto__":{"admin":true},"constructor":{"prototype":1},"toString":"x","":0}') as object;

export const messageCases: readonly Case[] = [
  { name: "has an identifier", run: async (store) => holds(typeof store.identifier === "string", "identifier is text") },
  { name: "a new session has no messages", run: async (store) => equal(await store.getMessages(), [], "messages") },
  keeps("a plain message", message("Hello")),
  keeps("an empty text", message("")),
  keeps("an answer with calls", answer("", { tool_calls: [call] })),
  keeps("results of tools", message("tool results", { tool_results: [{ tool_name: "lookup", call_id: "c1", result }] })),
  keeps("an aborted result", message("", { tool_results: [{ tool_name: "t", result: { status: "aborted", data: null } }] })),
  keeps("a summary", message("[Conversation summary]", { is_compaction: true })),
  keeps("all optional fields", {
    ...answer("x", { id: "m1", prompt_id: "r1", partial: true, at: 1_700_000_000_000, reasoning_content: "because" }),
    usage: { tokens_in: 1, tokens_out: 2, cost: 0.0001, reasoning_tokens: 3 },
  }),
  keeps("fields that it does not know", message("x", { from_the_future: { a: [1, { b: null }] } })),
  keeps("names that mean something in JavaScript", message("x", { extra: strange })),
  keeps("a name of a field that is `__proto__`", JSON.parse('{"sender":"user","text":"x","__proto__":{"a":1}}')),
  keeps("text of many languages", message("日本語 العربية 👩‍👩‍👧 \u{1F600} e\u0301 \u2028\u2029")),
  keeps("quotes, backslashes and control characters", message('"\\"\\\\\n\r\t\u0000\u001f\u007f "]}{[,:')),
  keeps("half a character", message("\ud83d")),
  keeps("what looks like a key of the database", message("[]", { key: ["x", []], text: "messages" })),
  keeps("an image as base64", message("look", { content: [image("image/png", bytes(100_000))] })),
  keeps("an image with padding", message("look", { content: [image("image/png", bytes(10_000).concat("QQ=="))] })),
  keeps("base64 that is not written as usual", message("look", { content: [image("image/png", bytes(10_000).concat("QR=="))] })),
  keeps("a data URL", message(`data:image/png;base64,${bytes(50_000)}`)),
  keeps(
    "the same image twice in one message",
    message("look", { content: [image("a/b", bytes(9000)), image("c/d", bytes(9000))] }),
  ),
  keeps("a megabyte of text", message("x€".repeat(500_000))),
  keeps("deep values", message("deep", { extra: nested(200) })),
  {
    name: "keeps the order of messages over several writes",
    async run(store) {
      await store.appendMessages([message("1"), answer("2")]);
      await store.appendMessages([message("3")]);
      await store.appendMessages([answer("4"), message("5")]);
      equal((await store.getMessages()).map(({ text }) => text).join(""), "12345", "order");
    },
  },
  {
    name: "writing no messages changes nothing",
    async run(store) {
      await store.appendMessages([message("1")]);
      await store.appendMessages([]);
      equal(await store.getMessages(), [message("1")], "messages");
    },
  },
  {
    name: "equal messages are all kept",
    async run(store) {
      await store.appendMessages([message("same", { id: "a" }), message("same", { id: "a" })]);
      await store.appendMessages([message("same", { id: "a" })]);
      equal((await store.getMessages()).length, 3, "number of messages");
    },
  },
  {
    name: "writes at the same time are all kept, each in one piece, in the order of the calls",
    async run(store) {
      const writes = Array.from({ length: 20 }, (_, at) => [message(`${at}a`), message(`${at}b`)]);
      await Promise.all(writes.map((messages) => store.appendMessages(messages)));
      equal(
        (await store.getMessages()).map(({ text }) => text),
        writes.flat().map(({ text }) => text),
        "texts",
      );
    },
  },
  {
    name: "a large message does not overtake or wait behind a small one",
    async run(store) {
      const large = message("large", { content: [image("image/png", bytes(300_000))] });
      await Promise.all([store.appendMessages([large]), store.appendMessages([message("small")])]);
      equal((await store.getMessages()).map(({ text }) => text).join(), "large,small", "order");
    },
  },
  {
    name: "what was read is the reader's own",
    async run(store) {
      await store.appendMessages([message("kept")]);
      const read = await store.getMessages();
      read.push(message("pushed"));
      equal(await store.getMessages(), [message("kept")], "messages");
    },
  },
  {
    name: "a thousand messages come back in order",
    async run(store) {
      const all = Array.from({ length: 1000 }, (_, at) => message(String(at)));
      for (let at = 0; at < all.length; at += 100) await store.appendMessages(all.slice(at, at + 100));
      equal(await store.getMessages(), all, "messages");
    },
  },
  {
    name: "sessions do not see each other's messages",
    async run(store, { make }) {
      const other = await make();
      await store.appendMessages([message("mine")]);
      await other.appendMessages([message("yours")]);
      equal(await store.getMessages(), [message("mine")], "messages of one");
      equal(await other.getMessages(), [message("yours")], "messages of the other");
    },
  },
  {
    name: "a new session has counted nothing",
    run: async (store) => equal([await store.getTokenCount(), await store.getTurnCount()], [0, 0], "counters"),
  },
  {
    name: "turns are counted one by one",
    async run(store, { reopen }) {
      for (let turn = 0; turn < 3; turn++) await store.incrementTurn();
      equal(await store.getTurnCount(), 3, "turns");
      equal(await (await reopen(store)).getTurnCount(), 3, "turns after a reload");
    },
  },
  {
    name: "turns counted at the same time are all counted",
    async run(store) {
      await Promise.all(Array.from({ length: 20 }, () => store.incrementTurn()));
      equal(await store.getTurnCount(), 20, "turns");
    },
  },
  {
    name: "counting writes no message",
    async run(store) {
      await store.incrementTurn();
      equal(await store.getMessages(), [], "messages");
    },
  },
  {
    name: "resetting the counters keeps the messages",
    needs: ["resetCounters"],
    async run(store) {
      await store.appendMessages([message("kept")]);
      await store.incrementTurn();
      await store.resetCounters?.();
      equal([await store.getTurnCount(), await store.getTokenCount()], [0, 0], "counters");
      equal(await store.getMessages(), [message("kept")], "messages");
    },
  },
];

/** `addTokens` is called with an object, or by applications of older stores with a number. */
export function tokenCases(style: "object" | "number" | "both"): readonly Case[] {
  const count = (tokens_in: number, tokens_out: number) =>
    style === "number" ? tokens_in + tokens_out : { tokens_in, tokens_out };
  const cases: Case[] = [
    {
      name: "tokens add up",
      async run(store, { reopen }) {
        await store.addTokens(count(10, 5));
        await store.addTokens(count(1, 0));
        equal(await store.getTokenCount(), 16, "tokens");
        equal(await (await reopen(store)).getTokenCount(), 16, "tokens after a reload");
      },
    },
    {
      name: "tokens counted at the same time are all counted",
      async run(store) {
        await Promise.all(Array.from({ length: 20 }, () => store.addTokens(count(2, 1))));
        equal(await store.getTokenCount(), 60, "tokens");
      },
    },
    {
      name: "counting no tokens changes nothing",
      async run(store) {
        await store.addTokens(count(0, 0));
        equal(await store.getTokenCount(), 0, "tokens");
      },
    },
  ];
  if (style === "number") return cases;
  cases.push({
    name: "tokens of caches and reasoning are part of the others and not counted again",
    async run(store) {
      await store.addTokens({ tokens_in: 10, tokens_out: 5, cache_read_input_tokens: 8, reasoning_tokens: 3, cost: 0.1 });
      equal(await store.getTokenCount(), 15, "tokens");
    },
  });
  if (style === "object") return cases;
  return [
    ...cases,
    {
      name: "a number of tokens is added as it is, also between objects",
      async run(store) {
        await store.addTokens({ tokens_in: 1, tokens_out: 1 });
        await store.addTokens(7);
        await store.addTokens({ tokens_in: 1, tokens_out: 0 });
        equal(await store.getTokenCount(), 10, "tokens");
      },
    },
  ];
}

function image(media_type: string, data: string) {
  return { type: "image" as const, source: { type: "base64" as const, media_type, data } };
}

/** Base64 of so many characters, without padding. */
function bytes(length: number): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  let [text, seed] = ["", 7];
  while (text.length < length - (length % 4)) {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    text += alphabet[(seed >> 16) & 63];
  }
  return text;
}

function nested(depth: number): unknown {
  let value: unknown = "core";
  for (let at = 0; at < depth; at++) value = at % 2 ? [value] : { inner: value };
  return value;
}
