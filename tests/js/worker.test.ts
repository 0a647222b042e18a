// Sessions whose core is in a worker: the same answers, with tools, slots, steps, models and stores of the page.
import { createEndpointModel, definePlugin, defineSkill, defineTool, MemoryStore } from "glove-wasm";
import { createScriptedModel } from "glove-wasm/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { clientOf, PageWorker } from "../support/page-worker.js";
import { texts, until } from "../support/session.js";

beforeEach(() => vi.stubGlobal("Worker", PageWorker));
afterEach(() => vi.unstubAllGlobals());

const sseOf = (events: readonly object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
const done = { type: "done", message: { sender: "agent", text: "From afar" }, tokens_in: 1, tokens_out: 1 };

test("a tool asks a person, does a step and is stored, as without a worker", async () => {
  const steps: string[] = [];
  const form = defineTool({
    name: "form",
    description: "",
    inputSchema: z.object({ about: z.string() }),
    resolveSchema: z.string(),
    async do({ about }, display) {
      const name = await display.pushAndWait(about);
      const greeting = await display.step("greet", () => {
        steps.push(name);
        return `Hello ${name}`;
      });
      await display.pushAndForget("done");
      return greeting;
    },
  });
  const store = new MemoryStore("s");
  const model = createScriptedModel([
    { toolCalls: [{ name: "form", input: { about: "Your name?" } }] },
    { deltas: ["You ", "are ", "Ada"], every: 5 },
  ]);
  const session = clientOf({ createModel: () => model, createStore: () => store, tools: [form] }).session("s");
  const sent = session.sendMessage("Hi");
  await until(session, ({ slots }) => slots.length === 1);
  expect(session.getSnapshot().slots[0]).toMatchObject({ renderer: "form", input: "Your name?", waits: true });
  expect(await session.resolveSlot(session.getSnapshot().slots[0]?.id ?? "", "Ada")).toBe(true);
  expect(await sent).toMatchObject({ type: "completed", text: "You are Ada" });
  expect(steps).toEqual(["Ada"]);
  expect(texts(session.getSnapshot())).toEqual(["user: Hi", "form: success Hello Ada", "agent: You are Ada"]);
  expect((await store.getMessages()).map(({ sender }) => sender)).toEqual(["user", "agent", "user", "agent"]);
  expect((await session.messages()).length).toBe(4);
  session.dispose();
});

test("a call waits for its permission, and a stopped one ends its tool", async () => {
  let stopped = false;
  const wait = defineTool({
    name: "wait",
    description: "",
    inputSchema: z.object({}),
    requiresPermission: true,
    do: (_, { signal }) =>
      new Promise<string>((_, reject) => {
        signal.addEventListener("abort", () => {
          stopped = true;
          reject(new Error("stopped"));
        });
      }),
  });
  const model = createScriptedModel([{ toolCalls: [{ name: "wait" }] }]);
  const session = clientOf({ createModel: () => model, tools: [wait] }).session("s");
  const sent = session.sendMessage("Hi");
  await until(session, ({ approvals }) => approvals.length === 1);
  const { id } = session.getSnapshot().approvals[0] ?? { id: "" };
  expect(await session.approve(id)).toBe(true);
  await until(session, ({ run }) => run.phase === "tools");
  session.stop();
  expect(await sent).toEqual({ type: "aborted" });
  expect(stopped).toBe(true);
  session.dispose();
});

test("an endpoint is asked by the worker, with the headers of the page, and by the page where that has a fetch of its own", async () => {
  const asked: string[] = [];
  const fetch = async (url: string, init: RequestInit) => {
    asked.push(`${url} ${new Headers(init.headers).get("x-key")}`);
    return new Response(sseOf([{ type: "text_delta", text: "From " }, done]), {
      headers: { "content-type": "text/event-stream" },
    });
  };
  const model = createEndpointModel("http://localhost/chat", { fetch, headers: () => ({ "x-key": "k" }) });
  const session = clientOf({ createModel: () => model }).session("s");
  expect(await session.sendMessage("Hi")).toMatchObject({ type: "completed", text: "From afar" });
  expect(asked).toEqual(["http://localhost/chat k"]);
  session.dispose();

  const { serve } = await import("../support/server.js");
  const seen: (string | null)[] = [];
  const server = await serve("/nowhere", {
    routes: {
      "/chat": async (request) => {
        seen.push(request.headers.get("x-key"));
        return new Response(sseOf([done]), { headers: { "content-type": "text/event-stream" } });
      },
    },
  });
  const inPage = vi.fn(globalThis.fetch);
  vi.stubGlobal("fetch", inPage);
  const own = createEndpointModel(`${server.url}/chat`, { headers: async () => ({ "x-key": "later" }) });
  const other = clientOf({ createModel: () => own }).session("t");
  expect(await other.sendMessage("Hi")).toMatchObject({ type: "completed", text: "From afar" });
  expect(seen).toEqual(["later"]);
  expect(inPage).not.toHaveBeenCalled();
  other.dispose();
  await server.close();
});

test("a run that was recorded is exported", async () => {
  const session = clientOf({ createModel: () => createScriptedModel(["Yes"]), record: true }).session("s");
  await session.sendMessage("Hi");
  expect(JSON.parse(await session.exportRun())).toMatchObject({ end: { messages: [{ text: "Hi" }, { text: "Yes" }] } });
  session.dispose();
});

test("plugins, their states and skills prepare each call in the page", async () => {
  const prompts: string[] = [];
  const plugin = definePlugin({
    id: "count",
    initialState: 0,
    async prepare({ state, context, input }) {
      const count = (await state.get()) + 1;
      await state.set(count);
      context.add(`${input} for the ${count}. time`);
    },
  });
  const model = createScriptedModel(({ systemPrompt }: { systemPrompt: string }) => {
    prompts.push(systemPrompt);
    return "Yes";
  });
  const skill = defineSkill({ name: "brief", description: "Short answers.", instructions: "Be brief." });
  const store = new MemoryStore("s");
  const config = { createModel: () => model, createStore: () => store, plugins: [plugin], skills: [skill] };
  const client = clientOf(config);
  const session = client.session("s");
  await session.sendMessage("Hi");
  await session.sendMessage("/brief Hi");
  client.dispose();
  const again = clientOf(config).session("s");
  await again.sendMessage("Go");
  expect(prompts.map((prompt) => /\w+ for the \d. time/.exec(prompt)?.[0])).toEqual([
    "Hi for the 1. time",
    "Hi for the 2. time",
    "Go for the 3. time",
  ]);
  expect(prompts.map((prompt) => prompt.includes("Be brief."))).toEqual([false, true, true]);
  again.dispose();
});

test("a worker that ends is told, and the next use goes on from what is stored", async () => {
  const store = new MemoryStore("s");
  const model = createScriptedModel(() => ({ deltas: Array.from({ length: 1000 }, () => "word "), every: 5 }));
  const session = clientOf({ createModel: () => model, createStore: () => store }).session("s");
  const sent = session.sendMessage("Hi");
  const failed = expect(sent).rejects.toMatchObject({ code: "CORE_PANIC" });
  await until(session, ({ streamingText }) => streamingText !== "");
  const count = PageWorker.started.length;
  PageWorker.started.at(-1)?.onerror?.({ type: "error", message: "out of memory" });
  await failed;
  expect(session.getSnapshot().error).toMatchObject({ code: "CORE_PANIC" });
  await session.start();
  expect(PageWorker.started.length).toBe(count + 1);
  expect(texts(session.getSnapshot())[0]).toBe("user: Hi");
  session.stop();
  session.dispose();
});

test("a page that allows no worker says what to do", async () => {
  class Refused {
    constructor() {
      throw new Error("Refused by the policy");
    }
  }
  vi.stubGlobal("Worker", Refused);
  const told = vi.spyOn(console, "error").mockImplementation(() => {});
  const session = clientOf({ createModel: () => createScriptedModel(["Yes"]) }).session("s");
  // What runs already is not looked at again.
  for (const worker of PageWorker.started.splice(0)) worker.onerror?.({ type: "error" });
  await expect(session.sendMessage("Hi")).rejects.toMatchObject({
    code: "WORKER_UNAVAILABLE",
    message: expect.stringContaining("`worker-src blob:`"),
  });
  // The developer reads it in the console, and the message waits.
  expect(told.mock.calls.map(([error]) => String(error))).toEqual([expect.stringContaining("`worker-src blob:`")]);
  expect(session.getSnapshot()).toMatchObject({ queue: [{ text: "Hi" }], error: { code: "WORKER_UNAVAILABLE" } });
  told.mockRestore();
  session.dispose();
});

test("where there are no workers, the core is in the page", async () => {
  vi.stubGlobal("Worker", undefined);
  const count = PageWorker.started.length;
  const session = clientOf({ createModel: () => createScriptedModel(["Yes"]) }).session("s");
  expect(await session.sendMessage("Hi")).toMatchObject({ text: "Yes" });
  expect(PageWorker.started.length).toBe(count);
  session.dispose();
});

test("whoever is told that a session is at rest is told with it what came of the request", async () => {
  const heard: { readonly method?: string; readonly args?: readonly unknown[]; readonly value?: unknown }[][] = [];
  vi.stubGlobal(
    "Worker",
    class extends PageWorker {
      constructor(url: string) {
        super(url);
        queueMicrotask(() => {
          const { onmessage } = this;
          this.onmessage = (event) => {
            if (Array.isArray(event.data)) heard.push(event.data);
            onmessage?.(event);
          };
        });
      }
    },
  );
  const session = clientOf({ createModel: () => createScriptedModel(["Yes"]) }).session("s");
  expect(await session.sendMessage("Hi")).toMatchObject({ text: "Yes" });
  const rests = heard.findLast((messages) => messages.some(({ args }) => `${args?.[0]}`.includes('"phase":"idle"')));
  expect(rests?.map(({ method, value }) => method ?? /completed/.test(`${value}`))).toEqual(["events", true]);
  session.dispose();
});
