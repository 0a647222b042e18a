// Tools that hang: stopped after their own limit, or when the request has no time left. Waiting for a person does not count.
import { jsonSchema, MemoryStore, type ToolConfig } from "glove-wasm";
import { beforeAll, expect, test, vi } from "vitest";
import { scene, until } from "../support/session.js";

const call = { toolCalls: [{ name: "hang", input: {}, id: "c1" }] };
const soon = (ms: number) => new Promise((later) => setTimeout(later, ms));
const never = () => new Promise<never>(() => {});
const hang = (parts: Partial<ToolConfig>): ToolConfig => ({
  name: "hang",
  description: "",
  jsonSchema: { type: "object" },
  do: never,
  ...parts,
});

// Loading the validator would count as time of the first tool.
beforeAll(async () => void (await jsonSchema({})["~standard"].validate({})));

test("a tool that takes longer than its limit is stopped, the model is told, and a late result is not looked at", async () => {
  let fired: AbortSignal | undefined;
  const work: ToolConfig["do"] = async (_input, _display, _agent, signal) => {
    fired = signal;
    await soon(500);
    return "late";
  };
  // Long enough for the tool to begin on a busy machine.
  const { session, model, shown } = scene([call, "done"], { tools: [hang({ do: work, timeoutMs: 250 })] });
  expect(await session.sendMessage("Hi")).toMatchObject({ type: "completed" });
  expect(fired?.aborted).toBe(true);
  const [result] = model.calls[1]?.messages.at(-1)?.tool_results ?? [];
  expect(result?.result).toMatchObject({ status: "error", message: expect.stringContaining("took too long") });
  await soon(400);
  expect(shown()[1]).toContain("took too long");
  expect((await session.messages())[2]?.tool_results?.[0]?.result.outcome).toBe("timed_out");
});

test.each([0, Number.POSITIVE_INFINITY])("a limit of %d is none", async (timeoutMs) => {
  const work = async () => {
    await soon(20);
    return "worked";
  };
  const { session, shown } = scene([call, "done"], { tools: [hang({ do: work, timeoutMs })] });
  await session.sendMessage("Hi");
  expect(shown()[1]).toBe("hang: success worked");
});

test.each([-1, Number.NaN, 0.5])("a limit of %d is refused", async (timeoutMs) => {
  const { session } = scene([call, "done"], { tools: [hang({ timeoutMs })] });
  const message = `\`timeoutMs\` of the tool "hang" must be a whole number of 0 or more, or Infinity, got ${timeoutMs}.`;
  await expect(session.sendMessage("Hi")).rejects.toThrow(expect.objectContaining({ code: "TOOL_INVALID", message }));
});

test("a tool that hangs does not outlive the request's time", async () => {
  // Long enough for the tool to begin on a busy machine.
  const { session, shown } = scene([call, "done"], { tools: [hang({})], budgets: { wall_clock_ms: 400 } });
  expect(await session.sendMessage("Hi")).toMatchObject({ type: "paused", rule: "wall_clock" });
  expect(shown()[1]).toContain("took too long");
});

test("the time in which a person is waited for does not count", async () => {
  const form = hang({
    timeoutMs: 500,
    async do(_input, display) {
      const answer = await display.pushAndWait({ renderer: "confirm", input: { message: "Sure?" } });
      await soon(10);
      return answer;
    },
  });
  const { session, shown } = scene([call, "done"], { tools: [form], budgets: { wall_clock_ms: 500 } });
  const sending = session.sendMessage("Hi");
  const { slots } = await until(session, ({ slots }) => slots.length > 0);
  await soon(700);
  session.resolveSlot(slots[0]?.id ?? "", "yes");
  expect(await sending).toMatchObject({ type: "completed" });
  expect(shown()[1]).toBe("hang: success yes");
});

test("what a stopped tool has on the display goes with it", async () => {
  const form = hang({
    timeoutMs: 40,
    async do(_input, display) {
      await display.pushAndForget({ renderer: "info", input: { message: "Working" } });
      return never();
    },
  });
  const { session } = scene([call, "done"], { tools: [form], createStore: (id) => new MemoryStore(id) });
  await session.sendMessage("Hi");
  expect(session.getSnapshot().slots).toEqual([]);
});

test("a tool that ends in time is not touched by its limit", async () => {
  const work = vi.fn(async () => "done");
  const { session, shown } = scene([call, call, "done"], { tools: [hang({ do: work, timeoutMs: 1_000 })] });
  await session.sendMessage("Hi");
  expect(shown()).toContain("hang: success done");
  expect(work).toHaveBeenCalledTimes(2);
});

const limits = { tool: [{ timeoutMs: 40 }, {}], request: [{}, { budgets: { wall_clock_ms: 400 } }] } as const;
const silent = { "~standard": { version: 1, vendor: "test", validate: never } } as const;

test.each([
  ["requireApproval", "tool", { requireApproval: never }],
  ["requireApproval", "request", { requireApproval: never }],
  ["requiresPermission", "tool", { requiresPermission: never }],
  ["requiresPermission", "request", { requiresPermission: never }],
  ["inputSchema", "tool", { inputSchema: silent, requireApproval: true }],
  ["inputSchema", "request", { inputSchema: silent, requireApproval: true }],
] as const)("a %s that never settles is waited for as long as the %s may work, and nothing runs", async (_rule, of, parts) => {
  const work = vi.fn();
  const [limit, config] = limits[of];
  const { session, events } = scene([call, "done"], { tools: [hang({ do: work, ...parts, ...limit })], ...config });
  expect(await session.sendMessage("Hi")).toMatchObject({ type: of === "tool" ? "completed" : "paused" });
  const message = expect.stringMatching(/the tool "hang" was stopped: it gave no answer in \d+ ms\.$/);
  expect(events).toContainEqual(["error", expect.objectContaining({ code: "TOOL_RULE_FAILED", message })]);
  const [result] = (await session.messages())[2]?.tool_results ?? [];
  expect(result?.result.message).toMatch(/it gave no answer in \d+ ms$/);
  expect(work).not.toHaveBeenCalled();
});

test("a rule has the time that is left of the request, and not all of it again", async () => {
  const first = hang({ name: "first", do: () => soon(250) });
  const tools = [first, hang({ requireApproval: never })];
  const calls = { toolCalls: [{ name: "first", input: {}, id: "c0" }, ...call.toolCalls] };
  const { session } = scene([calls, "done"], { tools, budgets: { wall_clock_ms: 400 } });
  const since = Date.now();
  expect(await session.sendMessage("Hi")).toMatchObject({ type: "paused", rule: "wall_clock" });
  expect(Date.now() - since).toBeLessThan(600);
  const [, result] = (await session.messages())[2]?.tool_results ?? [];
  expect(Number(/no answer in (\d+) ms/.exec(result?.result.message ?? "")?.[1])).toBeLessThanOrEqual(150);
});

test.each([
  ["rule", { requireApproval: never }],
  ["schema", { inputSchema: silent }],
] as const)(
  "a %s that never settles is given up after a minute where nothing says how long a call may take",
  async (_of, parts) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const work = vi.fn();
      const { session } = scene([call, "done"], { tools: [hang({ do: work, ...parts })] });
      const sending = session.sendMessage("Hi");
      await vi.advanceTimersByTimeAsync(59_000);
      expect(session.getSnapshot().busy).toBe(true);
      await vi.advanceTimersByTimeAsync(2_000);
      expect(await sending).toMatchObject({ type: "completed" });
      expect(work).not.toHaveBeenCalled();
    } finally {
      vi.useRealTimers();
    }
  },
);

test("each run of a tool gets its arguments anew, also after one that changed them", async () => {
  const seen: unknown[] = [];
  const work = (input: { list: number[] }) => {
    seen.push([...input.list]);
    input.list.push(9);
    if (seen.length < 3) throw new Error("not yet");
    return "done";
  };
  const tool = hang({ do: work, idempotent: true, maxRetries: 3 });
  const { session } = scene([{ toolCalls: [{ name: "hang", input: { list: [1] }, id: "c1" }] }, "done"], { tools: [tool] });
  await session.sendMessage("Hi");
  expect(seen).toEqual([[1], [1], [1]]);
});

test("a rule that throws nothing is told to have failed without saying why", async () => {
  const requireApproval = () => Promise.reject(undefined);
  const { session, events } = scene([call, "done"], { tools: [hang({ requireApproval })] });
  await session.sendMessage("Hi");
  const message = 'A rule of the tool "hang" failed without saying why.';
  expect(events).toContainEqual(["error", expect.objectContaining({ code: "TOOL_RULE_FAILED", message })]);
});
