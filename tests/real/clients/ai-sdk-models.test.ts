// Models of the AI SDK's own providers behind our chat handler: `fromAiSdkModel`, with stand-ins for their APIs that judge what is asked.
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { afterEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { createChatHandler, fromAiSdkModel } from "../../../js/server/index.js";
import { createEndpointModel, defineTool, GloveClient, type GloveSession } from "../../../js/src/index.js";
import { openProvider, type Provider } from "../../support/provider.js";
import { type Api, answered } from "./answers.js";
import { png, question } from "./situations.js";

let provider: Provider;
const sessions: GloveSession[] = [];
afterEach(async () => {
  for (const session of sessions.splice(0)) session.dispose();
  await provider.close();
});

interface Vendor {
  readonly name: string;
  readonly host: string;
  readonly api: Api;
  model(url: string): Parameters<typeof fromAiSdkModel>[0];
  /** What makes it think, where it tells its thoughts. */
  readonly thinks?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const openai = (url: string) => createOpenAI({ apiKey: "k", baseURL: `${url}/v1` });
const vendors: readonly Vendor[] = [
  { ...{ name: "OpenAI chat", host: "openai", api: "chat" as const }, model: (url) => openai(url).chat("gpt-4.1") },
  {
    ...{ name: "OpenAI responses", host: "openai-responses", api: "responses" as const },
    model: (url) => openai(url).responses("gpt-5.1"),
    thinks: { openai: { store: false, reasoningEffort: "low", reasoningSummary: "auto" } },
  },
  {
    ...{ name: "Anthropic", host: "anthropic", api: "anthropic" as const },
    model: (url) => createAnthropic({ apiKey: "k", baseURL: `${url}/v1` })("claude-sonnet-4-20250514"),
    thinks: { anthropic: { thinking: { type: "enabled", budgetTokens: 2000 } } },
  },
];

const call = { id: "call12345", name: "look", args: '{"a": 1}' };
const text = "It rains, é 🌧.";
const thought = "I look.";

/** A page whose endpoint is the handler. */
async function chat({ host, model, thinks }: Vendor, isThinking = false) {
  provider = await openProvider(host);
  const { url } = provider;
  const options = isThinking && thinks ? { providerOptions: thinks } : {};
  const handler = createChatHandler({ createModel: () => fromAiSdkModel(model(url), options), reasoning: true });
  const fetch = (address: string, init: RequestInit) => handler(new Request(new URL(address, "http://app.test"), init));
  const ran = vi.fn((_: { a: number }) => "rain");
  const look = { name: "look", description: "Looks out of the window.", inputSchema: z.object({ a: z.number().int() }) };
  const client = new GloveClient({
    createModel: () => createEndpointModel("/chat", { fetch, policy: { maxRetries: 0 } }),
    ...{ systemPrompt: "You help.", tools: [defineTool({ ...look, do: ran })] },
  });
  const session = client.session("s");
  sessions.push(session);
  return { session, ran };
}

test.each(vendors)("$name: a text streams, and its tokens are counted", async (vendor) => {
  const { session } = await chat(vendor);
  provider.reply(answered(vendor.api, { text }, true));
  expect(await session.sendMessage(question)).toMatchObject({ type: "completed", text });
  const { tokens_in, tokens_out } = session.getSnapshot().stats;
  expect(tokens_in * tokens_out).toBeGreaterThan(0);
  expect(provider.asked[0]?.findings).toEqual([]);
  expect(JSON.stringify(provider.asked[0]?.body)).toContain("You help.");
});

test.each(vendors)("$name: a tool of the page runs once, and its result goes back with the call", async (vendor) => {
  const { session, ran } = await chat(vendor, true);
  const thinks = vendor.thinks && { thought };
  provider.reply(answered(vendor.api, { text: "Wait.", call, ...thinks }, true), answered(vendor.api, { text, ...thinks }, true));
  expect(await session.sendMessage(question)).toMatchObject({ type: "completed", text });
  expect(ran.mock.calls.map(([input]) => input)).toEqual([{ a: 1 }]);
  expect(provider.asked.map(({ findings }) => findings)).toEqual([[], []]);
  const again = JSON.stringify(provider.asked[1]?.body);
  for (const said of ["Wait.", "call12345", "rain"]) expect(again).toContain(said);
  // With what is thought before the call, signed.
  if (vendor.api === "anthropic") expect(again).toContain(thought);
  if (thinks)
    expect(session.getSnapshot().timeline).toContainEqual(expect.objectContaining({ kind: "agent_text", reasoning: thought }));
});

test.each(vendors)("$name: an image goes to the model", async (vendor) => {
  const { session } = await chat(vendor);
  provider.reply(answered(vendor.api, { text }, true));
  const image = { data: png, media_type: "image/png" };
  expect(await session.sendMessage({ text: question, images: [image] })).toMatchObject({ type: "completed" });
  expect(provider.asked[0]?.findings).toEqual([]);
  expect(JSON.stringify(provider.asked[0]?.body)).toContain(png);
});

test.each(vendors)("$name: Stop closes the connection to the provider, and what was seen is kept", async (vendor) => {
  const { session } = await chat(vendor);
  const { body, ...reply } = answered(vendor.api, { text: "It rains and rains." }, true);
  const early = body.slice(0, body.findIndex((piece) => /"It[ "]/.test(String(piece))) + 1);
  provider.reply({ ...reply, body: [...early, 60_000] });
  const sent = session.sendMessage(question);
  await vi.waitFor(() => expect(session.getSnapshot().streamingText).toBe("It "), { timeout: 10_000 });
  session.abort();
  expect(await sent).toEqual({ type: "aborted" });
  await vi.waitFor(() => expect(provider.asked[0]?.left).toBeGreaterThan(0), { timeout: 5_000 });
  expect(session.getSnapshot().timeline.at(-1)).toMatchObject({ text: "It ", partial: true });
});

test.each([
  [401, "MODEL_AUTHENTICATION"],
  [429, "MODEL_RATE_LIMIT"],
  [500, "MODEL_SERVER"],
  [400, "MODEL_BAD_REQUEST"],
])("a refusal with %s is %s", async (status, code) => {
  for (const vendor of vendors) {
    const { session } = await chat(vendor);
    const refusal = JSON.stringify({ type: "error", error: { type: "no", message: "Not so." } });
    provider.reply({ status, headers: { "content-type": "application/json", "retry-after": "7" }, body: [refusal] });
    await expect(session.sendMessage(question)).rejects.toMatchObject({ code });
    expect(provider.asked).toHaveLength(1);
    session.dispose();
    await provider.close();
  }
});

test("a stream that is cut is no answer, and runs nothing", async () => {
  for (const vendor of vendors) {
    const { session, ran } = await chat(vendor);
    const { body, ...reply } = answered(vendor.api, { text: "Wait.", call }, true);
    provider.reply({ ...reply, body: [...body.slice(0, Math.ceil(body.length / 2)), 50, "cut"] });
    await expect(session.sendMessage(question)).rejects.toMatchObject({ code: expect.stringMatching(/^MODEL_/) });
    expect(ran).not.toHaveBeenCalled();
    session.dispose();
    await provider.close();
  }
});
