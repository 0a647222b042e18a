// Server-sent events: the grammar of the standard, in any chunks, and answers that are none.
import { expect, test, vi } from "vitest";
import { parseSSEStream, sseData } from "../../js/src/models/sse.js";

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

test.each([
  ["LF", 'data: {"a":1}\n\ndata: {"a":2}\n\n', ['{"a":1}', '{"a":2}']],
  ["CRLF", 'data: {"a":1}\r\n\r\ndata: {"a":2}\r\n\r\n', ['{"a":1}', '{"a":2}']],
  ["CR", 'data: {"a":1}\r\rdata: {"a":2}\r\r', ['{"a":1}', '{"a":2}']],
  ["no space after the colon", "data:x\n\n", ["x"]],
  ["only one space is taken away", "data:  x\n\n", [" x"]],
  ["comments and other fields", ": ping\nevent: m\nid: 7\nretry: 1\ndata: x\nid: 8\n\n: bye\n\n", ["x"]],
  ["several data lines are one text", "data: a\ndata: b\ndata\n\n", ["a\nb\n"]],
  ["a byte order mark in front", "\uFEFFdata: x\n\n", ["x"]],
  ["no blank line at the end", "data: x", ["x"]],
  ["letters of several bytes", "data: é😀漢\n\n", ["é😀漢"]],
])("%s", async (_, text, data) => {
  const bytes = encoder.encode(text);
  for (const size of [1, 2, 3, bytes.length]) {
    const chunks: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.slice(at, at + size));
    expect(await all(sseData(stream(chunks)))).toEqual(data);
  }
});

test("an event of a megabyte in small chunks takes no time that grows with its square", async () => {
  const text = `data: "${"x".repeat(1 << 20)}"\n\n`;
  const chunks = text.match(/[\s\S]{1,1024}/g) ?? [];
  const since = performance.now();
  expect((await all(sseData(stream(chunks))))[0]).toHaveLength((1 << 20) + 2);
  expect(performance.now() - since).toBeLessThan(1000);
});

test("events are given to the last one, and nothing after it", async () => {
  const events = await all(parseSSEStream(answer(['data: {"type":"text_delta","text":"Hi"}\n\n', end, "data: late\n\n"])));
  expect(events).toEqual([{ type: "text_delta", text: "Hi" }, done]);
});

test("the end mark that other protocols send is passed over", async () => {
  expect(await all(parseSSEStream(answer(["data: [DONE]\n\n", end])))).toEqual([done]);
});

test.each([
  [
    "a page instead of events",
    answer(["<html>Log in</html>"], { headers: { "content-type": "text/html" } }),
    "MODEL_BAD_RESPONSE",
    "text/event-stream: Log in",
  ],
  [
    "a failure",
    answer(['{"why":"key"}'], { status: 401, statusText: "Unauthorized" }),
    "MODEL_AUTHENTICATION",
    '401 Unauthorized: {"why"',
  ],
  ["too many requests", answer([], { status: 429 }), "MODEL_RATE_LIMIT", "429"],
  ["no body", new Response(null), "MODEL_BAD_RESPONSE", "no body"],
  ["no end", answer(['data: {"type":"text_delta","text":"x"}\n\n']), "MODEL_STREAM_CUT", "Stream ended without a 'done' event"],
  ["bad JSON", answer(["data: {oops\n\n"]), "MODEL_BAD_RESPONSE", "{oops"],
])("%s is a typed error that shows what came", async (_, response, code, message) => {
  await expect(all(parseSSEStream(response))).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
});

test("a reader who stops early closes the connection", async () => {
  const cancelled = vi.fn();
  const response = new Response(stream(['data: {"type":"text_delta","text":"x"}\n\n', end], cancelled), {
    headers: { "content-type": "text/event-stream" },
  });
  for await (const _ of parseSSEStream(response)) break;
  expect(cancelled).toHaveBeenCalledOnce();
});
