// What goes wrong between a page and the worker of its core: somebody is told, nothing else ends with it, and nothing is left behind.
import { createEndpointModel, defineTool, IndexedDBStore, MemoryStore } from "glove-wasm";
import { createScriptedModel } from "glove-wasm/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { clientOf, PageWorker } from "../support/page-worker.js";
import { texts, until } from "../support/session.js";

beforeEach(() => vi.stubGlobal("Worker", PageWorker));
afterEach(() => vi.unstubAllGlobals());

const many = () => createScriptedModel(() => ({ deltas: Array.from({ length: 200 }, () => "word "), every: 5 }));
const ended = () => PageWorker.started.at(-1)?.onerror?.({ type: "error", message: "out of memory" });
/** Those that run already are not used for what is tested now. */
const none = () => {
  for (const worker of PageWorker.started.splice(0)) worker.onerror?.({ type: "error" });
};

test("a worker that ends leaves the sessions in the page alone", async () => {
  const inPage = clientOf({ worker: false, createModel: many }).session("p");
  const away = clientOf({ createModel: many }).session("a");
  const sent = inPage.sendMessage("Hi");
  const failed = expect(away.sendMessage("Hi")).rejects.toMatchObject({ code: "CORE_PANIC" });
  await until(inPage, ({ streamingText }) => streamingText !== "");
  await until(away, ({ streamingText }) => streamingText !== "");
  ended();
  await failed;
  expect(await sent).toMatchObject({ type: "completed" });
  inPage.dispose();
  away.dispose();
});

test("whatever a store or a header throws reaches the page as an error", async () => {
  const thrown = [
    Object.assign(new Error("no"), { what: Symbol("what") }),
    Object.assign(new Error("no"), { code: 7, model: { again: () => {} } }),
    {
      get message(): string {
        throw new Error("no");
      },
    },
    undefined,
  ];
  for (const what of thrown) {
    const store = new MemoryStore("s");
    store.appendStepText = () => Promise.reject(what);
    const session = clientOf({ createModel: () => createScriptedModel(["Yes"]), createStore: () => store }).session("s");
    await expect(session.sendMessage("Hi")).rejects.toMatchObject({ code: "STORE_FAILED" });
    session.dispose();

    const headers = () => {
      throw what;
    };
    const model = createEndpointModel("http://localhost/chat", { headers, policy: { maxRetries: 0 } });
    const other = clientOf({ createModel: () => model }).session("s");
    await expect(other.sendMessage("Hi")).rejects.toMatchObject({ code: "MODEL_NETWORK" });
    other.dispose();
  }
});

test("a worker that cannot start is ended, and the next use starts another one", async () => {
  none();
  /** As where a page may not share what it compiled. */
  class Unread extends PageWorker {
    override postMessage(message: unknown): void {
      if ((message as { readonly method?: string }).method !== "start") super.postMessage(message);
      else setTimeout(() => this.onmessage?.({ data: "unread" }), 0);
    }
  }
  vi.stubGlobal("Worker", Unread);
  const session = clientOf({ createModel: () => createScriptedModel(["Yes", "Again yes"]) }).session("s");
  await expect(session.sendMessage("Hi")).rejects.toMatchObject({ code: "WORKER_UNAVAILABLE" });
  expect(PageWorker.started.map(({ terminated }) => terminated)).toEqual([true]);
  vi.stubGlobal("Worker", PageWorker);
  session.clearError();
  // What was sent to the first one waits for it.
  expect(await session.sendMessage("And?")).toMatchObject({ text: "Again yes" });
  expect(texts(session.getSnapshot())).toEqual(["user: Hi", "agent: Yes", "user: And?", "agent: Again yes"]);
  expect(PageWorker.started.map(({ terminated }) => terminated)).toEqual([true, false]);
  session.dispose();
});

test("a worker that hangs is ended, and its run goes on in another one", async () => {
  none();
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  let hangs = false;
  class Hangs extends PageWorker {
    override postMessage(message: unknown): void {
      if (!hangs) super.postMessage(message);
    }
  }
  vi.stubGlobal("Worker", Hangs);
  const session = clientOf({ createModel: many }).session("s");
  const failed = expect(session.sendMessage("Hi")).rejects.toMatchObject({ code: "CORE_PANIC" });
  await until(session, ({ streamingText }) => streamingText !== "");
  // It answers in time.
  for (let beat = 0; beat < 6; beat++) {
    vi.advanceTimersByTime(5_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(PageWorker.started.map(({ terminated }) => terminated)).toEqual([false]);
  hangs = true;
  vi.advanceTimersByTime(25_000);
  vi.useRealTimers();
  await failed;
  expect(session.getSnapshot().error?.message).toContain("has not answered");
  expect(PageWorker.started.map(({ terminated }) => terminated)).toEqual([true]);
  hangs = false;
  await session.start();
  await until(session, ({ busy, timeline }) => !busy && timeline.length === 2);
  session.dispose();
});

test("a worker that nothing is in any more is ended after a while, and started again when it is needed", async () => {
  none();
  const client = clientOf({ createModel: () => createScriptedModel(["Yes"]) });
  await client.session("a").sendMessage("Hi");
  const other = client.session("b");
  await other.start();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  client.session("a").dispose();
  vi.advanceTimersByTime(60_000);
  expect(PageWorker.started.map(({ terminated }) => terminated)).toEqual([false]);
  other.dispose();
  vi.advanceTimersByTime(29_000);
  expect(PageWorker.started.map(({ terminated }) => terminated)).toEqual([false]);
  vi.advanceTimersByTime(2_000);
  vi.useRealTimers();
  expect(PageWorker.started.map(({ terminated }) => terminated)).toEqual([true]);
  const again = client.session("c");
  expect(await again.sendMessage("Hi")).toMatchObject({ text: "Yes" });
  expect(PageWorker.started.map(({ terminated }) => terminated)).toEqual([true, false]);
  again.dispose();
});

test("a tool that runs when the worker ends is not run again without a question", async () => {
  let runs = 0;
  const pay = defineTool({
    name: "pay",
    description: "",
    inputSchema: z.object({}),
    do: (_, { signal }) =>
      new Promise<string>((_, reject) => {
        runs++;
        signal.addEventListener("abort", () => reject(new Error("stopped")));
      }),
  });
  const store = new MemoryStore("s");
  const model = createScriptedModel([{ toolCalls: [{ name: "pay" }] }, "Paid"]);
  const session = clientOf({ createModel: () => model, createStore: () => store, tools: [pay] }).session("s");
  const failed = expect(session.sendMessage("Hi")).rejects.toMatchObject({ code: "CORE_PANIC" });
  await until(session, ({ run }) => run.phase === "tools");
  await vi.waitUntil(() => runs === 1);
  ended();
  await failed;
  await session.start();
  await until(session, ({ approvals }) => approvals.length === 1);
  expect(runs).toBe(1);
  session.dispose();
});

test("a store with a method of the application's own stays in the page", async () => {
  const store = new IndexedDBStore("s");
  const append = vi.fn(store.appendStepText);
  store.appendStepText = append;
  const session = clientOf({ createModel: () => createScriptedModel(["Yes"]), createStore: () => store }).session("s");
  expect(await session.sendMessage("Hi")).toMatchObject({ text: "Yes" });
  expect(append).toHaveBeenCalled();
  expect(texts(session.getSnapshot())).toEqual(["user: Hi", "agent: Yes"]);
  session.dispose();
});

test("without a database, a session outlives its worker, and the page's store has it", async () => {
  const store = new IndexedDBStore("s", { name: "none" });
  const session = clientOf({ createModel: () => createScriptedModel(["Yes"]), createStore: () => store }).session("s");
  await session.sendMessage("Hi");
  expect(session.getSnapshot().storage).toBe("memory");
  expect((await store.getMessages()).map(({ text }) => text)).toEqual(["Hi", "Yes"]);
  ended();
  await session.start();
  expect(texts(session.getSnapshot())).toEqual(["user: Hi", "agent: Yes"]);
  session.dispose();
});

test("a database that opens late in the worker opens the session by itself", async () => {
  none();
  let store = "";
  class Late extends PageWorker {
    override postMessage(message: unknown): void {
      const { id, of, method } = message as { readonly id: number; readonly of: string; readonly method?: string };
      if (method === "shared" && !late) {
        store = of;
        const error = { code: "STORE_UNAVAILABLE", message: "The database does not open." };
        this.onmessage?.({ data: [{ kind: "answer", id, error }] });
      } else super.postMessage(message);
    }
  }
  let late = false;
  vi.stubGlobal("Worker", Late);
  const kept = new IndexedDBStore("s", { name: "late" });
  const session = clientOf({ createModel: () => createScriptedModel(["Yes"]), createStore: () => kept }).session("s");
  await expect(session.start()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  late = true;
  PageWorker.started.at(-1)?.onmessage?.({ data: [{ kind: "ask", id: 1, of: store, method: "late", args: [] }] });
  await until(session, ({ sessionReady }) => sessionReady);
  session.dispose();
});

test("the page asks the browser to keep what its worker stores", async () => {
  const persist = vi.fn(async () => true);
  vi.stubGlobal("navigator", { storage: { persist } });
  const store = new IndexedDBStore("s", { name: "kept", persist: true });
  const session = clientOf({ createModel: () => createScriptedModel(["Yes"]), createStore: () => store }).session("s");
  await session.sendMessage("Hi");
  expect(persist).toHaveBeenCalledOnce();
  session.dispose();
});

test("an address without a host is one of the page, also of a page that is a worker", async () => {
  const { serve } = await import("../support/server.js");
  const body = `data: ${JSON.stringify({ type: "done", message: { sender: "agent", text: "Here" }, tokens_in: 1, tokens_out: 1 })}\n\n`;
  const server = await serve("/nowhere", {
    routes: { "/chat": async () => new Response(body, { headers: { "content-type": "text/event-stream" } }) },
  });
  vi.stubGlobal("location", { href: `${server.url}/app/index.html` });
  const session = clientOf({ createModel: () => createEndpointModel("/chat") }).session("s");
  expect(await session.sendMessage("Hi")).toMatchObject({ text: "Here" });
  session.dispose();
  await server.close();
});
