// What a person agrees to is what runs: a schema is asked once, and what it makes is shown, judged, recorded and run.
import { defineTool, Executor, GloveClient, MemoryStore, type ToolConfig } from "glove-wasm";
import { createScriptedModel } from "glove-wasm/testing";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { scene, until } from "../support/session.js";

const call = (input: unknown = {}) => ({ toolCalls: [{ name: "pay", input, id: "c1" }] });
const soon = (ms = 30) => new Promise((later) => setTimeout(later, ms));
const asked = (snapshot: { approvals: readonly unknown[] }) => snapshot.approvals.length > 0;

test("the card shows what the schema made: defaults, transforms, and nothing that it took away", async () => {
  const work = vi.fn(() => "paid");
  const judged = vi.fn(() => true);
  const inputSchema = z.object({ to: z.string().transform((to) => to.toUpperCase()), euros: z.number().default(5) });
  const tool = defineTool({ name: "pay", description: "", inputSchema, requireApproval: judged, do: work });
  const { session } = scene([call({ to: "no12", admin: true }), "done"], { tools: [tool] });
  const sending = session.sendMessage("Hi");
  const made = { to: "NO12", euros: 5 };
  const { approvals } = await until(session, asked);
  expect(approvals[0]?.input).toEqual(made);
  session.approve("c1");
  await sending;
  expect(judged.mock.calls.map(([input]: unknown[]) => input)).toEqual([made]);
  expect(work.mock.calls.map(([input]: unknown[]) => input)).toEqual([made]);
  const messages = await session.messages();
  expect(messages[1]?.tool_calls?.[0]?.input_args).toEqual({ to: "no12", admin: true });
  expect(messages[2]?.tool_results?.[0]).toMatchObject({ input: made });
});

test("a schema that gives something else each time is asked once for rule, card and tool", async () => {
  for (const rule of ["requiresPermission", "requireApproval"] as const) {
    const seen: unknown[] = [];
    let times = 0;
    const inputSchema = z.object({
      id: z
        .string()
        .optional()
        .transform((id) => id ?? `id ${++times}`),
      at: z
        .string()
        .optional()
        .transform(() => new Date(++times)),
    });
    const judge = (input: unknown) => {
      seen.push(structuredClone(input));
      return true;
    };
    const tool = defineTool({ name: "pay", description: "", inputSchema, [rule]: judge, do: (input) => void seen.push(input) });
    const { session } = scene([call(), "done"], { tools: [tool as ToolConfig] });
    const sending = session.sendMessage("Hi");
    const { approvals } = await until(session, asked);
    const made = { id: "id 1", at: new Date(2) };
    expect(approvals[0]?.input).toEqual(JSON.parse(JSON.stringify(made)));
    session.approve("c1");
    await sending;
    expect(seen).toEqual([made, made]);
  }
});

test("a schema that takes its time is waited for, and asked once", async () => {
  const work = vi.fn(() => "paid");
  let times = 0;
  const inputSchema = z.object({ euros: z.number() }).transform(async ({ euros }) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return { euros, quote: ++times };
  });
  const jsonSchema = { type: "object", properties: { euros: { type: "number" } } };
  const tool = defineTool({ name: "pay", description: "", inputSchema, jsonSchema, requireApproval: true, do: work } as never);
  const { session } = scene([call({ euros: 5 }), "done"], { tools: [tool] });
  const sending = session.sendMessage("Hi");
  const shown = (await until(session, asked)).approvals[0]?.input;
  expect(shown).toMatchObject({ euros: 5, quote: expect.any(Number) });
  session.approve("c1");
  await sending;
  expect(work.mock.calls.map(([input]: unknown[]) => input)).toEqual([shown]);
});

test("a rule that changes its arguments changes neither what is shown nor what runs", async () => {
  const work = vi.fn(() => "paid");
  const tool: ToolConfig = {
    name: "pay",
    description: "",
    jsonSchema: { type: "object" },
    requireApproval: (input: { euros: number }) => {
      input.euros = 0;
      return true;
    },
    do: work,
  };
  const { session } = scene([call({ euros: 500 }), "done"], { tools: [tool] });
  const sending = session.sendMessage("Hi");
  expect((await until(session, asked)).approvals[0]?.input).toEqual({ euros: 500 });
  session.approve("c1");
  await sending;
  expect(work.mock.calls.map(([input]: unknown[]) => input)).toEqual([{ euros: 500 }]);
});

class Money {
  constructor(readonly euros: number) {}
}

/** What a tool with this schema is shown to cost and runs with, after its rule has tried to make it more. */
async function raised(rule: string, inputSchema: z.ZodType, raise: (input: never) => void) {
  const work = vi.fn();
  const judge = (input: never) => {
    raise(input);
    return true;
  };
  const tool = { name: "pay", description: "", inputSchema, jsonSchema: { type: "object" }, [rule]: judge, do: work };
  const { session, events } = scene([call({ at: "2026-01-01T00:00:00Z", euros: 1 }), "done"], { tools: [tool as ToolConfig] });
  const sending = session.sendMessage("Hi");
  const { approvals } = await until(session, ({ approvals, busy }) => approvals.length > 0 || !busy);
  session.approve("c1");
  await sending;
  return { card: approvals[0]?.input, ran: work.mock.calls.map(([input]: unknown[]) => input), events };
}

test.each(["requireApproval", "requiresPermission"])(
  "a rule %s reaches nothing of what runs: no date, map, set, class or loop",
  async (rule) => {
    const at = z.coerce.date();
    const dated = await raised(rule, z.object({ at, euros: z.number() }), (input: { at: Date; euros: number }) => {
      input.euros = 9999;
      input.at.setTime(0);
    });
    const when = new Date("2026-01-01T00:00:00Z");
    expect(dated).toMatchObject({ card: { at: when.toJSON(), euros: 1 }, ran: [{ at: when, euros: 1 }] });

    const made = z.object({ euros: z.number() }).transform(({ euros }) => {
      const sums = { map: new Map([["a", { euros }]]), set: new Set([euros]), bytes: new Uint8Array([euros]), itself: {} };
      sums.itself = sums;
      return sums;
    });
    const held = await raised(
      rule,
      made,
      (input: { map: Map<string, { euros: number }>; set: Set<number>; bytes: Uint8Array }) => {
        for (const sum of input.map.values()) sum.euros = 9999;
        input.map.set("b", { euros: 9999 });
        input.set.add(9999);
        input.bytes[0] = 99;
        Object.assign((input as never as { itself: object }).itself, { more: 9999 });
      },
    );
    const [ran] = held.ran as [Record<string, unknown>];
    const { itself, ...rest } = ran;
    expect(itself).toBe(ran);
    expect(rest).toEqual({ map: new Map([["a", { euros: 1 }]]), set: new Set([1]), bytes: new Uint8Array([1]) });

    const money = z.object({ euros: z.number() }).transform(({ euros }) => ({ sum: new Money(euros) }));
    const owned = await raised(rule, money, (input: { sum: Money }) => Object.assign(input.sum, { euros: 9999 }));
    expect(owned).toMatchObject({ card: { sum: { euros: 1 } }, ran: [{ sum: new Money(1) }] });
    expect((owned.ran[0] as { sum: unknown }).sum).toBeInstanceOf(Money);
  },
);

test("what can neither be copied nor made again is not judged, and does not run", async () => {
  const shared = new Money(1);
  let times = 0;
  for (const inputSchema of [
    z.unknown().transform(() => ({ sum: shared })),
    z.unknown().transform(() => ({ sum: new Money(++times) })),
  ]) {
    const judged = vi.fn();
    const { ran, card, events } = await raised("requireApproval", inputSchema, judged);
    expect([ran, card]).toEqual([[], undefined]);
    expect(judged).not.toHaveBeenCalled();
    const message = expect.stringMatching(
      /^A rule of the tool "pay" failed: the arguments contain a Money, which cannot be copied,/,
    );
    expect(events).toContainEqual(["error", expect.objectContaining({ code: "TOOL_RULE_FAILED", message })]);
  }
});

test("an executor's rule and its question reach nothing of what runs", async () => {
  const run = vi.fn();
  const executor = new Executor(0);
  const raise = (input: unknown) => {
    Object.assign(input as object, { euros: 9999 });
    return true;
  };
  const input_schema = z.object({ at: z.coerce.date(), euros: z.number() });
  executor.registerTool({ name: "pay", description: "", input_schema, requiresPermission: raise, run });
  executor.addToolCallToStack({ tool_name: "pay", input_args: { at: 0, euros: 1 } });
  await executor.executeToolStack(async (asked) => raise((asked as { toolInput: unknown }).toolInput));
  expect(run.mock.calls.map(([input]: unknown[]) => input)).toEqual([{ at: new Date(0), euros: 1 }]);
});

test("a title that changes its arguments changes neither what is shown nor what runs", async () => {
  const work = vi.fn();
  const title = (input: { to: string[] }) => `Mail ${input.to.push("evil")}`;
  const tool: ToolConfig = {
    name: "pay",
    description: "",
    jsonSchema: { type: "object" },
    title,
    requireApproval: true,
    do: work,
  };
  const { session } = scene([call({ to: ["ann"] }), "done"], { tools: [tool] });
  const sending = session.sendMessage("Hi");
  const { approvals, timeline, slots } = await until(session, asked);
  expect(approvals[0]).toMatchObject({ input: { to: ["ann"] }, title: "Mail 2" });
  expect(timeline[1]).toMatchObject({ input: { to: ["ann"] }, title: "Mail 2" });
  expect(slots[0]?.input).toMatchObject({ toolInput: { to: ["ann"] } });
  session.approve("c1");
  await sending;
  expect(work.mock.calls.map(([input]: unknown[]) => input)).toEqual([{ to: ["ann"] }]);
});

test("a permission is asked for arguments that fit, and kept for what was shown", async () => {
  const work = vi.fn(() => "paid");
  const inputSchema = z.object({ to: z.string().trim() });
  const tool = defineTool({ name: "pay", description: "", inputSchema, requiresPermission: () => true, do: work });
  const again = { toolCalls: [{ name: "pay", input: { to: "Ann  " }, id: "c3" }] };
  const wrong = { toolCalls: [{ name: "pay", input: { to: 5 }, id: "c0" }] };
  const { session, shown } = scene([wrong, call({ to: " Ann" }), again, "done"], { tools: [tool] });
  const sending = session.sendMessage("Hi");
  expect((await until(session, asked)).approvals).toMatchObject([{ toolCallId: "c1", input: { to: "Ann" } }]);
  expect(shown()[1]).toContain("expected string");
  session.approve("c1");
  expect(await sending).toMatchObject({ type: "completed" });
  expect(work.mock.calls.map(([input]: unknown[]) => input)).toEqual([{ to: "Ann" }, { to: "Ann" }]);
});

test("an undo gets what the tool got", async () => {
  const seen: unknown[] = [];
  let times = 0;
  const inputSchema = z.object({
    id: z
      .string()
      .optional()
      .transform((id) => id ?? `id ${++times}`),
  });
  const tool = defineTool({
    name: "pay",
    description: "",
    inputSchema,
    do: (input) => void seen.push(input),
    undo: (input) => void seen.push(input),
  });
  const { session } = scene([call(), "done"], { tools: [tool] });
  await session.sendMessage("Hi");
  await session.undo();
  expect(seen).toEqual([{ id: "id 1" }, { id: "id 1" }]);
});

/** A session whose page is gone while a person is asked, and opened again by another page. */
async function reopened(tool: () => ToolConfig, allow = true) {
  const store = new MemoryStore("s");
  const open = (script: Parameters<typeof createScriptedModel>[0]) =>
    new GloveClient({
      createModel: () => createScriptedModel(script),
      createStore: () => store,
      systemPrompt: "",
      tools: [tool()],
    });
  const before = open([call()]);
  void before
    .session("s")
    .sendMessage("Hi")
    .catch(() => {});
  const shown = (await until(before.session("s"), asked)).approvals[0]?.input;
  await soon();
  before.dispose();
  const session = open(["done"]).session("s");
  await session.start();
  const snapshot = await until(session, asked);
  expect(snapshot.approvals[0]?.input).toEqual(shown);
  if (allow) session.approve("c1");
  return { session, shown };
}

test("after a reload the tool gets the very arguments that were allowed", async () => {
  const work = vi.fn(() => "paid");
  let times = 0;
  const inputSchema = z.object({
    id: z
      .string()
      .optional()
      .transform((id) => id ?? `id ${++times}`),
  });
  const { session, shown } = await reopened(() =>
    defineTool({ name: "pay", description: "", inputSchema, requireApproval: true, do: work }),
  );
  await until(session, ({ run }) => run.phase === "idle");
  expect(shown).toEqual({ id: "id 1" });
  expect(work.mock.calls.map(([input]: unknown[]) => input)).toEqual([{ id: "id 1" }]);
});

test("after a reload what JSON cannot hold is made again, and runs if it is the same", async () => {
  const work = vi.fn(() => "paid");
  const inputSchema = z.object({
    at: z
      .number()
      .default(7)
      .transform((ms) => new Date(ms)),
  });
  const { session } = await reopened(() =>
    defineTool({ name: "pay", description: "", inputSchema, requireApproval: true, do: work }),
  );
  await until(session, ({ run }) => run.phase === "idle");
  expect(work.mock.calls.map(([input]: unknown[]) => input)).toEqual([{ at: new Date(7) }]);
});

test("after a reload what cannot be made again as it was allowed is asked about anew", async () => {
  for (const rule of ["requiresPermission", "requireApproval"] as const) {
    const work = vi.fn(() => "paid");
    let times = 0;
    const inputSchema = z.object({
      at: z
        .string()
        .optional()
        .transform(() => new Date(++times)),
    });
    const { session, shown } = await reopened(
      () => defineTool({ name: "pay", description: "", inputSchema, [rule]: () => true, do: work }) as ToolConfig,
    );
    const iso = (ms: number) => ({ at: new Date(ms).toISOString() });
    expect(shown).toEqual(iso(1));
    const again = await until(
      session,
      ({ approvals }) =>
        asked({ approvals }) && approvals[0]?.input !== undefined && JSON.stringify(approvals[0].input) !== JSON.stringify(shown),
    );
    expect(again.approvals[0]?.input).toEqual(iso(2));
    expect(work).not.toHaveBeenCalled();
    session.approve("c1");
    await until(session, ({ run }) => run.phase === "idle");
    expect(work.mock.calls.map(([input]: unknown[]) => input)).toEqual([{ at: new Date(2) }]);
  }
});

test("a tool whose schema is another one after a reload is asked about anew", async () => {
  const work = vi.fn(() => "paid");
  let version = 0;
  const tool = () => {
    const inputSchema = ++version === 1 ? z.object({}) : z.object({ euros: z.number().default(500) });
    return defineTool({ name: "pay", description: "", inputSchema, requireApproval: true, do: work }) as ToolConfig;
  };
  const { session, shown } = await reopened(tool);
  expect(shown).toEqual({});
  const again = await until(session, ({ approvals }) => JSON.stringify(approvals[0]?.input) === '{"euros":500}');
  expect(again.approvals).toHaveLength(1);
  expect(work).not.toHaveBeenCalled();
});

test("a tool that is entered again gets the arguments with which it began", async () => {
  const seen: unknown[] = [];
  let times = 0;
  const inputSchema = z.object({
    id: z
      .string()
      .optional()
      .transform((id) => id ?? `id ${++times}`),
  });
  const { session } = await (async () => {
    const store = new MemoryStore("s");
    const tool = () =>
      defineTool({
        name: "pay",
        description: "",
        inputSchema,
        async do(input, display) {
          seen.push(input);
          return display.pushAndWait({ message: "Sure?" }, "confirm");
        },
      });
    const open = (script: Parameters<typeof createScriptedModel>[0]) =>
      new GloveClient({
        createModel: () => createScriptedModel(script),
        createStore: () => store,
        systemPrompt: "",
        tools: [tool()],
      });
    const before = open([call()]);
    void before
      .session("s")
      .sendMessage("Hi")
      .catch(() => {});
    await until(before.session("s"), ({ slots }) => slots.length > 0);
    await soon();
    before.dispose();
    const session = open(["done"]).session("s");
    await session.start();
    await until(session, () => seen.length > 1);
    return { session };
  })();
  session.dispose();
  expect(seen).toEqual([{ id: "id 1" }, { id: "id 1" }]);
});
