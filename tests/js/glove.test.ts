// The builder and the core classes, as programs use them.
import {
  AbortError,
  Agent,
  Context,
  createTaskTool,
  DisplayManager,
  type DisplayManagerAdapter,
  Executor,
  Glove,
  MemoryStore,
  type Message,
  Observer,
  PromptMachine,
  type StoreAdapter,
} from "glove-wasm";
import { createScriptedModel, type ScriptedAnswer } from "glove-wasm/testing";
import { expect, test, vi } from "vitest";
import { z } from "zod";

const weather = {
  name: "get_weather",
  description: "Get weather for a city.",
  inputSchema: z.object({ city: z.string() }),
  async do({ city }: { city: string }) {
    return { city, degrees: 7 };
  },
};

function agent(script: readonly ScriptedAnswer[]) {
  const model = createScriptedModel(script);
  const displayManager = new DisplayManager();
  const glove = new Glove({
    store: new MemoryStore("s"),
    model,
    displayManager,
    systemPrompt: "You are a helpful assistant.",
    compaction_config: { compaction_instructions: "Summarize the conversation.", max_turns: 30 },
  });
  return { glove, model, displayManager };
}

test("an agent is folded, built and asked", async () => {
  const { glove, model } = agent([{ toolCalls: [{ name: "get_weather", input: { city: "Tokyo" } }] }, "7 degrees"]);
  const record = vi.fn();
  const built = glove.fold(weather).addSubscriber({ record }).build();
  const result = await built.processRequest("What is the weather in Tokyo?");
  expect(result).toMatchObject({ messages: [{ sender: "agent", text: "7 degrees" }], tokens_in: 10, tokens_out: 5 });
  expect(model.calls[1]?.messages.at(-1)?.tool_results?.[0]?.result).toMatchObject({ status: "success", data: { degrees: 7 } });
  const use = expect.objectContaining({ name: "get_weather", input: { city: "Tokyo" } });
  expect(record).toHaveBeenCalledWith("tool_use", use, { sessionId: expect.any(String) });
});

test("an agent that was not built says so in the original's words", async () => {
  await expect(agent([]).glove.processRequest("Hi")).rejects.toThrow("Call build before processRequest");
});

test("tools may be folded in after building, and exchanged", async () => {
  const { glove, model } = agent(["a", "b", "c"]);
  glove.build();
  await glove.processRequest("1");
  glove.fold(weather);
  await glove.processRequest("2");
  glove.replaceTools(["GET_WEATHER"], [{ ...weather, name: "get_forecast" }]);
  await glove.processRequest("3");
  const own = model.calls.map(({ tools }) => tools.filter((name) => name.startsWith("get")));
  expect(own).toEqual([[], ["get_weather"], ["get_forecast"]]);
});

test("a name that is taken, and a tool without a schema, are refused", () => {
  const { glove } = agent([]);
  glove.fold(weather);
  expect(() => glove.fold({ ...weather, name: "Get_Weather" })).toThrow(expect.objectContaining({ code: "TOOL_NAME_TAKEN" }));
  expect(() => glove.fold({ name: "x", description: "", do: () => 1 })).toThrow(
    expect.objectContaining({ code: "TOOL_INVALID" }),
  );
  expect(glove.tools.map(({ name }) => name)).toEqual(["get_weather"]);
});

test("parts may be asked with, and a signal stops", async () => {
  const { glove, model } = agent(["seen", { text: "never", after: 5000 }]);
  glove.build();
  await glove.processRequest([
    { type: "image", source: { type: "url", media_type: "image/png", url: "https://example.com/a.png" } },
    { type: "text", text: "What is this?" },
  ]);
  expect(model.calls[0]?.messages[0]).toMatchObject({ text: "What is this?", content: [{ type: "image" }, { type: "text" }] });
  const controller = new AbortController();
  const asking = glove.processRequest("more", controller.signal);
  setTimeout(() => controller.abort(), 10);
  await expect(asking).rejects.toBeInstanceOf(AbortError);
});

test("model and prompt may be exchanged", async () => {
  const { glove, model } = agent(["old"]);
  const next = createScriptedModel(["new"]);
  glove.build();
  await glove.processRequest("1");
  glove.setModel(next);
  glove.setSystemPrompt("Be brief.");
  expect(await glove.processRequest("2")).toMatchObject({ messages: [{ text: "new" }] });
  expect(glove.getSystemPrompt()).toBe("Be brief.");
  expect(glove.model).toBe(next);
  expect(next.calls[0]).toMatchObject({ systemPrompt: "Be brief.", messages: [{ text: "1" }, { text: "old" }, { text: "2" }] });
  expect(model.calls).toHaveLength(1);
});

test("the display manager that was given shows what tools push, and its answer reaches them", async () => {
  const { glove, displayManager } = agent([{ toolCalls: [{ name: "ask" }] }, "ok"]);
  const answer = vi.fn();
  glove.fold({
    name: "ask",
    description: "",
    inputSchema: z.object({}),
    async do(_, display) {
      answer(await display.pushAndWait({ renderer: "confirm", input: "sure?" }));
    },
  });
  displayManager.subscribe(([slot]) => {
    if (slot && displayManager.resolverStore.has(slot.id)) displayManager.resolve(slot.id, "yes");
  });
  await glove.build().processRequest("Hi");
  expect(answer).toHaveBeenCalledWith("yes");
});

test("a display of the application's own kind is pushed to, and asked for permissions", async () => {
  const { glove: _, ...rest } = agent([]);
  const pushAndWait = vi.fn(async ({ renderer }: { renderer?: string | undefined }) => renderer === "permission_request");
  const own = {
    ...new DisplayManager(),
    renderers: [],
    stack: [],
    pushAndWait,
    removeSlot: () => {},
  } as unknown as DisplayManagerAdapter;
  const model = createScriptedModel([{ toolCalls: [{ name: "ask" }] }, "ok"]);
  const done = vi.fn();
  const glove = new Glove({ model, displayManager: own, systemPrompt: rest.model.name }).fold({
    name: "ask",
    description: "",
    inputSchema: z.object({}),
    requiresPermission: true,
    do: async (_input, display) => done(await display.pushAndWait({ renderer: "form", input: 1 })),
  });
  await glove.build().processRequest("Hi");
  expect(pushAndWait.mock.calls.map(([slot]) => slot.renderer)).toEqual(["permission_request", "form"]);
  expect(done).toHaveBeenCalledWith(false);
});

test("actions are taken back by number", async () => {
  const undo = vi.fn();
  const { glove } = agent([{ toolCalls: [{ name: "add" }] }, "ok"]);
  glove.fold({ name: "add", description: "", inputSchema: z.object({}), do: () => 1, undo });
  await glove.build().processRequest("Hi");
  expect(await glove.undo()).toBe(1);
  expect(undo).toHaveBeenCalledOnce();
});

test("a rebuilt agent goes on over its store", async () => {
  const { glove, model } = agent(["one", "two"]);
  await glove.build().processRequest("1");
  await glove.rebuild().processRequest("2");
  expect(model.calls[1]?.messages.map(({ text }) => text)).toEqual(["1", "one", "2"]);
});

test("the executor alone runs calls in order, with exactly one result each", async () => {
  const store = new MemoryStore("x");
  const executor = new Executor(3, store);
  const flaky = vi.fn(() => Promise.reject(new Error("down")));
  executor.registerTool({
    name: "add",
    description: "",
    input_schema: z.object({ n: z.number() }),
    run: ({ n }: { n: number }) => n + 1,
  });
  executor.registerTool({ name: "flaky", description: "", input_schema: z.object({}), run: flaky });
  executor.registerTool({
    name: "guarded",
    description: "",
    input_schema: z.object({}),
    requiresPermission: true,
    run: () => "in",
  });
  for (const [tool_name, input_args] of [
    ["ADD", { n: 1 }],
    ["add", { n: "x" }],
    ["nope", {}],
    ["flaky", {}],
    ["guarded", {}],
  ] as const) {
    executor.addToolCallToStack({ tool_name, input_args, id: tool_name });
  }
  const handOver = vi.fn(async () => true);
  const results = await executor.executeToolStack(handOver);
  expect(results.map(({ result }) => [result.status, result.message ?? result.data])).toEqual([
    ["success", 2],
    ["error", "TOOL_INPUT_INVALID"],
    ["error", "No tool called nope exists. Available tools: add, flaky, guarded."],
    ["error", "Failed to run tool successfully. Tool Errored out with down."],
    ["success", "in"],
  ]);
  expect(flaky).toHaveBeenCalledOnce();
  expect(handOver).toHaveBeenCalledWith({ renderer: "permission_request", toolName: "guarded", toolInput: {} });
  expect(await executor.executeToolStack()).toEqual([]);
});

test("a permission that cannot be asked leaves nothing behind for the next request", async () => {
  const executor = new Executor(3, new MemoryStore("x"));
  const rm = vi.fn();
  executor.registerTool({ name: "rm", description: "", input_schema: z.object({}), requiresPermission: true, run: rm });
  executor.addToolCallToStack({ tool_name: "rm", input_args: {} });
  const [result] = await executor.executeToolStack(() => Promise.reject(new Error("dismissed")));
  expect(result?.result).toMatchObject({ status: "error", message: expect.stringContaining("Permission denied") });
  expect(await executor.executeToolStack(async () => true)).toEqual([]);
  expect(rm).not.toHaveBeenCalled();
});

test("where permissions cannot be kept, each call is asked; where nobody can be asked, none runs", async () => {
  const store: StoreAdapter = Object.create(new MemoryStore("x"), { getPermission: {}, setPermission: {} });
  for (const executor of [new Executor(3, store), new Executor(3)]) {
    const run = vi.fn(() => "gone");
    executor.registerTool({ name: "rm", description: "", input_schema: z.object({}), requiresPermission: true, run });
    const ask = vi.fn(async () => true);
    const call = () => executor.addToolCallToStack({ tool_name: "rm", input_args: {} });
    call();
    call();
    await executor.executeToolStack(ask);
    expect(ask).toHaveBeenCalledTimes(2);
    expect(run).toHaveBeenCalledTimes(2);
    call();
    expect(await executor.executeToolStack()).toMatchObject([{ result: { status: "error" } }]);
    call();
    await executor.executeToolStack(async () => false);
    expect(run).toHaveBeenCalledTimes(2);
  }
});

test("the observer summarises when there is too much, and keeps everything", async () => {
  const store = new MemoryStore("x");
  const context = new Context(store);
  const prompt = new PromptMachine(createScriptedModel(["They said hello."]), context, "System");
  const observer = new Observer(store, context, prompt, "Summarize.", 30, 100);
  await context.appendMessages([{ sender: "user", text: "hello" }]);
  expect(await observer.tryCompaction()).toBe(false);
  await observer.addTokensConsumed(150);
  expect(await observer.tryCompaction()).toBe(true);
  expect(await context.getMessages()).toMatchObject([{ is_compaction: true, text: expect.stringContaining("They said hello.") }]);
  expect(await store.getMessages()).toHaveLength(2);
  expect(await observer.getCurrentTokenConsumption()).toBe(5);
});

test("the task tool keeps the ids of what stays the same", async () => {
  const context = new Context(new MemoryStore("x"));
  const tool = createTaskTool(context);
  const todo = (content: string) => ({ content, activeForm: content, status: "pending" as const });
  await tool.run({ todos: [todo("a"), todo("b")] });
  const [a, b] = await context.getTasks();
  await tool.run({ todos: [todo("b"), todo("c")] });
  const tasks = await context.getTasks();
  expect(tool.name).toBe("glove_update_tasks");
  expect(tasks.map(({ content }) => content)).toEqual(["b", "c"]);
  expect(tasks[0]?.id).toBe(b?.id);
  expect(a?.id).not.toBe(b?.id);
});

test("the loop over parts of one's own asks, runs tools and asks again", async () => {
  const store = new MemoryStore("x");
  const context = new Context(store);
  const prompt = new PromptMachine(createScriptedModel([{ toolCalls: [{ name: "now" }] }, "noon"]), context, "System");
  const executor = new Executor(3, store);
  executor.registerTool({
    name: "now",
    description: "",
    input_schema: z.object({}),
    requiresPermission: true,
    run: () => "12:00",
  });
  const record = vi.fn();
  prompt.addSubscriber({ record });
  const observer = new Observer(store, context, prompt, "Summarize.");
  const tools = vi.fn();
  executor.addSubscriber({ record: tools });
  const loop = new Agent(store, executor, context, observer, prompt);
  const result = await loop.ask({ sender: "user", text: "What time is it?" }, async () => true);
  expect(tools.mock.calls.map(([type]) => type)).toEqual(["tool_use", "tool_use_result"]);
  expect(result.messages).toMatchObject([{ text: "noon" }]);
  expect((await context.getMessages()).map(({ text }) => text)).toEqual(["What time is it?", "", "tool results", "noon"]);
  expect(record).toHaveBeenCalledWith("tool_use_result", expect.objectContaining({ tool_name: "now" }));
});

test("the executor tells of each call and of its result, and stops what waits when it is aborted", async () => {
  const executor = new Executor();
  const stop = new AbortController();
  const never = new Promise(() => {});
  executor.registerTool({ name: "slow", description: "", jsonSchema: { type: "object" }, run: () => never });
  executor.registerTool({ name: "next", description: "", jsonSchema: { type: "object" }, run: () => "ran" });
  const told: [string, unknown][] = [];
  executor.addSubscriber({ record: (type, { name }) => void told.push([type, name]) });
  for (const id of ["a", undefined]) {
    executor.addToolCallToStack({ tool_name: id ? "slow" : "next", input_args: {}, ...(id && { id }) });
  }
  setTimeout(() => stop.abort(), 50);
  const results = await executor.executeToolStack(undefined, stop.signal);
  expect(results.map(({ tool_name, call_id, result }) => [tool_name, call_id, result.status])).toEqual([
    ["slow", "a", "aborted"],
    ["next", undefined, "aborted"],
  ]);
  expect(told).toEqual([
    ["tool_use", "slow"],
    ["tool_use", "next"],
    ["tool_use_result", "slow"],
    ["tool_use_result", "next"],
  ]);
  const next = vi.fn(() => "ran");
  const sure = vi.fn(() => "ran");
  executor.registerTool({ name: "later", description: "", jsonSchema: { type: "object" }, run: next });
  executor.registerTool({ name: "sure", description: "", jsonSchema: { type: "object" }, unAbortable: true, run: sure });
  // In a process that has run tools before nothing is waited for.
  for (let round = 0; round < 3; round++) {
    for (const tool_name of ["later", "sure", "later"]) executor.addToolCallToStack({ tool_name, input_args: {} });
    const results = await executor.executeToolStack(undefined, stop.signal);
    expect(results.map(({ result }) => result.status)).toEqual(["aborted", "success", "aborted"]);
  }
  expect([next.mock.calls.length, sure.mock.calls.length]).toEqual([0, 3]);
  const early = new AbortController();
  for (let n = 0; n < 2; n++) executor.addToolCallToStack({ tool_name: "later", input_args: {}, id: `c${n}` });
  const running = executor.executeToolStack(undefined, early.signal);
  early.abort();
  expect((await running).map(({ call_id, result }) => [call_id, result.status])).toEqual([
    ["c0", "aborted"],
    ["c1", "aborted"],
  ]);
  expect(next).not.toHaveBeenCalled();
});

test("a call that cannot be made has an error as its result, and the others of its stack run", async () => {
  const executor = new Executor();
  executor.registerTool({ name: "now", description: "", jsonSchema: { type: "object" }, run: () => "ran" });
  const circle: Record<string, unknown> = {};
  circle.itself = circle;
  const bad: [call: unknown, message: string][] = [
    [null, "`tool_name` must be a string, got undefined."],
    [{}, "`tool_name` must be a string, got undefined."],
    [{ tool_name: 7, input_args: {} }, "`tool_name` must be a string, got 7."],
    [{ tool_name: "now", input_args: {}, id: 7 }, "`id` must be a string, got 7."],
    [{ tool_name: "now", input_args: { n: 1n } }, "`input_args`.n is a BigInt"],
    [{ tool_name: "now", input_args: circle }, "`input_args`.itself is a circular reference"],
  ];
  for (const [call] of bad) {
    executor.addToolCallToStack(call as never);
    executor.addToolCallToStack({ tool_name: "now", input_args: {} });
  }
  const stack = [...executor.toolCallStack];
  const results = await executor.executeToolStack();
  const expected = bad.flatMap(([, message]) => [
    ["error", expect.stringContaining(message)],
    ["success", "ran"],
  ]);
  expect(results.map(({ result }) => [result.status, result.message ?? result.data])).toEqual(expected);
  executor.toolCallStack = stack;
  const stopped = await executor.executeToolStack(undefined, AbortSignal.abort());
  expect(stopped.map(({ result }) => result.status)).toEqual(bad.flatMap(() => ["error", "aborted"]));
});

test("subscribers of an executor see the ids that calls came with, and no others", async () => {
  const executor = new Executor();
  executor.registerTool({ name: "now", description: "", jsonSchema: { type: "object" }, run: () => "ran" });
  const told: unknown[] = [];
  executor.addSubscriber({ record: (type, { id, call_id }) => void told.push([type, id, call_id]) });
  for (const id of ["a", undefined]) executor.addToolCallToStack({ tool_name: "now", input_args: {}, ...(id && { id }) });
  await executor.executeToolStack();
  expect(told).toEqual([
    ["tool_use", "a", undefined],
    ["tool_use", undefined, undefined],
    ["tool_use_result", "a", "a"],
    ["tool_use_result", undefined, undefined],
  ]);
});

test("the executor runs every call of a long stack, and cuts no result", async () => {
  const executor = new Executor();
  executor.registerTool({ name: "long", description: "", jsonSchema: { type: "object" }, run: () => "x".repeat(300_000) });
  for (let n = 0; n < 150; n++) executor.addToolCallToStack({ tool_name: "long", input_args: {} });
  const results = await executor.executeToolStack();
  expect(results.map(({ result }) => [result.status, (result.data as string).length])).toEqual(
    Array.from({ length: 150 }, () => ["success", 300_000]),
  );
});

test("what nobody was asked is not remembered as a refusal", async () => {
  const store = new MemoryStore("x");
  const executor = new Executor(0, store);
  const run = vi.fn(() => "in");
  executor.registerTool({ name: "guarded", description: "", jsonSchema: { type: "object" }, requiresPermission: true, run });
  executor.addToolCallToStack({ tool_name: "guarded", input_args: {} });
  expect(await executor.executeToolStack()).toMatchObject([{ result: { status: "error" } }]);
  expect(await store.getPermission("guarded", {})).toBe("unset");
  executor.addToolCallToStack({ tool_name: "guarded", input_args: {} });
  expect(await executor.executeToolStack(async () => true)).toMatchObject([{ result: { status: "success" } }]);
});

test("each request of a loop asks the one who made it, and goes on after something else has written to the store", async () => {
  const store = new MemoryStore("x");
  const context = new Context(store);
  const call = { toolCalls: [{ name: "pay", input: {} }] };
  const model = createScriptedModel([call, "first", call, "second", "third"]);
  const prompt = new PromptMachine(model, context, "System");
  const executor = new Executor();
  const run = vi.fn(() => "paid");
  executor.registerTool({ name: "pay", description: "", jsonSchema: { type: "object" }, requiresPermission: true, run });
  const loop = new Agent(store, executor, context, new Observer(store, context, prompt, "Sum."), prompt);
  const no = vi.fn(async () => false);
  const yes = vi.fn(async () => true);
  await Promise.all([loop.ask({ sender: "user", text: "1" }, no), loop.ask({ sender: "user", text: "2" }, yes)]);
  expect(no).toHaveBeenCalledTimes(1);
  expect(run).not.toHaveBeenCalled();
  await context.appendMessages([{ sender: "user", text: "From elsewhere." }]);
  expect(await loop.ask({ sender: "user", text: "3" })).toMatchObject({ messages: [{ text: "third" }] });
  expect(model.calls.at(-1)?.messages.map(({ text }) => text)).toContain("From elsewhere.");
});

test("a tool that is stopped while its arguments are made does not run", async () => {
  const run = vi.fn(() => "ran");
  const slow = z.object({}).refine(() => new Promise<boolean>((resolve) => setTimeout(() => resolve(true), 100)));
  const glove = new Glove({ model: createScriptedModel([{ toolCalls: [{ name: "slow" }] }, "Done."]), systemPrompt: "" });
  glove.fold({ name: "slow", description: "", inputSchema: slow, do: run });
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 50);
  await expect(glove.build().processRequest("Hi", stop.signal)).rejects.toThrow(AbortError);
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(run).not.toHaveBeenCalled();
});

test("a context of the application's own decides what the model reads and where messages are kept", async () => {
  class Mine extends Context {
    readonly kept: Message[] = [];
    override async getMessages() {
      const [last] = this.kept.slice(-1);
      return [{ sender: "user" as const, text: `only: ${last?.text}` }];
    }
    override async appendMessages(messages: Message[]) {
      this.kept.push(...messages);
    }
  }
  const store = new MemoryStore("mine");
  const context = new Mine(store);
  const model = createScriptedModel(["one", "two"]);
  const prompt = new PromptMachine(model, context, "System");
  const loop = new Agent(store, new Executor(), context, new Observer(store, context, prompt, "Summarize."), prompt);
  await loop.ask({ sender: "user", text: "Hi" });
  await loop.ask({ sender: "user", text: "Again" });
  expect(model.calls.map(({ messages }) => messages.map(({ text }) => text))).toEqual([["only: Hi"], ["only: Again"]]);
  expect(context.kept.map(({ text }) => text)).toEqual(["Hi", "one", "Again", "two"]);
  expect(await store.getMessages()).toEqual([]);
});

test("the prompt machine tells all of a turn, as a session does", async () => {
  const script = [{ text: "Look.", toolCalls: [{ name: "now", input: { n: 1 } }] }];
  const events = async (record: (listen: { record(type: string, data: unknown): void }) => Promise<unknown>) => {
    const told: [string, unknown][] = [];
    await record({ record: (type, data) => void told.push([type, JSON.parse(JSON.stringify(data))]) });
    const ofTurn = /^(text_delta|tool_use|model_response|model_response_complete)$/;
    return told.filter(([type]) => ofTurn.test(type)).slice(0, 3);
  };
  const alone = await events((listener) => {
    const machine = new PromptMachine(createScriptedModel(script), new Context(new MemoryStore("a")), "System");
    machine.addSubscriber(listener);
    return machine.run([{ sender: "user", text: "Hi" }]);
  });
  const inSession = await events((listener) => {
    const glove = new Glove({
      store: new MemoryStore("b"),
      model: createScriptedModel([...script, "Done."]),
      systemPrompt: "System",
    });
    glove.fold({ name: "now", description: "", jsonSchema: { type: "object" }, do: () => 1 }).addSubscriber(listener);
    return glove.build().processRequest("Hi");
  });
  expect(alone.map(([type]) => type)).toEqual(["text_delta", "tool_use", "model_response_complete"]);
  const withoutIds = (told: unknown) => JSON.parse(JSON.stringify(told, (key, value) => (key === "id" ? undefined : value)));
  expect(withoutIds(alone)).toEqual(withoutIds(inSession));
});
