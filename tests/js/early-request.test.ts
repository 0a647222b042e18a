// The request that leaves before the core is there: when it may, and how its answer is handed to the core, once, or broken off.
import { expect, test, vi } from "vitest";
import { isKnown, mayAskEarly } from "../../js/src/early/eligible.js";
import { EarlyRequest } from "../../js/src/early/request.js";
import { textReader } from "../../js/src/early/shown-text.js";
import { createEndpointModel } from "../../js/src/models/endpoint.js";
import { transportOf, withTransport } from "../../js/src/models/transport.js";
import type { SessionConfig } from "../../js/src/ports/session-config.js";
import { hostFetch } from "../../js/src/relay/http.js";

const url = "/chat";
const core = '[["content-type","application/json"],["accept","text/event-stream"]]';
const piece = (text: string) => `data: ${JSON.stringify({ type: "text_delta", text })}\n\n`;
const bytes = (text: string) => new TextEncoder().encode(text);
const soon = () => new Promise((resolve) => setTimeout(resolve, 20));

/** An early request to an endpoint of a test, which streams what it is told to. */
function early(answer?: (init: RequestInit) => Promise<Response> | Response, headers?: () => Record<string, string>) {
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  let pulled = 0;
  const fetch = vi.fn(async (_: string, init: RequestInit) => {
    if (answer) return answer(init);
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          stream = controller;
        },
        pull: () => void pulled++,
      },
      { highWaterMark: 0 },
    );
    init.signal?.addEventListener("abort", () => stream?.error(init.signal?.reason));
    return new Response(body, { headers: { "x-from": "there" } });
  });
  const model = createEndpointModel(url, { fetch, ...(headers && { headers }) });
  const transport = transportOf(model);
  if (!transport) throw new Error("an endpoint has a transport");
  let shown = "";
  const request = new EarlyRequest(transport, "{}", (text) => {
    shown += text;
  });
  return {
    request,
    transport,
    fetch,
    say: (text: string) => stream?.enqueue(bytes(text)),
    close: () => stream?.close(),
    signal: () => fetch.mock.calls[0]?.[1].signal,
    shown: () => shown,
    pulled: () => pulled,
  };
}

/** What the core does with what it is given. */
async function read(fetch: ReturnType<EarlyRequest["take"]>, leave = new AbortController()) {
  if (!fetch) throw new Error("it was not handed on");
  const response = await hostFetch(fetch, url, core, "{}", leave.signal);
  let text = "";
  const over = response.read((chunk) => {
    text += new TextDecoder().decode(chunk);
  });
  return { response, over, text: () => text, leave };
}

test("the core gets all that has come and all that comes, of one call of the application's fetch", async () => {
  const headers = vi.fn(() => ({ authorization: "k" }));
  const { request, transport, fetch, say, close, shown } = early(undefined, headers);
  await soon();
  say(piece("Hel"));
  say(piece("lo").slice(0, 9));
  await vi.waitFor(() => expect(shown()).toBe("Hel"));
  const { response, over, text } = await read(request.take(transport, url, core, "{}"));
  say(piece("lo").slice(9));
  close();
  await over;
  expect(text()).toBe(piece("Hel") + piece("lo"));
  expect(shown()).toBe("Hel");
  expect(response).toMatchObject({ status: 200 });
  expect(response.header("x-from")).toBe("there");
  // It is told which headers went, so that it takes keys out of errors.
  expect(JSON.parse(response.sent as string)).toContainEqual(["authorization", "k"]);
  expect([fetch.mock.calls.length, headers.mock.calls.length]).toEqual([1, 1]);
  expect(request.take(transport, url, core, "{}")).toBeUndefined();
});

test("an answer that is over before the core comes is handed on whole", async () => {
  const { request, transport, say, close, shown } = early();
  await soon();
  say(piece("All"));
  close();
  await vi.waitFor(() => expect(shown()).toBe("All"));
  const { over, text } = await read(request.take(transport, url, core, "{}"));
  await over;
  expect(text()).toBe(piece("All"));
});

test("the core may ask before anything has come", async () => {
  const { request, transport, say, close, shown } = early();
  const reading = read(request.take(transport, url, core, "{}"));
  await soon();
  say(piece("All"));
  close();
  const { over, text } = await reading;
  await over;
  expect([text(), shown()]).toEqual([piece("All"), ""]);
});

test.each([
  ["address", "/other", core, "{}", true],
  ["headers", url, '[["content-type","application/json"]]', "{}", true],
  ["body", url, core, '{"a":1}', true],
  ["model", url, core, "{}", false],
])("with another %s it is broken off, and the core asks itself", async (_, to, headers, body, same) => {
  const { request, transport, signal } = early();
  await soon();
  expect(request.take(same ? transport : undefined, to, headers, body)).toBeUndefined();
  expect(signal()?.aborted).toBe(true);
  expect(request.take(transport, url, core, "{}")).toBeUndefined();
});

test("no more than a bound is kept of an answer, and the rest comes when the core takes it", async () => {
  const { request, transport, say, close, pulled } = early();
  const large = new Array(2 ** 16).join("x");
  await soon();
  for (let at = 0; at < 64; at++) say(large);
  await soon();
  await soon();
  const before = pulled();
  const { over, text } = await read(request.take(transport, url, core, "{}"));
  close();
  await over;
  expect(text().length).toBe(64 * large.length);
  expect(before).toBeLessThan(40);
});

test.each([401, 429, 500])("an answer with the status %s is the core's, unread", async (status) => {
  const { request, transport } = early(() => new Response("no", { status, headers: { "retry-after": "3" } }));
  await soon();
  const { response, over, text } = await read(request.take(transport, url, core, "{}"));
  await over;
  expect([response.status, response.header("retry-after"), text()]).toEqual([status, "3", "no"]);
});

test("what the application's fetch fails with the core hears, and with it which headers went", async () => {
  const { request, transport, fetch } = early(
    () => Promise.reject(new Error("no network")),
    () => ({ authorization: "k" }),
  );
  await soon();
  const failed = read(request.take(transport, url, core, "{}"));
  await expect(failed).rejects.toMatchObject({ message: "no network", sent: expect.stringContaining("authorization") });
  expect(fetch).toHaveBeenCalledTimes(1);
});

test("a connection that breaks off in the middle does so for the core, behind what has come", async () => {
  const broken = new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(bytes(piece("Hel"))),
      pull: (controller) => controller.error(new Error("cut")),
    },
    { highWaterMark: 0 },
  );
  const { request, transport, shown } = early(() => new Response(broken));
  await vi.waitFor(() => expect(shown()).toBe("Hel"));
  await soon();
  const { over, text } = await read(request.take(transport, url, core, "{}"));
  await expect(over).rejects.toThrow("cut");
  expect(text()).toBe(piece("Hel"));
});

test("the core that stops it closes the connection", async () => {
  const { request, transport, say, signal, shown } = early();
  await soon();
  say(piece("Hel"));
  await vi.waitFor(() => expect(shown()).toBe("Hel"));
  const { over, leave } = await read(request.take(transport, url, core, "{}"));
  leave.abort();
  await over.catch(() => {});
  expect(signal()?.aborted).toBe(true);
});

test("what nobody takes is broken off", async () => {
  const { request, transport, signal } = early();
  await soon();
  request.end();
  expect(signal()?.aborted).toBe(true);
  expect(request.take(transport, url, core, "{}")).toBeUndefined();
});

test("the text of a stream, however it is cut", () => {
  const stream = `: hello\r\n\r\n${piece("Gr")}event: x\ndata:{"type":"text_delta","text":"üße"}\n\ndata: {"type":"tool_use","text":"no"}\n\ndata: no json\n\ndata: {"type":"text_delta","text":7}\n\n${piece("😀")}`;
  const all = bytes(stream);
  for (let size = 1; size < 20; size++) {
    const read = textReader();
    let text = "";
    for (let at = 0; at < all.length; at += size) text += read(all.subarray(at, at + size));
    expect(text).toBe("Grüße😀");
  }
});

// ---- when it may leave -----------------------------------------------------------------------------------------------

const model = createEndpointModel(url);
const config = { systemPrompt: "You help.", model, tools: [] } as SessionConfig;
const tool = { name: "t", description: "d", jsonSchema: {}, do: () => null };
const may = (message: object, changes: object = {}, fresh = true, transport = transportOf(model)) =>
  mayAskEarly(fresh, transport, { ...config, ...changes }, message);

test("it leaves with text alone, in a session that was made a moment ago, to an endpoint", () => {
  expect(may({ text: "Hi" })).toBe(true);
  expect(may({ text: "Hi", metadata: { a: 1 }, whenBusy: "queue" })).toBe(true);
  expect(may({ text: "Hi" }, { tools: [tool], userId: "u", services: {}, prices: {}, budgets: { turns: 5 } })).toBe(true);
  expect(may({ text: "Hi", images: undefined }, { plugins: [], hooks: [], skills: [], middleware: [] })).toBe(true);
});

test.each([
  ["a session that may be stored", [{ text: "Hi" }, {}, false]],
  ["files", [{ text: "Hi", files: [{}] }]],
  ["images", [{ text: "Hi", images: ["x"] }]],
  ["parts", [{ text: "Hi", content: [{ type: "text", text: "x" }] }]],
  ["another model", [{ text: "Hi", model: "high" }]],
  ["an answer with a schema", [{ text: "Hi", output: {} }]],
  ["a trigger", [{ text: "Hi", trigger: true }]],
  ["an edit", [{ text: "Hi", edits: "x" }]],
  ["another answer", [{ text: "", regenerate: true }]],
  ["what a model says", [{ text: "Hi", byModel: true }]],
  ["something that is not known here", [{ text: "Hi", toolChoice: "x" }]],
  ["no text", [{}]],
  ["half a letter", [{ text: "Hi \ud83d" }]],
  ["half a letter in the prompt", [{ text: "Hi" }, { systemPrompt: "\udc00" }]],
  ["a long text", [{ text: "x".repeat(70_000) }]],
  ["plugins", [{ text: "Hi" }, { plugins: [{}] }]],
  ["hooks", [{ text: "Hi" }, { hooks: [{}] }]],
  ["middleware", [{ text: "Hi" }, { middleware: [{}] }]],
  ["skills", [{ text: "Hi" }, { skills: [{}] }]],
  ["other models", [{ text: "Hi" }, { models: {} }]],
  ["a tool that can be undone", [{ text: "Hi" }, { tools: [{ ...tool, undo: () => {} }] }]],
  ["a budget of nothing", [{ text: "Hi" }, { budgets: { turns: 0 } }]],
  ["a limit of nothing", [{ text: "Hi" }, { limits: { turns: 0 } }]],
  ["settings of summaries", [{ text: "Hi" }, { compaction: { compaction_context_limit: 10 } }]],
] as [string, Parameters<typeof may>][])("it does not leave with %s", (_, given) => {
  expect(may(...given)).toBe(false);
});

test("it does not leave to a model that is no endpoint", () => {
  const adapter = withTransport({ ...model }, { options: { http: { name: "m", url } }, fetch: undefined });
  expect(may({ text: "Hi" }, {}, true, transportOf(adapter))).toBe(false);
  expect(mayAskEarly(true, undefined, config, { text: "Hi" })).toBe(false);
});

test("it does not leave with a schema that the core refuses", () => {
  expect([{}, { type: "object" }, { properties: {} }].map((schema) => isKnown({ schema }))).toEqual([true, true, true]);
  const refused = [{ type: "string" }, { properties: [] }, { properties: 1 }, { 'a"b': 1 }];
  expect(refused.map((schema) => isKnown({ schema }))).toEqual(refused.map(() => false));
});

test("it does not leave with a schema that is another one in JSON", () => {
  let deep: unknown = {};
  for (let level = 0; level < 200; level++) deep = { items: deep };
  const circle: { a?: object } = {};
  circle.a = circle;
  // Where a property stands that is not there, the core puts its own elsewhere.
  const odd = [{ properties: undefined, required: [] }, { type: undefined, properties: {} }, Object.create({ type: "object" })];
  const inside = [undefined, () => 1, new Map(), new Date(0), 1n, "\ud800", { "\udc00": 1 }, deep, circle];
  const schemas = [...odd, ...inside.map((value) => ({ type: "object", properties: { a: { default: value } } }))];
  expect(schemas.map((schema) => isKnown({ schema }))).toEqual(schemas.map(() => false));
  expect(isKnown({ schema: { properties: { a: { enum: ["é😀", null, 1.5, true, [{}]] } } } })).toBe(true);
});
