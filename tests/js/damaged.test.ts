// Damaged sessions in stores of the application: what opens, what is refused, what is exported, and what a repair gives.
import { GloveClient, type GloveError, MemoryStore, type Message, type StoreAdapter, type ToolConfig } from "glove-wasm";
import { createScriptedModel } from "glove-wasm/testing";
import { expect, test, vi } from "vitest";
import { texts } from "../support/session.js";

type Run = { messages: unknown; checkpoint?: unknown; records: unknown };

/** A session with one finished call whose store gives what `damage` makes of it; writes to it are counted. */
async function damaged(damage: (run: Run) => unknown) {
  const ran = vi.fn(() => "sent");
  const tool: ToolConfig = { name: "send", description: "", jsonSchema: { type: "object" }, do: ran };
  const stores = new Map<string, StoreAdapter>();
  const keep = (store: MemoryStore) => void stores.set(store.identifier, store);
  const client = () =>
    new GloveClient({
      createModel: () =>
        createScriptedModel(({ messages }) =>
          messages.some(({ tool_results }) => tool_results) ? `${messages.length}` : { toolCalls: [{ name: "send", id: "c1" }] },
        ),
      createStore: (id) => {
        if (!stores.has(id)) keep(new MemoryStore(id));
        return stores.get(id) as StoreAdapter;
      },
      systemPrompt: "",
      tools: [tool],
      subscribers: [{ record: () => {} }],
    });
  for (const id of ["a", "b"]) await client().session(id).sendMessage(`Hi ${id}`);
  const whole = stores.get("a") as MemoryStore;
  const write = vi.fn(() => Promise.reject(new Error("it is not to be written to")));
  stores.set(
    "a",
    Object.assign(Object.create(whole) as MemoryStore, {
      identifier: "a",
      readRun: async () => damage((await whole.readRun()) as Run),
      getMessages: () => whole.getMessages(),
      getTasks: () => whole.getTasks(),
      getInboxItems: () => whole.getInboxItems(),
      getPermission: async () => "unset",
      appendStep: write,
      appendMessages: write,
    }),
  );
  ran.mockClear();
  return { client: client(), ran, write, store: stores.get("a") as StoreAdapter };
}

const at = (index: number, message: unknown) => (run: Run) => ({
  ...run,
  messages: (run.messages as Message[]).with(index, message as Message),
});
const whole = ["user: Hi a", "send: success sent", "agent: 3"];
const unreadable = "agent: [A message that cannot be read.]";

test.each<[what: string, damage: (run: Run) => unknown, shown: readonly string[], place: RegExp, at: string]>([
  ["an unknown sender", at(0, { sender: "root", text: "Hi" }), [unreadable, ...whole.slice(1)], /sender/, "messages[0]"],
  ["a text that is none", at(3, { sender: "agent", text: 5 }), [...whole.slice(0, 2), unreadable], /text/, "messages[3]"],
  ["a message that is null", at(3, null), [...whole.slice(0, 2), unreadable], /./, "messages[3]"],
  [
    "a checkpoint that is cut off",
    (run) => ({ ...run, checkpoint: String(run.checkpoint).slice(0, 50) }),
    whole,
    /./,
    "checkpoint",
  ],
  ["a checkpoint of another type", (run) => ({ ...run, checkpoint: 7 }), whole, /checkpoint/, "checkpoint"],
  [
    "a checkpoint that counts more messages",
    (run) => ({ ...run, messages: (run.messages as []).slice(0, 3) }),
    whole.slice(0, 2),
    /4/,
    "checkpoint",
  ],
  ["records that are none", (run) => ({ ...run, records: [{ seq: "x" }] }), whole, /records/, "records[0]"],
  ["messages that are no list", (run) => ({ ...run, messages: "none" }), [], /messages/, "messages"],
])(
  "a session with %s can be read, refuses what would change it, and is repaired by a new one",
  async (_, damage, shown, place, at) => {
    const { client, ran, write } = await damaged(damage);
    const session = client.session("a");
    await session.start();
    expect(texts(session.getSnapshot())).toEqual(shown);
    const error = session.getSnapshot().error as GloveError;
    expect([error.code, error.message]).toEqual(["STORE_CORRUPT", expect.stringMatching(place)]);
    expect(error.message).toMatch(/Export it, or repair it/);
    for (const refused of [session.sendMessage("More"), session.undo(), session.resume()]) {
      await expect(refused).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    }
    expect(session.getSnapshot().queue.map(({ text }) => text)).toEqual(["More"]);

    // The copy holds what is shown.
    const copy = JSON.parse(await client.exportSession("a"));
    expect(copy).toMatchObject({ id: "a", records: [] });
    expect(copy.messages.length > 0).toBe(shown.length > 0);
    expect(copy.damage.map(({ place }: { place: string }) => place)).toEqual([at]);
    const repaired = await client.repairSession("a");
    expect(repaired).not.toBe("a");
    const again = client.session(repaired);
    await again.start();
    expect(again.getSnapshot()).toMatchObject({ error: undefined, busy: false });
    expect(texts(again.getSnapshot())).toEqual(shown);
    expect(ran).not.toHaveBeenCalled();
    expect(await again.sendMessage("Go on")).toMatchObject({ type: "completed" });
    expect(await client.session("b").sendMessage("More")).toMatchObject({ type: "completed" });
    expect(write).not.toHaveBeenCalled();
  },
);

test("a session of a newer form is not opened", async () => {
  const newer = (run: Run) => ({ ...run, checkpoint: JSON.stringify({ ...JSON.parse(String(run.checkpoint)), version: 99 }) });
  const { client } = await damaged(newer);
  await expect(client.session("a").start()).rejects.toMatchObject({ code: "STORE_NEWER" });
});

test("a call without a result is not run by a repair: its outcome is unknown", async () => {
  const cut = (run: Run) => ({ ...run, messages: (run.messages as []).slice(0, 2), checkpoint: "{" });
  const { client, ran } = await damaged(cut);
  const again = client.session(await client.repairSession("a"));
  await again.start();
  await again.sendMessage("Go on");
  const results = (await again.messages()).flatMap(({ tool_results }) => tool_results ?? []);
  expect(results).toMatchObject([{ call_id: "c1", result: { status: "error", outcome: "interrupted" } }]);
  expect(ran).not.toHaveBeenCalled();
});

test("what was never stored cannot be repaired", async () => {
  const { client } = await damaged((run) => run);
  await expect(client.repairSession("none")).rejects.toMatchObject({ code: "SESSION_UNKNOWN" });
});

test("a repair writes into no session that is there", async () => {
  const { client } = await damaged((run) => run);
  vi.spyOn(client, "mintSessionId").mockResolvedValue("b");
  await expect(client.repairSession("a")).rejects.toMatchObject({ code: "SESSION_EXISTS" });
  expect((await client.session("b").messages()).length).toBe(4);
});

test.each(["tasks", "inbox"] as const)("%s that are no list are named where they are met, and in the copy", async (place) => {
  const { client, store } = await damaged((run) => run);
  const method = place === "tasks" ? "getTasks" : "getInboxItems";
  Object.assign(store, { [method]: async () => "none" });
  const told: unknown[] = [];
  const session = client.session("a");
  session.addSubscriber({ record: (type, data) => type === "error" && told.push(data) });
  await session.start();
  expect(texts(session.getSnapshot())).toEqual(whole);
  expect(told).toEqual([{ code: "STORE_CORRUPT", message: expect.stringContaining(`\`${place}\``) }]);
  const copy = JSON.parse(await client.exportSession("a"));
  expect(copy.damage).toEqual([{ place, reason: "not a list", stored: '"none"' }]);
  Object.assign(store, { [method]: () => Promise.reject(new Error("no such table")) });
  expect(JSON.parse(await client.exportSession("a")).damage).toEqual([{ place, reason: "no such table" }]);
});

test.each([
  ["readRunText", "null", null],
  ["readRunText", "the JSON of null", "null"],
  ["readRun", "null", null],
  ["readRun", "nothing", undefined],
  ["getMessages", "null", null],
])("a store whose `%s` gives %s has no empty session that could be written to", async (method, _, given) => {
  const whole = new MemoryStore("a");
  const write = vi.fn(async () => {});
  const steps = method === "readRunText" ? { appendStepText: write } : method === "readRun" ? { appendStep: write } : {};
  const none = { appendStep: undefined, readRun: undefined };
  const store = Object.assign(whole, none, steps, { appendMessages: write, [method]: async () => given });
  const createModel = () => createScriptedModel(() => "Fine.");
  const client = new GloveClient({ createModel, createStore: () => store, systemPrompt: "", subscribers: [{ record() {} }] });
  const session = client.session("a");
  await expect(session.sendMessage("Hi")).rejects.toMatchObject({
    code: "STORE_CORRUPT",
    message: expect.stringMatching(/\w+ \w+/),
  });
  expect(session.getSnapshot().queue.map(({ text }) => text)).toEqual(["Hi"]);
  expect(JSON.parse(await client.exportSession("a")).damage).toHaveLength(1);
  expect(write).not.toHaveBeenCalled();
});
