// Where middleware stands: also in a worker, around other models, and from when it is set; not around what is known before.
import { createEndpointModel, defineHook, defineMiddleware, defineTool, type Middleware } from "glove-wasm";
import { createScriptedModel } from "glove-wasm/testing";
import { afterEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { clientOf, PageWorker } from "../support/page-worker.js";
import { scene } from "../support/session.js";

afterEach(() => void vi.unstubAllGlobals());

const around = (name: string, more: Omit<Middleware, "name">) => defineMiddleware({ name, ...more });
const codeOf = (error: unknown) => (error as { readonly code?: string }).code;
const failure = (sending: Promise<unknown>) => sending.then(() => undefined, codeOf);
const secret = around("guard", {
  guardOutput: ({ text }) => (text.includes("secret") ? { stop: "It told a secret." } : undefined),
});

/** An endpoint that says this, and what it was asked with. */
function endpoint(text: string) {
  const asked: string[] = [];
  const events = [
    { type: "text_delta", text },
    { type: "done", message: { sender: "agent", text }, tokens_in: 1, tokens_out: 1 },
  ];
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  const fetch = async (_: string, init: RequestInit) => {
    asked.push((JSON.parse(String(init.body)) as { systemPrompt: string }).systemPrompt);
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  return { asked, model: createEndpointModel("http://chat.example/", { fetch }) };
}

test("a core in a worker asks nobody past the middleware of its page", async () => {
  vi.stubGlobal("Worker", PageWorker);
  const { asked, model } = endpoint("a secret");
  const brief = around("brief", { wrapModelCall: (_, next) => next({ systemPrompt: "Be brief." }) });
  const session = clientOf({ createModel: () => model, middleware: [brief, secret], systemPrompt: "Be long." }).session("s");
  expect(await failure(session.sendMessage("hi"))).toBe("MIDDLEWARE_STOPPED");
  expect(asked).toEqual(["Be brief."]);
  expect(JSON.stringify(await session.messages())).not.toContain("a secret");
  session.dispose();
});

test("a middleware that is set, or taken away, in an open session holds from the next call on", async () => {
  const { asked, model } = endpoint("a secret");
  const { session } = scene([], { createModel: () => model });
  expect(await session.sendMessage("one")).toMatchObject({ text: "a secret" });
  session.configure({ middleware: [secret] });
  expect(await failure(session.sendMessage("two"))).toBe("MIDDLEWARE_STOPPED");
  session.configure({ middleware: [] });
  expect(await session.resume()).toMatchObject({ text: "a secret" });
  expect(asked).toHaveLength(3);
});

test("other models of a session have the same middleware, and see the name of the one that is asked", async () => {
  const names: string[] = [];
  const log = around("log", { wrapModelCall: (call, next) => next().finally(() => names.push(call.model)) });
  const high = { ...createScriptedModel(["High."]), name: "high" };
  const deep = defineTool({
    name: "deep",
    description: "",
    inputSchema: z.object({}),
    do: (_, display) => display.switchModel("high"),
  });
  const { session } = scene([{ toolCalls: [{ name: "deep" }] }], { middleware: [log], models: { high }, tools: [deep] });
  expect(await session.sendMessage("hi")).toMatchObject({ text: "High." });
  expect(names).toEqual(["scripted", "high"]);
});

test("a summary is a call of the model too", async () => {
  let calls = 0;
  const count = around("count", { wrapModelCall: (_, next) => next().finally(() => calls++) });
  const { session, shown } = scene(["One.", "All so far.", "Two."], {
    middleware: [count],
    compaction: { compaction_every_turns: 1 },
  });
  await session.sendMessage("one");
  await session.sendMessage("two");
  expect([calls, shown().includes("summary")]).toEqual([3, true]);
});

test("what a hook answers is no call of a model", async () => {
  const never = around("never", { wrapModelCall: () => ({ stop: "No." }), guardOutput: () => ({ stop: "No." }) });
  const help = defineHook({ name: "help", description: "", run: () => ({ answer: "Ask me." }) });
  const { session } = scene([], { middleware: [never], hooks: [help] });
  expect(await session.sendMessage("/help")).toMatchObject({ type: "completed", text: "Ask me." });
  expect(await failure(session.sendMessage("hi"))).toBe("MIDDLEWARE_STOPPED");
});

test("a guard that stopped an answer asks nobody again when the session is opened anew", async () => {
  const { asked, model } = endpoint("a secret");
  const { client, session } = scene([], { createModel: () => model, middleware: [secret] });
  expect(await failure(session.sendMessage("hi"))).toBe("MIDDLEWARE_STOPPED");
  const text = await client.exportSession("s1");
  const other = scene([], { createModel: () => model, middleware: [secret] });
  const again = other.client.session(await other.client.importSession(text, { withRun: true }));
  await again.start();
  expect([again.getSnapshot().run.phase, asked.length]).toEqual(["paused", 1]);
});
