// Prompts that no person sees: they are in the record and models read them, and no screen shows them, but for what they ask a person.
import { GloveClient, type GloveClientConfig, type GloveSnapshot, MemoryStore, type StoreAdapter } from "glove-wasm";
import { createScriptedModel, type ScriptedAnswer } from "glove-wasm/testing";
import { expect, test } from "vitest";
import { texts, until } from "../support/session.js";
import { sharedSession } from "../support/shared-store.js";

/** Pages over one store, each with a model of its own. */
function pages() {
  const stores = new Map<string, StoreAdapter>();
  const createStore = (id: string) => {
    const store = stores.get(id) ?? new MemoryStore(id);
    stores.set(id, store);
    return store;
  };
  return (script: readonly ScriptedAnswer[], config: Partial<GloveClientConfig> = {}) => {
    const model = createScriptedModel(script);
    const client = new GloveClient({ createModel: () => model, createStore, ...config });
    return { client, model, session: client.session("s") };
  };
}

const look = {
  name: "look",
  description: "Looks.",
  jsonSchema: { type: "object" },
  do: (_: unknown, display: { displayWidget(name: string, data: unknown): void }) => {
    display.displayWidget("map", { at: 1 });
    return "seen";
  },
};
const pay = { name: "pay", description: "Pays.", jsonSchema: { type: "object" }, requireApproval: true, do: () => "paid" };
const call = (name: string) => ({ toolCalls: [{ name, input: {} }] });

test("what comes of one is read by the model and told in the prompts, and is on no screen, also after a reload", async () => {
  const open = pages();
  const script = ["Hello.", { text: "Looking.", toolCalls: [{ name: "look", input: {} }] }, "It is quiet.", "As I saw: quiet."];
  const { session, client, model } = open(script, { tools: [look as never] });
  await session.sendMessage("Hi");
  const seen: string[] = [];
  const note = ({ streamingText, timeline, queue, status, streamingCalls }: GloveSnapshot) =>
    seen.push(JSON.stringify([streamingText, timeline.length, queue.length, status, streamingCalls.length]));
  const stop = session.subscribe(() => note(session.getSnapshot()));
  expect(await client.trigger("s", { reason: "a look around", visible: false })).toMatchObject({
    type: "completed",
    text: "It is quiet.",
  });
  stop();
  // Nothing of it was seen on the way.
  expect([...new Set(seen)]).toEqual([JSON.stringify(["", 2, 0, "ready", 0])]);
  await session.sendMessage("And?");
  const shown = ["user: Hi", "agent: Hello.", "user: And?", "agent: As I saw: quiet."];
  expect(texts(session.getSnapshot())).toEqual(shown);
  expect(JSON.stringify(model.calls.at(-1)?.messages)).toContain("It is quiet.");
  const prompts = await session.prompts();
  expect(prompts.map(({ visible }) => visible)).toEqual([true, false, true]);
  expect(prompts[1]).toMatchObject({
    reason: "a look around",
    outputs: [{ text: "Looking." }, { tool_name: "look" }, { widget: "map" }, { text: "It is quiet." }],
  });
  await session.dispose();

  const { session: later } = open([]);
  await later.start();
  expect(texts(later.getSnapshot())).toEqual(shown);
  expect((await later.prompts()).map(({ visible }) => visible)).toEqual([true, false, true]);
});

test("what it asks a person is seen, also after a reload, and the rest stays out of sight", async () => {
  const open = pages();
  const { session, client } = open([call("pay")], { tools: [pay] });
  client.trigger("s", { reason: "the rent is due", visible: false }).catch(() => {});
  await until(session, ({ approvals }) => approvals.length === 1);
  expect(session.getSnapshot()).toMatchObject({
    timeline: [],
    approvals: [{ toolName: "pay" }],
    slots: [{ renderer: "approval_request" }],
  });
  await session.dispose();

  const { session: later } = open(["Paid."], { tools: [pay] });
  await later.start();
  await until(later, ({ approvals }) => approvals.length === 1);
  expect(texts(later.getSnapshot())).toEqual([]);
  const { id } = later.getSnapshot().approvals[0] as { id: string };
  later.approve(id);
  await until(later, ({ busy }) => !busy);
  expect(texts(later.getSnapshot())).toEqual([]);
  expect(await later.prompts()).toMatchObject([
    { visible: false, state: "completed", outputs: [{ tool_name: "pay", result: { type: "success" } }, { text: "Paid." }] },
  ]);
});

test("one that waits for its turn stands in no queue, and a message behind it is answered in sight", async () => {
  let go = () => {};
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  const { session, client } = pages()([{ text: "One.", until: held }, "Hidden.", "Two."]);
  const first = session.sendMessage("1");
  await until(session, ({ streamingText }) => streamingText !== "");
  const hidden = client.trigger("s", { reason: "r", visible: false });
  const second = session.sendMessage("2");
  await until(session, ({ queue }) => queue.length > 0);
  expect(session.getSnapshot().queue.map(({ text }) => text)).toEqual(["2"]);
  go();
  await Promise.all([first, hidden, second]);
  expect(texts(session.getSnapshot())).toEqual(["user: 1", "agent: One.", "user: 2", "agent: Two."]);
});

test("another answer is that to what a person said last, not to what nobody has seen", async () => {
  const { session, client } = pages()(["Old.", "Hidden.", "New."]);
  await session.sendMessage("Hi");
  await client.trigger("s", { reason: "r", visible: false });
  await session.regenerate();
  expect(texts(session.getSnapshot())).toEqual(["user: Hi", "agent: New."]);
});

test("only a trigger can be out of sight, and it says so with true or false", async () => {
  const { session, client } = pages()(["Hi."]);
  await expect(client.trigger("s", { reason: "r", visible: "no" } as never)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  await expect(session.sendMessage({ text: "Hi", visible: false } as never)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
});

test.each(["leader", "follower"] as const)(
  "of one that the %s begins, no tab shows anything but what it asks, also not one that comes meanwhile",
  async (from) => {
    const store = sharedSession("s");
    let write = () => {};
    const written = new Promise<void>((resolve) => {
      write = resolve;
    });
    const script: readonly ScriptedAnswer[] = [
      "Hello.",
      { deltas: ["Secretly", " I pay."], reasoning: "Hm.", toolCalls: [{ name: "pay", input: { sum: 5 } }], until: written },
      "Paid in secret.",
    ];
    const model = createScriptedModel(script);
    const seen: string[] = [];
    const tab = async () => {
      const client = new GloveClient({ createModel: () => model, createStore: () => store(), tools: [pay] });
      const session = client.session("s");
      await session.start();
      session.subscribe(() => seen.push(JSON.stringify(session.getSnapshot())));
      return { client, session };
    };
    const tabs = [await tab(), await tab()];
    await tabs[0]?.session.sendMessage("Hi");
    expect(tabs.map(({ session }) => session.getSnapshot().tab)).toEqual(["leader", "follower"]);
    const begins = tabs[from === "leader" ? 0 : 1]?.client.trigger("s", { reason: "the rent is due", visible: false });
    await expect.poll(() => model.calls.length).toBe(2);
    // While the answer is being written.
    tabs.push(await tab());
    const shows = ({ streamingText, streamingReasoning, streamingCalls, timeline, queue }: GloveSnapshot) => [
      streamingText,
      streamingReasoning ?? "",
      streamingCalls.length,
      timeline.length,
      queue.length,
    ];
    for (const { session } of tabs) expect(shows(session.getSnapshot())).toEqual(["", "", 0, 2, 0]);
    write();
    for (const { session } of tabs) await until(session, ({ approvals }) => approvals.length === 1);
    tabs[2]?.session.approve(tabs[2].session.getSnapshot().approvals[0]?.id ?? "");
    await begins;
    for (const { session } of tabs) {
      await until(session, ({ busy, approvals }) => !busy && approvals.length === 0);
      expect(texts(session.getSnapshot())).toEqual(["user: Hi", "agent: Hello."]);
      expect((await session.prompts()).map(({ visible }) => visible)).toEqual([true, false]);
    }
    expect(seen.join()).not.toMatch(/[Ss]ecret|Hm\./);
    for (const { client } of tabs) client.dispose();
  },
);
