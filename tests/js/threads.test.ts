// The threads of a client: what the list says of each, what can be done with them, and what it costs.
import {
  GloveClient,
  type GloveClientConfig,
  IndexedDBStore,
  MemoryStore,
  type SessionCatalog,
  SessionDatabase,
  type SessionInfo,
  type ToolConfig,
} from "glove-wasm";
import { createScriptedModel, type ScriptedAnswer } from "glove-wasm/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

const { threadsOf } = (await import(
  new URL("../../pkg/src/threads/thread-store.js", import.meta.url).href
)) as typeof import("../../js/src/threads/thread-store.js");

const clientOf = (script: readonly ScriptedAnswer[] = ["one", "two", "three"], config: Partial<GloveClientConfig> = {}) =>
  new GloveClient({ createModel: () => createScriptedModel(script), systemPrompt: "", ...config });

const undo: (() => void)[] = [];
afterEach(() => {
  for (const step of undo.splice(0)) step();
  vi.useRealTimers();
});

/** The threads of a client, as long as the test; `told` counts how often listeners heard of something. */
function watch(client: GloveClient) {
  const store = threadsOf(client as never);
  const watched = { told: 0 };
  undo.push(store.subscribe(() => void watched.told++));
  const until = (fits: (state: ReturnType<typeof store.getSnapshot>) => boolean) =>
    vi.waitFor(() => {
      expect(fits(store.getSnapshot()), JSON.stringify(store.getSnapshot(), null, 1)).toBe(true);
      return store.getSnapshot();
    });
  return { store, watched, until, ...store.actions };
}

const frames = (count = 3) => new Promise((later) => setTimeout(later, 20 * count));
const titles = ({ threads }: { readonly threads: readonly SessionInfo[] }) => threads.map(({ title }) => title);

test("a thread appears with what a person wrote first, and moves to the top when it changes", async () => {
  const client = clientOf();
  const { until } = watch(client);
  await until(({ ready }) => ready);
  await client.session("a").sendMessage("  About\nships ");
  await until((state) => titles(state).join() === "About ships");
  await client.session("b").sendMessage("Trains");
  await until((state) => titles(state).join() === "Trains,About ships");
  await client.session("a").sendMessage("More");
  // It moves when its run begins, and the end of that is told a moment later.
  const { threads } = await until((state) => titles(state).join() === "About ships,Trains" && !state.threads[0]?.running);
  expect(threads[0]).toMatchObject({ id: "a", messageCount: 4, archived: false, running: false, waiting: false });
});

test("a run is marked while it goes on, and a thread that runs keeps its place among the others", async () => {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const tool = { name: "look", description: "", jsonSchema: { type: "object" }, do: () => opened };
  const client = clientOf([{ toolCalls: [{ name: "look" }] }, "end"], { tools: [tool] });
  const other = clientOf();
  const { until } = watch(client);
  const first = client.session("a").sendMessage("First");
  await until(({ threads }) => threads[0]?.running === true);
  // Another one that changes comes before it, and the next step of the first does not jump over that.
  await client.importSession(await exportOf(other, "Second"));
  open();
  await first;
  const { threads } = await until(({ threads }) => threads.every(({ running }) => !running) && threads.length === 2);
  expect(threads.map(({ running, waiting }) => [running, waiting])).toEqual([
    [false, false],
    [false, false],
  ]);
});

async function exportOf(client: GloveClient, text: string): Promise<string> {
  await client.session("x").sendMessage(text);
  return client.exportSession("x");
}

test("a person who is asked is marked, also while another call works on", async () => {
  const ask: ToolConfig = {
    name: "ask",
    description: "",
    jsonSchema: { type: "object" },
    parallel: true,
    do: (_, display) => display.pushAndWait({ input: "?" }),
  };
  const tools: ToolConfig[] = [
    { name: "rm", description: "", jsonSchema: { type: "object" }, requiresPermission: true, do: () => "gone" },
    ask,
    { name: "wait", description: "", jsonSchema: { type: "object" }, parallel: true, do: () => new Promise(() => {}) },
  ];
  const client = clientOf([{ toolCalls: [{ name: "rm" }] }, { toolCalls: [{ name: "ask" }, { name: "wait" }] }], { tools });
  const { until } = watch(client);
  const session = client.session("a");
  void session.sendMessage("Go");
  const asked = await until(({ threads }) => threads[0]?.waiting === true);
  expect(asked.threads[0]).toMatchObject({ running: false, waiting: true, unfinished: true });
  session.reject(session.getSnapshot().approvals[0]?.id ?? "");
  const both = await until(({ threads }) => threads[0]?.waiting === true && threads[0].running);
  expect(both.threads[0]).toMatchObject({ phase: "tools" });
  session.abort();
  await until(({ threads }) => threads[0]?.waiting === false && !threads[0].running);
});

test("a thread is renamed, archived, found among the archived ones, and comes back by a message", async () => {
  const client = clientOf();
  const { until, rename, archive, unarchive } = watch(client);
  await client.session("a").sendMessage("One");
  await client.session("b").sendMessage("Two");
  await rename("a", "Mine");
  await until((state) => titles(state).join() === "Two,Mine");
  await rename("a", "");
  await until((state) => titles(state).join() === "Two,One");
  await archive("a");
  const away = await until((state) => titles(state).join() === "Two");
  expect(away.archived.map(({ id, archived }) => [id, archived])).toEqual([["a", true]]);
  await unarchive("a");
  await until(({ archived }) => archived.length === 0);
  await archive("a");
  await client.session("a").sendMessage("Again");
  await until((state) => titles(state).join() === "One,Two" && state.archived.length === 0);
  await expect(rename("gone", "x")).rejects.toMatchObject({ code: "SESSION_UNKNOWN" });
  await until(({ error }) => (error as { code?: string } | undefined)?.code === "SESSION_UNKNOWN");
});

test("a change is shown when it is stored, before the row is read again", async () => {
  const client = clientOf();
  const { store, until, rename } = watch(client);
  await client.session("a").sendMessage("One");
  await until(({ threads }) => threads.length === 1);
  await frames();
  let stored: Promise<string | undefined> | undefined;
  const stop = store.subscribe(() => {
    stored ??= client.sessions().then((sessions) => sessions[0]?.title);
  });
  const renamed = rename("a", "Mine");
  expect(titles(store.getSnapshot())).toEqual(["One"]);
  await renamed;
  expect(titles(store.getSnapshot())).toEqual(["Mine"]);
  expect(await stored).toBe("Mine");
  await frames();
  expect(titles(store.getSnapshot())).toEqual(["Mine"]);
  stop();
});

// ---- deleting ------------------------------------------------------------------------------------------------------------

beforeEach(() => vi.useRealTimers());

test("a deleted thread can be brought back for ten seconds, and is gone then", async () => {
  const client = clientOf(["one", "two"]);
  const { store, until, remove, restore } = watch(client);
  await client.session("a").sendMessage("One");
  await until(({ threads }) => threads.length === 1);
  await remove("a");
  const { deleted } = await until(({ threads, deleted }) => threads.length === 0 && deleted.length === 1);
  expect(deleted[0]).toMatchObject({ id: "a", title: "One", deletedAt: expect.any(Number) });
  expect(await client.sessions()).toEqual([]);
  await restore("a");
  await until((state) => titles(state).join() === "One" && state.deleted.length === 0);
  expect(await client.session("a").messages()).toHaveLength(2);

  const session = client.session("a");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  void remove("a");
  await until(({ deleted }) => deleted.length === 1);
  await vi.advanceTimersByTimeAsync(8_500);
  expect(store.getSnapshot().deleted).toHaveLength(1);
  expect(JSON.parse(await client.exportSession("a")).messages).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(store.getSnapshot()).toMatchObject({ threads: [], deleted: [], error: undefined });
  await expect(client.exportSession("a")).rejects.toMatchObject({ code: "SESSION_UNKNOWN" });
  expect([session.disposed, session.getSnapshot().error]).toMatchObject([true, { code: "SESSION_DELETED" }]);
});

test("a message that a person writes to a deleted thread brings it back, and the run of one that was deleted goes on meanwhile", async () => {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const client = clientOf([{ deltas: ["a"], until: opened, text: "answered" }, "again"]);
  const { until, remove } = watch(client);
  const session = client.session("a");
  const sent = session.sendMessage("One");
  await until(({ threads }) => threads.length === 1);
  await remove("a");
  open();
  expect(await sent).toMatchObject({ type: "completed", text: "answered" });
  await until(({ deleted }) => deleted[0]?.messageCount === 2);
  await session.sendMessage("Two");
  const { deleted } = await until((state) => titles(state).join() === "One");
  expect(deleted).toEqual([]);
});

test("a message that waits for its turn brings a deleted thread back too", async () => {
  for (const config of [{}, { createStore: (id: string) => new MemoryStore(id), catalog: catalogOf(two()) }]) {
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const client = clientOf([{ deltas: ["a"], until: opened, text: "answered" }, "again"], config);
    const { until, remove } = watch(client);
    const session = client.session("a");
    const sent = session.sendMessage("One");
    await until(({ threads }) => threads.some(({ id, running }) => id === "a" && running));
    await remove("a");
    await until(({ deleted }) => deleted.length === 1);
    const next = session.sendMessage("Two");
    await until(({ threads, deleted }) => threads.some(({ id }) => id === "a") && deleted.length === 0);
    expect(session.getSnapshot().queue).toMatchObject([{ text: "Two" }]);
    open();
    await sent;
    expect(await next).toMatchObject({ type: "completed", text: "again" });
  }
});

test("what was deleted before a page went is removed by the next one that shows the list, when its time has passed", async () => {
  const database = new SessionDatabase();
  const page = () => clientOf(["one"], { createStore: (id) => new IndexedDBStore(id, database), catalog: database });
  const client = page();
  const first = watch(client);
  await client.session("a").sendMessage("One");
  await first.until(({ threads }) => threads.length === 1);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  void first.remove("a");
  await vi.advanceTimersByTimeAsync(100);
  for (const step of undo.splice(0)) step();
  vi.clearAllTimers();
  vi.setSystemTime(Date.now() + 60_000);
  const second = watch(page());
  await vi.advanceTimersByTimeAsync(100);
  expect(second.store.getSnapshot()).toMatchObject({ threads: [], deleted: [] });
  await vi.advanceTimersByTimeAsync(100);
  await expect(client.exportSession("a")).rejects.toMatchObject({ code: "SESSION_UNKNOWN" });
});

// ---- stores of the application -------------------------------------------------------------------------------------------

function catalogOf(lines: Map<string, SessionInfo>, more: Partial<SessionCatalog> = {}) {
  const catalog: SessionCatalog = {
    list: vi.fn(async () => [...lines.values()]),
    rename: async (id, title) => {
      const line = lines.get(id);
      if (line) lines.set(id, { ...line, title });
    },
    delete: vi.fn(async (id) => void lines.delete(id)),
    export: async () => "",
    import: async () => "",
    ...more,
  };
  return catalog;
}

const line = (id: string, updatedAt: number): SessionInfo => ({
  id,
  title: id,
  createdAt: 0,
  updatedAt,
  messageCount: 1,
  unfinished: false,
});
const two = () => new Map(["a", "b"].map((id, at) => [id, line(id, at)]));
const custom = (catalog: SessionCatalog, script: readonly ScriptedAnswer[] = ["one"], more: Partial<GloveClientConfig> = {}) =>
  clientOf(script, { createStore: (id) => new MemoryStore(id), catalog, ...more });

test("custom stores without a catalog are an error that says what to do", async () => {
  const { store } = watch(clientOf([], { createStore: (id) => new MemoryStore(id) }));
  expect(store.getSnapshot()).toMatchObject({ ready: false, threads: [], error: { code: "SESSIONS_NOT_LISTED" } });
});

test("a catalog without `archive` refuses that in words, and nothing changes", async () => {
  const { until, archive } = watch(custom(catalogOf(two())));
  await until((state) => titles(state).join() === "b,a");
  await expect(archive("a")).rejects.toMatchObject({ code: "CATALOG_UNSUPPORTED", message: expect.stringContaining("archive") });
  const { error, threads } = await until((state) => titles(state).join() === "b,a");
  expect([(error as { code?: string } | undefined)?.code, threads.length]).toEqual(["CATALOG_UNSUPPORTED", 2]);
});

test("what is asked of a catalog of the application is shown at once, and taken back where it fails", async () => {
  let fail = (_why: Error) => {};
  const rename = () => new Promise<void>((_, reject) => (fail = reject));
  const { store, until, ...actions } = watch(custom(catalogOf(two(), { rename })));
  await until(({ threads }) => threads.length === 2);
  await frames();
  const renamed = actions.rename("a", "Mine");
  expect(titles(store.getSnapshot())).toEqual(["b", "Mine"]);
  fail(new Error("no network"));
  await expect(renamed).rejects.toThrow("no network");
  await until((state) => titles(state).join() === "b,a" && state.error?.message === "no network");
});

test("a catalog of the application deletes when the time to bring it back is over, and not when the page goes before", async () => {
  const catalog = catalogOf(two());
  const { store, until, remove, restore } = watch(custom(catalog));
  await until(({ threads }) => threads.length === 2);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  void remove("a");
  void remove("b");
  await vi.advanceTimersByTimeAsync(200);
  expect(
    store
      .getSnapshot()
      .deleted.map(({ id }) => id)
      .sort(),
  ).toEqual(["a", "b"]);
  void restore("b");
  await vi.advanceTimersByTimeAsync(9_000);
  expect(catalog.delete).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(catalog.delete).toHaveBeenCalledExactlyOnceWith("a");
  expect(titles(store.getSnapshot())).toEqual(["b"]);
});

test("a conversation that the catalog is deleting is not shown, and is again when it could not be deleted", async () => {
  const lines = two();
  const asked = new Map<string, { done: () => void; fails: (error: Error) => void }>();
  const catalog = catalogOf(lines, {
    delete: async (id) => {
      await new Promise<void>((done, fails) => asked.set(id, { done, fails }));
      lines.delete(id);
    },
  });
  const { store, until, remove } = watch(custom(catalog));
  await until(({ threads }) => threads.length === 2);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  void remove("a");
  void remove("b");
  await vi.advanceTimersByTimeAsync(11_000);
  expect(asked.size).toBe(2);
  const { threads, deleted } = store.getSnapshot();
  expect([threads, deleted]).toEqual([[], []]);
  asked.get("a")?.done();
  asked.get("b")?.fails(new Error("no network"));
  await vi.advanceTimersByTimeAsync(200);
  expect(titles(store.getSnapshot())).toEqual(["b"]);
  expect(store.getSnapshot().error?.message).toBe("no network");
});

test("sessions of stores that say nothing are marked by what this page runs", async () => {
  const lines = two();
  const tool = { name: "rm", description: "", jsonSchema: { type: "object" }, requiresPermission: true, do: () => "gone" };
  const client = custom(catalogOf(lines), [{ toolCalls: [{ name: "rm" }] }, "end"], { tools: [tool] });
  const { until } = watch(client);
  await until(({ threads }) => threads.length === 2);
  const session = client.session("a");
  const sent = session.sendMessage("Go");
  await until(({ threads }) => threads.find(({ id }) => id === "a")?.waiting === true);
  session.approve(session.getSnapshot().approvals[0]?.id ?? "");
  await sent;
  await until(({ threads }) => threads.every(({ waiting, running }) => !waiting && !running));
});

test("a catalog that says what changed is asked for that alone", async () => {
  const lines = two();
  let changed: (id?: string) => void = () => {};
  const read = vi.fn(async (ids: readonly string[]) => ids.flatMap((id) => lines.get(id) ?? []));
  const catalog = catalogOf(lines, {
    read,
    subscribe: (listener) => {
      changed = listener;
      return () => {};
    },
  });
  const { store, until } = watch(custom(catalog));
  const before = await until(({ threads }) => threads.length === 2);
  lines.set("a", { ...line("a", 9), title: "new" });
  changed("a");
  changed("a");
  await until((state) => titles(state).join() === "new,b");
  expect(store.getSnapshot().threads[1]).toBe(before.threads[0]);
  lines.delete("b");
  changed("b");
  await until((state) => titles(state).join() === "new");
  expect([vi.mocked(catalog.list).mock.calls.length, read.mock.calls]).toEqual([1, [[["a"]], [["b"]]]]);
});

test("a list that cannot be read says why, and is there when it can", async () => {
  const lines = two();
  const list = vi.fn<SessionCatalog["list"]>().mockRejectedValueOnce(new Error("offline"));
  list.mockImplementation(async () => [...lines.values()]);
  const { until, refresh } = watch(custom(catalogOf(lines, { list })));
  await until(({ error, ready }) => error?.message === "offline" && !ready);
  refresh();
  const { error } = await until(({ threads }) => threads.length === 2);
  expect(error).toBeUndefined();
  list.mockRejectedValueOnce(new Error("offline again"));
  refresh();
  await until(({ error, threads }) => error?.message === "offline again" && threads.length === 2);
  refresh();
  await until(({ error }) => error === undefined);
});

// ---- what it costs -------------------------------------------------------------------------------------------------------

test("a thousand steps that come at once are told of once a frame, and reads only what changed", async () => {
  const lines = new Map(Array.from({ length: 1000 }, (_, at) => [`s${at}`, line(`s${at}`, at)]));
  let changed: (id?: string) => void = () => {};
  const read = vi.fn(async (ids: readonly string[]) => ids.flatMap((id) => lines.get(id) ?? []));
  const subscribe = (listener: typeof changed) => {
    changed = listener;
    return () => {};
  };
  const { store, watched, until } = watch(custom(catalogOf(lines, { read, subscribe })));
  await until(({ threads }) => threads.length === 1000);
  await frames();
  const { told } = watched;
  const { threads } = store.getSnapshot();
  for (let at = 0; at < 1000; at++) {
    lines.set("s5", { ...line("s5", 2_000 + at), messageCount: at });
    changed("s5");
  }
  await until(({ threads }) => threads[0]?.messageCount === 999);
  expect([watched.told - told, read.mock.calls.length]).toEqual([1, 1]);
  expect(store.getSnapshot().threads.filter((thread) => !threads.includes(thread))).toHaveLength(1);
});
