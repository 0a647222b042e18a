// What a model is asked without: told to whoever builds the application, on every way to a model, once for each sentence.
import {
  createEndpointModel,
  createRemoteModel,
  GloveClient,
  MemoryStore,
  type ModelAdapter,
  type ModelNotice,
  type RemoteStreamEvent,
} from "glove-wasm";
import { type ChatHandlerConfig, createChatHandler } from "glove-wasm/server";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { strictEvents } from "../support/strict-client.js";

const notice: ModelNotice = { code: "MEDIA_LEFT_OUT", message: "No svg goes to db.corp:5432." };
const done = { type: "done", message: { sender: "agent", text: "Hi" }, tokens_in: 1, tokens_out: 1 } as const;

/** A model of the application that has to leave something out. */
const noticing = (told = notice): ModelAdapter =>
  createRemoteModel("noticing", {
    async *promptStream(): AsyncGenerator<RemoteStreamEvent> {
      yield { type: "model_notice", ...told };
      yield { type: "text_delta", text: "Hi" };
      yield done;
    },
  });

const handler = (config: Partial<ChatHandlerConfig> = {}) =>
  createChatHandler({ provider: undefined, createModel: () => noticing(), ...config });

const post = () =>
  new Request("http://here/api/chat", {
    method: "POST",
    body: JSON.stringify({ systemPrompt: "", messages: [{ sender: "user", text: "hi" }] }),
    headers: { "content-type": "application/json" },
  });

let warned: string[];
beforeEach(() => {
  warned = [];
  vi.spyOn(console, "warn").mockImplementation((text: string) => void warned.push(text));
});
afterEach(() => vi.restoreAllMocks());

function session(model: ModelAdapter, subscribed: boolean) {
  const heard: unknown[] = [];
  const record = (type: string, data: unknown) => void (type === "model_notice" && heard.push(data));
  const config = { createModel: () => model, createStore: () => new MemoryStore("s1"), systemPrompt: "" };
  const own = subscribed ? { subscribers: [{ record }] } : {};
  return { session: new GloveClient({ ...config, ...own }).session("s1"), heard };
}

const through = (config: Partial<ChatHandlerConfig> = {}) =>
  createEndpointModel("http://here/api/chat", { fetch: (url, init) => handler(config)(new Request(url, init)) });

test("a subscriber hears of it once in a session, and the console says nothing", async () => {
  const ways: [ModelAdapter, ModelNotice][] = [
    [noticing(), notice],
    [through({ onNotice: () => {} }), { ...notice, message: "No svg goes to …." }],
  ];
  for (const [model, told] of ways) {
    const { session: open, heard } = session(model, true);
    for (let turn = 0; turn < 3; turn++) expect(await open.sendMessage("hi")).toMatchObject({ type: "completed", text: "Hi" });
    expect(heard).toEqual([told]);
    expect(JSON.stringify(await open.messages())).not.toContain("svg");
  }
  expect(warned).toEqual([]);
});

test("without a subscriber the console of the page says it once", async () => {
  const model = noticing({ code: "MEDIA_LEFT_OUT", message: "No video." });
  for (let page = 0; page < 2; page++) {
    const { session: open } = session(model, false);
    await open.sendMessage("hi");
    await open.sendMessage("again");
  }
  expect(warned).toEqual(["MEDIA_LEFT_OUT: No video."]);
});

test("who asks an endpoint without a session is told by `notify`", async () => {
  const told: unknown[] = [];
  const notify = async (type: string, data: unknown) => void told.push([type, data]);
  await through({ onNotice: () => {} }).prompt({ messages: [{ sender: "user", text: "hi" }] }, notify);
  expect(told).toEqual([
    ["model_notice", { ...notice, message: "No svg goes to …." }],
    ["text_delta", { text: "Hi" }],
  ]);
});

test("the owner of a chat handler is told all of it with each request, by `onNotice` and not by the console", async () => {
  const told: unknown[] = [];
  const answer = handler({ onNotice: (notice, request) => void told.push([notice, request.url]) });
  for (let turn = 0; turn < 2; turn++) await strictEvents(await answer(post()));
  expect(told).toEqual(Array(2).fill([notice, "http://here/api/chat"]));
  expect(warned).toEqual([]);
});

test("a chat handler without `onNotice` says each sentence once on the console, and answers on when a callback fails", async () => {
  const answer = handler();
  for (let turn = 0; turn < 2; turn++) await strictEvents(await answer(post()));
  expect(warned).toEqual([`createChatHandler: ${notice.code}: ${notice.message}`]);
  const failing = handler({ onNotice: () => Promise.reject(new Error("the log is full")) });
  expect((await strictEvents(await failing(post()))).at(-1)).toMatchObject({ type: "done" });
});

test("clients of a handler read it in front of the answer, without addresses, or not at all", async () => {
  const types = async (config: Partial<ChatHandlerConfig>) => {
    const events = await strictEvents(await handler({ onNotice: () => {}, ...config })(post()));
    return events.map(({ type, message }) => (type === "model_notice" ? message : type));
  };
  expect(await types({})).toEqual(["No svg goes to ….", "text_delta", "done"]);
  expect(await types({ providerMessages: "all" })).toEqual([notice.message, "text_delta", "done"]);
  expect(await types({ providerMessages: "none" })).toEqual(["text_delta", "done"]);
});

test("what is no notice is passed over", async () => {
  const model = noticing({ code: "A" } as never);
  const { session: open, heard } = session(model, true);
  expect(await open.sendMessage("hi")).toMatchObject({ type: "completed" });
  expect(heard).toEqual([]);
});

test("`onNotice` is checked when a handler is made", () => {
  expect(() => handler({ onNotice: "log" as never })).toThrow("`onNotice` must be a function, got");
});

test("a broken file marks the message that it came with, also when a whole one of its kind came after it and the page was left", async () => {
  const message =
    "[Document attachment: application/pdf] was left out of the request and replaced by this note: its data is not base64.";
  const store = new MemoryStore("s");
  const open = () =>
    new GloveClient({
      createModel: () => noticing({ code: "MEDIA_LEFT_OUT", message }),
      createStore: () => store,
      systemPrompt: "",
    }).session("s");
  const pdf = (data: string) => ({
    text: "Read this",
    content: [{ type: "document", source: { type: "base64", media_type: "application/pdf", data } }],
  });
  const marks = (session: ReturnType<typeof open>) =>
    session.getSnapshot().timeline.flatMap((entry) => (entry.kind === "user" ? [entry.leftOut === true] : []));
  const before = open();
  await before.sendMessage(pdf("no base64!"));
  await vi.waitFor(() => expect(marks(before)).toEqual([true]));
  before.dispose();
  const after = open();
  await after.sendMessage(pdf("JVBE\nRi0x"));
  await vi.waitFor(() => expect(marks(after)).toEqual([true, false]));
});
