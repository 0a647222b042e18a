// The events of an endpoint, for models of the application: answers, and what is none. The grammar is the core's (tests/it).
import { parseSSEStream } from "glove-wasm";
import { expect, test, vi } from "vitest";

const encoder = new TextEncoder();

function stream(chunks: readonly (string | Uint8Array)[], cancelled?: () => void): ReadableStream<Uint8Array> {
  const left = [...chunks];
  return new ReadableStream({
    pull(controller) {
      const chunk = left.shift();
      if (chunk === undefined) return controller.close();
      controller.enqueue(typeof chunk === "string" ? encoder.encode(chunk) : chunk);
    },
    cancel: () => cancelled?.(),
  });
}

function answer(chunks: readonly string[], init: ResponseInit = { headers: { "content-type": "text/event-stream" } }): Response {
  return new Response(stream(chunks), init);
}

async function all<T>(events: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const event of events) list.push(event);
  return list;
}

const done = { type: "done", message: { sender: "agent", text: "Hi" }, tokens_in: 1, tokens_out: 2 };
const end = `data: ${JSON.stringify(done)}\n\n`;
const delta = (text: string) => ({ type: "text_delta", text });
const said = (text: string) => `data: ${JSON.stringify(delta(text))}\n\n`;

test("the events of an answer come in their order, to the last one, and nothing after it", async () => {
  const events = await all(parseSSEStream(answer([said("H"), said("i"), end, said("late")])));
  // What comes together is told together.
  expect(
    events
      .slice(0, -1)
      .map((event) => (event as { text: string }).text)
      .join(""),
  ).toBe("Hi");
  expect(events.at(-1)).toEqual(done);
});

test("text that only the end tells is told before it, as a session is told", async () => {
  expect(await all(parseSSEStream(answer(["data: [DONE]\n\n", end])))).toEqual([delta("Hi"), done]);
});

test("a call that has an event of its own only is in the message too, as a session has it", async () => {
  const use = { type: "tool_use", id: "c", name: "add", input: { n: 1 } };
  const last = { ...done, message: { sender: "agent", text: "" } };
  const events = await all(parseSSEStream(answer([use, last].map((event) => `data: ${JSON.stringify(event)}\n\n`))));
  expect(events.at(-2)).toEqual(use);
  expect(events.at(-1)).toMatchObject({
    type: "done",
    message: { tool_calls: [{ tool_name: "add", input_args: { n: 1 }, id: "c" }] },
  });
});

test.each([
  [
    "a page instead of events",
    answer(["<html>Log in</html>"], { headers: { "content-type": "text/html" } }),
    "MODEL_BAD_RESPONSE",
    "Log in",
  ],
  ["a failure", answer(['{"why":"key"}'], { status: 401, statusText: "Unauthorized" }), "MODEL_AUTHENTICATION", '401: {"why"'],
  ["too many requests", answer([], { status: 429 }), "MODEL_RATE_LIMIT", "429"],
  ["no body", new Response(null), "MODEL_STREAM_CUT", "cut off"],
  ["no end", answer([said("x")]), "MODEL_STREAM_CUT", "cut off"],
  ["bad JSON", answer(["data: {oops\n\n"]), "MODEL_BAD_RESPONSE", "{oops"],
  [
    "a failure that is told",
    answer([`data: {"type":"error","code":"MODEL_OVERLOADED","message":"Busy."}\n\n`]),
    "MODEL_OVERLOADED",
    "Busy.",
  ],
])("%s is a typed error that shows what came", async (_, response, code, message) => {
  await expect(all(parseSSEStream(response))).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
});

test("a reader who stops early closes the connection", async () => {
  const cancelled = vi.fn();
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode(said("x"))),
    cancel: () => cancelled(),
  });
  const response = new Response(body, { headers: { "content-type": "text/event-stream" } });
  for await (const _ of parseSSEStream(response)) break;
  await vi.waitFor(() => expect(cancelled).toHaveBeenCalledOnce());
});

test("a reader who leaves while it waits for an event closes the connection at once", async () => {
  const cancelled = vi.fn();
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode(said("x"))),
    cancel: () => cancelled(),
  });
  const events = parseSSEStream(new Response(body, { headers: { "content-type": "text/event-stream" } }));
  expect(await events.next()).toMatchObject({ value: { text: "x" } });
  const next = events.next();
  const began = performance.now();
  expect(await events.return()).toMatchObject({ done: true });
  expect(await next).toMatchObject({ done: true });
  expect(performance.now() - began).toBeLessThan(250);
  await vi.waitFor(() => expect(cancelled).toHaveBeenCalledOnce(), { timeout: 250 });
});
