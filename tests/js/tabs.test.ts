// Several clients on one session in one process, as tabs have it. A real browser's tabs are in tests/e2e/tabs.test.ts.
import { createAdapter, GloveClient, type GloveSession, type StoreAdapter, type ToolDisplay } from "glove-wasm";
import { createScriptedModel, storeConformance } from "glove-wasm/testing";
import { afterEach, describe, expect, it, test, vi } from "vitest";
import type { CoreError } from "../../pkg/src/wire/core-types.js";
import { texts, until } from "../support/session.js";
import { sharedSession } from "../support/shared-store.js";

const schema = { type: "object" } as const;
const opened: GloveClient[] = [];

afterEach(() => {
  for (const client of opened.splice(0)) client.dispose();
});

interface Tab {
  readonly client: GloveClient;
  readonly session: GloveSession;
  readonly told: string[];
}

/** A tab whose model says what it was told, after a form where it was told so. */
function tab(store: StoreAdapter, config: { readonly resume?: "manual" } = {}): Tab {
  const told: string[] = [];
  const client = new GloveClient({
    createModel: () =>
      createScriptedModel(({ messages }) => {
        const [asked, result] = [messages.findLast(({ tool_results }) => !tool_results), messages.at(-1)?.tool_results?.[0]];
        if (asked?.text === "form" && !result) return { toolCalls: [{ name: "form" }] };
        return result ? `it is ${result.result.data}` : { deltas: ["you ", "said ", asked?.text ?? ""], every: 5 };
      }),
    createStore: () => store,
    tools: [
      {
        name: "form",
        description: "",
        jsonSchema: schema,
        onInterrupted: "rerun",
        resolveSchema: { "~standard": { version: 1, vendor: "test", validate: digits } },
        do: async (_, display) => display.pushAndWait({ input: "How many?" }),
      },
    ],
    subscribers: [{ record: (type: string) => told.push(type) }],
    systemPrompt: "",
    ...config,
  });
  opened.push(client);
  return { client, session: client.session("s"), told };
}

const digits = (value: unknown) => (/^\d+$/.test(String(value)) ? { value } : { issues: [{ message: "digits only" }] });

async function two(config: { readonly resume?: "manual" } = {}): Promise<[Tab, Tab]> {
  const store = sharedSession("s");
  const first = tab(store());
  await first.session.start();
  const second = tab(store(), config);
  await second.session.start();
  return [first, second];
}

test("one runs and one follows; subscribers hear of what happens in their own tab", async () => {
  const [first, second] = await two();
  expect([first.session, second.session].map((session) => session.getSnapshot().tab)).toEqual(["leader", "follower"]);
  expect(await second.session.sendMessage("hello")).toMatchObject({ type: "completed", text: "you said hello" });
  expect(texts(second.session.getSnapshot())).toEqual(["user: hello", "agent: you said hello"]);
  expect(texts(first.session.getSnapshot())).toEqual(texts(second.session.getSnapshot()));
  expect(first.told).toContain("model_response_complete");
  expect(second.told).toEqual([]);
});

test("how far a call is, is shown in each tab, and over with the call", async () => {
  const store = sharedSession("s");
  let end = () => {};
  const tools = [
    {
      name: "work",
      description: "",
      jsonSchema: schema,
      do: (_: unknown, display: ToolDisplay) => {
        display.progress("half of it", 1, 2);
        return new Promise((resolve) => {
          end = () => resolve("worked");
        });
      },
    },
  ];
  const open = () => {
    const createModel = () => createScriptedModel([{ toolCalls: [{ name: "work" }] }, "Done."]);
    const client = new GloveClient({ createModel, createStore: () => store(), systemPrompt: "", tools });
    opened.push(client);
    return client.session("s");
  };
  const [leads, follows] = [open(), open()];
  await leads.start();
  await follows.start();
  const sent = leads.sendMessage("Work");
  const progress = () => JSON.stringify(follows.getSnapshot().timeline.map((entry) => entry.kind === "tool" && entry.progress));
  await until(follows, () => progress().includes("half of it"));
  end();
  await sent;
  await until(follows, ({ busy }) => !busy);
  expect(progress()).not.toContain("half of it");
});

test("a wait for a busy model ends at the same moment in each tab, also in one that joins during it", async () => {
  let busy = true;
  const done = 'data: {"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
  const fetch = async () => {
    if (!busy) return new Response(done, { headers: { "content-type": "text/event-stream" } });
    busy = false;
    return new Response("{}", { status: 429, headers: { "retry-after": "2" } });
  };
  const store = sharedSession("s");
  const waits = () => {
    const createModel = () => createAdapter({ provider: "openai", model: "m", apiKey: "k", policy: { maxRetries: 1 }, fetch });
    const client = new GloveClient({ createModel, createStore: () => store(), systemPrompt: "" });
    opened.push(client);
    return client.session("s");
  };
  const [leads, follows, joins] = [waits(), waits(), waits()];
  await leads.start();
  await follows.start();
  const sent = follows.sendMessage("Hi");
  const { waiting } = await until(leads, ({ waiting }) => waiting !== undefined);
  expect(waiting).toEqual({ code: "MODEL_RATE_LIMIT", until: expect.any(Number) });
  await until(follows, ({ waiting }) => waiting !== undefined);
  // What comes into the queue meanwhile ends no wait.
  const next = leads.sendMessage("And?");
  await until(follows, ({ queue }) => queue.length === 1);
  await joins.start();
  expect([leads, follows, joins].map((session) => session.getSnapshot().waiting)).toEqual([waiting, waiting, waiting]);
  expect(await sent).toMatchObject({ text: "Hello" });
  await next;
  for (const session of [leads, follows, joins]) await until(session, ({ waiting, busy }) => !waiting && !busy);
});

test("what a message failed with is shown at it in each tab, and after a reload, in the same words", async () => {
  const createModel = () =>
    createScriptedModel(({ messages }) => (messages.at(-1)?.text === "first" ? { fail: "no credit", after: 50 } : "Fine."));
  const store = sharedSession("s");
  const open = async () => {
    const client = new GloveClient({ createModel, createStore: () => store(), systemPrompt: "" });
    opened.push(client);
    await client.session("s").start();
    return { client, session: client.session("s") };
  };
  const [leads, follows] = [await open(), await open()];
  const failing = leads.session.sendMessage("first").catch((error: Error) => error);
  await leads.session.sendMessage("second");
  const { code, message } = (await failing) as Error & { code: string };
  const marks = ({ session }: { session: GloveSession }) =>
    session
      .getSnapshot()
      .timeline.map((entry) =>
        "error" in entry ? { code: (entry.error as { code?: string } | undefined)?.code, said: entry.error?.message } : "",
      );
  const all = [{ code, said: message }, "", ""];
  const joins = await open();
  for (const tab of [leads, follows, joins]) {
    await until(tab.session, ({ busy, timeline }) => !busy && timeline.length === 3);
    expect(marks(tab)).toEqual(all);
    expect(tab.session.getSnapshot().error).toBeUndefined();
  }
  for (const tab of [leads, follows, joins]) tab.client.dispose();
  expect(marks(await open())).toEqual(all);
});

test("an answer that does not fit is refused where it is given, and one that fits goes to the tool", async () => {
  const [first, second] = await two();
  const sent = first.session.sendMessage("form");
  const { slots } = await until(second.session, ({ slots }) => slots.length === 1);
  const id = slots[0]?.id ?? "";
  expect(slots[0]).toMatchObject({ toolName: "form", input: "How many?" });
  expect(second.session.resolveSlot(id, "many")).toBe(false);
  expect(second.told).toEqual(["error"]);
  expect(await second.session.resolveSlot(id, "7")).toBe(true);
  expect(await sent).toMatchObject({ text: "it is 7" });
});

test("a message that waits is taken back in any tab, wherever it was sent", async () => {
  const tabs = await two();
  const form = tabs[0].session.sendMessage("form");
  await until(tabs[1].session, ({ slots }) => slots.length === 1);
  const ways = tabs.flatMap((sender) => tabs.map((taker) => [sender.session, taker.session] as const));
  for (const [at, [sender, taker]] of ways.entries()) {
    const sent = sender.sendMessage(`never mind ${at}`);
    // The others hear of it a moment later.
    const { queue } = await until(taker, ({ queue }) => queue.at(-1)?.text === `never mind ${at}`);
    expect(taker.cancelQueued(queue.at(-1)?.id ?? "")).toBe(true);
    expect(await sent).toEqual({ type: "aborted" });
  }
  for (const { session } of tabs) await until(session, ({ queue }) => queue.length === 0);
  tabs[1].session.resolveSlot(tabs[1].session.getSnapshot().slots[0]?.id ?? "", "7");
  expect(await form).toMatchObject({ text: "it is 7" });
  for (const { session } of tabs) expect(texts(session.getSnapshot()).join()).not.toContain("never mind");
});

test("who tries again at once leaves the page time to be granted the session", async () => {
  const store = sharedSession("s")();
  const lease = store.lease?.bind(store);
  let free = false;
  store.lease = async (...asked) => (free ? (lease?.(...asked) ?? false) : false);
  const { session } = tab(store);
  await expect(session.start()).rejects.toMatchObject({ code: "SESSION_OPEN_ELSEWHERE" });
  setTimeout(() => {
    free = true;
  }, 20);
  const opens = () =>
    session.start().then(
      () => true,
      () => false,
    );
  let tries = 1;
  while (tries < 50_000 && !(await opens())) tries++;
  expect(tries).toBeLessThan(50_000);
  expect(await session.sendMessage("hello")).toMatchObject({ text: "you said hello" });
});

test("who follows pushes no slots of its own", async () => {
  const [, second] = await two();
  await expect(second.session.displayManager.pushAndWait({ renderer: "x", input: 1 })).rejects.toMatchObject({
    code: "SESSION_FOLLOWS",
  });
});

test("the next one takes over, and with `resume: manual` it waits to be told so", async () => {
  const [first, second] = await two({ resume: "manual" });
  first.session.sendMessage("form").catch(() => {});
  await until(second.session, ({ slots }) => slots.length === 1);
  first.client.dispose();
  await until(second.session, ({ tab, run }) => tab === "leader" && run.phase === "interrupted");
  const resumed = second.session.resume();
  const { slots } = await until(second.session, ({ run, slots }) => run.phase !== "interrupted" && slots.length === 1);
  await new Promise((later) => setTimeout(later, 50));
  expect(second.session.resolveSlot(second.session.getSnapshot().slots.at(-1)?.id ?? slots[0]?.id ?? "", "3")).toBe(true);
  await resumed;
  expect((await until(second.session, ({ busy }) => !busy)).error).toBeUndefined();
  expect(texts(second.session.getSnapshot())).toEqual(["user: form", "form: success 3", "agent: it is 3"]);
});

test("a message on its way when the first goes is made once, and its promise is kept", async () => {
  const [first, second] = await two();
  const sent = second.session.sendMessage("hello");
  await until(first.session, ({ busy }) => busy);
  first.client.dispose();
  expect(await sent).toMatchObject({ text: "you said hello" });
  expect((await second.session.messages()).length).toBe(2);
});

test("what the tab that runs the session waits for itself is answered by the one that takes over, and what waits is taken back there", async () => {
  const [first, second] = await two();
  const form = first.session.sendMessage("form");
  const stop = new AbortController();
  await until(second.session, ({ slots }) => slots.length === 1);
  const later = first.session.sendMessage("later");
  const given = first.session.request("given up", stop.signal);
  await until(second.session, ({ queue }) => queue.length === 2);
  await second.session.takeOver();
  await until(first.session, ({ tab }) => tab === "follower");
  stop.abort();
  await expect(given).rejects.toMatchObject({ code: "ABORTED" });
  const { slots } = await until(
    second.session,
    ({ tab, slots, queue }) => tab === "leader" && slots.length === 1 && queue.length === 1,
  );
  await new Promise((later) => setTimeout(later, 50));
  expect(second.session.resolveSlot(second.session.getSnapshot().slots.at(-1)?.id ?? slots[0]?.id ?? "", "3")).toBe(true);
  expect(await form).toMatchObject({ text: "it is 3" });
  expect(await later).toMatchObject({ text: "you said later" });
  const said = ["user: form", "form: success 3", "agent: it is 3", "user: later", "agent: you said later"];
  expect(texts(await until(first.session, ({ busy }) => !busy))).toEqual(said);
});

test("what might be done twice is refused where another tab takes over from the one that was asked for it itself", async () => {
  const store = sharedSession("s");
  const first = tab(store());
  await first.session.start();
  first.session.sendMessage("form").catch(() => {});
  await until(first.session, ({ slots }) => slots.length === 1);
  first.client.dispose();
  const second = tab(store(), { resume: "manual" });
  await second.session.start();
  await until(second.session, ({ run }) => run.phase === "interrupted");
  const resumed = second.session.resume();
  await until(second.session, ({ run }) => run.phase === "waiting");
  const third = tab(store(), { resume: "manual" });
  await third.session.takeOver();
  await expect(resumed).rejects.toMatchObject({ code: "SESSION_MOVED" });
  expect(second.session.getSnapshot().tab).toBe("follower");
  // What is read is asked of the one that runs it now.
  expect(await second.session.messages()).toHaveLength(2);
});

test("a message that another one came into is answered, although the tab that wrote the answer died before it told so", async () => {
  const store = sharedSession("s");
  let written = () => {};
  const answered = new Promise<void>((resolve) => {
    written = resolve;
  });
  const dying = store();
  const first = tab({
    ...dying,
    appendStep: async (step) => {
      await dying.appendStep?.(step);
      if (!step.messages.some(({ text }) => text === "you said more")) return;
      written();
      await new Promise(() => {});
    },
  });
  await first.session.start();
  const second = tab(store());
  await second.session.start();
  const sent = second.session.sendMessage("form");
  await until(second.session, ({ slots }) => slots.length === 1);
  first.session.sendMessage({ text: "more", whenBusy: "steer" }).catch(() => {});
  await until(second.session, ({ queue }) => queue.length === 1);
  second.session.resolveSlot(second.session.getSnapshot().slots[0]?.id ?? "", "1");
  await answered;
  first.client.dispose();
  expect(await sent).toMatchObject({ type: "completed", text: "you said more" });
});

test("a tab that cannot open the session leaves it to the next, and tries again when it is asked", async () => {
  const store = sharedSession("s");
  let broken = true;
  const readRun = store().readRun;
  const faulty: StoreAdapter = {
    ...store(),
    readRun: async () => {
      if (broken) throw new Error("not now");
      return (await readRun?.()) ?? { messages: [], records: [] };
    },
  };
  const first = tab(faulty);
  await expect(first.session.start()).rejects.toMatchObject({ code: "STORE_FAILED" });
  expect(first.session.getSnapshot().error).toMatchObject({ code: "STORE_FAILED" });
  const second = tab(store());
  await second.session.start();
  expect(second.session.getSnapshot().tab).toBe("leader");
  broken = false;
  expect(await first.session.sendMessage("hello")).toMatchObject({ text: "you said hello" });
  expect(first.session.getSnapshot()).toMatchObject({ tab: "follower", error: undefined });
});

test("a session that nobody shows any more is let go at once where it only followed, whatever it does elsewhere", async () => {
  const [first, second] = await two();
  const sent = first.session.sendMessage("form");
  await until(second.session, ({ busy }) => busy);
  second.client.retain(second.session)();
  await new Promise((later) => setTimeout(later, 20));
  expect([second.session.disposed, first.session.disposed]).toEqual([true, false]);
  await until(first.session, ({ slots }) => slots.length === 1);
  first.session.resolveSlot(first.session.getSnapshot().slots[0]?.id ?? "", "1");
  expect(await sent).toMatchObject({ text: "it is 1" });
});

test("what waits is told when its own session is disposed of", async () => {
  const [first, second] = await two();
  const sent = second.session.sendMessage("form");
  await until(first.session, ({ slots }) => slots.length === 1);
  second.client.dispose();
  await expect(sent).rejects.toMatchObject({ code: "SESSION_CLOSED" });
  expect(first.session.getSnapshot().slots).toHaveLength(1);
});

test("a message whose write is refused, as another tab has taken over unheard, is answered nevertheless, once", async () => {
  const store = sharedSession("s");
  const first = tab(store());
  await first.session.start();
  const second = tab(store());
  await second.session.start();
  for (const { session } of [first, second]) {
    const unheard = store();
    await unheard.readRun?.();
    await unheard.claim?.();
    expect(await session.sendMessage("hello")).toMatchObject({ text: "you said hello" });
  }
  const twice = ["user: hello", "agent: you said hello", "user: hello", "agent: you said hello"];
  expect(texts(first.session.getSnapshot())).toEqual(twice);
});

test("what another page writes between the reading and the claim of a session is read too", async () => {
  const make = sharedSession("s");
  // A page of which no tab hears.
  const stranger = tab({ ...make(), shared: async () => undefined });
  await stranger.session.sendMessage("before");
  const store = make();
  const first = tab({
    ...store,
    readRun: vi.fn(store.readRun).mockImplementationOnce(async () => {
      const run = await store.readRun?.();
      await stranger.session.sendMessage("meanwhile");
      return run as never;
    }),
  });
  await first.session.start();
  const said = (text: string) => [`user: ${text}`, `agent: you said ${text}`];
  await until(first.session, (shown) => texts(shown).length === 4);
  expect(await first.session.sendMessage("after")).toMatchObject({ text: "you said after" });
  expect(texts(first.session.getSnapshot())).toEqual(["before", "meanwhile", "after"].flatMap(said));
  await expect(stranger.session.sendMessage("late")).rejects.toMatchObject({ code: "STORE_CONFLICT" });
});

const sessions = new Map<string, () => StoreAdapter>();
const storeOf = (id: string) => {
  const make = sessions.get(id) ?? sharedSession(id);
  sessions.set(id, make);
  return make();
};
storeConformance({ make: storeOf, reopen: storeOf }, { describe, it });

/** Two tabs, and a place to say what a tab may have said at a bad moment. */
async function overheard() {
  const store = sharedSession("s");
  const first = tab(store());
  await first.session.start();
  const channel = new BroadcastChannel((await store().shared?.()) ?? "");
  const heard: { kind: string; leader?: string; id?: string; value?: unknown; error?: CoreError }[] = [];
  channel.onmessage = ({ data }) => void heard.push(data as (typeof heard)[number]);
  const second = tab(store());
  await second.session.start();
  const leader = await vi.waitFor(() => heard.find(({ leader }) => leader)?.leader ?? expect.fail());
  let asked = 0;
  const ask = async (method: string, args: readonly unknown[], more: object = {}) => {
    const id = `asked ${asked++}`;
    channel.postMessage({ v: 4, kind: "ask", leader, id, method, args, again: false, ...more });
    await new Promise((later) => setTimeout(later, 50));
    return heard.find((message) => message.kind === "answered" && message.id === id);
  };
  return { first, second, heard, ask, close: () => channel.close() };
}

test("a stop that comes late stops no later request, and one that is meant stops it wherever the request has got to", async () => {
  const { first, ask, close } = await overheard();
  const form = first.session.sendMessage("form");
  await until(first.session, ({ slots }) => slots.length === 1);
  expect(await ask("abort", ["an earlier request"])).toMatchObject({ value: false });
  // It was meant for what another tab ran, which was not shown yet.
  expect(await ask("abort", [null], { again: true })).toMatchObject({ value: false });
  expect(await ask("cancelQueued", ["an earlier request"])).toMatchObject({ value: false });
  expect(first.session.getSnapshot().slots).toHaveLength(1);
  const request = first.session.getSnapshot().timeline[0]?.id.replace(/\.m1$/, "");
  // It had left the queue when it was given up.
  await ask("cancelQueued", [request]);
  expect(await form).toEqual({ type: "aborted" });
  close();
});

test("what is asked of an earlier leader is left to the one who asked; what may have been done is not done again in silence", async () => {
  const { first, ask, close } = await overheard();
  expect(await ask("request", [JSON.stringify({ id: "r", text: "hello" })], { leader: "gone" })).toBeUndefined();
  expect(await first.session.messages()).toHaveLength(0);
  expect((await ask("resume", [], { again: false }))?.error?.code).toBe("OUT_OF_PROTOCOL");
  expect((await ask("resume", [], { again: true }))?.error?.code).toBe("SESSION_MOVED");
  close();
});

test("a tab that was superseded says nothing that counts any more", async () => {
  const { first, second, heard, ask, close } = await overheard();
  const sent = second.session.sendMessage("form");
  await until(first.session, ({ slots }) => slots.length === 1);
  const given = heard.find(({ kind }) => kind === "ask");
  const say = (kind: string, more: object = {}) => ask("none", [], { kind, id: given?.id, leader: "superseded", ...more });
  await say("answered", { error: { code: "STORE_CONFLICT", message: "superseded" } });
  await say("events", { events: [{ kind: "slots", slots: [] }] });
  expect(second.session.getSnapshot().slots).toHaveLength(1);
  first.session.resolveSlot(first.session.getSnapshot().slots[0]?.id ?? "", "1");
  expect(await sent).toMatchObject({ text: "it is 1" });
  close();
});

test("a message that a damaged session refuses stays in the queue of the tab that it was typed in", async () => {
  const make = sharedSession("s");
  const damaged = () =>
    Object.assign(make(), { readRun: async () => ({ messages: [{ sender: "root", text: "?" }], records: [] }) });
  const [first, second] = [tab(damaged()), tab(damaged())];
  await first.session.start();
  await second.session.start();
  for (const { session } of [second, first]) {
    await expect(session.sendMessage("Hi")).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    expect(session.getSnapshot()).toMatchObject({ queue: [{ text: "Hi" }], busy: false });
  }
  expect([first, second].map(({ session }) => session.getSnapshot().tab)).toEqual(["leader", "follower"]);
});

test("a tab that cannot take over keeps what is sent, and tries again with the next message", async () => {
  const store = sharedSession("s");
  const first = tab(store());
  await first.session.sendMessage("one");
  const own = store();
  let broken = false;
  for (const name of ["readRun", "readRunText"] as const) {
    const read = own[name]?.bind(own);
    if (read) Object.assign(own, { [name]: () => (broken ? Promise.reject(new Error("no luck")) : read()) });
  }
  const second = tab(own);
  await second.session.start();
  broken = true;
  first.client.dispose();
  await until(second.session, ({ error }) => error !== undefined);
  await expect(second.session.sendMessage("two")).rejects.toMatchObject({ code: "STORE_FAILED" });
  expect(second.session.getSnapshot().queue).toMatchObject([{ text: "two" }]);
  broken = false;
  expect(await second.session.sendMessage("three")).toMatchObject({ type: "completed", text: "you said three" });
  expect(texts(second.session.getSnapshot())).toEqual([
    ...["user: one", "agent: you said one", "user: two", "agent: you said two", "user: three", "agent: you said three"],
  ]);
});

test("an action is taken back once, also when two tabs ask for the same at once", async () => {
  const store = sharedSession("s");
  const undone: unknown[] = [];
  const tools = [
    {
      name: "add",
      description: "",
      jsonSchema: { type: "object", properties: { n: { type: "integer" } } },
      do: () => "added",
      undo: ({ n }: { n?: number }) => void undone.push(n),
    },
  ];
  const open = () => {
    const toolCalls = [1, 2, 3].map((n) => ({ name: "add", input: { n } }));
    const createModel = () => createScriptedModel([{ toolCalls }, "Done."]);
    const client = new GloveClient({ createModel, createStore: () => store(), systemPrompt: "", tools });
    opened.push(client);
    return client.session("s");
  };
  const [leads, follows] = [open(), open()];
  await leads.start();
  await follows.start();
  await leads.sendMessage("Add");
  await until(follows, ({ undoable }) => undoable.length === 3);
  const last = follows.getSnapshot().undoable[0]?.toolCallId;
  // What the other tab asks comes when this one's is done.
  const both = [leads.undo(1, { last }), follows.undo(1, { last })];
  const [here, there] = await Promise.all(both.map((asked) => asked.catch((error: unknown) => error)));
  expect(here).toMatchObject({ type: "undone", steps: 1 });
  expect(["NOT_LAST_ACTION", "OUT_OF_PROTOCOL"]).toContain((there as { code?: string }).code);
  await expect(follows.undo(2, { last })).rejects.toMatchObject({ code: "NOT_LAST_ACTION" });
  expect(undone).toEqual([3]);
  expect(await follows.undo(2, { last: follows.getSnapshot().undoable[0]?.toolCallId })).toMatchObject({
    type: "undone",
    steps: 2,
  });
  expect(undone).toEqual([3, 2, 1]);
});
