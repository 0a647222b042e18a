// Titles that a model gives new conversations: when it is asked, what wins over it, and that the chat notices nothing.
import {
  defineTool,
  GloveClient,
  type GloveClientConfig,
  generateTitles,
  MemoryStore,
  type SessionCatalog,
  type SubscriberAdapter,
} from "glove-wasm";
import { createScriptedModel, type ScriptedAnswer, type ScriptedModel } from "glove-wasm/testing";
import { expect, test, vi } from "vitest";
import { z } from "zod";

const { titleIn } = (await import(
  new URL("../../pkg/src/threads/titles.js", import.meta.url).href
)) as typeof import("../../js/src/threads/titles.js");
const { threadsOf } = (await import(
  new URL("../../pkg/src/threads/thread-store.js", import.meta.url).href
)) as typeof import("../../js/src/threads/thread-store.js");

/** A client, the model of its conversations, the one of titles, and what subscribers heard. */
function setUp(
  titles: readonly ScriptedAnswer[],
  config: Partial<GloveClientConfig> = {},
  script: readonly ScriptedAnswer[] = ["Hello.", "Again."],
) {
  const model = createScriptedModel(script);
  const titler = createScriptedModel(titles);
  const heard: [string, { code?: string; message?: string }][] = [];
  const subscriber: SubscriberAdapter = { record: (type, data) => void heard.push([type, data]) };
  const client = new GloveClient({ createModel: () => model, systemPrompt: "", subscribers: [subscriber], ...config });
  const end = generateTitles(client, { model: titler });
  const titleOf = async (id: string) => (await client.sessions()).find((session) => session.id === id)?.title;
  const failures = () => heard.filter(([type]) => type === "error").map(([, { code }]) => code);
  return { client, model, titler, titleOf, failures, heard, end };
}

const asked = (titler: ScriptedModel, count = 1) => vi.waitFor(() => expect(titler.calls).toHaveLength(count));
const moment = () => new Promise((later) => setTimeout(later, 50));

test("a new conversation is named once, by what was asked and answered first", async () => {
  const { client, titler, titleOf, failures } = setUp(["**Title: Fares to Rome.**\n\nI chose it because"]);
  const session = client.session("a");
  await session.sendMessage("What does a train to Rome cost?");
  await vi.waitFor(async () => expect(await titleOf("a")).toBe("Fares to Rome"));
  const [call] = titler.calls;
  expect(JSON.stringify(call?.messages)).toContain("What does a train to Rome cost?");
  expect(JSON.stringify(call?.messages)).toContain("Hello.");
  expect(call?.tools).toEqual([]);
  await session.sendMessage("And to Oslo?");
  await expect.poll(() => titleOf("a")).toBe("Fares to Rome");
  expect(titler.calls).toHaveLength(1);
  expect(session.getSnapshot().timeline.map(({ kind }) => kind)).toEqual(["user", "agent_text", "user", "agent_text"]);
  expect(failures()).toEqual([]);
});

test("the model of the conversation is asked where there is no other, and keeps its own system prompt", async () => {
  const model = createScriptedModel(["Hello.", "Trains", "Again."]);
  const client = new GloveClient({ createModel: () => model, systemPrompt: "You sell tickets." });
  generateTitles(client);
  await client.session("a").sendMessage("Hi");
  await asked(model, 2);
  await client.session("a").sendMessage("More");
  expect(model.calls.map(({ systemPrompt }) => systemPrompt.includes("You sell tickets."))).toEqual([true, false, true]);
  expect(await client.sessions()).toMatchObject([{ id: "a", title: "Trains" }]);
});

test("the chat does not wait for the title: the next message is answered meanwhile", async () => {
  let give = () => {};
  const until = new Promise<void>((resolve) => {
    give = resolve;
  });
  const { client, titler, titleOf } = setUp([{ text: "Late", until }]);
  const session = client.session("a");
  await session.sendMessage("One");
  expect(session.getSnapshot().busy).toBe(false);
  await asked(titler);
  await session.sendMessage("Two");
  expect(session.getSnapshot().timeline).toHaveLength(4);
  expect(await titleOf("a")).toBe("One");
  give();
  await vi.waitFor(async () => expect(await titleOf("a")).toBe("Late"));
});

test("the name that a person gives wins, before the model was asked and while it answers", async () => {
  let give = () => {};
  const until = new Promise<void>((resolve) => {
    give = resolve;
  });
  const { client, titler, titleOf } = setUp([{ text: "By the model", until }, "By the model"]);
  await client.session("a").sendMessage("One");
  await asked(titler);
  await client.renameSession("a", "Mine");
  give();
  await moment();
  expect(await titleOf("a")).toBe("Mine");
  // Also where the person wants the first words back.
  await client.renameSession("a", "");
  await client.session("a").sendMessage("Two");
  await moment();
  expect(await titleOf("a")).toBe("One");
  expect(titler.calls).toHaveLength(1);

  const early = setUp(["By the model"], {}, [{ text: "Hello.", after: 300 }]);
  const sending = early.client.session("b").sendMessage("One");
  await vi.waitFor(() => early.client.renameSession("b", "Mine"));
  await sending;
  await moment();
  expect(await early.titleOf("b")).toBe("Mine");
  expect(early.titler.calls).toHaveLength(0);
});

test.each<[string, ScriptedAnswer]>([
  ["a model that fails", { fail: "no" }],
  ["an answer without a title", "  \n"],
  ["thoughts alone", "<think>The user wants"],
])("%s leaves the first words, tells subscribers, and is not asked again", async (_, answer) => {
  const { client, titler, titleOf, failures } = setUp([answer, "Second"]);
  const session = client.session("a");
  await session.sendMessage("One");
  await vi.waitFor(() => expect(failures()).toEqual(["TITLE_FAILED"]));
  await session.sendMessage("Two");
  await moment();
  expect(await titleOf("a")).toBe("One");
  expect(session.getSnapshot()).toMatchObject({ error: undefined, busy: false });
  expect(titler.calls).toHaveLength(1);
});

test("where nobody listens a title that does not come says nothing", async () => {
  const said = [vi.spyOn(console, "error"), vi.spyOn(console, "warn")];
  const { client, titler, titleOf } = setUp(["\n"], { subscribers: [] });
  await client.session("a").sendMessage("One");
  await asked(titler);
  await moment();
  expect(await titleOf("a")).toBe("One");
  for (const spy of said) expect(spy).not.toHaveBeenCalled();
});

test("only the first answer asks: a stopped one does not, an older conversation does not, nor one of an agent", async () => {
  const { client, titler, titleOf } = setUp(["Named", "No"], {}, [
    { text: "Half", until: new Promise(() => {}) },
    "Whole",
    "More",
  ]);
  const session = client.session("a");
  const stopped = session.sendMessage("One");
  await vi.waitFor(() => expect(session.getSnapshot().run.phase).toBe("model"));
  session.abort();
  await stopped;
  await moment();
  expect(titler.calls).toHaveLength(0);

  const before = new GloveClient({ createModel: () => createScriptedModel(["1", "2"]), systemPrompt: "" });
  await before.session("old").sendMessage("One");
  await before.session("old").sendMessage("Two");
  await client.importSession(await before.exportSession("old"));
  await client.session("old").sendMessage("Three");
  await moment();
  expect(titler.calls).toHaveLength(0);
  expect(await titleOf("old")).toBe("One");
});

test("what asking took is told to subscribers and stands in the list of nobody's messages", async () => {
  const { client, titler, heard } = setUp([{ text: "Named", usage: { tokens_in: 7, tokens_out: 3 } }]);
  await client.session("a").sendMessage("One");
  await asked(titler);
  const counted = () => heard.filter(([type]) => type === "token_consumption").map(([, data]) => data);
  await vi.waitFor(() =>
    expect(counted()).toContainEqual({ consumption: expect.objectContaining({ tokens_in: 7, tokens_out: 3 }) }),
  );
  expect(await client.sessions()).toMatchObject([{ id: "a", messageCount: 2 }]);
});

test("a model that calls a tool gives no title: nothing runs, and nobody is asked for more", async () => {
  let ran = 0;
  const tool = defineTool({ name: "rm", description: "Removes.", inputSchema: z.object({}), do: () => `${++ran}` });
  const called = [{ text: "Files", toolCalls: [{ name: "rm", input: {} }] }, "Named"];
  const { client, titler, titleOf, failures } = setUp(called, { tools: [tool], budgets: { turns: 1, ask: true } });
  await client.session("a").sendMessage("One");
  await vi.waitFor(() => expect(failures()).toEqual(["TITLE_FAILED"]));
  expect(await titleOf("a")).toBe("One");
  expect(titler.calls).toHaveLength(1);
  expect(ran).toBe(0);
});

test.each(["deleted", "put into the trash"])(
  "a conversation that is %s while the model is asked does not come back",
  async (how) => {
    let give = () => {};
    const until = new Promise<void>((resolve) => {
      give = resolve;
    });
    const { client, titler } = setUp([{ text: "Named", until }], { database: { name: how } });
    await client.session("a").sendMessage("One");
    await asked(titler);
    if (how === "deleted") await client.deleteSession("a");
    else await threadsOf(client as never).actions.remove("a");
    give();
    await vi.waitFor(() => expect(client.hasSessions).toBe(how !== "deleted"));
    await moment();
    expect(await client.sessions()).toEqual([]);
  },
);

test("a client that is disposed while the model is asked opens nothing again, and tells of no failure", async () => {
  const { client, titler, failures } = setUp([{ text: "Named", until: new Promise(() => {}) }]);
  await client.session("a").sendMessage("One");
  await asked(titler);
  client.dispose();
  await moment();
  expect(client.hasSessions).toBe(false);
  expect(failures()).toEqual([]);
});

test("the returned function ends it", async () => {
  const { client, titler, end } = setUp(["Named"]);
  const open = client.session("a");
  end();
  await open.sendMessage("One");
  await client.session("b").sendMessage("One");
  await moment();
  expect(titler.calls).toHaveLength(0);
});

test("what is ended leaves nothing at the sessions that stay open", () => {
  const client = new GloveClient({ createModel: () => createScriptedModel([]), systemPrompt: "" });
  const session = client.session("a");
  const add = vi.spyOn(session, "addSubscriber");
  generateTitles(client)();
  const [watcher] = add.mock.calls[0] ?? [];
  const heard = vi.spyOn(watcher as SubscriberAdapter, "record");
  session.tell("request_finished", { request: "r", outcome: "completed" });
  expect(heard).not.toHaveBeenCalled();
});

test("a catalog of the application keeps titles where it can, and is told to where it cannot", async () => {
  const stores = new Map<string, MemoryStore>();
  const given: unknown[] = [];
  const claimed = new Set<string>();
  const none: SessionCatalog = {
    list: async () => [],
    rename: async () => {},
    delete: async () => {},
    export: async () => "",
    import: async () => "",
  };
  const createStore = (id: string) => {
    const store = stores.get(id) ?? new MemoryStore(id);
    stores.set(id, store);
    return store;
  };
  const catalog: SessionCatalog = {
    ...none,
    claimTitle: async (id) => !claimed.has(id) && !!claimed.add(id),
    giveTitle: async (id, title, usage) => void given.push([id, title, usage?.tokens_out]),
  };
  const { client } = setUp([{ text: "Named", usage: { tokens_out: 3 } }], { createStore, catalog });
  await client.session("a").sendMessage("One");
  await vi.waitFor(() => expect(given).toEqual([["a", "Named", 3]]));

  const without = setUp(["Named"], { createStore, catalog: none });
  await without.client.session("b").sendMessage("One");
  await vi.waitFor(() => expect(without.failures()).toEqual(["CATALOG_UNSUPPORTED"]));
  expect(without.titler.calls).toHaveLength(0);
});

test.each([
  ['"Fares to Rome"', "Fares to Rome"],
  ["# Fares to Rome", "Fares to Rome"],
  ["<think>A\nB</think>\n\nFares", "Fares"],
  ["「東京の天気」", "東京の天気"],
  ["Title:\nFares", "Fares"],
  ["Here is a title:\n\n**Fares**", "Fares"],
  ["Fares:", "Fares:"],
  ["```\nFares\n```", "Fares"],
  ["---\nFares", "Fares"],
  ["invoice\u202excod.exe", "invoicexcod.exe"],
  ["\u0000Fares\u0007\u2066 to\u00a0Rome\ud83d", "Fares to Rome"],
  ["\u200b\u2060\n…", undefined],
  ["👨‍👩‍👧 می‌خواهم", "👨‍👩‍👧 می‌خواهم"],
  ["C++ and C#", "C++ and C#"],
  ["", undefined],
])("the title in %j is %j", (text, title) => {
  expect(titleIn(text)).toBe(title);
});

test.each([`a${"*".repeat(300_000)}b`, "# ".repeat(100_000), "a\n".repeat(300_000), "<think>".repeat(50_000)])(
  "an answer of any length is read at once",
  (text) => {
    const begin = performance.now();
    titleIn(text);
    expect(performance.now() - begin).toBeLessThan(1_000);
  },
);

test("a long title is cut between letters", () => {
  const title = titleIn("🚂".repeat(200)) ?? "";
  expect([...title]).toHaveLength(81);
  expect(title).toMatch(/^(🚂)+…$/u);
});

test("options that cannot be are refused", () => {
  const client = new GloveClient({ createModel: () => createScriptedModel([]), systemPrompt: "" });
  expect(() => generateTitles(client, { model: "cheap" as never })).toThrow(/`model` must be a model/);
  expect(() => generateTitles(undefined as never)).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
});
