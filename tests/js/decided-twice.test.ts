// Approvals that are decided twice, too late, or by a tab that has not seen the first decision: nothing runs twice, and somebody is told.
import { GloveClient, type GloveSession, MemoryStore, type StoreAdapter, type ToolConfig } from "glove-wasm";
import { createScriptedModel } from "glove-wasm/testing";
import { expect, test, vi } from "vitest";
import { sharedSession } from "../support/shared-store.js";

const called = { toolCalls: [{ name: "pay", id: "c1", input: { euros: 5 } }] };

function client(store: StoreAdapter = new MemoryStore("s"), rule: Partial<ToolConfig> = { requireApproval: true }) {
  const ran: unknown[] = [];
  const told: string[] = [];
  const pay: ToolConfig = {
    name: "pay",
    description: "",
    jsonSchema: { type: "object" },
    do: (input) => {
      ran.push(input);
      return "paid";
    },
    ...rule,
  };
  const model = createScriptedModel(({ messages }) => (messages.at(-1)?.text === "Pay" ? called : "Done."));
  const record = (type: string, data: unknown) => {
    if (type === "error") told.push((data as { code: string }).code);
  };
  const one = new GloveClient({ createModel: () => model, createStore: () => store, tools: [pay], subscribers: [{ record }] });
  return { session: one.session("s"), ran, told, model, store };
}

const until = (session: GloveSession, fits: () => boolean) =>
  new Promise<void>((resolve) => {
    const look = () => {
      if (!fits()) return;
      undo();
      resolve();
    };
    const undo = session.subscribe(look);
    setTimeout(look, 0);
  });

async function asked(given = client()) {
  const sending = given.session.sendMessage("Pay");
  await until(given.session, () => given.session.getSnapshot().approvals.length > 0);
  const [approval] = given.session.getSnapshot().approvals;
  return { ...given, sending, id: approval?.id ?? "" };
}

test("of decisions that are made at once the first holds, and the others are told", async () => {
  const { session, sending, ran, told, id } = await asked();
  expect(session.approve(id)).toBe(true);
  expect([session.approve(id), session.reject("c1"), session.resolveSlot(id, false)]).toEqual([false, false, false]);
  await sending;
  expect([ran, told]).toEqual([[{ euros: 5 }], ["APPROVAL_CLOSED", "APPROVAL_CLOSED"]]);
  expect(session.getSnapshot().timeline.at(-1)).toMatchObject({ text: "Done." });
});

test.each(["approve", "reject"] as const)(
  "what was rejected cannot be decided again by %s, and the session goes on",
  async (again) => {
    const { session, sending, ran, told, id } = await asked();
    expect(session.reject(id, "too much")).toBe(true);
    await sending;
    expect([session[again](id), session[again]("c1"), session[again]("no such")]).toEqual([false, false, false]);
    expect(told).toEqual(["APPROVAL_CLOSED", "APPROVAL_CLOSED", "APPROVAL_CLOSED"]);
    await session.sendMessage("And?");
    expect([ran, session.getSnapshot().busy]).toEqual([[], false]);
  },
);

test("what was stopped while it waited runs by no approval", async () => {
  const { session, sending, ran, told, id } = await asked();
  session.abort();
  await sending;
  expect(session.approve(id)).toBe(false);
  expect([ran, told]).toEqual([[], ["APPROVAL_CLOSED"]]);
});

test("after a reload the approval is asked for again, and what was decided before the reload is not", async () => {
  const first = await asked();
  first.sending.catch(() => {});
  first.session.dispose();
  const again = client(first.store);
  await again.session.start();
  await until(again.session, () => again.session.getSnapshot().approvals.length > 0);
  // The page before has no say any more.
  expect(first.session.approve(first.id)).toBe(false);
  expect(again.session.approve(first.id)).toBe(true);
  await until(again.session, () => !again.session.getSnapshot().busy);
  expect([first.ran, again.ran]).toEqual([[], [{ euros: 5 }]]);
  const third = client(first.store);
  await third.session.start();
  expect(third.session.approve(first.id)).toBe(false);
  expect([third.ran, third.told]).toEqual([[], ["APPROVAL_CLOSED"]]);
});

test("an approval of another one's call waits on when a wrong id is given", async () => {
  const { session, sending, ran, id } = await asked();
  expect(session.approve("c9")).toBe(false);
  expect(session.getSnapshot().approvals).toHaveLength(1);
  session.approve(id);
  await sending;
  expect(ran).toHaveLength(1);
});

test.each(["approve", "reject"] as const)(
  "of two tabs that decide at once, the one whose %s came second hears that it was none",
  async (second) => {
    const store = sharedSession("s");
    const tabs = [client(store()), client(store())] as const;
    for (const { session } of tabs) await session.start();
    const [leads, follows] = tabs;
    const { sending, id } = await asked(leads);
    await until(follows.session, () => follows.session.getSnapshot().approvals.length > 0);
    // Neither has heard of the other yet.
    expect(await Promise.all([leads.session.approve(id), follows.session[second](id)])).toEqual([true, false]);
    await sending;
    await vi.waitFor(() => expect(follows.told).toHaveLength(1));
    expect([leads.ran, leads.told, follows.told]).toEqual([[{ euros: 5 }], [], ["APPROVAL_CLOSED"]]);
    // A tab that has heard of it is told at once.
    expect([follows.session[second](id), follows.told.length]).toEqual([false, 2]);
    for (const { session } of tabs) session.dispose();
  },
);

test.each([
  ["answers", (session: GloveSession, id: string) => session.resolveSlot(id, "mine")],
  ["turns down", (session: GloveSession, id: string) => session.rejectSlot(id, "no")],
] as const)("of two tabs that answer a question at once, the one that %s it second hears that it did not", async (_, second) => {
  const store = sharedSession("s");
  const form: Partial<ToolConfig> = { do: (_, display) => display.pushAndWait({ input: "Which?" }) };
  const tabs = [client(store(), form), client(store(), form)] as const;
  for (const { session } of tabs) await session.start();
  const [leads, follows] = tabs;
  const sending = leads.session.sendMessage("Pay");
  await until(follows.session, () => follows.session.getSnapshot().slots.length > 0);
  const id = follows.session.getSnapshot().slots[0]?.id ?? "";
  expect(await Promise.all([leads.session.resolveSlot(id, "theirs"), second(follows.session, id)])).toEqual([true, false]);
  await sending;
  const called = leads.session.getSnapshot().timeline.find(({ kind }) => kind === "tool");
  expect(called).toMatchObject({ status: "success", output: "theirs" });
  await vi.waitFor(() => expect(follows.told).toEqual(["DISPLAY_REMOVED"]));
  // One that has heard of it is told at once.
  await until(follows.session, () => follows.session.getSnapshot().slots.every(({ status }) => status !== "pending"));
  expect(second(follows.session, id)).toBe(false);
  for (const { session } of tabs) session.dispose();
});
