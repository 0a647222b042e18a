// Our sessions behind AG-UI, with the official client, which checks the order and the form of everything it is told.
import { HttpAgent } from "@ag-ui/client";
import { EventType } from "@ag-ui/core";
import { EventSchemas } from "@ag-ui/core/schemas";
import { definePlugin, defineTool, GloveClient, type GloveClientConfig, MemoryStore, type ToolConfig } from "glove-wasm";
import { type AgUiHandlerOptions, agUiState, createAgUiHandler, createAgUiSession } from "glove-wasm/ag-ui";
import { createScriptedModel, type ScriptedAnswer, type ScriptedModel } from "glove-wasm/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { agentScene, type Said } from "../../support/ag-ui.js";
import { until } from "../../support/session.js";

const url = "https://app.example/agent";

interface Site {
  readonly model: ScriptedModel;
  readonly handler: (request: Request) => Promise<Response>;
  readonly errors: string[];
  readonly events: Said[];
  agent(threadId?: string): HttpAgent;
  post(body: object | string, init?: RequestInit): Promise<Response>;
}

/** Each request may be served by another process: clients over the same stores. */
function site(
  script: readonly ScriptedAnswer[] | ((call: never) => ScriptedAnswer),
  config: Partial<GloveClientConfig> = {},
  options: Partial<AgUiHandlerOptions> = {},
  fresh = false,
): Site {
  const model = createScriptedModel(script as never);
  const stores = new Map<string, MemoryStore>();
  const createStore = (id: string) => {
    const store = stores.get(id) ?? new MemoryStore(id);
    stores.set(id, store);
    return store;
  };
  const errors: string[] = [];
  const events: Said[] = [];
  const client = () =>
    new GloveClient({ createModel: () => model, systemPrompt: "You are a test.", ...(fresh && { createStore }), ...config });
  const make = () => createAgUiHandler({ client: client(), onError: ({ code }) => void errors.push(code), ...options });
  const one = make();
  const handler = (request: Request) => (fresh ? make() : one)(request);
  const post = (body: object | string, init: RequestInit = {}) =>
    handler(
      new Request(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: typeof body === "string" ? body : JSON.stringify(body),
        ...init,
      }),
    );
  const agent = (threadId = "t1") => {
    const made = new HttpAgent({ url, threadId, fetch: (to: string, init?: RequestInit) => handler(new Request(to, init)) });
    made.subscribe({ onEvent: ({ event }) => void events.push(EventSchemas.parse(event) as unknown as Said) });
    return made;
  };
  return { model, handler, errors, events, agent, post };
}

const call = (name: string, input: unknown, id?: string) => ({ toolCalls: [{ name, input, ...(id && { id }) }] });
const say = (agent: HttpAgent, content: string, id: string = crypto.randomUUID()) =>
  agent.addMessage({ id, role: "user", content });
const shown = ({ messages }: HttpAgent) => messages.map(({ role, content }) => `${role}: ${JSON.stringify(content)}`);
const last = (events: readonly Said[]) =>
  events.at(-1) as Said & { outcome?: { type: string; interrupts?: Said[]; pendingToolCallIds?: string[] } };

test("text and reasoning come as events, and the next run of the thread knows what was said", async () => {
  const { agent, events, model } = site([
    { reasoning: "A greeting.", deltas: ["Hel", "lo."], usage: { tokens_in: 5, tokens_out: 2 } },
    "Fine.",
  ]);
  const mine = agent();
  say(mine, "Hi");
  await mine.runAgent();
  expect(events.map(({ type }) => type)).toEqual([
    EventType.RUN_STARTED,
    EventType.REASONING_START,
    EventType.REASONING_MESSAGE_START,
    EventType.REASONING_MESSAGE_CONTENT,
    EventType.REASONING_MESSAGE_END,
    EventType.REASONING_END,
    EventType.TEXT_MESSAGE_START,
    EventType.TEXT_MESSAGE_CONTENT,
    EventType.TEXT_MESSAGE_CONTENT,
    EventType.TEXT_MESSAGE_END,
    EventType.RUN_FINISHED,
  ]);
  expect(last(events)).toMatchObject({ outcome: { type: "success" }, usage: [{ inputTokens: 5, outputTokens: 2 }] });
  say(mine, "How are you?");
  await mine.runAgent();
  expect(shown(mine).filter((line) => !line.startsWith("reasoning"))).toEqual([
    'user: "Hi"',
    'assistant: "Hello."',
    'user: "How are you?"',
    'assistant: "Fine."',
  ]);
  expect(model.calls[1]?.messages.map(({ text }) => text)).toEqual(["Hi", "Hello.", "How are you?"]);
  expect(events.some(({ type }) => type === EventType.MESSAGES_SNAPSHOT)).toBe(false);
});

const add = (ran: unknown[], name = "add", requireApproval: ToolConfig["requireApproval"] = false) =>
  defineTool({
    name,
    description: "Adds.",
    requireApproval,
    inputSchema: z.object({ a: z.number() }),
    do: ({ a }) => {
      ran.push(a);
      return `sum ${a + 1}`;
    },
  });

test("a tool of the server runs there, and its call and result are told", async () => {
  const ran: unknown[] = [];
  const { agent, events } = site([call("add", { a: 1 }), "Two."], { tools: [add(ran)] });
  const mine = agent();
  say(mine, "1 + 1");
  await mine.runAgent();
  expect(ran).toEqual([1]);
  expect(events.map(({ type }) => type).slice(1, 5)).toEqual([
    "TOOL_CALL_START",
    "TOOL_CALL_ARGS",
    "TOOL_CALL_END",
    "TOOL_CALL_RESULT",
  ]);
  expect(events[4]).toMatchObject({ content: "sum 2" });
  expect(mine.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
});

const light = {
  name: "light",
  description: "Switches the light.",
  parameters: { type: "object", properties: { on: { type: "boolean" } } },
};

test.each([false, true])(
  "tools of the client end the run, and their results go on with it (another process: %s)",
  async (fresh) => {
    const ran: unknown[] = [];
    const script = (c: { messages: { tool_results?: unknown[] }[] }) =>
      c.messages.some(({ tool_results }) => tool_results?.length)
        ? "Both are done."
        : {
            toolCalls: [
              { name: "light", input: { on: true }, id: "c1" },
              { name: "add", input: { a: 4 }, id: "c2" },
              { name: "light", input: { on: false }, id: "c3" },
            ],
          };
    const { agent, events, model } = site(script as never, { tools: [add(ran)] }, {}, fresh);
    const mine = agent();
    say(mine, "Light");
    await mine.runAgent({ tools: [light] });
    const open = last(events).outcome?.pendingToolCallIds ?? [];
    expect(open).toContain("c1");
    expect(model.calls[0]?.tools).toEqual(expect.arrayContaining(["light", "add"]));
    for (const id of ["c1", "c3"])
      mine.addMessage({ id: `mine-${id}`, role: "tool", toolCallId: id, content: `result of ${id}` });
    await mine.runAgent({ tools: [light] });
    expect(last(events)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "success" } });
    expect(last(events).outcome?.pendingToolCallIds).toBeUndefined();
    expect(ran).toEqual([4]);
    const results = model.calls[1]?.messages
      .flatMap(({ tool_results = [] }) => tool_results)
      .map(({ call_id, result }) => [call_id, result.data]);
    expect(results).toEqual([
      ["c1", "result of c1"],
      ["c2", "sum 5"],
      ["c3", "result of c3"],
    ]);
    expect(mine.messages.filter(({ role }) => role === "tool")).toHaveLength(3);
    expect(shown(mine).at(-1)).toBe('assistant: "Both are done."');
    expect(model.calls).toHaveLength(2);
  },
);

test.each([false, true])(
  "an approval is an interrupt that says what runs, and outlives its request (another process: %s)",
  async (fresh) => {
    const ran: unknown[] = [];
    const pay = add(ran, "pay", ({ a }: { readonly a: number }) => ({ required: a > 1, reason: "It is much." }));
    const script = (c: { messages: { tool_results?: unknown[] }[] }) =>
      c.messages.filter(({ tool_results }) => tool_results?.length).length === 1 ? "Paid." : call("pay", { a: 9 });
    const { agent, events, errors } = site(script as never, { tools: [pay] }, {}, fresh);
    const mine = agent();
    say(mine, "Pay");
    await mine.runAgent();
    const [interrupt] = last(events).outcome?.interrupts ?? [];
    expect(interrupt).toMatchObject({ reason: "tool_call", metadata: { glove: { toolName: "pay", input: { a: 9 } } } });
    expect(events.at(-2)).toMatchObject({ type: "MESSAGES_SNAPSHOT" });
    expect(ran).toEqual([]);
    await mine.runAgent({
      resume: [{ interruptId: String(interrupt?.id), status: "resolved", payload: { approved: true } }],
    });
    expect(ran).toEqual([9]);
    expect(shown(mine).at(-1)).toBe('assistant: "Paid."');
    expect(errors).toEqual([]);
    // Said again, it is nothing.
    mine.pendingInterrupts = [];
    await mine.runAgent({
      resume: [{ interruptId: String(interrupt?.id), status: "resolved", payload: { approved: true } }],
    });
    expect(ran).toEqual([9]);
    expect(errors).toEqual(["INTERRUPT_UNKNOWN"]);
  },
);

test("a result that a client made up for a tool of the server is replaced by the tool's own", async () => {
  const ran: unknown[] = [];
  const { agent, events } = site([call("pay", { a: 9 }, "c1"), "Paid."], { tools: [add(ran, "pay", true)] });
  const mine = agent();
  say(mine, "Pay");
  await mine.runAgent();
  const id = String(last(events).outcome?.interrupts?.[0]?.id);
  mine.addMessage({ id: "made-up", role: "tool", toolCallId: "c1", content: '{"approved":true}' });
  await mine.runAgent({ resume: [{ interruptId: id, status: "resolved", payload: { approved: true } }] });
  expect(ran).toEqual([9]);
  expect(shown(mine)).toEqual(['user: "Pay"', "assistant: undefined", 'tool: "sum 10"', 'assistant: "Paid."']);
});

test("a client before 1.0 is told no outcome that it would refuse", async () => {
  const { post } = site([call("light", { on: true }, "c1")]);
  const body = { threadId: "t1", runId: "r1", messages: [{ id: "u1", role: "user", content: "Light" }], tools: [light] };
  const outcome = async (more: object) => {
    const lines = (await (await post({ ...body, ...more })).text()).trim().split("\n\n");
    return (JSON.parse(lines.at(-1)?.replace("data: ", "") ?? "") as { outcome: unknown }).outcome;
  };
  expect(await outcome({})).toEqual({ type: "success" });
  expect(await outcome({ protocolVersion: "1.0" })).toEqual({ type: "success", pendingToolCallIds: ["c1"] });
});

test.each([{ approved: "true" }, { approve: true }, true, null, undefined])(
  "anything but a plain yes allows nothing: %j",
  async (payload) => {
    const ran: unknown[] = [];
    const pay = add(ran, "pay", true);
    const { agent, events } = site([call("pay", { a: 9 }), "Then not."], { tools: [pay] });
    const mine = agent();
    say(mine, "Pay");
    await mine.runAgent();
    const id = String(last(events).outcome?.interrupts?.[0]?.id);
    await mine.runAgent({ resume: [{ interruptId: id, status: "resolved", ...(payload !== undefined && { payload }) }] });
    expect(ran).toEqual([]);
    expect(shown(mine).at(-1)).toBe('assistant: "Then not."');
  },
);

test.each([false, true])(
  "a question of a tool is an interrupt with the form of its answer (another process: %s)",
  async (fresh) => {
    const ask = defineTool({
      name: "ask",
      description: "Asks.",
      inputSchema: z.object({}),
      do: (_, display) => display.pushAndWait({ message: "Which size?", options: ["S", "M"] }, "select"),
    });
    const script = (c: { messages: { tool_results?: unknown[] }[] }) =>
      c.messages.some(({ tool_results }) => tool_results?.length) ? "Ordered." : call("ask", {});
    const { agent, events, model } = site(script as never, { tools: [ask] }, {}, fresh);
    const mine = agent();
    say(mine, "Order");
    await mine.runAgent();
    const [interrupt] = last(events).outcome?.interrupts ?? [];
    expect(interrupt).toMatchObject({
      reason: "input_required",
      message: "Which size?",
      responseSchema: { properties: { answer: { enum: ["S", "M"] } } },
    });
    await mine.runAgent({ resume: [{ interruptId: String(interrupt?.id), status: "resolved", payload: { answer: "M" } }] });
    expect(model.calls.at(-1)?.messages.at(-1)?.tool_results?.[0]?.result.data).toBe("M");
    expect(shown(mine).at(-1)).toBe('assistant: "Ordered."');
  },
);

test("what is open has to be answered before something else is said, and nothing is lost by it", async () => {
  const pay = add([], "pay", true);
  const { agent, events, errors, model } = site([call("pay", { a: 9 }), "Then not.", "Something else."], { tools: [pay] });
  const mine = agent();
  say(mine, "Pay");
  await mine.runAgent();
  const id = String(last(events).outcome?.interrupts?.[0]?.id);
  mine.pendingInterrupts = [];
  say(mine, "And something else");
  await expect(mine.runAgent()).rejects.toThrow("INTERRUPT_OPEN");
  expect(errors).toEqual(["INTERRUPT_OPEN"]);
  await mine.runAgent({ resume: [{ interruptId: id, status: "cancelled" }] });
  expect(model.calls.map(({ messages }) => messages.at(-1)?.text)).toEqual(["Pay", "tool results", "And something else"]);
  expect(shown(mine).at(-1)).toBe('assistant: "Something else."');
});

test("context and state reach the model, and what a tool sets is told to the client", async () => {
  const set = defineTool({
    name: "set",
    description: "Sets.",
    inputSchema: z.object({}),
    do: async (_, display) => {
      await display.state(agUiState).set({ cart: ["milk", "tea"] });
      return "set";
    },
  });
  const { agent, events, model } = site([call("set", {}), "Done.", "Again."], { tools: [set] });
  const mine = agent();
  mine.state = { cart: ["milk"] };
  say(mine, "Tea");
  await mine.runAgent({ context: [{ description: "The page", value: "the shop" }] });
  expect(model.calls[0]?.systemPrompt).toContain("The page: the shop");
  expect(model.calls[0]?.systemPrompt).toContain('{"cart":["milk"]}');
  expect(events.filter(({ type }) => type === "STATE_SNAPSHOT")).toMatchObject([{ snapshot: { cart: ["milk", "tea"] } }]);
  expect(mine.state).toEqual({ cart: ["milk", "tea"] });
  // A client that has lost it is told.
  mine.state = {};
  say(mine, "And?");
  await mine.runAgent();
  expect(mine.state).toEqual({ cart: ["milk", "tea"] });
});

test("a client that has lost its messages is given them, and one that cut them goes on from there", async () => {
  const { agent, model } = site(["One.", "Two.", "Three.", "Other two."]);
  const mine = agent();
  for (const [id, text] of [
    ["u1", "1"],
    ["u2", "2"],
  ] as const) {
    say(mine, text, id);
    await mine.runAgent();
  }
  const other = agent();
  say(other, "3", "u3");
  await other.runAgent();
  expect(shown(other)).toEqual([
    'user: "1"',
    'assistant: "One."',
    'user: "2"',
    'assistant: "Two."',
    'user: "3"',
    'assistant: "Three."',
  ]);
  other.setMessages(other.messages.slice(0, 2));
  say(other, "two, please", "u2b");
  await other.runAgent();
  expect(shown(other)).toEqual(['user: "1"', 'assistant: "One."', 'user: "two, please"', 'assistant: "Other two."']);
  expect(model.calls.at(-1)?.messages.map(({ text }) => text)).toEqual(["1", "One.", "two, please"]);
});

test("a message that was answered is answered anew when it is the last, and a failure is told without its details", async () => {
  const { agent, errors, events } = site([{ text: "Half", fail: new Error("the key sk-123 is wrong") }, "Whole.", "Another."]);
  const mine = agent();
  say(mine, "Hi", "u1");
  await mine.runAgent();
  expect(events.at(-1)).toMatchObject({ type: "RUN_ERROR", message: "The agent could not answer. Try again." });
  expect(errors).toHaveLength(1);
  mine.setMessages(mine.messages.slice(0, 1));
  await mine.runAgent();
  expect(shown(mine).at(-1)).toBe('assistant: "Whole."');
  mine.setMessages(mine.messages.slice(0, 1));
  await mine.runAgent();
  expect(shown(mine)).toEqual(['user: "Hi"', 'assistant: "Another."']);
});

test("a budget that is used up is a failure that says so, and so is a store that cannot be made", async () => {
  const paused = site([call("add", { a: 1 }), "Done."], { tools: [add([])], budgets: { turns: 1 } });
  const mine = paused.agent();
  say(mine, "Hi");
  await mine.runAgent();
  expect(last(paused.events)).toMatchObject({ type: "RUN_ERROR", message: expect.stringContaining("budget of model calls") });

  let fails = true;
  const broken = site(["Hello."], {
    createStore: (id) => {
      if (fails) throw new Error("the disk at /secret is gone");
      return new MemoryStore(id);
    },
  });
  const first = await broken.post(good);
  expect([first.status, await first.text()]).toEqual([500, expect.not.stringContaining("secret")]);
  fails = false;
  expect(await (await broken.post(good)).text()).toContain("Hello.");
});

test("a message after a failure is answered", async () => {
  const { agent } = site([{ fail: "down" }, "Up again."]);
  const mine = agent();
  say(mine, "Hi", "u1");
  await mine.runAgent();
  say(mine, "And now?", "u2");
  await mine.runAgent();
  expect(shown(mine)).toEqual(['user: "Hi"', 'user: "And now?"', 'assistant: "Up again."']);
});

test("who leaves stops the run, and the next request has what was said", async () => {
  let go = () => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const { handler, agent, model } = site([{ text: "Half", until: gate }, "Whole."]);
  const leaving = new AbortController();
  const body = {
    threadId: "t1",
    runId: "r1",
    state: {},
    messages: [{ id: "u1", role: "user", content: "Hi" }],
    tools: [],
    context: [],
  };
  const headers = { "content-type": "application/json" };
  const response = await handler(
    new Request(url, { method: "POST", headers, body: JSON.stringify(body), signal: leaving.signal }),
  );
  const reader = response.body?.getReader();
  let told = "";
  while (!told.includes("Half")) told += new TextDecoder().decode((await reader?.read())?.value);
  leaving.abort();
  const mine = agent();
  say(mine, "Go on", "u2");
  await mine.runAgent();
  go();
  expect(model.calls[0]?.signal?.aborted).toBe(true);
  expect(shown(mine)).toEqual(['user: "Hi"', 'assistant: "Half"', 'user: "Go on"', 'assistant: "Whole."']);
});

test("each owner has threads of their own, and nobody is let in unasked", async () => {
  const { post, model } = site(
    ["One.", "Two."],
    {},
    {
      owner: (request) => request.headers.get("x-user") ?? "",
      authorize: (request) => request.headers.has("x-user"),
    },
  );
  const body = (text: string) => ({ threadId: "t1", runId: "r1", messages: [{ id: text, role: "user", content: text }] });
  const as = (user: string) => ({ headers: { "content-type": "application/json", "x-user": user } });
  await (await post(body("a"), as("ann"))).text();
  await (await post(body("b"), as("bob"))).text();
  expect(model.calls[1]?.messages).toHaveLength(1);
  expect((await post(body("c"))).status).toBe(401);
});

const good = { threadId: "t", runId: "r", messages: [{ id: "m", role: "user", content: "Hi" }] };

test.each([
  ["no JSON", "{", 400, "BODY_NOT_JSON"],
  ["a list", [], 400, "RUN_INPUT_INVALID"],
  ["no thread", { ...good, threadId: 1 }, 400, "RUN_INPUT_INVALID"],
  ["a long thread", { ...good, threadId: "x".repeat(201) }, 400, "RUN_INPUT_INVALID"],
  ["half a letter", { ...good, threadId: "a\ud83d" }, 400, "RUN_INPUT_INVALID"],
  ["no run", { ...good, runId: "" }, 400, "RUN_INPUT_INVALID"],
  ["no messages", { ...good, messages: undefined }, 400, "RUN_INPUT_INVALID"],
  ["a message without an id", { ...good, messages: [{ role: "user", content: "Hi" }] }, 400, "RUN_INPUT_INVALID"],
  ["an empty message", { ...good, messages: [{ id: "m", role: "user", content: " " }] }, 400, "RUN_INPUT_INVALID"],
  ["no content", { ...good, messages: [{ id: "m", role: "user" }] }, 400, "RUN_INPUT_INVALID"],
  ["a tool with a bad name", { ...good, tools: [{ name: "a b", description: "" }] }, 400, "RUN_INPUT_INVALID"],
  [
    "a long schema",
    { ...good, tools: [{ name: "a", description: "", parameters: { a: "x".repeat(70_000) } }] },
    400,
    "RUN_INPUT_INVALID",
  ],
  ["a large state", { ...good, state: "x".repeat(40_000) }, 400, "RUN_INPUT_INVALID"],
  ["an odd resume", { ...good, resume: [{ interruptId: "i", status: "yes" }] }, 400, "RUN_INPUT_INVALID"],
  [
    "many tools",
    { ...good, tools: Array.from({ length: 200 }, (_, at) => ({ name: `t${at}`, description: "" })) },
    413,
    "TOO_MANY_TOOLS",
  ],
  ["a large body", { ...good, forwardedProps: "x".repeat(9_000_000) }, 413, "BODY_TOO_LARGE"],
])("%s is refused before a run begins", async (_, body, status, code) => {
  const { post, model } = site(["never"]);
  const response = await post(body as object);
  expect([response.status, ((await response.json()) as { error: { code: string } }).error.code]).toEqual([status, code]);
  expect(model.calls).toHaveLength(0);
});

test("a session of ours talks with a handler of ours: tools at both ends, an approval at each, and a question", async () => {
  const there: unknown[] = [];
  const here: unknown[] = [];
  const pay = add(there, "pay", true);
  const show = add(here, "show", true);
  const script = ({ messages }: { messages: { tool_results?: unknown[] }[] }) =>
    [call("pay", { a: 1 }), call("show", { a: 2 }), "All done."][
      messages.filter(({ tool_results }) => tool_results?.length).length
    ];
  const { handler, errors } = site(script as never, { tools: [pay] }, {}, true);
  const fetch = (to: string, init: RequestInit) => handler(new Request(to, init));
  const { session, shown: entries } = agentScene({ url, fetch, inputs: [], faults: [] }, { tools: [show] });
  const sent = session.sendMessage("Pay and show");
  const asked = await until(session, ({ slots }) => slots.some(({ renderer }) => renderer === "mcp_form"));
  expect(JSON.stringify(asked.slots[0]?.input)).toContain('pay {\\"a\\":1}');
  session.resolveSlot(asked.slots[0]?.id ?? "", { action: "accept", content: { approved: true } });
  const mine = await until(session, ({ approvals }) => approvals.length > 0);
  expect(there).toEqual([1]);
  session.approve(mine.approvals[0]?.id ?? "");
  expect(await sent).toMatchObject({ type: "completed", text: "All done." });
  expect(here).toEqual([2]);
  expect(errors).toEqual([]);
  expect(entries()).toContain("ag_ui_step: success sum 2");
  expect(createAgUiSession({ url })).toHaveProperty("createModel");
});

test("a client's tool gives way to one of the server, also to one that a plugin brings, which is told", async () => {
  const ran: unknown[] = [];
  const plugin = definePlugin({
    id: "sums",
    prepare: (round) => {
      round.context.add("You can add.");
      round.tools.add(add(ran, "add"));
    },
  });
  const own = add(ran, "more");
  const { agent, model, errors } = site(
    [call("add", { a: 1 }), "Two.", call("more", { a: 2 }), call("light", {}, "c9"), "Three."],
    {
      plugins: [plugin],
      tools: [own],
    },
  );
  const mine = agent();
  const theirs = ["Add", "MORE", "light"].map((name) => ({ name, description: "The client's.", parameters: {} }));
  say(mine, "1 + 1");
  await mine.runAgent({ tools: theirs });
  say(mine, "2 + 1, and light");
  await mine.runAgent({ tools: theirs });
  expect(ran).toEqual([1, 2]);
  expect(model.calls.map(({ tools }) => (tools ?? []).filter((name) => !name.startsWith("glove_")).sort())).toEqual(
    Array(4).fill(["add", "light", "more"]),
  );
  for (const { systemPrompt } of model.calls) expect(systemPrompt).toContain("You can add.");
  // The one that is the client's alone waits for it.
  expect(mine.messages.filter(({ role }) => role === "tool").map(({ content }) => content)).toEqual(["sum 2", "sum 3"]);
  expect(errors).toEqual(["TOOL_NAME_TAKEN", "TOOL_NAME_TAKEN", "TOOL_NAME_TAKEN", "TOOL_NAME_TAKEN"]);
});

test("two tools of a client that differ by case, and names of the framework's own tools, are refused", async () => {
  const { post } = site(["Never."]);
  const tool = (name: string) => ({ name, description: "", parameters: {} });
  const run = (tools: object[]) =>
    post({ threadId: "t", runId: "r", messages: [{ id: "m", role: "user", content: "Hi" }], tools, context: [], state: {} });
  for (const tools of [[tool("light"), tool("Light")], [tool("give_answer")], [tool("GLOVE_invoke_skill")]]) {
    const response = await run(tools);
    expect(response.status).toBe(400);
    expect(await response.text()).toMatch(/RUN_INPUT_INVALID.*is taken by another tool/);
  }
});
