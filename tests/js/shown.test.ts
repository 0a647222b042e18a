// What a screen is told beside the words: titles, outcomes, thoughts, what can be taken back and what was.
import { defineTool, type GloveSnapshot, MemoryStore, type SubscriberAdapter, type ToolConfig } from "glove-wasm";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { visibleSlots } from "../../pkg/react/render/slots.js";
import { scene, until } from "../support/session.js";

const call = (name: string, input: unknown = {}, id?: string) => ({ toolCalls: [{ name, input, ...(id && { id }) }] });
const entry = ({ timeline }: GloveSnapshot, name: string) =>
  timeline.find((entry) => entry.kind === "tool" && entry.name === name);

const add = defineTool({
  name: "add_to_cart",
  description: "",
  title: ({ item }) => `Put ${item} into the cart`,
  inputSchema: z.object({ item: z.string() }),
  do: ({ item }) => item,
  undo: () => {},
});

test("what was taken back is told to the model with its next call, and marked in the timeline, also after a reload", async () => {
  const store = new MemoryStore("s1");
  const script = [
    call("add_to_cart", { item: "tea" }, "c1"),
    call("add_to_cart", { item: "jam" }, "c2"),
    "Both are in.",
    "I see.",
  ];
  const { session, model, client } = scene(script, { tools: [add], createStore: () => store });
  await session.sendMessage("Tea and jam");
  expect(session.getSnapshot().undoable).toEqual([
    { toolCallId: "c2", toolName: "add_to_cart" },
    { toolCallId: "c1", toolName: "add_to_cart" },
  ]);
  await session.undo();
  const told = () => session.getSnapshot().timeline.map((entry) => entry.kind === "tool" && Boolean(entry.undone));
  expect(told()).toEqual([false, false, true, false]);
  expect(session.getSnapshot().undoable).toEqual([{ toolCallId: "c1", toolName: "add_to_cart" }]);
  await session.sendMessage("What is in it?");
  const texts = model.calls.at(-1)?.messages.map(({ text }) => text);
  expect(texts?.slice(-2)).toEqual([
    `[Undo by the user: 1 action was taken back: add_to_cart({"item":"jam"}). What they did holds no more.]`,
    "What is in it?",
  ]);
  const shown = session.getSnapshot().timeline;
  expect(shown.map(({ kind }) => kind)).toEqual(["user", "tool", "tool", "agent_text", "user", "agent_text"]);
  client.dispose();
  const next = scene([], { tools: [add], createStore: () => store });
  await next.session.start();
  expect(next.session.getSnapshot().timeline).toEqual(shown);
  expect(next.session.getSnapshot().undoable).toHaveLength(1);
});

test("a title is a text or made of the input, and is in questions, entries and slots", async () => {
  const pay: ToolConfig = {
    name: "pay",
    description: "",
    title: "Pay the bill",
    jsonSchema: {},
    requiresPermission: true,
    do: () => 1,
  };
  const odd = { ...add, name: "odd", title: (input: { item: string }) => input.item.toUpperCase() };
  const late = { ...add, name: "late", title: (async () => "Later") as never };
  const calls = [
    call("add_to_cart", { item: "tea" }),
    call("odd", { item: 7 }),
    call("late", { item: "tea" }),
    call("pay"),
    "ok",
  ];
  const { session } = scene(calls, { tools: [add, odd, late, pay] });
  const going = session.sendMessage("Hi");
  const snapshot = await until(session, ({ approvals }) => approvals.length === 1);
  expect(entry(snapshot, "add_to_cart")).toMatchObject({ title: "Put tea into the cart" });
  // A title that fails over arguments of another form is none, nor is one that is no text.
  expect(entry(snapshot, "odd")).not.toHaveProperty("title");
  expect(entry(snapshot, "late")).not.toHaveProperty("title");
  expect(entry(snapshot, "pay")).toMatchObject({ title: "Pay the bill" });
  expect(snapshot.approvals[0]).toMatchObject({ title: "Pay the bill", toolName: "pay" });
  expect(snapshot.slots[0]).toMatchObject({ waits: true, input: { title: "Pay the bill", toolName: "pay", toolInput: {} } });
  session.approve(snapshot.approvals[0]?.id ?? "");
  await going;
});

test("how a question about a call looks is said by its tool, and decides nothing", async () => {
  const done: unknown[] = [];
  const refund = defineTool({
    name: "refund",
    description: "",
    title: "Refund",
    confirm: ({ euros, order }) => `Refund €${euros} to order ${order}`,
    danger: true,
    inputSchema: z.object({ euros: z.number(), order: z.string() }),
    requireApproval: true,
    do: (input) => done.push(input),
  });
  const { confirm: _, ...plain } = refund;
  const odd: ToolConfig = { ...plain, name: "odd", danger: false, confirm: (input: { euros: string }) => input.euros.trim() };
  const missing: ToolConfig = { ...refund, name: "missing", confirm: (input: { who?: string }) => `Refund ${input.who}` };
  const free: ToolConfig = { ...refund, name: "free", requireApproval: false };
  const input = { euros: 80, order: "A-1042" };
  const calls = ["refund", "odd", "missing", "free"].map((name) => call(name, input));
  const { session } = scene([...calls, "ok"], { tools: [refund, odd, missing, free] });
  const going = session.sendMessage("Hi");
  const asked: unknown[] = [];
  for (const name of ["refund", "odd", "missing"]) {
    const { approvals, slots } = await until(session, ({ approvals }) => approvals[0]?.toolName === name);
    const { confirm, danger, title } = approvals[0] as NonNullable<(typeof approvals)[0]>;
    const shown = slots.at(-1)?.input as object;
    asked.push([confirm, danger, title, shown]);
    session.approve(approvals[0]?.id ?? "");
  }
  await going;
  const slot = (toolName: string, more: object) =>
    expect.objectContaining({ toolName, toolInput: input, title: "Refund", ...more });
  const sentence = "Refund €80 to order A-1042";
  expect(asked).toEqual([
    [sentence, true, "Refund", slot("refund", { confirm: sentence, danger: true })],
    // One that fails over the arguments is none, nor is one that is made of nothing.
    [undefined, undefined, "Refund", expect.not.objectContaining({ confirm: expect.anything() })],
    [undefined, true, "Refund", expect.not.objectContaining({ confirm: expect.anything() })],
  ]);
  expect(done).toEqual([input, input, input, input]);
});

test("why a call has no result of its own is a word", async () => {
  const tool = (name: string, more: Partial<ToolConfig>): ToolConfig => ({
    name,
    description: "",
    jsonSchema: { type: "object", required: name === "invalid" ? ["x"] : [] },
    do: () => 1,
    ...more,
  });
  const tools = [
    tool("denied", { requiresPermission: true }),
    tool("rejected", { requireApproval: true }),
    tool("turned_down", { do: (_, display) => display.pushAndWait({ input: 1 }) }),
    tool("invalid", {}),
    tool("failed", {
      do: () => {
        throw new Error("no");
      },
    }),
    tool("own_error", { do: () => ({ status: "error", data: null, message: "sold out" }) }),
    tool("fine", {}),
  ];
  const names = [...tools.map(({ name }) => name), "nowhere"];
  const { session } = scene([...names.map((name) => call(name)), "ok"], { tools, limits: { error_rounds: 0 } });
  session.subscribe(() => {
    const { approvals, slots } = session.getSnapshot();
    const [approval] = approvals;
    if (approval) queueMicrotask(() => session.reject(approval.id));
    const slot = slots.find(({ renderer, status }) => renderer === "turned_down" && status === "pending");
    if (slot) queueMicrotask(() => session.rejectSlot(slot.id));
  });
  await session.sendMessage("Hi");
  const outcomes = session
    .getSnapshot()
    .timeline.flatMap((entry) => (entry.kind === "tool" ? [[entry.name, entry.outcome]] : []));
  expect(Object.fromEntries(outcomes)).toEqual({
    denied: "denied",
    rejected: "rejected",
    turned_down: "rejected",
    invalid: "invalid",
    failed: "failed",
    own_error: undefined,
    fine: undefined,
    nowhere: "unknown_tool",
  });
});

test("what a model thinks is streamed, and stands in the timeline afterwards", async () => {
  let go = () => {};
  const until1 = new Promise<void>((resolve) => {
    go = resolve;
  });
  const { session } = scene(
    [{ reasoning: "Hmm, 42?", text: "It is 42.", until: until1 }, { reasoning: "Only a call.", ...call("t") }, "ok"],
    {
      tools: [{ name: "t", description: "", jsonSchema: {}, do: () => 1 }],
    },
  );
  const going = session.sendMessage("Hi");
  const streaming = await until(session, ({ streamingText }) => streamingText !== "");
  expect(streaming).toMatchObject({ streamingReasoning: "Hmm, 42?", status: "streaming" });
  go();
  await going;
  await session.sendMessage("And now?");
  const { timeline, streamingReasoning } = session.getSnapshot();
  expect(streamingReasoning).toBe("");
  expect(timeline.map((entry) => ("reasoning" in entry ? entry.reasoning : undefined))).toEqual([
    undefined,
    "Hmm, 42?",
    undefined,
    "Only a call.",
    undefined,
  ]);
});

test("a slot says whether somebody waits for it", async () => {
  const tool: ToolConfig = {
    name: "t",
    description: "",
    jsonSchema: {},
    async do(_, display) {
      await display.pushAndForget({ renderer: "info", input: 1 });
      return display.pushAndWait({ renderer: "confirm", input: 2 });
    },
  };
  const { session } = scene([call("t"), "ok"], { tools: [tool] });
  const going = session.sendMessage("Hi");
  const { slots } = await until(session, ({ slots }) => slots.length === 2);
  expect(slots.map(({ renderer, waits }) => [renderer, waits])).toEqual([
    ["info", false],
    ["confirm", true],
  ]);
  session.resolveSlot(slots[1]?.id ?? "", "yes");
  await going;
});

test("subscribers of a client are told which session an event is of", async () => {
  const record = vi.fn<SubscriberAdapter["record"]>();
  const { client } = scene(["a", "b"], { subscribers: [{ record }] });
  await client.session("one").sendMessage("Hi");
  await client.session("two").sendMessage("Hi");
  const seen = record.mock.calls
    .filter(([type]) => type === "text_delta")
    .map(([, { text }, context]) => [text, context?.sessionId]);
  expect(seen).toEqual([
    ["a", "one"],
    ["b", "two"],
  ]);
});

test("an undo is told when it is stopped", async () => {
  let heard: AbortSignal | undefined;
  let began = () => {};
  const undoing = new Promise<void>((resolve) => {
    began = resolve;
  });
  const slow = defineTool({
    name: "slow",
    description: "",
    inputSchema: z.object({}),
    do: () => 1,
    undo: (_input, _result, _display, _agent, signal) => {
      heard = signal;
      began();
      return new Promise(() => {});
    },
  });
  const { session } = scene([call("slow"), "ok"], { tools: [slow] });
  await session.sendMessage("Hi");
  const stopped = session.undo();
  await undoing;
  expect(heard?.aborted).toBe(false);
  session.abort();
  expect(await stopped).toEqual({ type: "aborted" });
  expect(heard?.aborted).toBe(true);
});

test("blank lines before a call are no entry, neither while they stream nor afterwards", async () => {
  const script = [
    { deltas: ["\n", "\n"], every: 5, toolCalls: [{ name: "add_to_cart", input: { item: "tea" } }] },
    "\n\nIt is in.",
  ];
  const { session, shown } = scene(script, { tools: [add] });
  const streamed: string[] = [];
  session.subscribe(() => streamed.push(session.getSnapshot().streamingText));
  await session.sendMessage("Tea");
  expect(streamed.filter((text) => text && !text.trim())).toEqual([]);
  expect(shown()).toEqual(["user: Tea", "add_to_cart: success tea", "agent: \n\nIt is in."]);
});

test("a slot whose place another one took does not come back when that one is gone", async () => {
  const card = defineTool({
    name: "card",
    description: "",
    displayStrategy: "hide-on-new",
    inputSchema: z.object({}),
    do: async (_, display) => {
      await display.pushAndForget("one");
      await display.pushAndForget("two");
      return "shown";
    },
  });
  const { session } = scene([call("card"), "There."], { tools: [card] });
  await session.sendMessage("Hi");
  const seen = () => visibleSlots(session.getSnapshot().slots).map(({ input }) => input);
  expect(seen()).toEqual(["two"]);
  session.resolveSlot(session.getSnapshot().slots.at(-1)?.id ?? "");
  await until(session, ({ slots }) => slots.length === 1);
  expect(seen()).toEqual([]);
});
