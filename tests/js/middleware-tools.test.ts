// Middleware around calls of tools: after the approval, with the arguments that were allowed, and before the result is recorded.
import {
  defineAgent,
  defineMiddleware,
  defineTool,
  MemoryStore,
  type Middleware,
  type ToolConfig,
  type ToolResultData,
} from "glove-wasm";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { scene, until } from "../support/session.js";

const around = (name: string, more: Omit<Middleware, "name">) => defineMiddleware({ name, ...more });
const asks = (input: unknown = { city: "Bern" }) => ({ toolCalls: [{ name: "weather", input }] });
const ran = (more: Partial<ToolConfig> = {}) => {
  const inputs: unknown[] = [];
  const tool = defineTool({
    name: "weather",
    description: "Tells the weather.",
    inputSchema: z.object({ city: z.string() }),
    do(input) {
      inputs.push(input);
      return { sky: "clear" };
    },
    ...(more as object),
  });
  return { inputs, tool: tool as ToolConfig };
};
const resultsOf = async (session: { messages(): Promise<readonly { tool_results?: readonly { result: ToolResultData }[] }[]> }) =>
  (await session.messages()).flatMap(({ tool_results = [] }) => tool_results.map(({ result }) => result));

test("a middleware sees a call after its approval, with a copy of what was allowed, and what it gave", async () => {
  const seen: unknown[] = [];
  const log = around("log", {
    async wrapToolCall({ id, name, input, sessionId, userId, services }, next) {
      seen.push([id, name, structuredClone(input), sessionId, userId, services]);
      (input as { city: string }).city = "elsewhere";
      const result = await next();
      seen.push(result);
      return result;
    },
  });
  const { tool, inputs } = ran({ requireApproval: true });
  const { session } = scene([asks(), "Clear."], { middleware: [log], tools: [tool], userId: "ann", services: { unit: "C" } });
  const sending = session.sendMessage("weather?");
  const { approvals } = await until(session, (snapshot) => snapshot.approvals.length > 0);
  expect(seen).toEqual([]);
  const id = approvals[0]?.toolCallId ?? "";
  session.approve(id);
  expect(await sending).toMatchObject({ text: "Clear." });
  expect(inputs).toEqual([{ city: "Bern" }]);
  expect(seen).toEqual([
    [id, "weather", { city: "Bern" }, "s1", "ann", { unit: "C" }],
    { status: "success", data: { sky: "clear" } },
  ]);
  expect(await resultsOf(session)).toEqual([{ status: "success", data: { sky: "clear" } }]);
});

test("a result from a cache is recorded as one, also after a reload, and the tool does not run", async () => {
  const kept = new Map<string, ToolResultData>();
  const cache = around("cache", {
    async wrapToolCall({ name, input, userId }, next) {
      const key = JSON.stringify([userId, name, input]);
      const known = kept.get(key);
      if (known) return known;
      const result = await next();
      kept.set(key, result);
      return result;
    },
  });
  const store = new MemoryStore("s1");
  const { tool, inputs } = ran();
  const config = { middleware: [cache], tools: [tool], createStore: () => store };
  const { session, model } = scene([asks(), "One.", asks(), "Two."], config);
  await session.sendMessage("weather?");
  await session.sendMessage("again?");
  expect(inputs).toHaveLength(1);
  const cached = { status: "success", data: { sky: "clear" }, outcome: "cached", answered_by: "cache" };
  expect(await resultsOf(session)).toEqual([{ status: "success", data: { sky: "clear" } }, cached]);
  expect(session.getSnapshot().timeline.filter(({ kind }) => kind === "tool")).toMatchObject([
    { status: "success" },
    { status: "success", outcome: "cached", output: '{"sky":"clear"}' },
  ]);
  expect(model.calls.at(-1)?.messages.at(-1)?.tool_results?.[0]?.result).toMatchObject({ data: { sky: "clear" } });
  session.dispose();
  const after = scene([], config);
  await after.session.start();
  expect((await resultsOf(after.session)).at(-1)).toEqual(cached);
});

test("a call that is refused does not run, and the model reads why", async () => {
  const { tool, inputs } = ran();
  const refuse = around("office", { wrapToolCall: () => ({ stop: "Only in office hours." }) });
  const { session, model } = scene([asks(), "Later."], { middleware: [refuse], tools: [tool] });
  expect(await session.sendMessage("weather?")).toMatchObject({ text: "Later." });
  expect(inputs).toEqual([]);
  expect(await resultsOf(session)).toEqual([
    { status: "error", data: null, message: "Only in office hours.", outcome: "denied" },
  ]);
  expect(JSON.stringify(model.calls.at(-1)?.messages)).toContain("Only in office hours.");
});

test("a result is recorded as a middleware has changed it, and one that it stops is not", async () => {
  const { tool } = ran({ do: () => ({ mail: "ann@example.com" }) });
  const redact = around("redact", {
    async wrapToolCall(_, next) {
      const result = await next();
      return { ...result, data: JSON.parse(JSON.stringify(result.data).replaceAll("ann@example.com", "[mail]")) as unknown };
    },
  });
  const { session, model } = scene([asks(), "Done."], { middleware: [redact], tools: [tool] });
  await session.sendMessage("who?");
  expect(await resultsOf(session)).toEqual([{ status: "success", data: { mail: "[mail]" } }]);
  expect(JSON.stringify(model.calls)).not.toContain("ann@");
  const guard = around("guard", { wrapToolCall: async (_, next) => (await next()) && { stop: "It is not for the model." } });
  const other = scene([asks(), "Done."], { middleware: [guard], tools: [tool] });
  await other.session.sendMessage("who?");
  expect(await resultsOf(other.session)).toEqual([{ status: "error", data: null, message: "It is not for the model." }]);
});

test("the first is the outermost, and what it does not go on with runs in none behind it", async () => {
  const seen: string[] = [];
  const log = (name: string) =>
    around(name, {
      wrapToolCall: async (_, next) => {
        seen.push(name);
        const result = await next();
        seen.push(`${name} end`);
        return result;
      },
    });
  const { tool, inputs } = ran();
  await scene([asks(), "Done."], { middleware: [log("a"), around("none", {}), log("b")], tools: [tool] }).session.sendMessage(
    "hi",
  );
  expect(seen.splice(0)).toEqual(["a", "b", "b end", "a end"]);
  const stop = around("stop", { wrapToolCall: () => ({ stop: "No." }) });
  await scene([asks(), "Done."], { middleware: [log("a"), stop, log("b")], tools: [tool] }).session.sendMessage("hi");
  expect([seen, inputs.length]).toEqual([["a", "a end"], 1]);
});

test.each<[string, number, NonNullable<Middleware["wrapToolCall"]>]>([
  ["throws before the tool", 0, () => Promise.reject(new Error("broken"))],
  [
    "throws after the tool",
    1,
    async (_, next) => {
      await next();
      throw new Error("broken");
    },
  ],
  [
    "throws while the tool works",
    1,
    (_, next) => {
      void next();
      throw new Error("broken");
    },
  ],
  [
    "does not wait for the tool",
    1,
    (_, next) => {
      next();
      return { status: "success", data: "from somewhere else" };
    },
  ],
  ["gives nothing", 0, (async () => {}) as never],
  ["gives no result", 0, (() => ({ data: 1 })) as never],
  [
    "runs it twice",
    1,
    async (_, next) => {
      await next();
      return next();
    },
  ],
])("a middleware that %s fails the call with a typed error, and the tool runs no second time", async (_, times, wrapToolCall) => {
  const { tool, inputs } = ran();
  const { session, events } = scene([asks(), "Done."], { middleware: [around("bad", { wrapToolCall })], tools: [tool] });
  expect(await session.sendMessage("hi")).toMatchObject({ text: "Done." });
  expect(inputs).toHaveLength(times);
  expect(events.filter(([type]) => type === "error").map(([, data]) => (data as { code: string }).code)).toEqual([
    "MIDDLEWARE_FAILED",
  ]);
  const [result] = await resultsOf(session);
  expect(result).toMatchObject({ status: "error", outcome: "failed" });
  expect(result?.message).toContain('The middleware "bad" failed');
  expect(result?.message?.includes("The tool had been run before.")).toBe(times > 0);
});

test("what a tool fails with comes through, a middleware may give something else, and the record says who did", async () => {
  const { tool } = ran({ do: () => Promise.reject(new Error("no network")) });
  const plain = scene([asks(), "Done."], { middleware: [around("log", { wrapToolCall: (_, next) => next() })], tools: [tool] });
  await plain.session.sendMessage("hi");
  expect((await resultsOf(plain.session))[0]).toMatchObject({ status: "error", outcome: "failed" });
  expect(plain.events.filter(([type]) => type === "error").map(([, data]) => (data as { code: string }).code)).toEqual([
    "TOOL_FAILED",
  ]);
  const guess = around("guess", {
    wrapToolCall: (_, next) => next().catch(() => ({ status: "success" as const, data: "cloudy" })),
  });
  const { session } = scene([asks(), "Done."], { middleware: [guess], tools: [tool] });
  await session.sendMessage("hi");
  expect(await resultsOf(session)).toEqual([{ status: "success", data: "cloudy", answered_by: "guess" }]);
});

test("nothing answers for a tool that can be taken back: there would be nothing to take back", async () => {
  const undone: unknown[] = [];
  const { tool, inputs } = ran({ undo: (input: unknown) => void undone.push(input) });
  const cache = around("cache", { wrapToolCall: () => ({ status: "success", data: 1 }) });
  const { session } = scene([asks(), "Done."], { middleware: [cache], tools: [tool] });
  await session.sendMessage("hi");
  expect((await resultsOf(session))[0]?.message).toContain("whose `undo` would take back what was not done");
  expect([inputs, session.getSnapshot().undoable]).toEqual([[], []]);
});

test("a middleware that hangs before a tool ends at its limit, and the time of the tool does not count", async () => {
  const { tool, inputs } = ran({ do: () => new Promise((resolve) => setTimeout(resolve, 100, "late")) });
  const slow = around("slow", { timeoutMs: 20, wrapToolCall: (_, next) => next() });
  const { session } = scene([asks(), "Done."], { middleware: [slow], tools: [tool] });
  await session.sendMessage("hi");
  expect(await resultsOf(session)).toEqual([{ status: "success", data: "late" }]);
  const hangs = around("hangs", { timeoutMs: 20, wrapToolCall: () => new Promise(() => {}) });
  const stuck = scene([asks(), "Done."], { middleware: [hangs], tools: [tool] });
  await stuck.session.sendMessage("hi");
  expect((await resultsOf(stuck.session))[0]?.message).toContain("it took longer than 20 ms");
  expect(inputs).toEqual([]);
});

test("Stop ends a middleware that hangs, and what it does afterwards runs no tool", async () => {
  let goOn = () => {};
  let late: Promise<unknown> | undefined;
  const hangs = around("hangs", {
    wrapToolCall: (_, next) =>
      new Promise((resolve) => {
        goOn = () => {
          late = next().catch((error: unknown) => (error as Error).message);
          resolve({ status: "success", data: 1 });
        };
      }),
  });
  const { tool, inputs } = ran();
  const { session } = scene([asks(), "Never."], { middleware: [hangs], tools: [tool] });
  const sending = session.sendMessage("hi");
  await until(session, ({ timeline }) => timeline.some((entry) => entry.kind === "tool" && entry.status === "running"));
  session.abort();
  expect(await sending).toMatchObject({ type: "aborted" });
  goOn();
  expect(await late).toContain("after its end");
  expect(inputs).toEqual([]);
});

test("a call that was in a middleware when its page died is asked about, and answered by nobody in silence", async () => {
  const store = new MemoryStore("s1");
  const { tool, inputs } = ran();
  let entered = 0;
  const hangs = around("hangs", {
    wrapToolCall: () => {
      entered++;
      return new Promise(() => {});
    },
  });
  const first = scene([asks()], { middleware: [hangs], tools: [tool], createStore: () => store });
  first.session.sendMessage("hi").catch(() => {});
  await until(first.session, ({ timeline }) => timeline.some((entry) => entry.kind === "tool" && entry.status === "running"));
  await vi.waitFor(() => expect(entered).toBe(1));
  first.session.dispose();
  const after = scene(["Done."], {
    middleware: [around("cache", { wrapToolCall: () => ({ status: "success", data: 1 }) })],
    tools: [tool],
    createStore: () => store,
  });
  await after.session.start();
  const { approvals } = await until(after.session, (snapshot) => snapshot.approvals.length > 0);
  expect(approvals[0]).toMatchObject({ kind: "interrupted", toolName: "weather" });
  expect([inputs, after.model.calls]).toEqual([[], []]);
});

test("calls inside of an agent have the middleware of the session that called it", async () => {
  const seen: string[] = [];
  const log = around("log", {
    wrapModelCall: (call, next) => {
      seen.push(`model ${call.sessionId?.includes("s1")}`);
      return next();
    },
    wrapToolCall: (call, next) => {
      seen.push(`tool ${call.name}`);
      return next();
    },
  });
  const { tool } = ran();
  const agent = defineAgent({ name: "helper", description: "Helps.", systemPrompt: "Help.", tools: [tool] });
  const script = [{ toolCalls: [{ name: "helper", input: { task: "look" } }] }, asks(), "Clear.", "It is clear."];
  const { client, model } = scene(script, { tools: [agent as ToolConfig] });
  const session = client.session("s1", { middleware: [log] });
  expect(await session.sendMessage("hi")).toMatchObject({ text: "It is clear." });
  expect(seen).toEqual(["model true", "tool helper", "model true", "tool weather", "model true", "model true"]);
  expect(model.calls).toHaveLength(4);
});
