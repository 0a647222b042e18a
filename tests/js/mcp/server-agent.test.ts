// Conversations with the application's agent, for clients of MCP.
import type { CallToolResult, ElicitRequestFormParams, InputRequiredResult } from "@modelcontextprotocol/client";
import { defineTool, type ToolConfig } from "glove-wasm";
import type { ScriptedAnswer } from "glove-wasm/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { mcpApp, round, textOf } from "../../support/mcp-handler.js";

const agent = { name: "ask_shop", description: "Knows the shop. Ask it what there is." };

const shop = (script: readonly ScriptedAnswer[], tools: readonly ToolConfig[] = [], options = {}, fresh = true) =>
  mcpApp(tools, { tools: [], agent, ...options }, { script, fresh });

const order = (ran: unknown[]) =>
  defineTool({
    name: "order",
    description: "Orders something.",
    inputSchema: z.object({ item: z.string() }),
    requireApproval: true,
    do: ({ item }) => {
      ran.push(item);
      return "ordered";
    },
  });

const calls = (item: string): ScriptedAnswer => ({ toolCalls: [{ name: "order", input: { item } }] });

test("a client says something to the agent, and goes on with the conversation", async () => {
  const app = shop(["We have brie.", "It costs 5 €."]);
  const client = await app.connect();
  const { tools } = await client.listTools();
  expect(tools.map(({ name, description }) => ({ name, description }))).toEqual([agent]);
  const first = await client.callTool({ name: "ask_shop", arguments: { message: "What is there?" } });
  const { answer, conversation } = first.structuredContent as { readonly answer: string; readonly conversation: string };
  expect(answer).toBe("We have brie.");
  const second = await client.callTool({ name: "ask_shop", arguments: { message: "How much is it?", conversation } });
  expect(second.structuredContent).toEqual({ answer: "It costs 5 €.", conversation });
  expect(app.model.calls[1]?.messages.map(({ text }) => text)).toEqual(["What is there?", "We have brie.", "How much is it?"]);
  expect(app.stores.size).toBe(1);
  expect(app.errors).toEqual([]);
});

test("what the agent's tools ask is asked of the client's person, one after the other", async () => {
  const ran: unknown[] = [];
  const app = shop([calls("brie"), calls("gold"), "I have ordered brie."], [order(ran)]);
  const client = await app.connect();
  const asked: string[] = [];
  client.setRequestHandler("elicitation/create", ({ params }) => {
    const { message } = params as ElicitRequestFormParams;
    asked.push(message);
    return { action: "accept", content: { approved: message.includes("brie") } };
  });
  const result = await client.callTool({ name: "ask_shop", arguments: { message: "Order brie and gold." } });
  expect(result.structuredContent).toMatchObject({ answer: "I have ordered brie." });
  expect(asked.map((message) => /brie|gold/.exec(message)?.[0])).toEqual(["brie", "gold"]);
  expect(ran).toEqual(["brie"]);
});

test("while a question of a conversation is open, nothing else is said in it, and an answer given twice counts once", async () => {
  const ran: unknown[] = [];
  const app = shop([calls("brie"), "It is ordered."], [order(ran)]);
  const client = await app.connect({ inputRequired: { autoFulfill: false } });
  const send = (params: object) => round(client, { name: "ask_shop", arguments: { message: "Order brie." }, ...params });
  const asked = (await send({})) as InputRequiredResult;
  const [id = ""] = [...app.stores.keys()];
  const conversation = id.split(":").at(-1);
  const other = (await send({ arguments: { message: "Now!", conversation } })) as CallToolResult;
  expect(other.isError).toBe(true);
  expect(textOf(other)).toMatch(/waits for a person/);
  const yes = { requestState: asked.requestState, inputResponses: { answer: { action: "accept", content: { approved: true } } } };
  for (const _ of [1, 2])
    expect(await send(yes)).toMatchObject({ structuredContent: { answer: "It is ordered.", conversation } });
  expect(ran).toEqual(["brie"]);
  expect(app.model.calls).toHaveLength(2);
});

test.each<[string, Record<string, unknown>, RegExp]>([
  ["no message", {}, /`message`/],
  ["an empty message", { message: " " }, /`message`/],
  ["a conversation that there is none of", { message: "Hi", conversation: crypto.randomUUID() }, /no such conversation/],
  ["a conversation that is none", { message: "Hi", conversation: "../../ann" }, /no such conversation/],
])("%s is refused without a model", async (_, input, message) => {
  const app = shop([]);
  const result = await (await app.connect()).callTool({ name: "ask_shop", arguments: input });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toMatch(message);
  expect(app.model.calls).toEqual([]);
});

test("nobody goes on with another owner's conversation", async () => {
  const owner = (request: Request) => request.headers.get("x-user") ?? "";
  const app = shop(["Hello Ann.", "Never."], [], { owner });
  const [ann, bob] = [await app.connect({}, { "x-user": "ann" }), await app.connect({}, { "x-user": "bob" })];
  const first = await ann.callTool({ name: "ask_shop", arguments: { message: "I am Ann." } });
  const { conversation } = first.structuredContent as { readonly conversation: string };
  const other = await bob.callTool({ name: "ask_shop", arguments: { message: "Who am I?", conversation } });
  expect(textOf(other)).toMatch(/no such conversation/);
  expect(app.model.calls).toHaveLength(1);
});

test("what a model fails with stays on the server", async () => {
  const failing = {
    name: "failing",
    setSystemPrompt() {},
    prompt: () => Promise.reject(new Error("the key sk-123 is not valid")),
  };
  const app = mcpApp([], { tools: [], agent }, { config: { createModel: () => failing } });
  const result = await (await app.connect()).callTool({ name: "ask_shop", arguments: { message: "Hi" } });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toBe("The agent could not answer. Try again.");
  expect(app.errors.join()).toContain("sk-123");
});

test("a model that fails behind a call is asked again when the answer is repeated, and the tool runs once", async () => {
  const ran: unknown[] = [];
  const down = () => {
    throw new Error("down");
  };
  const app = shop([{ text: "I look.", ...(calls("brie") as object) }, down, "It is ordered."], [order(ran)]);
  const client = await app.connect({ inputRequired: { autoFulfill: false } });
  const send = (params: object) => round(client, { name: "ask_shop", arguments: { message: "Order brie." }, ...params });
  const { requestState } = (await send({})) as InputRequiredResult;
  const yes = { requestState, inputResponses: { answer: { action: "accept", content: { approved: true } } } };
  expect(textOf((await send(yes)) as CallToolResult)).toBe("The agent could not answer. Try again.");
  expect(await send(yes)).toMatchObject({ structuredContent: { answer: "It is ordered." } });
  expect(ran).toEqual(["brie"]);
});

test("an answer that is too long is not told in part", async () => {
  const app = shop(["x".repeat(2_000)], [], { limits: { resultLetters: 1_000 } });
  const result = await (await app.connect()).callTool({ name: "ask_shop", arguments: { message: "Hi" } });
  expect(textOf(result)).toBe('The answer of "ask_shop" has 2000 letters, and 1000 are the most.');
});
