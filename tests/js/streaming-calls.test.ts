// Calls whose arguments are still being written: what of them can be shown, and when.
import { createEndpointModel, type Message, type StreamingCall } from "glove-wasm";
import { createMessages } from "glove-wasm/react";
import { expect, test, vi } from "vitest";
import { scene, until } from "../support/session.js";

const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const delta = (text: string, id = "c1", name = "plan") => event({ type: "tool_input_delta", id, name, delta: text });
const done = (message: Message) => event({ type: "done", message, tokens_in: 1, tokens_out: 1 });

/** A session whose model says what the test says. */
function speaking() {
  const controllers: ReadableStreamDefaultController<Uint8Array>[] = [];
  const fetch = async () =>
    new Response(new ReadableStream({ start: (controller) => void controllers.push(controller) }), {
      headers: { "content-type": "text/event-stream" },
    });
  // What is left open of an answer that was stopped is nobody's.
  const stop = async (sending: Promise<unknown>) => {
    found.session.abort();
    controllers.pop();
    return await sending;
  };
  const found = scene([], { createModel: () => createEndpointModel("/api/chat", { fetch }) });
  const say = async (...pieces: string[]) => {
    await vi.waitFor(() => expect(controllers).not.toEqual([]));
    controllers.at(-1)?.enqueue(new TextEncoder().encode(pieces.join("")));
  };
  const end = () => controllers.pop()?.close();
  const calls = () => found.session.getSnapshot().streamingCalls;
  const written = async (is: (calls: readonly StreamingCall[]) => boolean) => {
    await until(found.session, ({ streamingCalls }) => is(streamingCalls));
    return calls();
  };
  return { ...found, say, end, stop, calls, written };
}

const input = (calls: readonly StreamingCall[]) => calls[0]?.input as { title?: string; days?: unknown[]; more?: unknown };

test("a call is shown while its arguments are written, with the place that is being written", async () => {
  const { session, say, stop, calls, written } = speaking();
  const sending = session.sendMessage("plan");
  expect(calls()).toEqual([]);
  await say(delta('{"days":[{"n":1'));
  expect(await written((calls) => calls.length > 0)).toEqual([{ id: "c1", name: "plan", input: { days: [{}] }, at: "/days/0" }]);
  expect(session.getSnapshot().status).toBe("streaming");
  await say(delta('},{"n":2}],"ti'), delta('tle":"Ro'));
  const first = await written((calls) => input(calls).title === "Ro");
  expect(first).toEqual([{ id: "c1", name: "plan", input: { days: [{ n: 1 }, { n: 2 }], title: "Ro" }, at: "/title" }]);
  await say(delta("me"));
  const second = await written((calls) => input(calls).title === "Rome");
  expect(input(second).days).toBe(input(first).days);
  expect(input(first).title).toBe("Ro");
  await say(delta('","more":{"a~b/c":"x"}}'));
  expect(await written((calls) => calls[0]?.at === undefined)).toMatchObject([
    { input: { title: "Rome", more: { "a~b/c": "x" } } },
  ]);
  await stop(sending);
  expect(calls()).toEqual([]);
});

test("its entry takes its place in one step, and messages show both as the same part", async () => {
  const { session, say, end } = speaking();
  const messages = createMessages();
  const seen: string[] = [];
  session.subscribe(() => {
    const parts = messages(session.getSnapshot()).flatMap(({ parts }) => parts);
    const now = parts.map((part) => ("state" in part ? `${part.type} ${part.state}` : part.type)).join(", ");
    if (seen.at(-1) !== now) seen.push(now);
  });
  const sending = session.sendMessage("plan");
  await say(event({ type: "text_delta", text: "I" }), delta('{"a":'));
  await vi.waitFor(() => expect(seen.at(-1)).toContain("input-streaming"));
  await say(delta("1}"), event({ type: "tool_use", id: "c1", name: "plan", input: { a: 1 } }));
  await say(done({ sender: "agent", text: "I", tool_calls: [{ id: "c1", tool_name: "plan", input_args: { a: 1 } }] }));
  end();
  await until(session, ({ timeline }) => timeline.some(({ kind }) => kind === "tool"));
  await say(done({ sender: "agent", text: "So" }));
  end();
  await sending;
  const streaming = seen.indexOf("text done, text done, tool-plan input-streaming");
  expect(streaming).toBeGreaterThan(0);
  expect(seen[streaming + 1]).toMatch(/^text done, text done, tool-plan (input-available|output-error)/);
  expect(seen.filter((parts) => parts.includes("input-streaming"))).toHaveLength(1);
});

test("calls beside each other are told apart, and what is no JSON ends where it breaks", async () => {
  const { session, say, stop, written } = speaking();
  const sending = session.sendMessage("plan");
  await say(delta('{"a":"x', "c1"), delta('{"__proto__":{"b":1},"c":', "c2"), delta('y"}', "c1"), delta("nonsense", "c2"));
  const calls = await written((calls) => calls.length === 2);
  expect(calls[0]).toEqual({ id: "c1", name: "plan", input: { a: "xy" }, at: undefined });
  const odd = calls[1]?.input as object;
  expect([Object.keys(odd), Object.getPrototypeOf(odd)]).toEqual([["__proto__"], Object.prototype]);
  await stop(sending);
});

test("a call that breaks off, or is stopped, is shown no more", async () => {
  const { session, say, end, stop, calls, written } = speaking();
  const sending = session.sendMessage("plan");
  await say(delta('{"a":"x'));
  await written((calls) => calls.length > 0);
  expect(await stop(sending)).toEqual({ type: "aborted" });
  expect(calls()).toEqual([]);
  const again = session.sendMessage("plan");
  await say(delta('{"a":"y'));
  expect(await written((calls) => calls.length > 0)).toMatchObject([{ input: { a: "y" } }]);
  end();
  await expect(again).rejects.toThrow("cut off");
  expect(calls()).toEqual([]);
});

test("65 KiB of arguments in pieces of eight letters cost what they are long", async () => {
  const days = (count: number) =>
    JSON.stringify({
      days: Array.from({ length: count }, (_, n) => ({ n, places: [{ name: `Place ${n}`, tags: ["a", "b"] }] })),
    });
  const cost = async (count: number) => {
    const { session, say, stop, written } = speaking();
    const text = days(count);
    const sending = session.sendMessage("plan");
    await say(delta("{"));
    await written((calls) => calls.length > 0);
    const begin = performance.now();
    const pieces = text.slice(1).match(/.{1,8}/g) ?? [];
    for (let at = 0; at < pieces.length; at += 64) await say(...pieces.slice(at, at + 64).map((piece) => delta(piece)));
    const [call] = await written(([call]) => call?.at === undefined);
    const took = performance.now() - begin;
    expect(call?.input).toEqual(JSON.parse(text));
    await stop(sending);
    return { took, length: text.length };
  };
  await cost(200);
  const [half, whole] = [await cost(600), await cost(1_200)];
  console.log(`${half.length} letters: ${half.took.toFixed(0)} ms, ${whole.length} letters: ${whole.took.toFixed(0)} ms`);
  expect(whole.length).toBeGreaterThan(65 * 1024);
  expect(whole.took).toBeLessThan(3.5 * half.took + 50);
});
