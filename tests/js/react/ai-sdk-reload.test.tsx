// A page of the AI SDK's `useChat` that dies in the middle of an answer, and the page after it.
import { useChat } from "@ai-sdk/react";
import { act, render, waitFor } from "@testing-library/react";
import { readUIMessageStream, type UIMessage, type UIMessageChunk } from "ai";
import { GloveClient, MemoryStore, type ModelAdapter } from "glove-wasm";
import { createChatTransport, toUIMessages } from "glove-wasm/ai-sdk";
import { createScriptedModel, type ScriptedAnswer } from "glove-wasm/testing";
import { expect, test } from "vitest";
import { createChunks } from "../../../js/ai-sdk/chunks.js";

type Parts = Parameters<ReturnType<typeof createChunks>>[0];
const never = 60_000;
const clientOf = (store: MemoryStore, model: ModelAdapter) =>
  new GloveClient({ createModel: () => model, systemPrompt: "", createStore: () => store });

/** A store as a page leaves it that dies after it has shown this much of an answer. */
async function diesAt(answer: ScriptedAnswer, shown: string): Promise<MemoryStore> {
  const store = new MemoryStore("s1");
  const client = clientOf(store, createScriptedModel([answer]));
  const session = client.session("s1");
  void session.sendMessage("Count").catch(() => {});
  await waitFor(() => expect(session.getSnapshot().streamingText).toBe(shown));
  // As the browser says it when a page goes.
  Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
  Reflect.deleteProperty(document, "visibilityState");
  await new Promise((resolve) => setTimeout(resolve, 50));
  client.dispose();
  return store;
}

/** What the chat of the next page draws, each time that it is something else. */
async function drawn(store: MemoryStore, answer: ScriptedAnswer, withStored = true) {
  const client = clientOf(store, createScriptedModel([answer]));
  const session = client.session("s1");
  await session.start();
  const messages = withStored ? toUIMessages(session) : [];
  expect(session.getSnapshot().timeline.at(-1)).toMatchObject({ text: "You said: one two ", partial: true });
  const transport = createChatTransport(client);
  const texts: string[] = [];
  let chat: ReturnType<typeof useChat> | undefined;
  const Page = () => {
    chat = useChat({ id: "s1", transport, messages, resume: true });
    const parts = chat.messages.findLast(({ role }) => role === "assistant")?.parts ?? [];
    const text = parts.map((part) => ("text" in part ? `${part.type}:${part.text}` : part.type)).join("|");
    if (text !== texts.at(-1)) texts.push(text);
    return null;
  };
  render(<Page />);
  await waitFor(() => expect(client.session("s1").getSnapshot().busy).toBe(false));
  await waitFor(() => expect(chat?.status).toMatch(/ready|error/));
  return { texts, last: chat?.messages.at(-1) as UIMessage, error: chat?.error, stored: toUIMessages(session).at(-1) };
}

const half = { deltas: ["You said: ", "one two "], after: 0, until: new Promise<void>(() => {}) };

test("the half answer stays until the next try begins, and gives way to it", async () => {
  const store = await diesAt(half, "You said: one two ");
  const { texts, last, error, stored } = await drawn(store, { deltas: ["You ", "said: ", "one two ", "three."], every: 60 });
  expect(error).toBeUndefined();
  expect(texts).toEqual([
    "text:You said: one two ",
    expect.stringMatching(/^step-start\|text:You $/),
    "step-start|text:You said: ",
    "step-start|text:You said: one two ",
    "step-start|text:You said: one two three.",
  ]);
  expect(last.parts.slice(1)).toMatchObject(stored?.parts ?? []);
});

test.each([true, false])(
  "another answer that comes in one piece is the whole answer (stored messages: %s)",
  async (withStored) => {
    const store = await diesAt(half, "You said: one two ");
    const { last, error } = await drawn(store, { text: "Something else.", after: 50 }, withStored);
    expect(error).toBeUndefined();
    expect(last.parts).toMatchObject([{ type: "step-start" }, { type: "text", text: "Something else.", state: "done" }]);
  },
);

test("thoughts of the half answer give way to those of the next try", async () => {
  const store = await diesAt({ ...half, reasoning: "First thought." }, "You said: one two ");
  const { last, error } = await drawn(store, { reasoning: "Second.", deltas: ["You ", "said: three."], every: 60 });
  expect(error).toBeUndefined();
  expect(last.parts.slice(1)).toMatchObject([
    { type: "reasoning", text: "Second.", state: "done" },
    { type: "text", text: "You said: three.", state: "done" },
  ]);
});

test("a try that fails leaves the half answer, as it is stored", async () => {
  const store = await diesAt(half, "You said: one two ");
  const { last, error } = await drawn(store, { fail: "No more." });
  expect(error?.message).toContain("No more.");
  expect(last.parts).toMatchObject([{ type: "step-start" }, { type: "text", text: "You said: one two ", state: "done" }]);
});

test("a message of the next page is answered after the half answer was stopped", async () => {
  const store = await diesAt(half, "You said: one two ");
  const client = clientOf(store, createScriptedModel([{ text: "Never", after: never }, "Hello."]));
  await client.session("s1").start();
  const transport = createChatTransport(client);
  const messages = toUIMessages(client.session("s1"));
  let chat: ReturnType<typeof useChat> | undefined;
  const Page = () => {
    chat = useChat({ id: "s1", transport, messages, resume: true });
    return null;
  };
  render(<Page />);
  await waitFor(() => expect(chat?.status).toBe("submitted"));
  await act(async () => chat?.stop());
  await waitFor(() => expect(client.session("s1").getSnapshot().busy).toBe(false));
  await act(async () => chat?.sendMessage({ text: "Hi" }));
  const texts = () => chat?.messages.map(({ parts }) => parts.map((part) => ("text" in part ? part.text : "")).join(""));
  await waitFor(() => expect(texts()).toEqual(["Count", "You said: one two ", "Hi", "Hello."]));
});

/** What the AI SDK reads of an answer that has these parts one after the other. */
async function read(...states: Parts[]): Promise<UIMessage["parts"]> {
  const chunksOf = createChunks();
  const chunks = states.flatMap((parts) => chunksOf(parts));
  let last: UIMessage | undefined;
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      controller.enqueue({ type: "start", messageId: "a" });
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const onError = (error: unknown) => {
    throw error;
  };
  for await (const message of readUIMessageStream({ stream, onError, terminateOnError: true })) last = message;
  return last?.parts ?? [];
}
const text = (said: string, state: "streaming" | "done" = "streaming") => ({ type: "text", text: said, state }) as const;
const thought = (said: string, state: "streaming" | "done" = "streaming") => ({ type: "reasoning", text: said, state }) as const;
const written = (toolCallId: string, input: unknown) =>
  ({ type: "tool-pay", toolCallId, input, state: "input-streaming", at: "" }) as const;

test("a text that begins anew says nothing twice as long as it says the same, and goes on from there", async () => {
  expect(
    await read([text("One two")], [text("O")], [text("One t")], [text("One two three")], [text("One two three.", "done")]),
  ).toEqual([text("One two three.", "done")]);
  expect(await read([text("One two")], [text("One two\n", "done")])).toEqual([text("One two\n", "done")]);
  expect(await read([text("One two\n\n")], [text("One two", "done")])).toMatchObject([{ state: "done" }]);
});

test("a text that says something else is a part of its own, whole", async () => {
  const parts = await read([text("One two")], [text("O")], [text("Other")], [text("Other words", "done")]);
  expect(parts).toEqual([text("One two", "done"), text("Other words", "done")]);
  expect(await read([text("One two")], [text("One", "done")])).toEqual([text("One two", "done"), text("One", "done")]);
});

test("what was whole and begins anew goes on in a part of its own", async () => {
  const parts = await read([text("One", "done"), written("c1", {})], [text("O")], [text("One two")], [text("One two.", "done")]);
  expect(parts[0]).toEqual(text("One", "done"));
  expect(parts[2]).toEqual(text(" two.", "done"));
});

test("thoughts that break off are ended, also where the next try has none", async () => {
  const again = await read([thought("Hm, o")], [thought("H")], [thought("Hm, one.", "done"), text("One", "done")]);
  expect(again).toMatchObject([thought("Hm, one.", "done"), text("One", "done")]);
  expect(await read([thought("Hm")], [text("One", "done")])).toMatchObject([thought("Hm", "done"), text("One", "done")]);
});

test("a call whose arguments break off is an error, and the next try's call stands beside it", async () => {
  const done = { type: "tool-pay", toolCallId: "c2", input: { euros: 5 }, state: "output-available", output: "{}" } as const;
  const parts = await read([text("I pay", "done"), written("c1", { eu: 1 })], [text("I")], [text("I pay", "done"), done]);
  expect(parts).toMatchObject([
    text("I pay", "done"),
    { toolCallId: "c1", state: "output-error", errorText: expect.stringContaining("broke off") },
    { toolCallId: "c2", state: "output-available", input: { euros: 5 }, output: {} },
  ]);
});
