// Middleware around calls of the model: what it sees, changes, refuses and answers itself, guards that end an answer, and what fails or hangs.
import {
  createEndpointModel,
  defineMiddleware,
  defineTool,
  MemoryStore,
  type Middleware,
  type MiddlewareModelCall,
  type ModelPromptResult,
} from "glove-wasm";
import { afterEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { scene, until } from "../support/session.js";

afterEach(() => void vi.useRealTimers());

const around = (name: string, more: Omit<Middleware, "name">) => defineMiddleware({ name, ...more });
const codeOf = (error: unknown) => (error as { readonly code?: string }).code;
const answer = (text: string): ModelPromptResult => ({ messages: [{ sender: "agent", text }], tokens_in: 7, tokens_out: 5 });

test("the first of the list sees a call first and its answer last, and the model is asked with what they made of it", async () => {
  const seen: string[] = [];
  const log = (name: string) =>
    around(name, {
      async wrapModelCall(call, next) {
        seen.push(`${name} ${call.model} ${call.sessionId} ${call.userId} ${call.systemPrompt}`);
        const result = await next({ systemPrompt: `${call.systemPrompt} ${name}` });
        seen.push(`${name} ${result.messages[0]?.text}`);
        return result;
      },
    });
  const { session, model, shown } = scene(["Hello."], { middleware: [log("a"), log("b")], userId: "ann" });
  expect(await session.sendMessage("hi")).toMatchObject({ type: "completed", text: "Hello." });
  const [one, two, three, four] = seen;
  expect([one, two]).toEqual(["a scripted s1 ann You are a test.", "b scripted s1 ann You are a test. a"]);
  expect([three, four]).toEqual(["b Hello.", "a Hello."]);
  expect(model.calls[0]?.systemPrompt).toBe("You are a test. a b");
  expect(shown()).toEqual(["user: hi", "agent: Hello."]);
});

test("what the model is told instead leaves the record as it is, also in later rounds", async () => {
  const hide = around("hide", {
    wrapModelCall: (call, next) =>
      next({
        messages: call.messages.map((message) => ({ ...message, text: message.text.replaceAll("ann@example.com", "[mail]") })),
      }),
  });
  const { session, model, shown } = scene(["One.", "Two."], { middleware: [hide] });
  await session.sendMessage("I am ann@example.com");
  await session.sendMessage("And again ann@example.com");
  expect(JSON.stringify(model.calls)).not.toContain("ann@");
  expect(model.calls[1]?.messages.map(({ text }) => text)).toEqual(["I am [mail]", "One.", "And again [mail]"]);
  expect(shown()).toEqual(["user: I am ann@example.com", "agent: One.", "user: And again ann@example.com", "agent: Two."]);
});

test("an answer without the model is recorded as one, costs nothing, and is there after a reload", async () => {
  const store = new MemoryStore("s1");
  const cache = around("faq", { wrapModelCall: () => answer("From the cache.") });
  const config = { middleware: [cache], createStore: () => store };
  const { session, model, shown } = scene([], config);
  expect(await session.sendMessage("hi")).toMatchObject({ type: "completed", text: "From the cache." });
  expect(model.calls).toHaveLength(0);
  expect((await session.messages()).at(-1)).toMatchObject({ answered_by: "faq", usage: { tokens_in: 0, tokens_out: 0 } });
  expect(session.getSnapshot().stats).toMatchObject({ tokens_in: 0, tokens_out: 0 });
  expect(shown()).toEqual(["user: hi", "agent: From the cache."]);
  session.dispose();
  const after = scene([], config);
  await after.session.start();
  expect(after.shown()).toEqual(["user: hi", "agent: From the cache."]);
  expect((await after.session.messages()).at(-1)).toMatchObject({ answered_by: "faq" });
});

test("an answer of the model is not said to be anybody else's", async () => {
  const { session } = scene(["Hello."], { middleware: [around("log", { wrapModelCall: (_, next) => next() })] });
  await session.sendMessage("hi");
  expect((await session.messages()).at(-1)).not.toHaveProperty("answered_by");
});

test("arguments that a middleware changes are those that a person allows, and that run", async () => {
  const ran: unknown[] = [];
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    inputSchema: z.object({ amount: z.number() }),
    requireApproval: true,
    do: (input) => void ran.push(input),
  });
  const limit = around("limit", {
    async wrapModelCall(_, next) {
      const result = await next();
      const messages = result.messages.map(({ tool_calls, ...message }) => ({
        ...message,
        ...(tool_calls && { tool_calls: tool_calls.map((call) => ({ ...call, input_args: { amount: 10 } })) }),
      }));
      return { ...result, messages };
    },
  });
  const script = [{ toolCalls: [{ name: "pay", input: { amount: 5000 } }] }, "Paid."];
  const { session } = scene(script, { middleware: [limit], tools: [pay] });
  const sending = session.sendMessage("pay");
  const { approvals } = await until(session, (snapshot) => snapshot.approvals.length > 0);
  expect(approvals[0]).toMatchObject({ input: { amount: 10 } });
  session.approve(approvals[0]?.toolCallId ?? "");
  await sending;
  expect(ran).toEqual([{ amount: 10 }]);
  expect(JSON.stringify(await session.messages())).not.toContain("5000");
});

test("a refusal asks no model, ends the request with its reason, and is not repeated after a reload", async () => {
  const store = new MemoryStore("s1");
  const refuse = around("curfew", { wrapModelCall: () => ({ stop: "Closed at night." }) });
  const config = { middleware: [refuse], createStore: () => store };
  const { session, model } = scene(["Never."], config);
  const error = await session.sendMessage("hi").catch((error: unknown) => error);
  expect([codeOf(error), (error as Error).message]).toEqual(["MIDDLEWARE_STOPPED", "Closed at night."]);
  expect(session.getSnapshot().error).toMatchObject({ code: "MIDDLEWARE_STOPPED" });
  expect(model.calls).toHaveLength(0);
  session.dispose();
  const after = scene(["Never."], { ...config, middleware: [around("open", {})] });
  await after.session.start();
  expect(after.model.calls).toHaveLength(0);
  expect(after.session.getSnapshot().run.phase).toBe("paused");
});

const secret = (more: Partial<Middleware> = {}) =>
  around("guard", { guardOutput: ({ text }) => (text.includes("secret") ? { stop: "It told a secret." } : undefined), ...more });

test("a guard stops a stream: what had passed stays as a part, the rest is never shown, and no tool of the answer runs", async () => {
  const ran: unknown[] = [];
  const tool = defineTool({ name: "leak", description: "Leaks.", inputSchema: z.object({}), do: () => void ran.push(1) });
  const told: unknown[] = [];
  const turn = { deltas: ["The word ", "is ", "secret 42", " and more"], toolCalls: [{ name: "leak" }] };
  const { session, shown, events, model } = scene([turn, "Again."], { middleware: [secret()], tools: [tool] });
  session.subscribe(() => void told.push(JSON.stringify(session.getSnapshot())));
  const error = await session.sendMessage("hi").catch((error: unknown) => error);
  expect([codeOf(error), (error as Error).message]).toEqual(["MIDDLEWARE_STOPPED", "It told a secret."]);
  expect(shown()).toEqual(["user: hi", "agent: The word is  (cut)"]);
  expect(JSON.stringify([events, told, await session.messages()])).not.toContain("secret 42");
  expect(ran).toEqual([]);
  expect(model.calls[0]?.signal?.aborted).toBe(true);
});

test("a guard that holds back shows and keeps nothing of an answer that it stops", async () => {
  const store = new MemoryStore("s1");
  const config = { middleware: [secret({ holdBack: true })], createStore: () => store };
  const { session, shown, events } = scene([{ deltas: ["The word ", "is ", "secret"] }], config);
  expect(codeOf(await session.sendMessage("hi").catch((error: unknown) => error))).toBe("MIDDLEWARE_STOPPED");
  expect(shown()).toEqual(["user: hi"]);
  expect(events.filter(([type]) => type === "text_delta")).toEqual([]);
  expect(JSON.stringify(await session.messages())).not.toContain("word");
});

test("a guard that holds back shows what it lets through once it is whole", async () => {
  const { session, shown, events } = scene([{ deltas: ["All ", "is ", "well."] }], { middleware: [secret({ holdBack: true })] });
  expect(await session.sendMessage("hi")).toMatchObject({ type: "completed", text: "All is well." });
  expect(events.filter(([type]) => type === "text_delta")).toEqual([]);
  expect(shown()).toEqual(["user: hi", "agent: All is well."]);
});

test("a guard is asked about what was not streamed, and about the whole at the end", async () => {
  const seen: unknown[] = [];
  const look = around("look", { guardOutput: (output) => void seen.push(output) });
  const { session } = scene(
    [
      { text: "Whole.", stream: false },
      { deltas: ["a", "b"], reasoning: "why" },
    ],
    { middleware: [look] },
  );
  await session.sendMessage("one");
  expect(seen.splice(0)).toEqual([{ kind: "text", piece: "Whole.", text: "Whole.", done: true }]);
  await session.sendMessage("two");
  expect(seen).toEqual([
    { kind: "reasoning", piece: "why", text: "why", done: false },
    { kind: "text", piece: "a", text: "a", done: false },
    { kind: "text", piece: "b", text: "ab", done: false },
    { kind: "text", piece: "", text: "ab", done: true },
  ]);
  const { session: other } = scene([{ text: "a secret", stream: false }], { middleware: [secret()] });
  expect(codeOf(await other.sendMessage("hi").catch((error: unknown) => error))).toBe("MIDDLEWARE_STOPPED");
  expect(JSON.stringify(await other.messages())).not.toContain("secret");
});

test("pieces wait for a guard that takes its time, in their order, and none is shown before its verdict", async () => {
  const asked: string[] = [];
  let allow = () => {};
  const moderate = around("moderate", {
    guardOutput({ piece, done }) {
      if (done) return undefined;
      asked.push(piece);
      return asked.length > 1 ? undefined : new Promise<void>((resolve) => (allow = resolve));
    },
  });
  const { session, events } = scene([{ deltas: ["one ", "two ", "three"] }], { middleware: [moderate] });
  const sending = session.sendMessage("hi");
  await vi.waitFor(() => expect(asked).toEqual(["one "]));
  expect(events.filter(([type]) => type === "text_delta")).toEqual([]);
  allow();
  expect(await sending).toMatchObject({ text: "one two three" });
  const pieces = events.filter(([type]) => type === "text_delta").map(([, data]) => (data as { text: string }).text);
  expect(pieces.join("")).toBe("one two three");
});

test("a guard outside sees what one inside has made of an answer, and not what that held back", async () => {
  const seen: string[] = [];
  const look = around("look", { guardOutput: ({ piece }) => void seen.push(piece) });
  const redact = around("redact", {
    holdBack: true,
    async wrapModelCall(_, next) {
      const result = await next();
      return {
        ...result,
        messages: result.messages.map((message) => ({ ...message, text: message.text.replace("bob@example.com", "[mail]") })),
      };
    },
  });
  const { session, shown, events } = scene([{ deltas: ["Write to bob@", "example.com."] }], { middleware: [look, redact] });
  await session.sendMessage("hi");
  expect(seen).toEqual(["Write to [mail]."]);
  expect(shown()).toEqual(["user: hi", "agent: Write to [mail]."]);
  expect(JSON.stringify([events, await session.messages()])).not.toContain("bob@");
});

test.each<[string, Omit<Middleware, "name">]>([
  ["throws before the call", { wrapModelCall: () => Promise.reject(new Error("broken")) }],
  [
    "throws at once",
    {
      wrapModelCall: () => {
        throw new Error("broken");
      },
    },
  ],
  [
    "throws after the call",
    {
      wrapModelCall: async (_, next) => {
        await next();
        throw new Error("broken");
      },
    },
  ],
  [
    "does not wait for the model",
    {
      wrapModelCall: (_, next) => {
        next();
        return answer("From somewhere else.");
      },
    },
  ],
  ["gives nothing", { wrapModelCall: (async () => {}) as never }],
  ["gives a message without a text", { wrapModelCall: (() => ({ messages: [null] })) as never }],
  ["gives a wrong stop", { wrapModelCall: (() => ({ stop: 1 })) as never }],
  [
    "goes on twice",
    {
      wrapModelCall: async (_, next) => {
        await next();
        return next();
      },
    },
  ],
  ["goes on with no list", { wrapModelCall: (_, next) => next({ messages: "hi" as never }) }],
  [
    "has a guard that throws",
    {
      guardOutput: () => {
        throw new Error("broken");
      },
    },
  ],
  ["has a guard that rejects", { guardOutput: () => Promise.reject(new Error("broken")) }],
  ["has a guard that gives a text", { guardOutput: (() => "fine") as never }],
])("a middleware that %s fails the request with a typed error", async (_, more) => {
  const { session, model } = scene(["Hello.", "Hello."], { middleware: [around("bad", more)] });
  const error = await session.sendMessage("hi").catch((error: unknown) => error);
  expect(codeOf(error)).toBe("MIDDLEWARE_FAILED");
  expect((error as Error).message).toContain('"bad"');
  expect(model.calls.length).toBeLessThan(2);
  expect((await session.messages()).filter(({ sender, partial }) => sender === "agent" && !partial)).toEqual([]);
});

test("a failure of the model comes through as it is, and a middleware may answer instead", async () => {
  const fail = { fail: Object.assign(new Error("no model")) };
  const seen: unknown[] = [];
  const log = around("log", {
    wrapModelCall: (_, next) =>
      next().catch((error: unknown) => {
        seen.push((error as Error).message);
        throw error;
      }),
  });
  const { session } = scene([fail], { middleware: [log] });
  const error = await session.sendMessage("hi").catch((error: unknown) => error);
  expect([codeOf(error), seen]).toEqual(["MODEL_ADAPTER", ["no model"]]);
  const fallback = around("fallback", { wrapModelCall: (_, next) => next().catch(() => answer("Sorry.")) });
  const { session: other } = scene([fail], { middleware: [fallback] });
  expect(await other.sendMessage("hi")).toMatchObject({ type: "completed", text: "Sorry." });
  expect((await other.messages()).at(-1)).toMatchObject({ answered_by: "fallback", usage: { tokens_in: 0, tokens_out: 0 } });
});

test("a middleware that hangs ends at its limit; the time of the model does not count", async () => {
  const slow = around("slow", { timeoutMs: 20, wrapModelCall: (_, next) => next() });
  const { session } = scene([{ text: "Late.", after: 100 }], { middleware: [slow] });
  expect(await session.sendMessage("hi")).toMatchObject({ text: "Late." });
  const hangs = around("hangs", { timeoutMs: 20, wrapModelCall: () => new Promise(() => {}) });
  const stuck = scene(["Never."], { middleware: [hangs] });
  const error = await stuck.session.sendMessage("hi").catch((error: unknown) => error);
  expect([codeOf(error), (error as Error).message]).toEqual([
    "MIDDLEWARE_FAILED",
    'The middleware "hangs" failed: it took longer than 20 ms.',
  ]);
  expect(stuck.model.calls).toHaveLength(0);
  const after = around("after", {
    timeoutMs: 20,
    wrapModelCall: async (_, next) => {
      await next();
      return new Promise(() => {});
    },
  });
  expect(
    codeOf(
      await scene(["Once."], { middleware: [after] })
        .session.sendMessage("hi")
        .catch((error: unknown) => error),
    ),
  ).toBe("MIDDLEWARE_FAILED");
  const guard = around("guard", { timeoutMs: 20, guardOutput: () => new Promise(() => {}) });
  expect(
    codeOf(
      await scene(["Once."], { middleware: [guard] })
        .session.sendMessage("hi")
        .catch((error: unknown) => error),
    ),
  ).toBe("MIDDLEWARE_FAILED");
});

test("Stop ends a middleware that hangs, and its signal fires", async () => {
  let call: MiddlewareModelCall | undefined;
  const hangs = around("hangs", {
    wrapModelCall: (given) => {
      call = given;
      return new Promise(() => {});
    },
  });
  const { session, model } = scene(["Never."], { middleware: [hangs] });
  const sending = session.sendMessage("hi");
  await vi.waitFor(() => expect(call).toBeDefined());
  session.abort();
  expect(await sending).toMatchObject({ type: "aborted" });
  expect(call?.signal.aborted).toBe(true);
  expect(model.calls).toHaveLength(0);
});

test("an endpoint is asked through a middleware, which sees no headers of it", async () => {
  const seen: string[] = [];
  const log = around("log", {
    wrapModelCall: (call, next) => {
      seen.push(JSON.stringify(call));
      return next({ systemPrompt: "Other." });
    },
  });
  const bodies: { systemPrompt: string }[] = [];
  const events = [
    { type: "text_delta", text: "Hi." },
    { type: "done", message: { sender: "agent", text: "Hi." }, tokens_in: 1, tokens_out: 1 },
  ];
  const model = createEndpointModel("https://chat.example/api", {
    headers: { authorization: "Bearer key-1234" },
    fetch: async (_, init) => {
      bodies.push(JSON.parse(String(init.body)) as { systemPrompt: string });
      return new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""), {
        headers: { "content-type": "text/event-stream" },
      });
    },
  });
  const { session } = scene([], { middleware: [log], createModel: () => model });
  expect(await session.sendMessage("hi")).toMatchObject({ text: "Hi." });
  expect(bodies.map(({ systemPrompt }) => systemPrompt)).toEqual(["Other."]);
  expect(seen.join()).not.toContain("key-1234");
});

test("a middleware of a wrong form is refused where it is made, and fails closed where it was not", async () => {
  const made = (given: unknown) => {
    try {
      defineMiddleware(given as Middleware);
      return undefined;
    } catch (error) {
      return codeOf(error);
    }
  };
  const wrong = [
    undefined,
    {},
    { name: 1 },
    { name: "a", wrapGenerate: () => {} },
    { name: "a", guardOutput: true },
    { name: "a", timeoutMs: -1 },
  ];
  expect(wrong.map(made)).toEqual(wrong.map(() => "MIDDLEWARE_INVALID"));
  const { session, model } = scene(["Never."], { middleware: [{ name: "a", wrapGenerate() {} } as never] });
  expect(codeOf(await session.sendMessage("hi").catch((error: unknown) => error))).toBe("MIDDLEWARE_INVALID");
  expect(model.calls).toHaveLength(0);
});
