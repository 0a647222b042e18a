// Tools in sessions over the real core: results, schemas, slots, permissions, approvals, undo.
import {
  DisplayManager,
  defineTool,
  GloveClient,
  type JsonSchema,
  MemoryStore,
  type Message,
  type ModelAdapter,
  type SlotRequest,
  type ToolConfig,
} from "glove-wasm";
import { createScriptedModel } from "glove-wasm/testing";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { scene, until } from "../support/session.js";

const call = (name: string, input: unknown = {}, id?: string) => ({ toolCalls: [{ name, input, ...(id && { id }) }] });

test("a tool gets its checked input, and its result goes to the model and the screen", async () => {
  const weather = defineTool({
    name: "get_weather",
    description: "Weather of a city",
    inputSchema: z.object({ city: z.string(), days: z.number().default(2) }),
    do: async ({ city, days }) => ({ city, days, at: new Date(0) }),
  });
  const { session, model, shown, events } = scene([call("get_weather", { city: "Oslo" }, "c1"), "done"], { tools: [weather] });
  await session.sendMessage("Hi");
  const output = '{"city":"Oslo","days":2,"at":"1970-01-01T00:00:00.000Z"}';
  expect(shown()).toEqual(["user: Hi", `get_weather: success ${output}`, "agent: done"]);
  expect(model.calls[1]?.messages.at(-1)?.tool_results).toMatchObject([
    { tool_name: "get_weather", call_id: "c1", result: { status: "success", data: JSON.parse(output) } },
  ]);
  const types = events.map(([type]) => type).filter((type) => type.startsWith("tool") || type.startsWith("model"));
  expect(types).toEqual(["tool_use", "model_response", "tool_use_result", "model_response_complete"]);
  expect(model.calls[0]?.tools).toContain("get_weather");
});

test("arguments that do not fit are told to the model with their place, and the tool does not run", async () => {
  const work = vi.fn();
  const tool = defineTool({ name: "t", description: "", inputSchema: z.object({ n: z.number() }), do: work });
  const { session, model } = scene([call("t", { n: "x" }), "sorry"], { tools: [tool] });
  await session.sendMessage("Hi");
  expect(work).not.toHaveBeenCalled();
  const [result] = model.calls[1]?.messages.at(-1)?.tool_results ?? [];
  expect(result?.result).toMatchObject({
    status: "error",
    message: "TOOL_INPUT_INVALID",
    data: expect.stringContaining("expected number"),
  });
});

test("raw JSON Schema arguments are checked too", async () => {
  const work = vi.fn(() => "ran");
  const tool: ToolConfig = {
    name: "t",
    description: "",
    jsonSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    do: work,
  };
  const { session, shown } = scene([call("t", {}), call("t", { n: 1 }), "done"], { tools: [tool] });
  await session.sendMessage("Hi");
  expect(work).toHaveBeenCalledOnce();
  expect(shown()).toEqual(["user: Hi", expect.stringContaining("t: error"), "t: success ran", "agent: done"]);
});

test("a result that JSON cannot hold is an error with its place, and the tool is not run again", async () => {
  const work = vi.fn(() => ({ items: [{ size: 1n }] }));
  const tool: ToolConfig = {
    name: "big",
    description: "",
    jsonSchema: { type: "object" },
    idempotent: true,
    maxRetries: 2,
    do: work,
  };
  const { session, shown } = scene([call("big"), "ok"], { tools: [tool] });
  await session.sendMessage("Hi");
  expect(work).toHaveBeenCalledOnce();
  expect(shown()[1]).toBe(
    "big: error The result of big: data.items[0].size is a BigInt, which JSON cannot hold. Convert it to a string.",
  );
});

test("a tool that throws is an error for the model; it is repeated only where that does no harm", async () => {
  const once = vi.fn(() => Promise.reject(new Error("down")));
  const thrice = vi.fn(() => Promise.reject(new Error("down")));
  const tools: ToolConfig[] = [
    { name: "once", description: "", jsonSchema: { type: "object" }, maxRetries: 2, do: once },
    { name: "thrice", description: "", jsonSchema: { type: "object" }, idempotent: true, maxRetries: 2, do: thrice },
  ];
  const { session, shown } = scene([{ toolCalls: [{ name: "once" }, { name: "thrice" }] }, "ok"], { tools });
  await session.sendMessage("Hi");
  expect([once.mock.calls.length, thrice.mock.calls.length]).toEqual([1, 3]);
  expect(shown()).toEqual([
    "user: Hi",
    expect.stringMatching(/^once: error .*down/),
    expect.stringMatching(/^thrice: error .*down/),
    "agent: ok",
  ]);
});

test("renderData reaches the screen and not the model", async () => {
  const tool: ToolConfig = {
    name: "draw",
    description: "",
    jsonSchema: { type: "object" },
    do: () => ({ status: "success", data: "drawn", renderData: { svg: "<svg/>" } }),
  };
  const { session, model } = scene([call("draw"), "ok"], { tools: [tool] });
  await session.sendMessage("Hi");
  expect(session.getSnapshot().timeline[1]).toMatchObject({ kind: "tool", renderData: { svg: "<svg/>" } });
  expect(JSON.stringify(model.calls[1]?.messages)).not.toContain("svg");
});

const picker = (answered: (value: unknown) => void = () => {}) =>
  defineTool({
    name: "pick",
    description: "",
    inputSchema: z.object({}),
    displayPropsSchema: z.object({ options: z.array(z.string()) }),
    resolveSchema: z.string().transform((text) => text.toUpperCase()),
    displayStrategy: "hide-on-complete",
    async do(_, display) {
      const choice = await display.pushAndWait({ options: ["a", "b"] });
      answered(choice);
      return choice;
    },
  });

test("a refused answer of a person names its fields, and is no error in the console", async () => {
  const said = vi.spyOn(console, "error");
  const form = defineTool({
    name: "form",
    description: "",
    inputSchema: z.object({}),
    resolveSchema: z.object({ mail: z.string(), home: z.object({ zip: z.string() }) }),
    do: (_, display) => display.pushAndWait({}),
  });
  const client = new GloveClient({
    createModel: () => createScriptedModel([call("form"), "thanks"]),
    createStore: (id) => new MemoryStore(id),
    tools: [form],
    systemPrompt: "",
  });
  const session = client.session("s");
  const sending = session.sendMessage("Hi");
  const { slots } = await until(session, ({ slots }) => slots.length === 1);
  expect(session.resolveSlot(slots[0]?.id ?? "", { mail: 1, home: {} })).toBe(false);
  expect(session.getSnapshot().slots[0]?.issues?.map(({ path }) => path)).toEqual([["mail"], ["home", "zip"]]);
  expect(session.resolveSlot(slots[0]?.id ?? "", { mail: "a", home: { zip: "1" } })).toBe(true);
  await sending;
  expect(said).not.toHaveBeenCalled();
  said.mockRestore();
  client.dispose();
});

test("a tool waits for a person: its slot is its call's, a wrong answer is refused, and the right one is what it gets", async () => {
  const answered = vi.fn();
  const { session, shown, events } = scene([call("pick", {}, "c9"), "thanks"], { tools: [picker(answered)] });
  const sending = session.sendMessage("Hi");
  const { slots } = await until(session, ({ slots }) => slots.length === 1);
  expect(slots[0]).toMatchObject({
    renderer: "pick",
    input: { options: ["a", "b"] },
    toolName: "pick",
    toolCallId: "c9",
    displayStrategy: "hide-on-complete",
    status: "pending",
  });
  const id = slots[0]?.id ?? "";
  expect(session.resolveSlot(id, 7)).toBe(false);
  const error = "Invalid input: expected string, received number";
  const issues = [{ path: [], message: error }];
  expect(session.getSnapshot().slots).toEqual([{ ...slots[0], error, issues }]);
  expect(events.at(-1)).toEqual([
    "error",
    { code: "DISPLAY_WRONG_OUTPUT", message: expect.stringContaining("the question stays open") },
  ]);
  expect(session.resolveSlot("unknown", "a")).toBe(false);
  expect(session.resolveSlot(id, "b")).toBe(true);
  await sending;
  expect(answered).toHaveBeenCalledWith("B");
  expect(shown()).toEqual(["user: Hi", "pick: success B", "agent: thanks"]);
  expect(session.getSnapshot().slots).toMatchObject([{ id, status: "resolved" }]);
  expect(session.resolveSlot(id, "a")).toBe(false);
});

test("two tools that show something at once have each its own slot", async () => {
  const ask = (name: string): ToolConfig => ({
    name,
    description: "",
    jsonSchema: { type: "object" },
    parallel: true,
    do: (_, display) => display.pushAndWait({ input: name }),
  });
  const { session, shown } = scene(
    [
      {
        toolCalls: [
          { name: "first", id: "c1" },
          { name: "second", id: "c2" },
        ],
      },
      "ok",
    ],
    { tools: [ask("first"), ask("second")] },
  );
  const sending = session.sendMessage("Hi");
  const { slots } = await until(session, ({ slots }) => slots.length === 2);
  expect(slots.map(({ toolName, toolCallId, input }) => [toolName, toolCallId, input])).toEqual([
    ["first", "c1", "first"],
    ["second", "c2", "second"],
  ]);
  session.resolveSlot(slots[1]?.id ?? "", 2);
  session.resolveSlot(slots[0]?.id ?? "", 1);
  await sending;
  expect(shown()).toEqual(["user: Hi", "first: success 1", "second: success 2", "agent: ok"]);
});

test("what a tool shows may hold what JSON cannot, and so may the answer", async () => {
  const onPick = () => "called";
  const answer = new Map([["a", 1]]);
  let got: unknown;
  const tool: ToolConfig = {
    name: "t",
    description: "",
    jsonSchema: { type: "object" },
    async do(_, display) {
      got = await display.pushAndWait({ input: { onPick } });
      return "ok";
    },
  };
  const { session } = scene([call("t"), "done"], { tools: [tool] });
  const sending = session.sendMessage("Hi");
  const { slots } = await until(session, ({ slots }) => slots.length === 1);
  expect(slots[0]?.input).toEqual({ onPick });
  session.resolveSlot(slots[0]?.id ?? "", answer);
  await sending;
  expect(got).toBe(answer);
});

test("a person who turns a question down is no failure that is repeated", async () => {
  const work = vi.fn((_: unknown, display: { pushAndWait(slot: SlotRequest): Promise<unknown> }) =>
    display.pushAndWait({ input: 1 }),
  );
  const tool: ToolConfig = {
    name: "form",
    description: "",
    jsonSchema: { type: "object" },
    idempotent: true,
    maxRetries: 3,
    do: work,
  };
  const { session, shown } = scene([call("form"), "alright"], { tools: [tool] });
  const sending = session.sendMessage("Hi");
  const { slots } = await until(session, ({ slots }) => slots.length === 1);
  expect(session.rejectSlot(slots[0]?.id ?? "", "not today")).toBe(true);
  await sending;
  expect(work).toHaveBeenCalledOnce();
  expect(shown()).toEqual(["user: Hi", expect.stringMatching(/^form: error .*not today/), "agent: alright"]);
});

test("stopping takes a tool's open question away, and the tool is told", async () => {
  const told = vi.fn();
  const tool: ToolConfig = {
    name: "form",
    description: "",
    jsonSchema: { type: "object" },
    async do(_, display, _agent, signal) {
      signal?.addEventListener("abort", () => told("signal"));
      await display.pushAndWait({ input: 1 }).catch((error: { code: string }) => told(error.code));
    },
  };
  const { session, shown } = scene([call("form")], { tools: [tool] });
  const sending = session.sendMessage("Hi");
  await until(session, ({ slots }) => slots.length === 1);
  session.abort();
  expect(await sending).toEqual({ type: "aborted" });
  await vi.waitFor(() => expect(told).toHaveBeenCalledTimes(2));
  expect(told.mock.calls.flat().sort()).toEqual(["DISPLAY_REMOVED", "signal"]);
  expect(session.getSnapshot().slots).toEqual([]);
  expect(shown()[1]).toMatch(/^form: aborted/);
});

test("something shown without waiting can be dismissed", async () => {
  const tool: ToolConfig = {
    name: "card",
    description: "",
    jsonSchema: { type: "object" },
    async do(_, display) {
      await display.pushAndForget({ input: "look" });
      return "shown";
    },
  };
  const { session } = scene([call("card"), "ok"], { tools: [tool] });
  await session.sendMessage("Hi");
  const [slot] = session.getSnapshot().slots;
  expect(slot).toMatchObject({ renderer: "card", status: "pending" });
  expect(session.resolveSlot(slot?.id ?? "")).toBe(true);
  await until(session, ({ slots }) => slots.length === 0);
});

test("a permission is asked once, kept, and asked only where the arguments say so", async () => {
  const store = new MemoryStore("p");
  const tool: ToolConfig<{ path: string }> = {
    name: "rm",
    description: "",
    inputSchema: z.object({ path: z.string() }),
    requiresPermission: ({ path }) => path !== "/tmp",
    do: ({ path }) => `removed ${path}`,
  };
  const script = [call("rm", { path: "/tmp" }), call("rm", { path: "/" }), call("rm", { path: "/" }), "ok"];
  const { session, shown } = scene(script, { tools: [tool], createStore: () => store });
  const sending = session.sendMessage("Hi");
  const { slots, approvals } = await until(session, ({ approvals, slots }) => approvals.length === 1 && slots.length === 1);
  expect(approvals).toMatchObject([{ kind: "permission", toolName: "rm", input: { path: "/" } }]);
  expect(slots).toMatchObject([
    {
      renderer: "permission_request",
      toolName: "rm",
      input: { renderer: "permission_request", toolName: "rm", toolInput: { path: "/" } },
    },
  ]);
  expect(session.resolveSlot(slots[0]?.id ?? "", true)).toBe(true);
  await sending;
  expect(shown().slice(1, 4)).toEqual(["rm: success removed /tmp", "rm: success removed /", "rm: success removed /"]);
  expect(session.getSnapshot()).toMatchObject({ approvals: [], slots: [] });
});

test("an approval waits for a person, with its reason; turned down, the model is told why", async () => {
  const pay = vi.fn(() => "paid");
  const tool = defineTool({
    name: "pay",
    description: "",
    inputSchema: z.object({ amount: z.number() }),
    requireApproval: async ({ amount }) => ({ required: amount > 10, reason: `${amount} is a lot` }),
    do: pay,
  });
  const { session, shown } = scene([call("pay", { amount: 5 }), call("pay", { amount: 50 }), call("pay", { amount: 60 }), "ok"], {
    tools: [tool],
  });
  const sending = session.sendMessage("Hi");
  const first = await until(session, ({ approvals }) => approvals.length === 1);
  expect(first.approvals).toMatchObject([{ kind: "approval", toolName: "pay", reason: "50 is a lot" }]);
  expect(first.timeline.at(-1)).toMatchObject({ kind: "tool", status: "pending" });
  session.configure({ systemPrompt: "Another." });
  session.clearError();
  expect(session.getSnapshot().approvals).toBe(first.approvals);
  session.approve(first.approvals[0]?.id ?? "");
  const second = await until(session, ({ approvals }) => approvals[0]?.reason === "60 is a lot");
  session.reject(second.approvals[0]?.toolCallId ?? "", "too expensive");
  await sending;
  expect(pay).toHaveBeenCalledTimes(2);
  expect(shown()).toEqual([
    "user: Hi",
    "pay: success paid",
    "pay: success paid",
    expect.stringMatching(/^pay: error .*too expensive/),
    "agent: ok",
  ]);
});

test("a tool made by defineTool shows ready-made questions by their names, and its own without one", async () => {
  const pick = defineTool({
    name: "pick",
    description: "",
    inputSchema: z.object({}),
    displayPropsSchema: z.object({ text: z.string() }),
    resolveSchema: z.string(),
    async do(_, display) {
      const choice = await display.pushAndWait({ message: "Which?", options: ["a", "b"] }, "select");
      await display.pushAndForget({ message: choice }, "info");
      return display.pushAndWait({ text: choice });
    },
  });
  const { session, shown } = scene([call("pick"), "ok"], { tools: [pick] });
  const answered = session.sendMessage("Hi");
  const open = (renderer: string) =>
    until(session, ({ slots }) => slots.some((slot) => slot.renderer === renderer && slot.status === "pending"));
  const { slots } = await open("select");
  expect(slots[0]).toMatchObject({ renderer: "select", toolName: "pick", input: { message: "Which?", options: ["a", "b"] } });
  session.resolveSlot(slots[0]?.id ?? "", "b");
  const own = (await open("pick")).slots;
  expect(own.map(({ renderer, input }) => [renderer, input]).slice(1)).toEqual([
    ["info", { message: "b" }],
    ["pick", { text: "b" }],
  ]);
  session.resolveSlot(own[2]?.id ?? "", "done");
  await answered;
  expect(shown()).toContain("pick: success done");
});

test("actions can be taken back", async () => {
  const undone = vi.fn();
  const tool = defineTool({
    name: "add",
    description: "",
    inputSchema: z.object({ n: z.number() }),
    do: ({ n }) => ({ status: "success", data: { id: `item-${n}` }, renderData: n }),
    undo: async ({ n }, result) => undone(n, result),
  });
  const { session } = scene([call("add", { n: 1 }), call("add", { n: 2 }), "ok"], { tools: [tool] });
  await session.sendMessage("Hi");
  expect(await session.undo(2)).toEqual({ type: "undone", steps: 2 });
  expect(undone.mock.calls).toEqual([
    [2, { id: "item-2" }],
    [1, { id: "item-1" }],
  ]);
});

test("a budget that is used up pauses the request, and it can go on", async () => {
  const tool: ToolConfig = { name: "t", description: "", jsonSchema: { type: "object" }, do: () => Math.random() };
  const { session } = scene([call("t"), call("t"), "ok"], { tools: [tool], budgets: { tool_calls: 1 } });
  expect(await session.sendMessage("Hi")).toMatchObject({ type: "paused", rule: "tool_calls" });
  expect(session.getSnapshot()).toMatchObject({ busy: false, run: { phase: "paused" } });
  expect(await session.resume()).toMatchObject({ type: "completed", text: "ok" });
});

test("tasks that the model keeps are in the snapshot, and in the next session", async () => {
  const store = new MemoryStore("tasks");
  const todos = [{ content: "Fix it", activeForm: "Fixing it", status: "in_progress" }];
  const { session, client } = scene([call("glove_update_tasks", { todos }), "ok"], { createStore: () => store, tasks: true });
  await session.sendMessage("Hi");
  expect(session.getSnapshot().tasks).toMatchObject([{ content: "Fix it", status: "in_progress" }]);
  client.dispose();
  const next = scene([], { createStore: () => store });
  await next.session.start();
  expect(next.session.getSnapshot().tasks).toMatchObject([{ content: "Fix it" }]);
});

test("a conversation is opened in which an older version stored what tools returned, as it was", async () => {
  const store = new MemoryStore("s1");
  const tool_calls = [
    { tool_name: "look", input_args: {}, id: "a" },
    { tool_name: "look", input_args: {}, id: "b" },
  ];
  await store.appendMessages([
    { sender: "user", text: "Look" },
    { sender: "agent", text: "", tool_calls },
    {
      sender: "user",
      text: "tool results",
      tool_results: [
        { tool_name: "look", call_id: "a", result: "20 degrees" },
        { tool_name: "look", call_id: "b", result: { degrees: 20 } },
      ] as never,
    },
    { sender: "agent", text: "It is warm." },
  ]);
  const { session, shown, model } = scene(["Yes."], { createStore: () => store });
  await session.start();
  expect(shown()).toEqual(["user: Look", "look: success 20 degrees", 'look: success {"degrees":20}', "agent: It is warm."]);
  expect(await session.sendMessage("Sure?")).toMatchObject({ text: "Yes." });
  const results = model.calls[0]?.messages.flatMap(({ tool_results = [] }) => tool_results.map(({ result }) => result));
  expect(results).toEqual([
    { status: "success", data: "20 degrees" },
    { status: "success", data: { degrees: 20 } },
  ]);
});

test("a model of one's own may give arguments as the text that it wrote", async () => {
  const asked: unknown[] = [];
  const tool: ToolConfig = {
    name: "look",
    description: "",
    jsonSchema: { type: "object" },
    do: (input) => void asked.push(input),
  };
  const called = (input_args: unknown) => ({ tool_name: "look", input_args });
  const answers: Message[] = [
    { sender: "agent", text: "", tool_calls: [called(""), called('{ "at": 1 }'), called({ at: 2 }), called("{ at: 3")] },
    { sender: "agent", text: "ok" },
  ];
  const model: ModelAdapter = {
    name: "own",
    setSystemPrompt() {},
    prompt: async () => ({ messages: answers.splice(0, 1), tokens_in: 1, tokens_out: 1 }),
  };
  const { session, shown } = scene([], { tools: [tool], createModel: () => model });
  await session.sendMessage("Hi");
  expect(asked).toEqual([{}, { at: 1 }, { at: 2 }]);
  expect(shown()[4]).toContain("The arguments are not valid JSON");
});

test("a task list stands beside tools of the application, or where it is asked for", async () => {
  const tool: ToolConfig = { name: "look", description: "", jsonSchema: { type: "object" }, do: () => 1 };
  const asked = async (config: { tools?: ToolConfig[]; tasks?: boolean }) => {
    const { session, model } = scene(["ok", "ok"], config);
    await session.sendMessage("Hi");
    const before = model.calls[0]?.tools;
    session.configure({ tools: [] });
    await session.sendMessage("Hi");
    return [before, model.calls[1]?.tools];
  };
  const list = "glove_update_tasks";
  expect(await asked({})).toEqual([[], []]);
  expect(await asked({ tools: [tool] })).toEqual([[list, "look"], []]);
  expect(await asked({ tasks: true })).toEqual([[list], [list]]);
  expect(await asked({ tools: [tool], tasks: true })).toEqual([[list, "look"], [list]]);
  expect(await asked({ tools: [tool], tasks: false })).toEqual([["look"], []]);
  // @ts-expect-error a flag
  expect(() => scene([], { tasks: "yes" })).toThrow("`tasks`");
});

test("a tool can keep files and widgets beside its result", async () => {
  const tool: ToolConfig = {
    name: "chart",
    description: "",
    jsonSchema: { type: "object" },
    do(_, display) {
      display.addOutput({ type: "file", summary: "chart.png, 12 kB", data: { name: "chart.png" } });
      return "made";
    },
  };
  const { session } = scene([call("chart"), "ok"], { tools: [tool] });
  await session.sendMessage("Hi");
  const result = (await session.messages()).flatMap(({ tool_results = [] }) => tool_results);
  expect(result).toMatchObject([{ outputs: [{ type: "file", data: { name: "chart.png" } }] }]);
});

test("two tools of one name are refused with a sentence, whatever their case", () => {
  const tool = (name: string): ToolConfig => ({ name, description: "", jsonSchema: { type: "object" }, do: () => 1 });
  expect(() => scene([], { tools: [tool("Read"), tool("read")] })).toThrow(expect.objectContaining({ code: "TOOL_NAME_TAKEN" }));
  const { session } = scene([]);
  expect(() => session.configure({ tools: [tool("a"), tool("A")] })).toThrow(
    expect.objectContaining({ code: "TOOL_NAME_TAKEN" }),
  );
});

test("a tool without a name is refused with a sentence", () => {
  for (const tool of [
    null,
    { description: "", jsonSchema: {}, do: () => 1 },
    { name: " ", description: "", jsonSchema: {}, do: () => 1 },
  ]) {
    expect(() => scene([], { tools: [tool as ToolConfig] })).toThrow(expect.objectContaining({ code: "TOOL_NAME_EMPTY" }));
  }
});

test.each<[string, Partial<ToolConfig>, string, RegExp]>([
  [
    "a JSON Schema in the place of another",
    { inputSchema: { type: "object" } as never },
    "SCHEMA_WITHOUT_JSON",
    /"t": .*`jsonSchema`/,
  ],
  ["retries that are no number of times", { jsonSchema: {}, maxRetries: -1 }, "TOOL_INVALID", /`maxRetries` of the tool "t"/],
  ["too many retries", { jsonSchema: {}, maxRetries: 1e10 }, "TOOL_INVALID", /`maxRetries` of the tool "t"/],
])("%s is told with the name of its tool", async (_, wrong, code, sentence) => {
  const { session } = scene(["fine"], { tools: [{ name: "t", description: "", do: () => 1, ...wrong }] });
  await expect(session.sendMessage("Hi")).rejects.toMatchObject({ code, message: expect.stringMatching(sentence) });
});

test.each([
  ["a pattern that is none", { properties: { city: { pattern: "(" } } }],
  ["a reference to nothing", { properties: { city: { $ref: "#/$defs/nowhere" } } }],
])("a JSON Schema with %s is told to the developer, with the name of its tool", async (_, jsonSchema) => {
  const tool: ToolConfig = { name: "t", description: "", jsonSchema: { type: "object", ...jsonSchema }, do: () => 1 };
  const { session, events } = scene([call("t", { city: "Oslo" }), "fine"], { tools: [tool] });
  await session.sendMessage("Hi");
  expect(session.getSnapshot().timeline[1]).toMatchObject({ name: "t", status: "error" });
  const message = expect.stringContaining('The tool "t": This is not a JSON Schema');
  expect(events).toContainEqual(["error", { code: "SCHEMA_INVALID", message }]);
});

test("a tool whose schema is none makes an error with a code, and the session can be mended", async () => {
  const tool: ToolConfig = { name: "t", description: "", jsonSchema: { type: "string" }, do: () => 1 };
  const { session } = scene(["fine"], { tools: [tool] });
  await expect(session.sendMessage("Hi")).rejects.toMatchObject({ code: "TOOL_SCHEMA_INVALID" });
  expect(session.getSnapshot().status).toBe("error");
  session.configure({ tools: [] });
  expect(await session.sendMessage("Hi")).toMatchObject({ text: "fine" });
});

test("a schema that is nested too deep is told with the name of its tool, and the deepest that is taken works", async () => {
  // Of as many levels: each `not` is one.
  const nested = (levels: number) => {
    let schema: JsonSchema = {};
    for (let level = 1; level < levels; level++) schema = { not: schema };
    return schema;
  };
  const tool = (levels: number): ToolConfig => ({ name: "t", description: "", jsonSchema: nested(levels), do: () => 1 });
  const deepest = scene(["fine"], { tools: [tool(120)] });
  expect(await deepest.session.sendMessage("Hi")).toMatchObject({ text: "fine" });
  const { session } = scene(["fine"], { tools: [tool(121)] });
  await expect(session.sendMessage("Hi")).rejects.toMatchObject({
    code: "TOOL_SCHEMA_INVALID",
    message: expect.stringMatching(/^The tool "t": .*deeper than 120 levels/),
  });
});

test("a display manager of the application shows the session's stack and answers it", async () => {
  const { session } = scene([call("pick"), "ok"], { tools: [picker()] });
  const display = session.displayManager;
  expect(display).toBeInstanceOf(DisplayManager);
  const stacks: number[] = [];
  display.subscribe((stack) => {
    stacks.push(stack.length);
    const [slot] = stack;
    if (slot && display.resolverStore.has(slot.id)) display.resolve(slot.id, "a");
  });
  await session.sendMessage("Hi");
  expect(stacks[0]).toBe(1);
});

test("a registered renderer's schemas hold for tools", async () => {
  const tool: ToolConfig = {
    name: "t",
    description: "",
    jsonSchema: { type: "object" },
    do: (_, display) => display.pushAndWait({ renderer: "confirm", input: { question: 7 } }),
  };
  const { session, shown } = scene([call("t"), "ok"], { tools: [tool] });
  session.displayManager.registerRenderer({ name: "confirm", inputSchema: z.object({ question: z.string() }) });
  await session.sendMessage("Hi");
  expect(shown()[1]).toMatch(/^t: error .*does not match the schema of the renderer "confirm"/);
});

test("a changed prompt leaves a run and its open question as they are", async () => {
  const { session, shown, model } = scene([call("pick"), "thanks"], { tools: [picker()] });
  const sending = session.sendMessage("Hi");
  const { slots } = await until(session, ({ slots }) => slots.length === 1);
  session.configure({ systemPrompt: "Another." });
  expect(session.resolveSlot(slots[0]?.id ?? "", "a")).toBe(true);
  await sending;
  expect(shown()).toEqual(["user: Hi", "pick: success A", "agent: thanks"]);
  expect(model.calls[1]?.systemPrompt).toBe("Another.");
});

test("a tool may ask the agent that it runs in", async () => {
  const tool: ToolConfig = {
    name: "rename",
    description: "",
    jsonSchema: { type: "object" },
    do(_input, _display, agent) {
      agent?.setSystemPrompt("Renamed.");
      return agent?.tools.map(({ name }) => name);
    },
  };
  const { session, shown, model } = scene([call("rename"), "ok"], { tools: [tool] });
  await session.sendMessage("Hi");
  expect(shown()[1]).toBe('rename: success ["rename"]');
  expect(model.calls[1]?.systemPrompt).toBe("Renamed.");
});

test("the application may show something itself, and wait for its answer", async () => {
  const { session } = scene([]);
  await session.start();
  const waiting = session.displayManager.pushAndWait({ renderer: "confirm", input: { question: "Sure?" } });
  const { slots } = await until(session, ({ slots }) => slots.length === 1);
  expect(slots[0]).toMatchObject({ renderer: "confirm", toolName: "", toolCallId: "", status: "pending" });
  expect(session.resolveSlot(slots[0]?.id ?? "", "yes")).toBe(true);
  expect(await waiting).toBe("yes");
  const second = session.displayManager.pushAndWait({ renderer: "confirm", input: 2 });
  await until(session, ({ slots }) => slots.some(({ status }) => status === "pending"));
  await session.displayManager.clearStack();
  await expect(second).rejects.toMatchObject({ code: "DISPLAY_CLEARED" });
});

test("a stop while a tool's summary is made keeps its result, and it can be taken back", async () => {
  let summing = () => {};
  const begun = new Promise<void>((resolve) => {
    summing = resolve;
  });
  const undo = vi.fn();
  const save: ToolConfig = {
    name: "save",
    description: "",
    jsonSchema: { type: "object" },
    do: () => ({ status: "success", data: "saved" }),
    generateToolSummary: () => {
      summing();
      return new Promise<string>(() => {});
    },
    undo,
  };
  const { session, shown } = scene([call("save"), "ok"], { tools: [save] });
  const sending = session.sendMessage("Hi");
  await begun;
  session.abort();
  expect(await sending).toMatchObject({ type: "aborted" });
  expect(shown()).toEqual(["user: Hi", "save: success saved"]);
  expect((await session.messages())[2]?.tool_results?.[0]?.result).toEqual({ status: "success", data: "saved" });
  expect(await session.undo()).toMatchObject({ type: "undone", steps: 1 });
  expect(undo).toHaveBeenCalledOnce();
});

test("the summary of a tool is kept with its result", async () => {
  const save: ToolConfig = {
    name: "save",
    description: "",
    jsonSchema: { type: "object" },
    do: () => ({ status: "success", data: "saved", generateSummaryArgs: { n: 2 } }),
    generateToolSummary: async ({ n }: { n: number }) => `${n} saved`,
  } as ToolConfig;
  const { session, shown } = scene([call("save"), "ok"], { tools: [save] });
  await session.sendMessage("Hi");
  expect(shown()).toEqual(["user: Hi", "save: success saved", "agent: ok"]);
  expect((await session.messages())[2]?.tool_results?.[0]?.result).toMatchObject({ data: "saved", summary: "2 saved" });
});

test("calls of one answer that wait for their turn are queued, and those that run side by side are not", async () => {
  const ends: (() => void)[] = [];
  const work = () => new Promise<string>((done) => ends.push(() => done("ok")));
  const tools: ToolConfig[] = [
    { name: "one", description: "", jsonSchema: { type: "object" }, do: work },
    { name: "beside", description: "", jsonSchema: { type: "object" }, parallel: true, do: work },
  ];
  const names = ["beside", "beside", "one", "one"];
  const { session } = scene([{ toolCalls: names.map((name, at) => ({ name, id: `c${at}` })) }, "ok"], { tools });
  const states = () =>
    session.getSnapshot().timeline.flatMap((entry) => (entry.kind === "tool" ? [entry.queued ? "queued" : entry.status] : []));
  const run = session.sendMessage("Hi");
  await vi.waitFor(() => expect(states()).toEqual(["running", "running", "queued", "queued"]));
  ends[0]?.();
  ends[1]?.();
  await vi.waitFor(() => expect(states()).toEqual(["success", "success", "running", "queued"]));
  ends[2]?.();
  await vi.waitFor(() => expect(states()).toEqual(["success", "success", "success", "running"]));
  ends[3]?.();
  await run;
  expect(states()).toEqual(["success", "success", "success", "success"]);
});

test("a queued call of a stopped answer is queued no more", async () => {
  const tools: ToolConfig[] = [{ name: "one", description: "", jsonSchema: { type: "object" }, do: () => new Promise(() => {}) }];
  const { session } = scene([{ toolCalls: [{ name: "one" }, { name: "one" }] }], { tools });
  const entries = () => session.getSnapshot().timeline.filter((entry) => entry.kind === "tool");
  const run = session.sendMessage("Hi");
  await vi.waitFor(() => expect(entries()[1]).toMatchObject({ queued: true }));
  session.abort();
  await run.catch(() => {});
  expect(entries().map(({ status, queued }) => [status, queued])).toEqual([
    ["aborted", undefined],
    ["aborted", undefined],
  ]);
});
