// A parameter that a model refuses is left out of its further requests, by an adapter and by a chat handler.
import { createAdapter, GloveClient, MemoryStore } from "glove-wasm";
import { createChatHandler } from "glove-wasm/server";
import { beforeEach, expect, test } from "vitest";
import { speak } from "../support/provider.js";
import { strictEvents } from "../support/strict-client.js";

// biome-ignore lint/suspicious/noExplicitAny: whatever was sent.
let bodies: any[];
beforeEach(() => {
  bodies = [];
});

/** Takes no token limit by its old name. */
const strict = async (_: string, { body }: RequestInit): Promise<Response> => {
  const sent = JSON.parse(String(body));
  bodies.push(sent);
  const message = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
  const error = { message, type: "invalid_request_error", param: "max_tokens", code: "unsupported_parameter" };
  if ("max_tokens" in sent) return new Response(JSON.stringify({ error }), { status: 400 });
  return new Response(speak.openai(["Hi"]).join(""), { headers: { "content-type": "text/event-stream" } });
};

const notice = {
  code: "PARAMETER_CHANGED",
  message:
    "`max_tokens` is sent as `max_completion_tokens`, because the model's provider refused the request with it: " +
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
};
const options = { provider: "lmstudio", model: "m", maxTokens: 500, fetch: strict } as const;

test("an adapter's session is refused once, says so once, and knows it in its other sessions too", async () => {
  const model = createAdapter(options);
  const heard: unknown[] = [];
  const record = (type: string, data: unknown) => void (type === "model_notice" && heard.push(data));
  const config = { createModel: () => model, systemPrompt: "", subscribers: [{ record }] };
  for (const id of ["s1", "s2"]) {
    const session = new GloveClient({ ...config, createStore: () => new MemoryStore(id) }).session(id);
    for (let turn = 0; turn < 2; turn++) expect(await session.sendMessage("hi")).toMatchObject({ type: "completed", text: "Hi" });
  }
  expect(heard).toEqual([notice]);
  expect(bodies.map((body) => body.max_completion_tokens)).toEqual([undefined, 500, 500, 500, 500]);
});

test("a chat handler is refused once, and its owner is told", async () => {
  const told: unknown[] = [];
  const handler = createChatHandler({ ...options, onNotice: (notice) => void told.push(notice) });
  const post = () =>
    new Request("http://here/api/chat", {
      method: "POST",
      body: JSON.stringify({ systemPrompt: "", messages: [{ sender: "user", text: "hi" }] }),
      headers: { "content-type": "application/json" },
    });
  const types = [];
  for (let turn = 0; turn < 2; turn++) types.push((await strictEvents(await handler(post()))).map(({ type }) => type));
  expect(types).toEqual([
    ["model_notice", "text_delta", "done"],
    ["text_delta", "done"],
  ]);
  expect([told, bodies.length]).toEqual([[notice], 3]);
});
