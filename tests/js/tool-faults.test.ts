// What goes wrong in a tool's own code reaches its developer, beside what the model is told.
import { GloveClient, type ToolConfig } from "glove-wasm";
import { createScriptedModel, type ScriptedAnswer } from "glove-wasm/testing";
import { expect, test, vi } from "vitest";
import { scene, texts, until } from "../support/session.js";

const toolOf = (work: ToolConfig["do"], more: Partial<ToolConfig> = {}): ToolConfig => ({
  name: "t",
  description: "",
  jsonSchema: { type: "object" },
  do: work,
  ...more,
});
const calls: ScriptedAnswer[] = [{ toolCalls: [{ name: "t", id: "c" }] }, "done"];
const faults = (events: readonly (readonly [string, unknown])[]) =>
  events.flatMap(([type, data]) => (type === "error" ? [data] : []));

const faulty: [string, ToolConfig, string, string][] = [
  [
    "throws",
    toolOf(() => (undefined as unknown as { deep: 1 }).deep),
    "TOOL_FAILED",
    'The tool "t" threw: Cannot read properties',
  ],
  ["gives what JSON cannot hold", toolOf(() => ({ at: [1n] })), "NOT_SERIALISABLE", "data.at[0] is a BigInt"],
  [
    "does not await its question",
    toolOf((_, display) => {
      display.pushAndWait({ input: 1 }).catch(() => {});
      return "done";
    }),
    "DISPLAY_NOT_AWAITED",
    'The tool "t" returned while its question was open',
  ],
];

test.each(faulty)("a tool that %s is told to subscribers", async (_, tool, code, message) => {
  const { session, events } = scene(calls, { tools: [tool] });
  await session.sendMessage("Hi");
  expect(faults(events)).toEqual([{ code, message: expect.stringContaining(message) }]);
});

test("where nobody listens, the console has what a tool threw, with its cause", async () => {
  const logged = vi.spyOn(console, "warn").mockImplementation(() => {});
  // The chat shows it and goes on: a framework need not cover the page with it.
  const failed = vi.spyOn(console, "error");
  const thrown = new Error("no disk");
  const tools = [toolOf(() => Promise.reject(thrown))];
  const session = new GloveClient({ createModel: () => createScriptedModel(calls), systemPrompt: "", tools }).session("s");
  await session.sendMessage("Hi");
  expect(logged.mock.calls.map(([error]) => [error.code, error.cause.message, error.cause.cause])).toEqual([
    ["TOOL_FAILED", 'The tool "t" threw: no disk', thrown],
  ]);
  expect(failed).not.toHaveBeenCalled();
  logged.mockRestore();
  failed.mockRestore();
});

test("what a person turned down, a stop, an error as a result, and an answered question are no faults", async () => {
  const asks = toolOf((_, display) => display.pushAndWait({ input: 1 }), { name: "asks" });
  const error = toolOf(() => ({ status: "error", data: null, message: "sold out" }), { name: "error" });
  const stopped = toolOf((_, _display, _agent, signal) => new Promise((_done, fail) => signal?.addEventListener("abort", fail)), {
    name: "stopped",
  });
  const toolCalls = ["asks", "asks", "error", "stopped"].map((name, at) => ({ name, id: `c${at}` }));
  const { session, events } = scene([{ toolCalls }], { tools: [asks, error, stopped] });
  const sent = session.sendMessage("Hi");
  const { slots } = await until(session, ({ slots }) => slots.length === 1);
  session.rejectSlot(slots[0]?.id ?? "", "no");
  const next = await until(session, ({ slots }) => slots.length === 2);
  session.resolveSlot(next.slots.find(({ status }) => status === "pending")?.id ?? "", 1);
  await until(session, ({ timeline }) =>
    timeline.some((entry) => entry.kind === "tool" && entry.name === "error" && entry.status === "error"),
  );
  session.abort();
  await sent;
  expect(texts(session.getSnapshot())).toContain("asks: success 1");
  expect(faults(events)).toEqual([]);
});
