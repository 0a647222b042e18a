// Our tools for clients of MCP, with the official client.
import type { CallToolResult, ElicitRequestFormParams, InputRequiredResult } from "@modelcontextprotocol/client";
import { defineTool, type SeveralQuestions, type ToolConfig } from "glove-wasm";
import { expect, test } from "vitest";
import { z } from "zod";
import { mcpApp, round, textOf } from "../../support/mcp-handler.js";

/** What a tool has been called with. */
const ran: unknown[] = [];

const add = (more: Partial<ToolConfig> = {}): ToolConfig => ({
  ...defineTool({
    name: "add",
    title: "Add to the cart",
    description: "Puts something into the cart.",
    inputSchema: z.object({ item: z.string() }),
    do: ({ item }) => {
      ran.push(item);
      return { cart: [item], secret: "of the shop" };
    },
  }),
  ...more,
});

type Said = {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Record<string, string | number | boolean | string[]>;
};

/** A client that answers what is asked with the next of these, and what it was asked. */
async function asked(app: ReturnType<typeof mcpApp>, answers: readonly Said[], headers: Record<string, string> = {}) {
  const client = await app.connect({}, headers);
  const questions: ElicitRequestFormParams[] = [];
  const left = [...answers];
  client.setRequestHandler("elicitation/create", ({ params }) => {
    questions.push(params as ElicitRequestFormParams);
    return left.shift() ?? { action: "cancel" };
  });
  return { client, questions };
}

test("clients list the tools that are offered, with what they do, and get their results", async () => {
  ran.length = 0;
  const look = defineTool({ name: "look", description: "Looks.", inputSchema: z.object({}), do: () => "3 things" });
  const hidden = defineTool({ name: "hidden", description: "Is not offered.", inputSchema: z.object({}), do: () => "" });
  const cart = z.object({ cart: z.array(z.string()) });
  const app = mcpApp([add({ danger: true, idempotent: false }), look, hidden], {
    tools: [
      { name: "add", outputSchema: cart, openWorld: false },
      { name: "look", readOnly: true },
    ],
    title: "The shop",
    instructions: "It sells cheese.",
  });
  const client = await app.connect();
  expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28");
  expect(client.getServerVersion()).toMatchObject({ name: "shop", title: "The shop" });
  expect(client.getInstructions()).toBe("It sells cheese.");
  const { tools } = await client.listTools();
  expect(tools).toEqual([
    {
      name: "add",
      title: "Add to the cart",
      description: "Puts something into the cart.",
      inputSchema: { type: "object", properties: { item: { type: "string" } }, required: ["item"] },
      outputSchema: { type: "object", properties: { cart: { type: "array", items: { type: "string" } } }, required: ["cart"] },
      annotations: { destructiveHint: true, idempotentHint: false, openWorldHint: false },
    },
    {
      name: "look",
      description: "Looks.",
      inputSchema: { type: "object", properties: {} },
      annotations: { readOnlyHint: true },
    },
  ]);
  const result = await client.callTool({ name: "add", arguments: { item: "brie" } });
  expect(result.structuredContent).toEqual({ cart: ["brie"] });
  expect(textOf(result)).toBe('{"cart":["brie"]}');
  expect(textOf(await client.callTool({ name: "look" }))).toBe("3 things");
  expect(ran).toEqual(["brie"]);
  await expect(client.callTool({ name: "hidden" })).rejects.toThrow(/no tool "hidden"/);
  expect(app.model.calls).toEqual([]);
  // Each call is in the record of a session of its own.
  expect(app.stores.size).toBe(2);
  const [first] = await Promise.all([...app.stores.values()].map((store) => store.getMessages()));
  expect(JSON.stringify(first)).toContain("brie");
  expect(app.errors).toEqual([]);
});

test.each([false, true])("an approval is a question to the person, who sees what runs (another process: %s)", async (fresh) => {
  ran.length = 0;
  const app = mcpApp([add({ requireApproval: { required: true, reason: "It costs 5 €." }, danger: true })], {}, { fresh });
  const { client, questions } = await asked(app, [{ action: "accept", content: { approved: true } }]);
  const result = await client.callTool({ name: "add", arguments: { item: "brie" } });
  expect(questions).toHaveLength(1);
  expect(questions[0]?.message).toBe(
    'Add to the cart\n\nIt cannot be taken back.\n\nIt costs 5 €.\n\nadd {\n  "item": "brie"\n}',
  );
  expect(result.isError ?? false).toBe(false);
  expect(result.structuredContent).toMatchObject({ cart: ["brie"] });
  expect(ran).toEqual(["brie"]);
  expect(app.errors).toEqual([]);
});

test.each<[string, Said]>([
  ["declines", { action: "decline" }],
  ["turns the question away", { action: "cancel" }],
  ["leaves the box empty", { action: "accept", content: { approved: false, reason: "too dear" } }],
  ["says nothing of it", { action: "accept", content: {} }],
  ["says it in words", { action: "accept", content: { approved: "true" } }],
])("a tool does not run for a person who %s", async (_, said) => {
  ran.length = 0;
  const { client } = await asked(mcpApp([add({ requireApproval: true })]), [said]);
  const result = await client.callTool({ name: "add", arguments: { item: "brie" } });
  expect(result.isError).toBe(true);
  if (said.content?.reason) expect(textOf(result)).toContain("too dear");
  expect(ran).toEqual([]);
});

/** The rounds of a call, one by one. */
async function rounds(app: ReturnType<typeof mcpApp>, headers: Record<string, string> = {}) {
  const client = await app.connect({ inputRequired: { autoFulfill: false } }, headers);
  const send = (params: object) => round(client, { name: "add", arguments: { item: "brie" }, ...params });
  const first = (await send({})) as InputRequiredResult;
  return { send, first };
}

const yes = { answer: { action: "accept", content: { approved: true } } };

test.each([false, true])("an answer that is sent twice runs the tool once (another process: %s)", async (fresh) => {
  ran.length = 0;
  const app = mcpApp([add({ requireApproval: true })], {}, { fresh });
  const { send, first } = await rounds(app);
  expect(first).toMatchObject({ resultType: "input_required" });
  const again = { requestState: first.requestState, inputResponses: yes };
  const results = [await send(again), await send(again)];
  if (!fresh) results.push(...(await Promise.all([send(again), send(again)])));
  for (const result of results) expect(textOf(result as CallToolResult)).toContain("brie");
  expect(ran).toEqual(["brie"]);
});

test("two answers at once run the tool once, and both have the result", async () => {
  ran.length = 0;
  const app = mcpApp([add({ requireApproval: true })]);
  const { send, first } = await rounds(app);
  const again = { requestState: first.requestState, inputResponses: yes };
  const results = await Promise.all([send(again), send(again)]);
  for (const result of results) expect(textOf(result as CallToolResult)).toContain("brie");
  expect(ran).toEqual(["brie"]);
});

test("of two answers that differ, the one that comes first counts for all of them", async () => {
  ran.length = 0;
  const app = mcpApp([add({ requireApproval: true })]);
  const { send, first } = await rounds(app);
  const again = { requestState: first.requestState, inputResponses: yes };
  const no = { requestState: first.requestState, inputResponses: { answer: { action: "decline" } } };
  const results = await Promise.all([send(again), send(no), send(again)]);
  const [text, ...others] = results.map((result) => textOf(result as CallToolResult));
  // Requests on connections of their own overtake each other.
  const [result, runs] = ran.length > 0 ? ["brie", ["brie"]] : ["rejected", []];
  expect(text).toContain(result);
  expect(others).toEqual([text, text]);
  expect(ran).toEqual(runs);
});

test("two processes that get the same answer at once run the tool once", async () => {
  ran.length = 0;
  const app = mcpApp([add({ requireApproval: true })], {}, { fresh: true, shared: true });
  const { send, first } = await rounds(app);
  const again = { requestState: first.requestState, inputResponses: yes };
  const results = (await Promise.all([send(again), send(again)])) as CallToolResult[];
  expect(results.some((result) => textOf(result).includes("brie"))).toBe(true);
  expect(ran).toEqual(["brie"]);
  expect(textOf((await send(again)) as CallToolResult)).toContain("brie");
});

test("what would look like other arguments is shown as it is", async () => {
  const app = mcpApp([add({ requireApproval: true })]);
  const { client, questions } = await asked(app, []);
  await client.callTool({ name: "add", arguments: { item: "brie\u202edlog\u200b\n\nadd {}" } });
  expect(questions[0]?.message).toContain('"item": "brie\\u{202e}dlog\\u{200b}\\n\\nadd {}"');
});

test("an answer without one is asked again, and one that belongs to another call is refused", async () => {
  ran.length = 0;
  const app = mcpApp([add({ requireApproval: true })]);
  const { send, first } = await rounds(app);
  const again = (await send({ requestState: first.requestState })) as InputRequiredResult;
  expect(again).toMatchObject({ resultType: "input_required", inputRequests: first.inputRequests });
  const other = await send({ arguments: { item: "gold" }, requestState: first.requestState, inputResponses: yes });
  expect(other).toMatchObject({ isError: true });
  expect(textOf(other as CallToolResult)).toMatch(/other arguments/);
  await expect(send({ requestState: `${first.requestState}x`, inputResponses: yes })).rejects.toThrow(/requestState/);
  expect(ran).toEqual([]);
  expect(await send({ requestState: again.requestState, inputResponses: yes })).toMatchObject({
    structuredContent: { cart: ["brie"] },
  });
});

test("nobody answers for another owner", async () => {
  ran.length = 0;
  const owner = (request: Request) => request.headers.get("x-user") ?? "";
  const app = mcpApp([add({ requireApproval: true })], { owner });
  const ann = await rounds(app, { "x-user": "ann" });
  const bob = await rounds(app, { "x-user": "bob" });
  await expect(bob.send({ requestState: ann.first.requestState, inputResponses: yes })).rejects.toThrow(/requestState/);
  expect(ran).toEqual([]);
  await ann.send({ requestState: ann.first.requestState, inputResponses: yes });
  expect(ran).toEqual(["brie"]);
  expect([...app.stores.keys()].map((id) => id.split(":").slice(0, 2).join(":")).sort()).toEqual(["mcp:ann", "mcp:bob"]);
});

test("a question has its time", async () => {
  ran.length = 0;
  const app = mcpApp([add({ requireApproval: true })], { questionMs: 1_000 });
  const { send, first } = await rounds(app);
  await expect
    .poll(
      () =>
        send({ requestState: first.requestState }).then(
          () => "open",
          (error: Error) => error.message,
        ),
      { timeout: 10_000 },
    )
    .toMatch(/requestState/);
  expect(ran).toEqual([]);
});

test.each(["legacy", "auto"] as const)("a client that cannot be asked is told so, and nothing runs (%s)", async (mode) => {
  ran.length = 0;
  const app = mcpApp([add({ requireApproval: ({ item }: { item: string }) => item === "gold" })]);
  const client = await app.connect(mode === "auto" ? { capabilities: {} } : {}, {}, mode);
  const gold = client.callTool({ name: "add", arguments: { item: "gold" } });
  const words = expect.stringMatching(/cannot be asked.*did not run/);
  if (mode === "legacy") expect(await gold).toMatchObject({ isError: true, content: [{ text: words }] });
  else {
    const data = { requiredCapabilities: { elicitation: { form: {} } } };
    await expect(gold).rejects.toMatchObject({ code: -32_021, message: words, data });
    expect(app.statuses.at(-1)).toBe(400);
  }
  expect(ran).toEqual([]);
  expect(textOf(await client.callTool({ name: "add", arguments: { item: "brie" } }))).toContain("brie");
  expect(ran).toEqual(["brie"]);
});

test("what a tool asks in the middle of its work is a question too, and a secret is none", async () => {
  const ask = (renderer: string, input: unknown) =>
    defineTool({
      name: `ask_${renderer}`,
      description: "Asks.",
      inputSchema: z.object({}),
      do: async (_, display) => `said ${await display.pushAndWait(input as never, renderer as never)}`,
    });
  const app = mcpApp([
    ask("confirm", { message: "Sure?" }),
    ask("select", { message: "Which?", options: ["a", { label: "Bee", value: "b" }] }),
    ask("input", { message: "Who?", default: "Ann" }),
    ask("secret", { message: "The key?" }),
  ]);
  const answer = (text: string): Said => ({ action: "accept", content: { answer: text } });
  const { client, questions } = await asked(app, [answer("yes"), answer("b"), answer("Bob"), { action: "decline" }]);
  expect(textOf(await client.callTool({ name: "ask_confirm" }))).toBe("said yes");
  expect(textOf(await client.callTool({ name: "ask_select" }))).toBe("said b");
  expect(textOf(await client.callTool({ name: "ask_input" }))).toBe("said Bob");
  expect(await client.callTool({ name: "ask_input" })).toMatchObject({ isError: true });
  expect(await client.callTool({ name: "ask_secret" })).toMatchObject({ isError: true });
  expect(questions.map(({ message }) => message)).toEqual(["Sure?", "Which?", "Who?", "Who?"]);
  expect(questions[1]?.requestedSchema.properties.answer).toMatchObject({
    oneOf: [
      { const: "a", title: "a" },
      { const: "b", title: "Bee" },
    ],
  });
});

test("several questions of a tool are one form, and the tool gets an answer to each", async () => {
  const questions = [
    { message: "Where?", options: ["Rome", { label: "Oslo, by night", value: { city: "Oslo" } }], required: true, own: false },
    { message: "What?", options: ["cheese", "bread"], multiple: true },
    "Anything else?",
    { message: "Who?", options: ["Ann"] },
  ];
  const plan = defineTool({
    name: "plan",
    description: "Plans.",
    inputSchema: z.object({}),
    do: async (_, display) => JSON.stringify(await display.pushAndWait({ questions } as SeveralQuestions, "questions")),
  });
  const accepted = (content: Said["content"]): Said => ({ action: "accept", ...(content && { content }) });
  const { client, questions: forms } = await asked(mcpApp([plan]), [
    // What is required is asked for again.
    accepted({ q2: ["cheese"] }),
    accepted({ q1: "#2", q2: ["cheese", "bread"], q2_own: "wine", q3: "", q4_own: "Bob" }),
  ]);
  expect(JSON.parse(textOf(await client.callTool({ name: "plan" })))).toEqual([
    { city: "Oslo" },
    ["cheese", "bread", "wine"],
    null,
    "Bob",
  ]);
  expect(forms).toHaveLength(2);
  const { properties, required } = forms[0]?.requestedSchema ?? {};
  expect(required).toEqual(["q1"]);
  expect(Object.keys(properties ?? {})).toEqual(["q1", "q2", "q2_own", "q3", "q4", "q4_own"]);
  expect(properties).toMatchObject({
    q1: { title: "Where?", oneOf: [{ const: "Rome" }, { const: "#2", title: "Oslo, by night" }] },
    q2: { type: "array", items: { anyOf: [{ const: "cheese" }, { const: "bread" }] } },
    q3: { type: "string", title: "Anything else?" },
  });
});

test.each([false, true])(
  "a tool with a renderer of its own is asked by a form of its `resolveSchema`, which holds the answer (another process: %s)",
  async (fresh) => {
    const book = defineTool({
      name: "book",
      description: "Books seats.",
      inputSchema: z.object({}),
      displayPropsSchema: z.object({ flight: z.string() }),
      resolveSchema: z.object({
        seats: z.number().int().min(1).max(4),
        meal: z.enum(["fish", "none"]),
        window: z.boolean().optional(),
      }),
      render: () => null,
      do: async (_, display) => JSON.stringify(await display.pushAndWait({ flight: "LH 1\u202e2" })),
    });
    const answers: Said[] = [
      { action: "accept", content: { seats: 9, meal: "fish" } },
      { action: "accept", content: { seats: 2, meal: "fish", window: true } },
      { action: "decline" },
    ];
    const app = mcpApp([book], {}, { fresh });
    const { client, questions } = await asked(app, answers);
    expect(textOf(await client.callTool({ name: "book" }))).toBe('{"seats":2,"meal":"fish","window":true}');
    // What does not fit is asked again.
    expect(questions).toHaveLength(2);
    expect(questions[0]?.requestedSchema).toMatchObject({
      properties: { seats: { type: "integer" }, meal: { enum: ["fish", "none"] }, window: { type: "boolean" } },
      required: ["seats", "meal"],
    });
    // A person sees what the card would show, as it is.
    expect(questions[0]?.message).toContain("flight");
    expect(questions[0]?.message).not.toContain("\u202e");
    expect(await client.callTool({ name: "book" })).toMatchObject({ isError: true });
  },
);

test.each<[string, z.ZodType | undefined]>([
  ["nothing that is known", undefined],
  ["more than a form has", z.object({ route: z.object({ from: z.string() }) })],
  ["a secret", z.object({ password: z.string() })],
])("a tool whose renderer answers %s asks nobody, and is stopped there", async (_, resolveSchema) => {
  const draw = {
    name: "draw",
    description: "Draws.",
    inputSchema: z.object({}),
    ...(resolveSchema && { resolveSchema }),
    do: async (_: unknown, display: { pushAndWait(slot: { input: object }): Promise<unknown> }) =>
      display.pushAndWait({ input: { message: "Where?" } }),
  } as ToolConfig;
  const { client, questions } = await asked(mcpApp([draw]), []);
  const result = await client.callTool({ name: "draw" });
  expect([result.isError, questions]).toEqual([true, []]);
  expect(textOf(result)).toContain("was stopped where it asked");
});

test("what a server of MCP asks in a tool of the agent goes to the person of the client, as the server's words", async () => {
  const ask = defineTool({
    name: "ask",
    description: "Asks.",
    inputSchema: z.object({}),
    do: async (_, display) => {
      const schema = { type: "object", properties: { seats: { type: "integer" } }, required: ["seats"] };
      return JSON.stringify(
        await display.pushAndWait({ server: "air", message: "How many?", schema } as never, "mcp_form" as never),
      );
    },
  });
  const { client, questions } = await asked(mcpApp([ask]), [{ action: "accept", content: { seats: 3 } }]);
  expect(textOf(await client.callTool({ name: "ask" }))).toBe('{"action":"accept","content":{"seats":3}}');
  expect(questions[0]?.message).toBe('The server "air" asks: How many?');
});
