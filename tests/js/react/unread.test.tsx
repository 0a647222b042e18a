// Threads that get something new while nobody looks: their mark, the title and badge of the page, and notifications.
import { act, render, waitFor } from "@testing-library/react";
import {
  GloveClient,
  type GloveClientConfig,
  GloveProvider,
  MemoryStore,
  preloadThreadList,
  type SessionCatalog,
  type SessionInfo,
  type ThreadInfo,
  ThreadList,
  useGlove,
  useThreads,
  useUnread,
  type WatchUnreadOptions,
  watchUnread,
} from "glove-wasm/react";
import { createRemoteSession } from "glove-wasm/remote";
import type { ScriptedAnswer } from "glove-wasm/testing";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { clientOf } from "./page.js";

beforeAll(preloadThreadList);
beforeEach(() => {
  document.title = "Shop";
});
afterEach(() => {
  vi.unstubAllGlobals();
  setHidden(false);
  Reflect.deleteProperty(document, "title");
  Reflect.deleteProperty(navigator, "setAppBadge");
  Reflect.deleteProperty(navigator, "serviceWorker");
});

function setHidden(hidden: boolean): void {
  Object.defineProperty(document, "visibilityState", { configurable: true, value: hidden ? "hidden" : "visible" });
  document.dispatchEvent(new Event("visibilitychange"));
}

/** Ends when the test says so. */
function held() {
  let end = () => {};
  const until = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { until, end };
}

/** A page that shows one thread, starting with "a". */
function open(script: readonly ScriptedAnswer[], options: WatchUnreadOptions = {}, config: Partial<GloveClientConfig> = {}) {
  const { client } = clientOf(script, config);
  const page: { threads: readonly ThreadInfo[]; id: string; go(id: string): Promise<void> } = {
    threads: [],
    id: "",
    go: async () => {},
  };
  const Page = () => {
    useUnread(options);
    page.threads = useThreads().threads;
    const { sessionId, switchConversation } = useGlove();
    page.id = sessionId;
    page.go = async (id) => act(async () => void (await switchConversation(id)));
    return null;
  };
  const shown = render(
    <GloveProvider client={client} sessionId="a">
      <Page />
      <ThreadList />
    </GloveProvider>,
  );
  const unread = () =>
    page.threads
      .filter((thread) => thread.unread)
      .map(({ id }) => id)
      .join();
  const untilUnread = (ids: string) => waitFor(() => expect(unread()).toBe(ids));
  const send = (id: string, text: string) => act(async () => void (await client.session(id).sendMessage(text)));
  return { client, page, unread, untilUnread, send, ...shown };
}

const row = () => document.querySelector<HTMLElement>("[data-glove-thread=a]") as HTMLElement;
const moment = (ms = 100) => act(() => new Promise((later) => setTimeout(later, ms)));

/** What the browser was asked to show. */
function notifications(permission: NotificationPermission = "granted") {
  const shown: { title: string; body?: string; tag?: string; closed: boolean; onclick?: () => void }[] = [];
  class Fake {
    static permission = permission;
    static requestPermission = vi.fn();
    onclick?: () => void;
    closed = false;
    body?: string;
    tag?: string;
    constructor(
      readonly title: string,
      options: NotificationOptions,
    ) {
      Object.assign(this, options);
      shown.push(this);
    }
    close() {
      this.closed = true;
    }
  }
  vi.stubGlobal("Notification", Fake);
  return { shown, asked: Fake.requestPermission };
}
const notify: WatchUnreadOptions["notify"] = ({ title, reason }) => ({
  title,
  body: reason === "answer" ? "Answered" : "Has a question",
});

test("an answer in a thread that was left is marked in the list and the title until the thread is opened", async () => {
  const { until, end } = held();
  const { client, page, untilUnread, unread } = open([{ text: "Done.", until }]);
  const sent = client.session("a").sendMessage("Clean up");
  await waitFor(() => expect(page.threads.map(({ running }) => running)).toEqual([true]));
  await page.go("b");
  expect(unread()).toBe("");
  expect(document.title).toBe("Shop");
  end();
  await act(() => sent);
  await untilUnread("a");
  expect(document.title).toBe("(1) Shop");
  expect(row().textContent).toContain("Unread");
  expect(row().getAttribute("data-unread")).toBe("");
  await page.go("a");
  await untilUnread("");
  expect(document.title).toBe("Shop");
  expect(row().textContent).not.toContain("Unread");
});

test("what comes while the tab is hidden is unread until a person is back; what is looked at never is", async () => {
  const { send, untilUnread, unread } = open(["One.", "Two."]);
  await send("a", "First");
  await moment();
  expect(unread()).toBe("");
  act(() => setHidden(true));
  await send("a", "Second");
  await untilUnread("a");
  expect(document.title).toBe("(1) Shop");
  act(() => setHidden(false));
  await untilUnread("");
  expect(document.title).toBe("Shop");
});

test("a question in another thread is marked, and one more is not lost when it is answered there", async () => {
  const ask = { name: "rm", description: "", jsonSchema: { type: "object" }, requiresPermission: true, do: () => "gone" };
  const { client, page, untilUnread } = open([{ toolCalls: [{ name: "rm" }] }, "Done."], {}, { tools: [ask] });
  await page.go("b");
  void client.session("a").sendMessage("Clean up");
  await untilUnread("a");
  expect(page.threads[0]?.waiting).toBe(true);
  // A thread that waits says that, and not that it is unread.
  expect(row().textContent).toContain("Waiting for you");
  await page.go("a");
  await untilUnread("");
  await page.go("b");
  // What waits is closed with its screen, and opened again.
  await moment();
  const session = client.session("a");
  await act(() => session.start());
  await waitFor(() => expect(session.getSnapshot().approvals).toHaveLength(1));
  act(() => void session.approve(session.getSnapshot().approvals[0]?.id ?? ""));
  await untilUnread("a");
});

test("a run that a person stops and an answer that nobody is to see are not marked; one that fails is", async () => {
  const { client, page, unread, untilUnread } = open([{ text: "Half", until: new Promise(() => {}) }, "Hidden", { fail: "no" }]);
  await page.go("b");
  const session = client.session("a");
  const sent = session.sendMessage("One");
  await waitFor(() => expect(session.getSnapshot().run.phase).toBe("model"));
  act(() => session.abort());
  await act(() => sent);
  await act(async () => void (await session.trigger({ reason: "Tick", visible: false })));
  await moment();
  expect(unread()).toBe("");
  const error = vi.spyOn(console, "error").mockImplementation(() => {});
  await act(async () => void (await session.sendMessage("Two").catch(() => {})));
  error.mockRestore();
  await untilUnread("a");
});

test("the title of the application may change meanwhile, and stands alone again at the end", async () => {
  const { page, send, untilUnread, unmount } = open(["One.", "Two."]);
  await page.go("x");
  await send("a", "First");
  await untilUnread("a");
  document.title = "Shop: basket";
  await waitFor(() => expect(document.title).toBe("(1) Shop: basket"));
  await send("b", "Second");
  await untilUnread("b,a");
  expect(document.title).toBe("(2) Shop: basket");
  document.title = "";
  await waitFor(() => expect(document.title).toBe("(2)"));
  document.title = "(2024) Review";
  await waitFor(() => expect(document.title).toBe("(2) (2024) Review"));
  unmount();
  expect(document.title).toBe("(2024) Review");
});

/** Fails where somebody writes titles without end. */
function countTitles() {
  const title = Object.getOwnPropertyDescriptor(Document.prototype, "title") as PropertyDescriptor;
  let writes = 0;
  Object.defineProperty(document, "title", {
    configurable: true,
    get: () => title.get?.call(document),
    set(text: string) {
      if (++writes > 100) throw new Error(`written without end: ${text.slice(0, 40)}`);
      title.set?.call(document, text);
    },
  });
}

test("whoever watches, and however often: one number stands before the title and on the icon", async () => {
  countTitles();
  const badges: number[] = [];
  Object.assign(navigator, { setAppBadge: async (count: number) => void badges.push(count) });
  const { client } = clientOf(["One.", "Two."], { database: { name: "one" } });
  const other = clientOf(["One."], { database: { name: "two" } }).client;
  const ends = [client, client, other].map((each) => watchUnread(each));
  const titled = (title: string, count: number) => waitFor(() => expect([document.title, badges.at(-1)]).toEqual([title, count]));
  await client.session("a").sendMessage("First");
  await titled("(1) Shop", 1);
  await other.session("a").sendMessage("First");
  await titled("(2) Shop", 2);
  await client.session("b").sendMessage("Second");
  await titled("(3) Shop", 3);
  ends[0]?.();
  await moment();
  await titled("(3) Shop", 3);
  ends[1]?.();
  await titled("(1) Shop", 1);
  ends[2]?.();
  await titled("Shop", 0);
});

test("a number that others put before the title stays, and nobody writes titles without end", async () => {
  countTitles();
  const { client } = clientOf(["One.", "Two."]);
  const end = watchUnread(client);
  // As a second copy of the package does.
  let own = "";
  const theirs = (count: number) => {
    const { title } = document;
    const bare = own && title.startsWith(own) ? title.slice(own.length) : title;
    own = `(${count}) `;
    if (own + bare !== title) document.title = own + bare;
  };
  const observer = new MutationObserver(() => theirs(7));
  observer.observe(document.head, { childList: true, characterData: true, subtree: true });
  theirs(7);
  await client.session("a").sendMessage("First");
  const ours = () => document.title.match(/\([^7]\) /g) ?? [];
  await waitFor(() => expect(ours()).toEqual(["(1) "]));
  await client.session("b").sendMessage("Second");
  await waitFor(() => expect(ours()).toEqual(["(2) "]));
  expect(document.title).toMatch(/^\(7\) .*Shop$/);
  end();
  await moment();
  expect(ours()).toEqual([]);
  observer.disconnect();
});

test("a title with an old number that the application brings back has the number of now", async () => {
  const { client } = clientOf(["One.", "Two."]);
  const end = watchUnread(client);
  await client.session("a").sendMessage("First");
  await waitFor(() => expect(document.title).toBe("(1) Shop"));
  let before = document.title;
  document.title = "Basket";
  await client.session("b").sendMessage("Second");
  await waitFor(() => expect(document.title).toBe("(2) Basket"));
  document.title = before;
  await waitFor(() => expect(document.title).toBe("(2) Shop"));
  before = document.title;
  document.title = "Basket";
  const releases = ["a", "b"].map((id) => client.retain(client.session(id)));
  await waitFor(() => expect(document.title).toBe("Basket"));
  document.title = before;
  await waitFor(() => expect(document.title).toBe("Shop"));
  for (const release of releases) release();
  end();
});

test("an archived thread is not counted, and is read when somebody looks at it", async () => {
  const { client, page, untilUnread, send } = open(["One.", "Two."]);
  await page.go("b");
  await send("a", "First");
  await untilUnread("a");
  const { threadsOf } = await import("../../../pkg/src/threads/thread-store.js");
  const threads = threadsOf(client as never);
  await act(() => threads.actions.archive("a"));
  await waitFor(() => expect(document.title).toBe("Shop"));
  expect(threads.getSnapshot().archived).toMatchObject([{ id: "a", unread: true }]);
  await page.go("a");
  await waitFor(() => expect(threads.getSnapshot().archived).toMatchObject([{ id: "a", unread: false }]));
});

test("who watches no more leaves nothing at the sessions that stay open", async () => {
  const { client } = clientOf(["One."]);
  const session = client.session("a");
  await session.start();
  for (let times = 0; times < 3; times++) watchUnread(client)();
  const { threadsOf } = await import("../../../pkg/src/threads/thread-store.js");
  const asked = vi.spyOn(threadsOf(client as never), "getSnapshot");
  client.retain(session)();
  expect(asked).not.toHaveBeenCalled();
  asked.mockRestore();
});

test("the badge of the app has the number, where the browser and the options have it", async () => {
  const badges: number[] = [];
  Object.assign(navigator, { setAppBadge: async (count: number) => void badges.push(count) });
  const { page, send, untilUnread, unmount } = open(["One.", "Two."]);
  await page.go("b");
  await send("a", "First");
  await untilUnread("a");
  expect(badges.at(-1)).toBe(1);
  unmount();
  expect(badges.at(-1)).toBe(0);

  badges.length = 0;
  const without = open(["One."], { badge: false, title: false });
  await without.page.go("b");
  await without.send("a", "First");
  await without.untilUnread("a");
  expect(badges).toEqual([]);
  expect(document.title).toBe("Shop");
});

test("a browser that refuses the badge troubles nobody", async () => {
  Object.assign(navigator, { setAppBadge: () => Promise.reject(new Error("no")) });
  const { page, send, untilUnread } = open(["One."]);
  await page.go("b");
  await send("a", "First");
  await untilUnread("a");
});

test("a notification of an answer comes while the tab is hidden, opens its thread, and nobody is asked for leave", async () => {
  const { shown, asked } = notifications();
  const { client, page, send, untilUnread } = open(["One.", "Two.", "Three."], { notify });
  await send("a", "First");
  await page.go("b");
  await send("a", "More");
  await untilUnread("a");
  await moment(1_200);
  // A person is here: the list and the title say it.
  expect(shown).toEqual([]);
  await page.go("a");
  await page.go("b");
  act(() => setHidden(true));
  await send("a", "Even more");
  await waitFor(() => expect(shown).toHaveLength(1));
  expect(shown[0]).toMatchObject({ title: "First", body: "Answered", tag: "glove a", closed: false });
  expect(asked).not.toHaveBeenCalled();
  const focus = vi.spyOn(window, "focus").mockImplementation(() => {});
  act(() => shown[0]?.onclick?.());
  expect(focus).toHaveBeenCalled();
  await waitFor(() => expect(page.id).toBe("a"));
  expect(shown[0]?.closed).toBe(true);
  expect(client.session("a").getSnapshot().timeline).toHaveLength(6);
});

test("a notification of a question says so, and goes when the thread is read", async () => {
  const { shown } = notifications();
  const ask = { name: "rm", description: "", jsonSchema: { type: "object" }, requiresPermission: true, do: () => "gone" };
  const { client } = open([{ toolCalls: [{ name: "rm" }] }], { notify }, { tools: [ask] });
  await waitFor(() => expect(client.session("a").getSnapshot().sessionReady).toBe(true));
  act(() => setHidden(true));
  void client.session("a").sendMessage("Clean up");
  await waitFor(() => expect(shown).toHaveLength(1));
  expect(shown[0]).toMatchObject({ title: "Clean up", body: "Has a question", closed: false });
  act(() => setHidden(false));
  await waitFor(() => expect(shown[0]?.closed).toBe(true));
});

test.each<[string, NotificationPermission | undefined, WatchUnreadOptions]>([
  ["no leave", "default", { notify }],
  ["a refusal", "denied", { notify }],
  ["a browser without notifications", undefined, { notify }],
  ["no words for it", "granted", { notify: () => undefined }],
  ["no wish for it", "granted", {}],
])("with %s there is no notification", async (_, permission, options) => {
  const { shown, asked } = notifications(permission);
  if (!permission) vi.stubGlobal("Notification", undefined);
  const { send, untilUnread } = open(["One."], options);
  act(() => setHidden(true));
  await send("a", "First");
  await untilUnread("a");
  await moment(1_200);
  expect(shown).toEqual([]);
  expect(asked).not.toHaveBeenCalled();
});

test("another tab that shows the thread takes the mark away before a notification comes", async () => {
  const { shown } = notifications();
  const { client, send, untilUnread } = open(["One."], { notify });
  act(() => setHidden(true));
  await send("a", "First");
  await untilUnread("a");
  const { threadsOf } = await import("../../../pkg/src/threads/thread-store.js");
  await act(() => threadsOf(client as never).markUnread("a", false));
  await untilUnread("");
  await moment(1_200);
  expect(shown).toEqual([]);
});

test("where only a service worker may show notifications, it does", async () => {
  class Phone {
    static permission = "granted";
    constructor() {
      throw new TypeError("Illegal constructor");
    }
  }
  vi.stubGlobal("Notification", Phone);
  const showNotification = vi.fn(async () => {});
  const close = vi.fn();
  const getNotifications = vi.fn(async () => [{ close }]);
  Object.defineProperty(navigator, "serviceWorker", {
    configurable: true,
    value: { getRegistration: async () => ({ showNotification, getNotifications }) },
  });
  const { send } = open(["One."], { notify });
  act(() => setHidden(true));
  await send("a", "First");
  await waitFor(() =>
    expect(showNotification).toHaveBeenCalledWith("First", { body: "Answered", tag: "glove a", data: { id: "a" } }),
  );
  await moment();
  expect(close).not.toHaveBeenCalled();
  act(() => setHidden(false));
  await waitFor(() => expect(close).toHaveBeenCalled());
  expect(getNotifications).toHaveBeenCalledWith({ tag: "glove a" });
});

const lists = (createStore: GloveClientConfig["createStore"], infos: readonly SessionInfo[], more: Partial<SessionCatalog>) => ({
  createStore,
  catalog: {
    list: async () => infos,
    rename: async () => {},
    delete: async () => {},
    export: async () => "",
    import: async () => "",
    ...more,
  },
});
const info: SessionInfo = { id: "a", title: "First", createdAt: 1, updatedAt: 1, messageCount: 2, unfinished: false };
const storesOf = () => {
  const stores = new Map<string, MemoryStore>();
  return (id: string) => {
    const store = stores.get(id) ?? new MemoryStore(id);
    stores.set(id, store);
    return store;
  };
};

test("a catalog without `markUnread` has the mark in the page, and one with it keeps it", async () => {
  const { page, send, untilUnread } = open(["One."], {}, lists(storesOf(), [info], {}));
  await page.go("b");
  await send("a", "First");
  await untilUnread("a");
  await page.go("a");
  await untilUnread("");

  const kept: unknown[] = [];
  let unread = false;
  const markUnread = async (id: string, is: boolean) => {
    kept.push([id, is]);
    unread = is;
  };
  const more = { markUnread, list: async () => [{ ...info, unread }] };
  const other = open(["One."], {}, lists(storesOf(), [], more));
  await other.page.go("b");
  await other.send("a", "First");
  await other.untilUnread("a");
  await other.page.go("a");
  await other.untilUnread("");
  expect(kept).toEqual([
    ["a", true],
    ["a", false],
  ]);
});

test("a question in a session that runs on a server is marked", async () => {
  const state = { queue: [], undoable: [], turns: 0, usage: {}, contextTokens: 0, contextLimit: 0, hidden: false };
  const question = { id: "q1", kind: "permission", call_id: "c1", tool_name: "rm", input: {} };
  const told = (phase: string, questions: readonly unknown[]) => ({ kind: "state", phase, request: "r1", questions, ...state });
  const nothing = [
    { kind: "timeline", len: 0, set: [] },
    { kind: "slots", slots: [] },
  ];
  const all = { kind: "all", events: [...nothing, told("model", [])], written: { text: "", reasoning: "" } };
  const listed = { ...info, name: "", messages: 2, phase: "waiting", asks: true };
  let tell = (_: unknown) => {};
  const fetch = async (url: string) => {
    if (!url.endsWith("/feed")) return new Response(JSON.stringify(url.endsWith("/s") ? [listed] : {}), { status: 200 });
    let count = 0;
    const body = new ReadableStream({
      start(controller) {
        tell = (event) => controller.enqueue(new TextEncoder().encode(`id: e-${++count}\ndata: ${JSON.stringify(event)}\n\n`));
        tell(all);
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  const client = new GloveClient(createRemoteSession({ url: "http://server/s", fetch: fetch as typeof globalThis.fetch }));
  const end = watchUnread(client as never);
  await client.session("a").start();
  await moment();
  expect(document.title).toBe("Shop");
  tell({ kind: "events", events: [told("waiting", [question])] });
  await waitFor(() => expect(client.session("a").getSnapshot().approvals).toHaveLength(1));
  await waitFor(() => expect(document.title).toBe("(1) Shop"));
  const release = client.retain(client.session("a"));
  await waitFor(() => expect(document.title).toBe("Shop"));
  release();
  end();
  client.dispose();
});

test("a thread that was open before is followed too, and one that is opened again", async () => {
  const { client } = clientOf(["One.", "Two."]);
  const session = client.session("a");
  await session.start();
  const end = watchUnread(client);
  await session.sendMessage("First");
  await waitFor(() => expect(document.title).toBe("(1) Shop"));
  session.dispose();
  const again = client.session("a");
  const release = client.retain(again);
  await waitFor(() => expect(document.title).toBe("Shop"));
  release();
  await moment();
  await client.session("a").sendMessage("Second");
  await waitFor(() => expect(document.title).toBe("(1) Shop"));
  end();
});

test("without React: what the function returns ends it", async () => {
  const { client } = clientOf(["One.", "Two."]);
  const end = watchUnread(client as GloveClient);
  await client.session("a").sendMessage("First");
  await waitFor(async () => expect(await client.sessions()).toMatchObject([{ id: "a", unread: true }]));
  await waitFor(() => expect(document.title).toBe("(1) Shop"));
  end();
  expect(document.title).toBe("Shop");
  await client.session("b").sendMessage("Second");
  await moment();
  expect((await client.sessions()).map(({ id, unread = false }) => [id, unread])).toEqual([
    ["b", false],
    ["a", true],
  ]);
});

test("options that cannot be are refused", () => {
  const { client } = clientOf([]);
  expect(() => watchUnread(client, { notify: true as never })).toThrow(/`notify` must be a function/);
  expect(() => watchUnread(undefined as never)).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
  expect(() => watchUnread(client, { sound: true } as never)).toThrow(/no option `sound`/);
});
