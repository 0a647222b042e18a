// The list of sessions where there is no database, and what cannot be imported.
import { GloveClient, type GloveClientConfig, MemoryStore, type SessionCatalog } from "glove-wasm";
import { createScriptedModel } from "glove-wasm/testing";
import { expect, test, vi } from "vitest";

const clientOf = (config: Partial<GloveClientConfig> = {}) =>
  new GloveClient({ createModel: () => createScriptedModel(["one", "two"]), ...config });
const pause = () => new Promise((later) => setTimeout(later, 3));

test("sessions in memory are listed, renamed, deleted, exported and imported like others", async () => {
  const client = clientOf();
  await client.session("a").sendMessage("Question a");
  await pause();
  await client.session("b").sendMessage("Question b");
  client.session("never used");
  await client.renameSession("a", "Mine");
  const listed = await client.sessions();
  expect(listed.map(({ id, title, messageCount, unfinished }) => [id, title, messageCount, unfinished])).toEqual([
    ["b", "Question b", 2, false],
    ["a", "Mine", 2, false],
  ]);
  expect(client.session("a").getSnapshot().storage).toBe("memory");

  const json = await client.exportSession("a");
  const open = client.session("a");
  await client.deleteSession("a");
  expect([open.disposed, (await client.sessions()).length]).toEqual([true, 1]);
  expect(await client.importSession(json)).toBe("a");
  expect(await client.importSession(json)).toMatch(/^glove_/);
  await expect(client.importSession(json, { id: "b" })).rejects.toMatchObject({ code: "SESSION_EXISTS" });
  const back = client.session("a");
  await back.sendMessage("more");
  expect((await back.messages()).map(({ text }) => text)).toEqual(["Question a", "one", "more", "one"]);
  expect(await client.sessions()).toContainEqual(expect.objectContaining({ id: "a", title: "Mine", messageCount: 4 }));
});

test("a run is imported where that is asked for, and counted on", async () => {
  const tools = [{ name: "t", description: "", jsonSchema: { type: "object" }, requiresPermission: true, do: () => "done" }];
  const model = () =>
    createScriptedModel(({ messages }) => (messages.at(-1)?.tool_results ? "end" : { toolCalls: [{ name: "t" }] }));
  const client = clientOf({ createModel: model, tools });
  void client.session("a").sendMessage("Hi");
  await vi.waitFor(() => expect(client.session("a").getSnapshot().approvals).toHaveLength(1));
  const [before] = await client.sessions();
  expect(before).toMatchObject({ unfinished: true });
  const json = await client.exportSession("a");
  const going = client.session(await client.importSession(json, { withRun: true }));
  await going.start();
  await vi.waitFor(() => expect(going.getSnapshot().approvals).toHaveLength(1));
  going.approve(going.getSnapshot().approvals[0]?.id ?? "");
  await vi.waitFor(() => expect(going.getSnapshot().timeline.at(-1)).toMatchObject({ text: "end" }));
  const ended = client.session(await client.importSession(json));
  await ended.start();
  expect(ended.getSnapshot()).toMatchObject({ busy: false, approvals: [] });
});

const whole = { format: "glove-session", version: 1, id: "x", messages: [{ sender: "user", text: "Hi" }] };
test.each([
  ["no JSON", "{", "SESSION_IMPORT_INVALID"],
  ["another file", "{}", "SESSION_IMPORT_INVALID"],
  ["a list", "[]", "SESSION_IMPORT_INVALID"],
  ["nothing", "null", "SESSION_IMPORT_INVALID"],
  ["without an id", JSON.stringify({ ...whole, id: "" }), "SESSION_IMPORT_INVALID"],
  [
    "with messages that are none",
    JSON.stringify({ ...whole, messages: [{ sender: "root", text: "Hi" }] }),
    "SESSION_IMPORT_INVALID",
  ],
  ...Object.entries({
    "calls that are no list": { messages: [{ sender: "agent", text: "", tool_calls: 5 }] },
    "a call without a tool": { messages: [{ sender: "agent", text: "", tool_calls: [{ tool_name: 5 }] }] },
    "content that is no list": { messages: [{ sender: "user", text: "", content: "zzz" }] },
    "a result that is none": { messages: [{ sender: "user", text: "", tool_results: [{ tool_name: "t" }] }] },
    "nothing in the inbox": { inbox: [null] },
    "a task without an id": { tasks: [{}] },
    "a record that is none": { records: [1] },
    "a message of endless depth": { messages: [{ ...whole.messages[0], deep: JSON.parse("[".repeat(500) + "]".repeat(500)) }] },
  }).map(([what, wrong]): [string, string, string] => [
    `with ${what}`,
    JSON.stringify({ ...whole, ...wrong }),
    "SESSION_IMPORT_INVALID",
  ]),
  ["with a checkpoint that is no text", JSON.stringify({ ...whole, checkpoint: {} }), "SESSION_IMPORT_INVALID"],
  ["of a newer version", JSON.stringify({ ...whole, version: 2 }), "STORE_NEWER"],
])("an import %s is refused with a code, and nothing changes", async (_, json, code) => {
  const client = clientOf();
  await expect(client.importSession(json)).rejects.toMatchObject({ code });
  expect(await client.sessions()).toEqual([]);
});

test("counters that are no numbers are not counted", async () => {
  const client = clientOf();
  const id = await client.importSession(JSON.stringify({ ...whole, tokens: { tokens_in: "1", tokens_out: {}, cost: 2 } }));
  expect(JSON.parse(await client.exportSession(id)).tokens).toEqual({ tokens_in: 0, tokens_out: 0, cost: 2 });
});

test("the least that can be imported is an id and messages", async () => {
  const client = clientOf();
  expect(await client.importSession(JSON.stringify(whole))).toBe("x");
  expect(await client.sessions()).toMatchObject([{ id: "x", title: "Hi", messageCount: 1, unfinished: false }]);
});

test("sessions that are not there are named", async () => {
  const client = clientOf();
  for (const asked of [client.exportSession("gone"), client.renameSession("gone", "x")]) {
    await expect(asked).rejects.toMatchObject({ code: "SESSION_UNKNOWN", message: expect.stringContaining("gone") });
  }
  await expect(client.deleteSession("gone")).resolves.toBeUndefined();
});

test("the application's own stores are listed by its own catalog", async () => {
  const createStore = (id: string) => new MemoryStore(id);
  await expect(clientOf({ createStore }).sessions()).rejects.toMatchObject({ code: "SESSIONS_NOT_LISTED" });
  const catalog = { list: vi.fn(async () => []) } as unknown as SessionCatalog;
  expect(await clientOf({ createStore, catalog }).sessions()).toEqual([]);
  expect(catalog.list).toHaveBeenCalledOnce();
});

test("a title is one line of the first message that a person wrote", async () => {
  const client = clientOf();
  const store = client.session("a").store;
  await store?.appendMessages([
    { sender: "user", text: "put in by the framework", framework_context: "x" },
    { sender: "agent", text: "Welcome" },
    { sender: "user", text: `  two\n lines ${"and more ".repeat(50)}` },
  ]);
  const [{ title } = { title: "" }] = await client.sessions();
  expect(title).toMatch(/^two lines and more .*…$/);
  expect(title.length).toBeLessThanOrEqual(120);
});

test("a title of letters that take two places each is cut by letters", async () => {
  const client = clientOf();
  await client.session("a").store?.appendMessages([{ sender: "user", text: "🚀".repeat(120) }]);
  await client.session("b").store?.appendMessages([{ sender: "user", text: "🚀".repeat(121) }]);
  const titles = Object.fromEntries((await client.sessions()).map(({ id, title }) => [id, title]));
  expect(titles).toEqual({ a: "🚀".repeat(120), b: `${"🚀".repeat(119)}…` });
});

test("a fork has the title of its source and the next number, as it was named or by its first message", async () => {
  const client = clientOf();
  const titles = async () => Object.fromEntries((await client.sessions()).map(({ id, title }) => [id, title]));
  const fork = async (id: string) => {
    const session = client.session(id);
    await session.start();
    return session.fork(session.getSnapshot().timeline[0]?.id ?? "");
  };
  await client.session("a").sendMessage("Plan a trip");
  const second = await fork("a");
  const third = await fork(second);
  await client.renameSession("a", "Report (2025)");
  const report = await fork("a");
  expect(await titles()).toEqual({
    a: "Report (2025)",
    [second]: "Plan a trip (2)",
    [third]: "Plan a trip (3)",
    [report]: "Report (2025) (2)",
  });
  client.dispose();
});

test("what cannot be listed is forked without a name", async () => {
  const stores = new Map<string, MemoryStore>();
  const createStore = (id: string) => stores.get(id) ?? stores.set(id, new MemoryStore(id)).get(id) ?? new MemoryStore(id);
  const client = clientOf({ createStore });
  const session = client.session("a");
  await session.sendMessage("Hi");
  const id = await session.fork(session.getSnapshot().timeline[0]?.id ?? "");
  expect(await client.session(id).messages()).toHaveLength(1);
  client.dispose();
});

test("a fork does not wait for a list that does not come", async () => {
  const stores = new Map<string, MemoryStore>();
  const createStore = (id: string) => stores.get(id) ?? stores.set(id, new MemoryStore(id)).get(id) ?? new MemoryStore(id);
  const rename = vi.fn();
  const answers: ((list: { id: string; title: string }[]) => void)[] = [];
  const list = () => new Promise((answer: (typeof answers)[0]) => answers.push(answer));
  const catalog = { list, rename } as unknown as SessionCatalog;
  const client = clientOf({ createStore, catalog });
  const session = client.session("a");
  await session.sendMessage("Hi");
  const id = await session.fork(session.getSnapshot().timeline[0]?.id ?? "");
  expect(await client.session(id).messages()).toHaveLength(1);
  for (const answer of answers) answer([{ id: "a", title: "Hi" }]);
  await pause();
  expect(rename).not.toHaveBeenCalled();
  client.dispose();
});
