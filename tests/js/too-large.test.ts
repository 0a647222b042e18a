// Pictures that are larger than a handler takes: what the person reads, and how the conversation goes on.
import { createEndpointModel, GloveClient, MemoryStore } from "glove-wasm";
import { type ChatHandlerConfig, createChatHandler } from "glove-wasm/server";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openProvider, type Provider, speak } from "../support/provider.js";
import { serve } from "../support/server.js";

const note = "[image left out: it was too large to send]";

let provider: Provider;
let close: () => Promise<void>;
let endpoint: string;
let told: string[];

beforeEach(async () => {
  provider = await openProvider();
  told = [];
  await listen({ onError: ({ code, message }) => told.push(`${code}: ${message}`) });
});
afterEach(async () => {
  await close();
  await provider.close();
});

async function listen(config: Partial<ChatHandlerConfig>): Promise<void> {
  const handle = createChatHandler({ provider: "anthropic", apiKey: "k", baseURL: provider.url, ...config });
  const app = await serve("", { routes: { "/api/chat": handle } });
  [endpoint, close] = [`${app.url}/api/chat`, app.close];
}

function picture(bytes: number): File {
  return new File([new Uint8Array(bytes).fill(7)], "photo.png", { type: "image/png" });
}

/** What the provider was sent last, each picture as its length. */
function lastAsked(): unknown[] {
  type Content = { text?: string; source?: { data: string } }[];
  const body = provider.asked.at(-1)?.body as { messages: { content: Content }[] } | undefined;
  return (body?.messages ?? []).flatMap(({ content }) => content.map(({ text, source }) => text ?? source?.data.length));
}

test("a picture that the handler refuses has its code and a way out, and the conversation goes on after a reload", async () => {
  const store = new MemoryStore("s1");
  const open = () => new GloveClient({ endpoint, systemPrompt: "", createStore: () => store }).session("s1");
  const session = open();
  const message =
    "The request is too large: send a smaller picture or file. The pictures and files so far are not sent again: send smaller ones, or go on without.";
  const sent = session.sendMessage({ text: "What is this?", files: [picture(6_500_000)] });
  await expect(sent).rejects.toMatchObject({ code: "BODY_TOO_LARGE", message });
  expect(session.getSnapshot().error).toMatchObject({ code: "BODY_TOO_LARGE", message });
  expect(told).toEqual([
    "BODY_TOO_LARGE: A request body exceeded 8388608 bytes. To allow larger ones, raise the handler's limits.bodyBytes.",
  ]);
  expect(provider.asked).toEqual([]);

  provider.reply(
    { body: speak.anthropic(["I see none."]) },
    { body: speak.anthropic(["And now?"]) },
    { body: speak.anthropic(["A dot."]) },
  );
  await session.resume();
  expect(lastAsked()).toEqual([`${note}\n\nWhat is this?`]);
  session.dispose();

  const reopened = open();
  await reopened.sendMessage("And now?");
  expect(lastAsked()).toEqual([`${note}\n\nWhat is this?`, "I see none.", "And now?"]);
  await reopened.sendMessage({ text: "This one", files: [picture(30)] });
  expect(lastAsked().slice(-2)).toEqual([40, "This one"]);
  const shown = reopened.getSnapshot().timeline.filter((entry) => entry.kind === "user");
  expect(shown.map((entry) => entry.images?.length ?? 0)).toEqual([1, 0, 1]);
});

test("a refusal for its size by the provider behind the handler is told as one", async () => {
  const error = { type: "error", error: { type: "request_too_large", message: "Request exceeds the maximum size" } };
  provider.reply({ status: 413, body: [JSON.stringify(error)] }, { body: speak.anthropic(["ok"]) });
  const session = new GloveClient({ endpoint, systemPrompt: "" }).session("s1");
  const sent = session.sendMessage({ text: "Look", files: [picture(30)] });
  await expect(sent).rejects.toMatchObject({ code: "BODY_TOO_LARGE" });
  await session.resume();
  expect(lastAsked()).toEqual([`${note}\n\nLook`]);
});

test("a server that nobody listens to says once how its limit is raised", async () => {
  await close();
  const console = vi.spyOn(globalThis.console, "error").mockImplementation(() => {});
  await listen({ limits: { bodyBytes: 100 } });
  const session = new GloveClient({ endpoint, systemPrompt: "" }).session("s1");
  for (const text of ["x".repeat(200), "y".repeat(200)]) {
    await expect(session.sendMessage(text)).rejects.toMatchObject({ code: "BODY_TOO_LARGE" });
  }
  expect(console.mock.calls).toEqual([[expect.stringMatching(/^createChatHandler: .*limits\.bodyBytes\.$/)]]);
  console.mockRestore();
});

test.each<[string, Partial<ChatHandlerConfig>]>([
  ["for its size", {}],
  ["for who sends it", { authorize: ({ headers }) => headers.get("x-large") === null }],
])("an upload that is refused %s blocks no request behind it", async (_, config) => {
  await close();
  await listen({ onError() {}, ...config });
  provider.reply({ body: speak.anthropic(["ok"]) });
  const post = async (length: number) => {
    const headers = { "content-type": "application/json", ...(length > 10 && { "x-large": "1" }) };
    const body = JSON.stringify({ messages: [{ sender: "user", text: "x".repeat(length) }] });
    const response = await fetch(endpoint, { method: "POST", headers, body });
    await response.text();
    return response.status;
  };
  const refused = await post(9_000_000);
  expect(refused).toBeGreaterThan(400);
  expect([await post(10), await post(10), await post(9_000_000), await post(10), await post(10)]).toEqual([
    200,
    200,
    refused,
    200,
    200,
  ]);
});

test.each<[string, Partial<ChatHandlerConfig>, string]>([
  ["many messages", { limits: { messages: 0 } }, "TOO_MANY_MESSAGES"],
  ["a long prompt", { limits: { systemPromptBytes: 1 } }, "SYSTEM_PROMPT_TOO_LONG"],
  ["nobody signed in", { authorize: () => false }, "UNAUTHORIZED"],
])("the page reads the code that the handler tells: %s", async (_, config, code) => {
  await close();
  await listen(config);
  const session = new GloveClient({ endpoint, systemPrompt: "Be kind." }).session("s1");
  await expect(session.sendMessage("Hi")).rejects.toMatchObject({ code });
});

test.each([
  [
    404,
    "<!doctype html><pre>Cannot POST /api/chat</pre>",
    "MODEL_BAD_REQUEST",
    /^HTTP 404: a web page \(Cannot POST \/api\/chat\); check `endpoint` \(\/api\/chat\)/,
  ],
  [
    200,
    "<!doctype html><title>Sign in</title><p>…",
    "MODEL_BAD_RESPONSE",
    /a web page \(Sign in\); check `endpoint` \(\/api\/chat\)/,
  ],
  [404, "Not Found", "MODEL_BAD_REQUEST", /^HTTP 404: Not Found; check `endpoint` \(\/api\/chat\)/],
])("an endpoint that is none is named, with %i and without the source of its page", async (status, body, code, message) => {
  vi.stubGlobal("fetch", async () => new Response(body, { status, headers: { "content-type": "text/html" } }));
  const session = new GloveClient({ endpoint: "/api/chat?key=k-1234567", systemPrompt: "" }).session("s1");
  const error = await session.sendMessage("Hi").catch((error: Error) => error);
  expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
  expect((error as Error).message).not.toMatch(/<|k-1234567/);
  vi.unstubAllGlobals();
});

test("what cannot be reached names the address and CORS", async () => {
  vi.stubGlobal("fetch", async () => Promise.reject(new TypeError("Failed to fetch")));
  const policy = { maxRetries: 0 };
  const createModel = () => createEndpointModel("https://api.example/chat?t=1", { policy });
  const session = new GloveClient({ createModel, systemPrompt: "" }).session("s1");
  const message = expect.stringMatching(/Failed to fetch.*`endpoint` \(\/chat\).*CORS/);
  await expect(session.sendMessage("Hi")).rejects.toMatchObject({ code: "MODEL_NETWORK", message });
  vi.unstubAllGlobals();
});
