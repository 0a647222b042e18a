// A message that whoever runs the session has not yet: it is written down before it is shown, and is in the queue again after any death.
import { GloveClient, GloveError, type SentRequest, type StoreAdapter } from "glove-wasm";
import { createScriptedModel } from "glove-wasm/testing";
import { afterEach, expect, test, vi } from "vitest";
import { texts, until } from "../support/session.js";
import { sharedSession } from "../support/shared-store.js";

const opened: GloveClient[] = [];
afterEach(() => {
  for (const client of opened.splice(0)) client.dispose();
  vi.unstubAllGlobals();
});

const later = () => new Promise((done) => setTimeout(done, 20));

function tab(store: StoreAdapter, config: { readonly resume?: "manual" } = {}) {
  const told: string[] = [];
  const client = new GloveClient({
    createModel: () =>
      createScriptedModel(({ messages }) => {
        const asked = messages.findLast(({ tool_results }) => !tool_results);
        if (asked?.text === "wait" && !messages.at(-1)?.tool_results) return { toolCalls: [{ name: "wait" }] };
        return `you said ${asked?.text}`;
      }),
    createStore: () => store,
    tools: [
      {
        name: "wait",
        description: "",
        jsonSchema: { type: "object" },
        onInterrupted: "rerun",
        do: (_, display) => display.pushAndWait({ input: "How long?" }),
      },
    ],
    subscribers: [{ record: (type: string, data: { code?: string }) => told.push(`${type} ${data?.code ?? ""}`.trim()) }],
    systemPrompt: "",
    ...config,
  });
  opened.push(client);
  return { client, session: client.session("s"), told };
}

const written = (id: string, text: string, at = 1): SentRequest => ({ id, at, request: JSON.stringify({ id, text }) });
const kept = async (store: StoreAdapter) => (await store.listSent?.())?.map(({ request }) => JSON.parse(request).text);
const queue = ({ session }: ReturnType<typeof tab>) => session.getSnapshot().queue.map(({ text }) => text);

/** Writes down when it is told to. */
function gated(store: StoreAdapter) {
  const keep = store.keepSent?.bind(store);
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  store.keepSent = async (message) => {
    await gate;
    await keep?.(message);
  };
  return open;
}

/** Takes steps when it is told to. */
function slow(store: StoreAdapter) {
  const append = store.appendStep?.bind(store);
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  store.appendStep = async (...step) => {
    await gate;
    await append?.(...step);
  };
  return open;
}

test("what is sent before the core is there is shown when it is written down, and is in the record alone when it is answered", async () => {
  const store = sharedSession("s")();
  const open = gated(store);
  const own = tab(store);
  const sent = own.session.sendMessage("hello");
  expect(own.session.getSnapshot()).toMatchObject({ busy: true, status: "submitted", queue: [] });
  const shown = until(own.session, ({ queue }) => queue.length === 1);
  open();
  await shown;
  expect(await sent).toMatchObject({ text: "you said hello" });
  expect(texts(own.session.getSnapshot())).toEqual(["user: hello", "agent: you said hello"]);
  expect(await kept(store)).toEqual([]);
});

test("what a tab that follows sends is given to the one that runs the session when it is written down", async () => {
  const stores = sharedSession("s");
  const first = tab(stores());
  await first.session.start();
  const store = stores();
  const open = gated(store);
  const second = tab(store);
  await second.session.start();
  const sent = second.session.sendMessage("hello");
  await later();
  expect([texts(first.session.getSnapshot()), queue(second)]).toEqual([[], []]);
  open();
  expect(await sent).toMatchObject({ text: "you said hello" });
  expect(await kept(store)).toEqual([]);
});

test("what the core of the page takes at once is not written twice", async () => {
  const store = sharedSession("s")();
  store.keepSent = vi.fn();
  const { session } = tab(store);
  await session.start();
  await session.sendMessage("hello");
  expect(store.keepSent).not.toHaveBeenCalled();
});

test("what was written down in a page that is gone is answered when the session is opened, in its order and once", async () => {
  const stores = sharedSession("s");
  const store = stores();
  await store.keepSent?.(written("b", "second", 2));
  await store.keepSent?.(written("a", "first", 1));
  const { session } = tab(store);
  const third = session.sendMessage("third");
  await third;
  const said = ["first", "second", "third"].flatMap((text) => [`user: ${text}`, `agent: you said ${text}`]);
  expect(texts(session.getSnapshot())).toEqual(said);
  expect(await kept(store)).toEqual([]);
  // One that was stored, and whose row is there all the same.
  await store.keepSent?.(written("a", "first", 1));
  const again = tab(stores());
  await again.session.start();
  await vi.waitFor(async () => expect(await kept(store)).toEqual([]));
  expect(texts(again.session.getSnapshot())).toEqual(said);
});

test("what a tab wrote down that died alone is taken up when another tab joins", async () => {
  const stores = sharedSession("s");
  const first = tab(stores());
  await first.session.start();
  await stores().keepSent?.(written("a", "left behind"));
  const second = tab(stores());
  await second.session.start();
  await until(second.session, ({ timeline }) => timeline.length === 2);
  expect(texts(first.session.getSnapshot())).toEqual(["user: left behind", "agent: you said left behind"]);
});

test("what is taken back before it is given is in no queue afterwards", async () => {
  const store = sharedSession("s")();
  const own = tab(store);
  await store.keepSent?.(written("x", "of another page"));
  const open = gated(store);
  const sent = own.session.sendMessage("never mind");
  own.session.stop();
  expect(await sent).toEqual({ type: "aborted" });
  open();
  await own.session.start();
  await until(own.session, ({ busy }) => !busy);
  await vi.waitFor(async () => expect(await kept(store)).toEqual([]));
  expect(texts(own.session.getSnapshot())).toEqual(["user: of another page", "agent: you said of another page"]);
});

test("a message that cannot be written down is shown with the reason, and sent all the same", async () => {
  const stores = sharedSession("s");
  const leads = stores();
  const open = slow(leads);
  const first = tab(leads);
  await first.session.start();
  const store = stores();
  store.keepSent = () => Promise.reject(new GloveError("STORE_QUOTA", "The disk is full."));
  const second = tab(store);
  await second.session.start();
  const errors: unknown[] = [];
  second.session.subscribe(() => errors.push((second.session.getSnapshot().error as GloveError | undefined)?.code));
  const sent = second.session.sendMessage("hello");
  await until(second.session, ({ queue }) => queue.length === 1);
  expect(errors).toContain("STORE_QUOTA");
  open();
  expect(await sent).toMatchObject({ text: "you said hello" });
  expect(second.told).toContain("warning STORE_QUOTA");
  expect(second.session.getSnapshot().error).toBeUndefined();
});

test("what is found beside a run that waits to be resumed waits with it, and can be taken back", async () => {
  const stores = sharedSession("s");
  const first = tab(stores());
  first.session.sendMessage("wait").catch(() => {});
  await until(first.session, ({ run }) => run.phase === "waiting");
  first.client.dispose();
  const store = stores();
  for (const [at, id] of ["a", "b"].entries()) await store.keepSent?.(written(id, id, at));
  const second = tab(store, { resume: "manual" });
  await second.session.start();
  await later();
  expect(second.session.getSnapshot()).toMatchObject({ run: { phase: "interrupted" }, queue: [{ id: "a" }, { id: "b" }] });
  expect(second.session.cancelQueued("a")).toBe(true);
  expect(queue(second)).toEqual(["b"]);
  void second.session.resume();
  const { slots } = await until(second.session, ({ slots, run }) => run.phase === "waiting" && slots.length > 0);
  second.session.resolveSlot(slots.at(-1)?.id ?? "", 1);
  await until(second.session, ({ busy, timeline }) => !busy && timeline.length > 3);
  expect(texts(second.session.getSnapshot()).slice(-2)).toEqual(["user: b", "agent: you said b"]);
  expect(await kept(store)).toEqual([]);
});

test("a session that is closed before its message is given has it in the queue when it is opened again", async () => {
  const stores = sharedSession("s");
  const store = stores();
  const first = tab(store);
  const load = store.readRun?.bind(store);
  store.readRun = async () => {
    await new Promise(() => {});
    return load?.() ?? { messages: [], records: [] };
  };
  const sent = first.session.sendMessage("hello");
  await until(first.session, ({ queue }) => queue.length === 1);
  first.client.dispose();
  await expect(sent).rejects.toMatchObject({ code: "SESSION_CLOSED" });
  const second = tab(stores());
  await second.session.start();
  await until(second.session, ({ busy, timeline }) => !busy && timeline.length === 2);
  expect(texts(second.session.getSnapshot())).toEqual(["user: hello", "agent: you said hello"]);
});

test("what is on its way when an old page gives way to a newer one stays written down, and the newer one answers it", async () => {
  const stores = sharedSession("s");
  const channel = new BroadcastChannel((await stores().shared?.()) ?? "");
  const asked = new Promise<void>((resolve) => {
    channel.onmessage = ({ data }) => {
      if (data.kind === "hello") channel.postMessage({ ...all, to: data.tab });
      if (data.kind === "ask" && data.method === "request") resolve();
    };
  });
  const all = { v: 4, kind: "all", leader: "old", events: [], written: { text: "", reasoning: "" }, extras: {} };
  await stores().lease?.("somebody", 60_000);
  const store = stores();
  const old = tab(store);
  await old.session.start();
  const sent = old.session.sendMessage("hello");
  await asked;
  // Nobody has heard it before the newer page leads.
  channel.postMessage({ v: 5, kind: "leads", leader: "newer" });
  await expect(sent).rejects.toMatchObject({ code: "TAB_VERSION" });
  await later();
  channel.close();
  expect([await kept(store), queue(old)]).toEqual([["hello"], ["hello"]]);
  await stores().lease?.("somebody", 0);
  const newer = tab(stores());
  await newer.session.start();
  await until(newer.session, ({ busy, timeline }) => !busy && timeline.length === 2);
  expect(texts(newer.session.getSnapshot())).toEqual(["user: hello", "agent: you said hello"]);
  expect(await kept(store)).toEqual([]);
});

test("what the tab that runs the session has in memory alone stays written down when another one joins", async () => {
  const stores = sharedSession("s");
  const store = stores();
  let full = true;
  const first = tab({
    ...store,
    appendStep: async (step) => {
      if (full) throw new GloveError("STORE_QUOTA", "The disk is full.");
      await store.appendStep?.(step);
    },
  });
  await first.session.start();
  const second = tab(stores());
  await second.session.start();
  await expect(second.session.sendMessage("hello")).rejects.toMatchObject({ code: "STORE_QUOTA" });
  expect(await kept(store)).toEqual(["hello"]);
  const third = tab(stores());
  await third.session.start();
  await later();
  expect(await kept(store)).toEqual(["hello"]);
  expect(first.session.getSnapshot()).toMatchObject({ run: { phase: "paused" }, error: { code: "STORE_QUOTA" }, queue: [] });
  full = false;
  first.client.dispose();
  await until(second.session, ({ busy, timeline }) => !busy && timeline.length === 2);
  expect(texts(second.session.getSnapshot())).toEqual(["user: hello", "agent: you said hello"]);
  await vi.waitFor(async () => expect(await kept(store)).toEqual([]));
});

test("what waits beside an interrupted run is in the queue of each tab, and is taken back in any of them", async () => {
  const stores = sharedSession("s");
  const before = tab(stores());
  before.session.sendMessage("wait").catch(() => {});
  await until(before.session, ({ run }) => run.phase === "waiting");
  before.client.dispose();
  const store = stores();
  for (const [at, id] of ["a", "b", "c"].entries()) await store.keepSent?.(written(id, id, at));
  const first = tab(store, { resume: "manual" });
  await first.session.start();
  const second = tab(stores(), { resume: "manual" });
  await second.session.start();
  expect(second.session.getSnapshot()).toMatchObject({ tab: "follower", run: { phase: "interrupted" } });
  expect(queue(second)).toEqual(["a", "b", "c"]);
  expect(second.session.cancelQueued("a")).toBe(true);
  for (const one of [first, second]) await vi.waitFor(() => expect(queue(one)).toEqual(["b", "c"]));
  expect(await kept(store)).toEqual(["b", "c"]);
  // The tab that takes over has them too.
  first.client.dispose();
  await until(second.session, ({ tab, run }) => tab === "leader" && run.phase === "interrupted");
  expect(queue(second)).toEqual(["b", "c"]);
  const third = tab(stores(), { resume: "manual" });
  await third.session.start();
  expect(second.session.cancelQueued("b")).toBe(true);
  await vi.waitFor(() => expect(queue(third)).toEqual(["c"]));
  void third.session.resume();
  const { slots } = await until(third.session, ({ slots, run }) => run.phase === "waiting" && slots.length > 0);
  third.session.resolveSlot(slots.at(-1)?.id ?? "", 1);
  await until(third.session, ({ busy, timeline }) => !busy && timeline.length > 3);
  expect(texts(third.session.getSnapshot()).slice(-2)).toEqual(["user: c", "agent: you said c"]);
  for (const one of [second, third]) await vi.waitFor(() => expect(queue(one)).toEqual([]));
  expect(await kept(store)).toEqual([]);
});

test("what is asked in another tab comes after what waits beside an interrupted run", async () => {
  const stores = sharedSession("s");
  const before = tab(stores());
  before.session.sendMessage("wait").catch(() => {});
  await until(before.session, ({ run }) => run.phase === "waiting");
  before.client.dispose();
  const store = stores();
  await store.keepSent?.(written("a", "a"));
  const first = tab(store, { resume: "manual" });
  await first.session.start();
  const second = tab(stores(), { resume: "manual" });
  await second.session.start();
  const queues: string[][] = [];
  second.session.subscribe(() => queues.push(queue(second)));
  const sent = second.session.sendMessage("b");
  const { slots } = await until(second.session, ({ slots, queue }) => slots.length > 0 && queue.length > 1);
  expect(queue(second)).toEqual(["a", "b"]);
  second.session.resolveSlot(slots.at(-1)?.id ?? "", 1);
  expect(await sent).toMatchObject({ text: "you said b" });
  const said = texts(second.session.getSnapshot()).slice(-4);
  expect(said).toEqual(["user: a", "agent: you said a", "user: b", "agent: you said b"]);
  expect(queues.filter((texts) => new Set(texts).size < texts.length)).toEqual([]);
});

test("a message that a slow store takes its time with is written down after a moment, and shown then", async () => {
  const store = sharedSession("s")();
  const open = slow(store);
  const keeps = gated(store);
  const own = tab(store);
  await own.session.start();
  const begun = performance.now();
  const sent = own.session.sendMessage("hello");
  await new Promise((done) => setTimeout(done, 500));
  // It would be gone with the page.
  expect([queue(own), own.session.getSnapshot().busy]).toEqual([[], true]);
  keeps();
  await until(own.session, ({ queue }) => queue.length === 1);
  expect(performance.now() - begun).toBeLessThan(4_000);
  expect(await kept(store)).toEqual(["hello"]);
  open();
  expect(await sent).toMatchObject({ text: "you said hello" });
  expect(own.session.getSnapshot()).toMatchObject({ queue: [], error: undefined });
  await vi.waitFor(async () => expect(await kept(store)).toEqual([]));
});

test("a message that comes into the record before it is written down is written down no longer, while it is answered still", async () => {
  const store = sharedSession("s")();
  const open = slow(store);
  const keeps = gated(store);
  const drop = vi.spyOn(store, "dropSent");
  const own = tab(store);
  await own.session.start();
  own.session.sendMessage("wait").catch(() => {});
  await new Promise((done) => setTimeout(done, 500));
  open();
  await until(own.session, ({ run }) => run.phase === "waiting");
  keeps();
  await vi.waitFor(() => expect(drop).toHaveBeenCalledTimes(1));
  await vi.waitFor(async () => expect(await kept(store)).toEqual([]));
  expect(own.session.getSnapshot()).toMatchObject({ run: { phase: "waiting" }, queue: [] });
});

test("a message that is nowhere but in its page is never shown without a word", async () => {
  const stores = sharedSession("s");
  const [leads, follows] = [stores(), stores()];
  const opens = [slow(leads), gated(leads), gated(follows)];
  const first = tab(leads);
  await first.session.start();
  const second = tab(follows);
  await second.session.start();
  const shown = [first, second].map(({ session }, at) => {
    const seen = new Set<string>();
    session.subscribe(() => {
      const { queue, error } = session.getSnapshot();
      if (queue.some(({ text }) => text === `from ${at}`)) seen.add((error as GloveError | undefined)?.code ?? "nothing is said");
    });
    return seen;
  });
  for (const [at, { session }] of [first, second].entries()) session.sendMessage(`from ${at}`).catch(() => {});
  await vi.waitFor(() => expect(shown.every(({ size }) => size > 0)).toBe(true), { timeout: 10_000 });
  expect(shown.map((seen) => [...seen])).toEqual([["STORE_UNAVAILABLE"], ["STORE_UNAVAILABLE"]]);
  expect([first, second].map(({ told }) => told.filter((one) => one.startsWith("warning")))).toEqual([
    ["warning STORE_UNAVAILABLE"],
    ["warning STORE_UNAVAILABLE"],
  ]);
  for (const open of opens) open();
}, 15_000);

/** A message that another page of this browser has in `localStorage` alone, which is on the disk some seconds later. */
function inStorageAlone(store: StoreAdapter, message: SentRequest) {
  const storage: Record<string, string> = { [`sent:${message.id}`]: JSON.stringify(message) };
  const methods = {
    getItem: (key: string) => storage[key] ?? null,
    removeItem: (key: string) => void delete storage[key],
  };
  for (const [name, value] of Object.entries(methods)) Object.defineProperty(storage, name, { value });
  vi.stubGlobal("localStorage", storage);
  return { store: Object.assign(store, { localCopyKey: "sent:" }), storage };
}

test("what another page has in `localStorage` alone is shown when it is stored: the browser may die before", async () => {
  const { store, storage } = inStorageAlone(sharedSession("s")(), written("a", "fleeting"));
  const open = slow(store);
  const append = vi.spyOn(store, "appendStep");
  const own = tab(store);
  await own.session.start();
  await vi.waitFor(() => expect(append).toHaveBeenCalled());
  await later();
  expect([queue(own), texts(own.session.getSnapshot())]).toEqual([[], []]);
  open();
  await until(own.session, ({ busy, timeline }) => !busy && timeline.length === 2);
  expect(texts(own.session.getSnapshot())).toEqual(["user: fleeting", "agent: you said fleeting"]);
  await vi.waitFor(() => expect(Object.keys(storage)).toEqual([]));
});

test("beside an interrupted run it is in the queue when it is written down, and can be taken back then", async () => {
  const stores = sharedSession("s");
  const first = tab(stores());
  first.session.sendMessage("wait").catch(() => {});
  await until(first.session, ({ run }) => run.phase === "waiting");
  first.client.dispose();
  const { store, storage } = inStorageAlone(stores(), written("a", "fleeting"));
  const open = gated(store);
  const own = tab(store, { resume: "manual" });
  await own.session.start();
  await later();
  expect(own.session.getSnapshot()).toMatchObject({ run: { phase: "interrupted" }, queue: [] });
  open();
  await vi.waitFor(() => expect(queue(own)).toEqual(["fleeting"]));
  expect(await kept(store)).toEqual(["fleeting"]);
  expect(own.session.cancelQueued("a")).toBe(true);
  await vi.waitFor(async () => expect(await kept(store)).toEqual([]));
  expect([queue(own), Object.keys(storage)]).toEqual([[], []]);
});

test("a message that was taken back is not delivered again when copies of others come late", async () => {
  const stores = sharedSession("s");
  const first = tab(stores());
  first.session.sendMessage("wait").catch(() => {});
  await until(first.session, ({ run }) => run.phase === "waiting");
  first.client.dispose();
  const { store } = inStorageAlone(stores(), written("b", "late", 2));
  await store.keepSent?.(written("a", "taken back"));
  // The database of the copies takes its time, and does not open then.
  const opening: { onerror?: () => void } = {};
  vi.stubGlobal("indexedDB", { open: () => opening });
  vi.stubGlobal("IDBKeyRange", { bound: () => ({}) });
  const own = tab(store, { resume: "manual" });
  await own.session.start();
  await vi.waitFor(() => expect(queue(own)).toEqual(["taken back"]), 5_000);
  expect(own.session.cancelQueued("a")).toBe(true);
  opening.onerror?.();
  await vi.waitFor(() => expect(queue(own)).toEqual(["late"]), 5_000);
});
