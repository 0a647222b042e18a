// Values of 100,000 levels, wherever they may come in: refused with a code or passed on, and never a trap.
import { createEndpointModel, type Fetch, GloveClient, type ToolConfig } from "glove-wasm";
import { createChatHandler } from "glove-wasm/server";
import { createScriptedModel } from "glove-wasm/testing";
import { expect, test } from "vitest";
import { texts, until } from "../support/session.js";

const levels = 100_000;
const deepText = "[".repeat(levels) + "]".repeat(levels);
const deep: unknown = JSON.parse(deepText);
const schema = { "~standard": { version: 1 as const, vendor: "x", validate: (value: unknown) => ({ value }) } };

const echo: ToolConfig = {
  name: "echo",
  description: "",
  inputSchema: schema,
  jsonSchema: {},
  do: (input) => input,
};

function session(events: readonly string[][], tools: ToolConfig[]) {
  let at = 0;
  const fetch: Fetch = async () => {
    const body = (events[at++] ?? []).map((event) => `data: ${event}\n\n`).join("");
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  const client = new GloveClient({ createModel: () => createEndpointModel("http://host/", { fetch }), systemPrompt: "", tools });
  return client.session("s");
}

const done = (text: string) => `{"type":"done","message":{"sender":"agent","text":"${text}"},"tokens_in":1,"tokens_out":1}`;

test("arguments that a model sends", async () => {
  const calls = [`{"type":"tool_use","id":"c1","name":"echo","input":${deepText}}`, done("")];
  let ran = 0;
  const held = session([calls, [done("Well.")]], [{ ...echo, do: () => ran++ }]);
  expect((await held.sendMessage("Hi")).type).toBe("completed");
  expect(ran).toBe(0);
  expect(texts(held.getSnapshot())[1]).toMatch(/^echo: error The arguments are not valid/);
});

test("what a tool gives", async () => {
  const model = createScriptedModel([{ toolCalls: [{ name: "give" }] }, "Well."]);
  const give = { ...echo, name: "give", do: () => deep };
  const held = new GloveClient({ createModel: () => model, systemPrompt: "", tools: [give] }).session("s");
  expect((await held.sendMessage("Hi")).type).toBe("completed");
  expect(texts(held.getSnapshot())[1]).toMatch(/^give: error .*cannot be JSON/);
});

test("what a person answers, and what a tool shows", async () => {
  const model = createScriptedModel([{ toolCalls: [{ name: "ask" }] }, "Well."]);
  const ask: ToolConfig = {
    ...echo,
    name: "ask",
    do: async (_, display) => (await display.pushAndWait({ input: deep })) === deep,
  };
  const held = new GloveClient({ createModel: () => model, systemPrompt: "", tools: [ask] }).session("s");
  const going = held.sendMessage("Hi");
  const { slots } = await until(held, ({ slots }) => slots.length === 1);
  expect(slots[0]?.input).toBe(deep);
  expect(held.resolveSlot(slots[0]?.id ?? "", deep)).toBe(true);
  await going;
  expect(texts(held.getSnapshot())[1]).toBe("ask: success true");
});

test("what is posted to a chat handler", async () => {
  const handler = createChatHandler({ provider: "openai", model: "m", apiKey: "k" });
  const body = `{"systemPrompt":"","messages":[{"sender":"user","text":"Hi","extra":${deepText}}]}`;
  const response = await handler(
    new Request("http://host/", { method: "POST", headers: { "content-type": "application/json" }, body }),
  );
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { code: expect.stringMatching(/BODY_NOT_JSON|REQUEST_INVALID/) } });
});
