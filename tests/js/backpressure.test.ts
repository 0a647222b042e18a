// A client that reads slowly, or not at all: the provider is read as fast as the client reads, and an answer has an end.
import { setTimeout as sleep } from "node:timers/promises";
import type { GloveError } from "glove-wasm";
import { type ChatHandlerConfig, createChatHandler } from "glove-wasm/server";
import { afterEach, expect, test, vi } from "vitest";
import { guard } from "../../pkg/src/wasm/providers.js";

const encoder = new TextEncoder();
const said = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
const end = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

/** A provider whose answer is so many pieces of text, made when they are asked for. */
function upstream(pieces: number, length: number) {
  const told = { bytes: 0, cancelled: false };
  const piece = encoder.encode(said("x".repeat(length)));
  let left = pieces;
  const fetch = async () =>
    new Response(
      new ReadableStream(
        {
          pull(controller) {
            const chunk = left-- > 0 ? piece : encoder.encode(end);
            told.bytes += chunk.length;
            controller.enqueue(chunk);
            if (left < 0) controller.close();
          },
          cancel() {
            told.cancelled = true;
          },
        },
        { highWaterMark: 0 },
      ),
      { headers: { "content-type": "text/event-stream" } },
    );
  return { fetch, told };
}

const ask = () =>
  new Request("http://here/chat", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ systemPrompt: "", messages: [{ sender: "user", text: "hi" }] }),
  });
let errors: GloveError[] = [];
afterEach(() => {
  errors = [];
});
const handler = (config: Partial<ChatHandlerConfig>) =>
  createChatHandler({
    provider: "openai",
    model: "gpt-4.1",
    apiKey: "sk-test-key-1",
    onError: (error) => errors.push(error),
    ...config,
  });

test("a client that never reads holds the provider back, and gets all of it when it reads", async () => {
  const { fetch, told } = upstream(2_000, 4_000);
  const response = await handler({ fetch })(ask());
  await sleep(300);
  expect(told.bytes).toBeLessThan(1_000_000);
  const text = await response.text();
  expect(text.split("x").length - 1).toBeGreaterThanOrEqual(8_000_000);
  expect(text).toContain('"type":"done"');
  expect(errors).toEqual([]);
});

test("a model of the application that awaits what it tells waits for the client too", async () => {
  let told = 0;
  const createModel = () => ({
    name: "own",
    setSystemPrompt() {},
    async prompt(_: unknown, notify: (type: string, data: unknown) => Promise<void>) {
      for (; told < 2_000; told++) await notify("text_delta", { text: "x".repeat(4_000) });
      return { messages: [{ sender: "agent" as const, text: "" }], tokens_in: 1, tokens_out: 1 };
    },
  });
  const response = await createChatHandler({ createModel, onError: (error) => errors.push(error) })(ask());
  await sleep(300);
  expect(told).toBeLessThan(200);
  await response.text();
  expect([told, errors]).toEqual([2_000, []]);
});

test("a client that leaves without having read closes the provider's connection", async () => {
  const { fetch, told } = upstream(2_000, 4_000);
  const response = await handler({ fetch })(ask());
  await response.body?.cancel();
  await expect.poll(() => told.cancelled).toBe(true);
});

test("an answer beyond the limit ends with an error that says which limit", async () => {
  const { fetch, told } = upstream(1_000_000, 4_000);
  const response = await handler({ fetch, policy: { answerBytes: 100_000 } })(ask());
  const events = (await response.text()).split("\n\n").filter((line) => line.startsWith("data: "));
  const last = JSON.parse(events.at(-1)?.slice(6) ?? "{}");
  expect([last.type, last.code]).toEqual(["error", "MODEL_BAD_RESPONSE"]);
  expect(errors.map(({ code, message }) => `${code}: ${message}`).join()).toMatch(/100,?000 bytes.*`policy.answerBytes`/);
  expect(told.bytes).toBeLessThan(2_000_000);
});

test("eight megabytes are the limit unless another one is given, and 0 is none", async () => {
  const ended = async (policy?: ChatHandlerConfig["policy"]) => {
    const { fetch } = upstream(250, 40_000);
    const text = await (await handler({ fetch, ...(policy && { policy }) })(ask())).text();
    return text.includes('"type":"done"');
  };
  expect([await ended(), await ended({ answerBytes: 0 })]).toEqual([false, true]);
});

test("memory that a large answer took is given back when nobody is answered any more", async () => {
  const { fetch } = upstream(1_000, 40_000);
  const serve = handler({ fetch, policy: { answerBytes: 0 } });
  await (await serve(ask())).text();
  expect(guard.memoryBytes()).toBeLessThan(64 * 1024 * 1024);
  const again = upstream(1, 5);
  expect(await (await handler({ fetch: again.fetch })(ask())).text()).toContain("xxxxx");
});

test("where no stream can be made the request fails, and nobody waits for ever", async () => {
  const { fetch } = upstream(1, 5);
  const answered = await fetch();
  const construct = (target: typeof ReadableStream, args: unknown[]): ReadableStream => {
    // That of an answer counts its bytes.
    if ((args[1] as QueuingStrategy | undefined)?.size) throw new Error("There are no streams here.");
    return Reflect.construct(target, args);
  };
  vi.stubGlobal("ReadableStream", new Proxy(ReadableStream, { construct }));
  const response = await handler({ fetch: async () => answered })(ask()).finally(() => vi.unstubAllGlobals());
  expect([response.status, (await response.json()).error.code]).toEqual([500, "INTERNAL"]);
  expect(errors.map(({ message }) => message).join()).toContain("There are no streams here.");
});
