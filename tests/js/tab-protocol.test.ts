// What tabs take from each other: messages that are none, tabs of other versions, and tabs that say something and then nothing.
import { GloveClient, type GloveSession, type StoreAdapter } from "glove-wasm";
import { createScriptedModel } from "glove-wasm/testing";
import { afterEach, expect, test, vi } from "vitest";
import type { CoreError } from "../../pkg/src/wire/core-types.js";
import { malformedMessages } from "../support/malformed-messages.js";
import { texts, until } from "../support/session.js";
import { sharedSession } from "../support/shared-store.js";

const undo: (() => void)[] = [];

afterEach(() => {
  for (const act of undo.splice(0)) act();
});

interface Tab {
  readonly client: GloveClient;
  readonly session: GloveSession;
  readonly told: unknown[];
}

/** A tab whose model repeats what it was told, after a form where it was told so. */
function tab(store: StoreAdapter): Tab {
  const told: unknown[] = [];
  const client = new GloveClient({
    createModel: () =>
      createScriptedModel(({ messages }) => {
        const [asked, result] = [messages.findLast(({ tool_results }) => !tool_results), messages.at(-1)?.tool_results?.[0]];
        if (asked?.text === "form" && !result) return { toolCalls: [{ name: "form" }] };
        if (asked?.text === "slow") return { deltas: ["slow"], until: new Promise((later) => setTimeout(later, 300)) };
        return result ? `it is ${result.result.data}` : `you said ${asked?.text}`;
      }),
    createStore: () => store,
    tools: [
      {
        name: "form",
        description: "",
        jsonSchema: { type: "object" },
        onInterrupted: "rerun",
        do: async (_, display) => display.pushAndWait({ input: "How many?" }),
      },
    ],
    subscribers: [{ record: (type: string, data: unknown) => void (type === "error" && told.push(data)) }],
    systemPrompt: "",
  });
  undo.push(() => client.dispose());
  return { client, session: client.session("s"), told };
}

type Heard = { kind: string; leader?: string; id?: string; method?: string; v?: number; error?: CoreError };

/** A place on the channel of a session, to hear and to say what no tab of this version says. */
async function channelOf(store: StoreAdapter) {
  const channel = new BroadcastChannel((await store.shared?.()) ?? "");
  const heard: Heard[] = [];
  channel.onmessage = ({ data }) => void heard.push(data as Heard);
  undo.push(() => channel.close());
  const hear = (fits: (message: Heard) => unknown) =>
    vi.waitFor(() => heard.find(fits) ?? expect.fail("nothing was heard"), { timeout: 10_000 });
  return { heard, hear, say: (message: unknown) => channel.postMessage(message) };
}

async function pair() {
  const store = sharedSession("s");
  const first = tab(store());
  await first.session.start();
  const channel = await channelOf(store());
  const second = tab(store());
  await second.session.start();
  const { leader = "" } = await channel.hear(({ leader }) => leader);
  return { first, second, leader, ...channel };
}

const rows = malformedMessages("the leader");
test("the table of malformed messages is long, and each has a name of its own", () => {
  expect(rows.length).toBeGreaterThan(60);
  expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
});

test("malformed messages are refused or ignored; what waits goes on waiting, and the tabs go on working", async () => {
  const { first, second, leader, hear, say } = await pair();
  const sent = second.session.sendMessage("form");
  const slot = (await until(first.session, ({ slots }) => slots.length === 1)).slots[0]?.id ?? "";
  for (const { name, message, refused } of malformedMessages(leader)) {
    say(message);
    if (!refused) continue;
    const { error } = await hear(({ kind, id }) => kind === "answered" && id === (message as Heard).id);
    expect(error, name).toMatchObject({ code: refused, message: expect.any(String) });
    expect(JSON.stringify(error).length, name).toBeLessThan(400);
  }
  expect([first.session, second.session].map((session) => session.getSnapshot().tab)).toEqual(["leader", "follower"]);
  expect(second.session.getSnapshot().slots).toHaveLength(1);
  expect(await second.session.resolveSlot(slot, 7)).toBe(true);
  expect(await sent).toMatchObject({ text: "it is 7" });
  for (const { session, told } of [first, second]) {
    expect(await session.sendMessage("hello")).toMatchObject({ text: "you said hello" });
    expect([session.getSnapshot().error, told]).toEqual([undefined, []]);
  }
  expect(texts(second.session.getSnapshot())).toEqual(texts(first.session.getSnapshot()));
});

const noAnswers: [string, object][] = [
  ["with a value of another type", { value: 7 }],
  ["with nothing", {}],
  ["with an error that is a number", { error: 7 }],
  ["with an error that is null", { error: null }],
  ["with an error that is a text", { error: "no" }],
  ["with an error without a code", { error: { message: "no" } }],
];
test.each(noAnswers)("an answer %s ends the waiting with a typed error", async (_, answer) => {
  const { second, leader, hear, say } = await pair();
  const sent = second.session.sendMessage("form");
  const { id } = await hear(({ kind }) => kind === "ask");
  say({ v: 4, kind: "answered", leader, id, ...answer });
  await expect(sent).rejects.toMatchObject({ code: "TAB_PROTOCOL" });
});

test("a tab that says that it runs the session, and shows nothing of it, is not waited for", async () => {
  const store = sharedSession("s");
  const { say, hear } = await channelOf(store());
  await store().lease?.("somebody", 60_000);
  const alone = tab(store());
  const started = alone.session.start();
  await hear(({ kind }) => kind === "hello");
  say({ v: 4, kind: "leads", leader: "silent" });
  await expect(started).rejects.toMatchObject({ code: "SESSION_OPEN_ELSEWHERE" });
  expect(alone.session.getSnapshot().tab).toBe("blocked");
});

test("a tab that is awake, and does not take what it is asked, is not waited for: it waits in the queue for another", {
  timeout: 20_000,
}, async () => {
  const store = sharedSession("s");
  const { say, hear, heard } = await channelOf(store());
  await store().lease?.("somebody", 60_000);
  const alone = tab(store());
  const started = alone.session.start();
  await hear(({ kind }) => kind === "hello");
  const all = { v: 4, kind: "all", leader: "deaf", written: { text: "", reasoning: "" }, extras: {} };
  say({ ...all, events: [] });
  await started;
  const awake = setInterval(() => say({ v: 4, kind: "pong", leader: "deaf" }), 200);
  undo.push(() => clearInterval(awake));
  const sent = ["given up", "answered there", "hello"].map((text) => alone.session.sendMessage(text));
  for (const one of sent) await expect(one).rejects.toMatchObject({ code: "SESSION_OPEN_ELSEWHERE" });
  expect(heard.filter(({ kind }) => kind === "ask")).toHaveLength(3);
  const queue = () => alone.session.getSnapshot().queue.map(({ text }) => text);
  expect(queue()).toEqual(["given up", "answered there", "hello"]);
  const [first, second, third] = alone.session.getSnapshot().queue.map(({ id }) => id);
  expect(alone.session.cancelQueued(first ?? "")).toBe(true);
  say({ ...all, events: [{ kind: "timeline", len: 1, set: [[0, [{ kind: "user", id: second, text: "answered there" }]]] }] });
  await until(alone.session, ({ timeline }) => timeline.length === 1);
  expect(queue()).toEqual(["hello"]);
  await store().dropSent?.(second ?? "");
  // Nobody has the session any more: this tab takes it up.
  clearInterval(awake);
  await store().lease?.("somebody", 0);
  await until(alone.session, ({ tab, timeline, busy }) => tab === "leader" && timeline.length === 2 && !busy);
  expect(texts(alone.session.getSnapshot())).toEqual(["user: hello", "agent: you said hello"]);
  expect(alone.session.getSnapshot()).toMatchObject({ queue: [], error: undefined });
  // It is a message like any other then.
  expect(alone.session.cancelQueued(third ?? "")).toBe(false);
  await alone.session.edit(third ?? "", "again");
  expect(texts(alone.session.getSnapshot())).toEqual(["user: again", "agent: you said again"]);
});

// ---- other versions --------------------------------------------------------------------------------------------------

test("each message says its version", async () => {
  const { first, second, heard, hear } = await pair();
  await second.session.sendMessage("hello");
  second.client.dispose();
  first.client.dispose();
  await hear(({ kind }) => kind === "answered");
  expect(new Set(heard.map(({ v }) => v))).toEqual(new Set([4]));
});

test("a page beside a newer one that runs the session is told to be loaded anew, and waits for nothing", async () => {
  const store = sharedSession("s");
  const { say, hear } = await channelOf(store());
  await store().lease?.("somebody", 60_000);
  const old = tab(store());
  const sent = old.session.sendMessage("hello");
  await hear(({ kind }) => kind === "hello");
  say({ v: 5, kind: "leads", leader: "newer" });
  await expect(sent).rejects.toMatchObject({ code: "TAB_VERSION", message: expect.stringContaining("reload") });
  expect(old.session.getSnapshot()).toMatchObject({ tab: "outdated", error: { code: "TAB_VERSION" }, busy: false });
  // What was sent is on the screen still, and nothing is done here any more.
  expect(old.session.getSnapshot().queue).toMatchObject([{ text: "hello" }]);
  await expect(old.session.takeOver()).rejects.toMatchObject({ code: "TAB_VERSION" });
  await expect(old.session.messages()).rejects.toMatchObject({ code: "TAB_VERSION" });
  await store().lease?.("somebody", 0);
  await new Promise((later) => setTimeout(later, 2_100));
  expect(old.session.getSnapshot().tab).toBe("outdated");
});

test("a page beside an older one that runs the session says so, can take it over, and goes on by itself when that one is gone", async () => {
  const store = sharedSession("s");
  const { say, hear } = await channelOf(store());
  await store().lease?.("somebody", 60_000);
  const fresh = tab(store());
  const sent = fresh.session.sendMessage("hello");
  sent.catch(() => {});
  await hear(({ kind }) => kind === "hello");
  say({ v: 2, kind: "leads", leader: "older" });
  await expect(sent).rejects.toMatchObject({ code: "TAB_VERSION", message: expect.stringContaining("takeOver()") });
  expect(fresh.session.getSnapshot()).toMatchObject({ tab: "blocked", error: { code: "TAB_VERSION" } });
  await store().lease?.("somebody", 0);
  // The message that could not be sent is sent then.
  await until(fresh.session, ({ tab, timeline, busy }) => tab === "leader" && timeline.length === 2 && !busy);
  expect(texts(fresh.session.getSnapshot())).toEqual(["user: hello", "agent: you said hello"]);
  expect(fresh.session.getSnapshot().error).toBeUndefined();
});

test("a page takes a session over from an older one that does not give way", async () => {
  const store = sharedSession("s");
  const { say, hear } = await channelOf(store());
  await store().lease?.("somebody", 60_000);
  const fresh = tab(store());
  const started = fresh.session.start();
  await hear(({ kind }) => kind === "hello");
  say({ v: 2, kind: "leads", leader: "older" });
  await expect(started).rejects.toMatchObject({ code: "TAB_VERSION" });
  await fresh.session.takeOver();
  expect(fresh.session.getSnapshot()).toMatchObject({ tab: "leader", error: undefined });
  expect(await fresh.session.sendMessage("hello")).toMatchObject({ text: "you said hello" });
});

test("a page that runs a session gives it to a newer one when its answer is written, and says why it stopped", async () => {
  const store = sharedSession("s");
  const old = tab(store());
  await old.session.start();
  const { say, hear } = await channelOf(store());
  const sent = old.session.sendMessage("slow");
  await until(old.session, ({ streamingText }) => streamingText !== "");
  say({ v: 5, kind: "hello", tab: "newer" });
  // It is in the middle of an answer: the newer one is told who has it.
  await hear(({ kind, v }) => kind === "leads" && v === 4);
  expect(old.session.getSnapshot().tab).toBe("leader");
  expect(await store().lease?.("newer", 60_000)).toBe(false);
  expect(await sent).toMatchObject({ text: "slow" });
  await until(old.session, ({ tab }) => tab === "outdated");
  await vi.waitFor(async () => expect(await store().lease?.("newer", 60_000)).toBe(true));
  expect(old.session.getSnapshot()).toMatchObject({ error: { code: "TAB_VERSION" }, busy: false });
  expect(texts(old.session.getSnapshot())).toEqual(["user: slow", "agent: slow"]);
});

test("a page that has a form open gives way to a newer one at once, with what was asked of it", async () => {
  const { first, second, say } = await pair();
  const sent = second.session.sendMessage("form");
  await until(first.session, ({ run, slots }) => run.phase === "waiting" && slots.length === 1);
  say({ v: 5, kind: "hello", tab: "newer" });
  await until(first.session, ({ tab }) => tab === "outdated");
  expect(first.session.getSnapshot().slots).toEqual([]);
  // The tab that followed has the version of the one that ended: it goes on, as after any other end.
  const { slots } = await until(second.session, ({ tab, slots }) => tab === "leader" && slots.length === 1);
  second.session.resolveSlot(slots[0]?.id ?? "", 3);
  expect(await sent).toMatchObject({ text: "it is 3" });
});
