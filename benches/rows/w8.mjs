// W8: the arguments of a call, while a model writes them: previews of 65 KiB in pieces of 16 letters.
import { responseOf } from "../streams.mjs";

export const title = "W8 65 KiB of streamed arguments, with previews";

const document = JSON.stringify({ title: "A report", body: "The quick brown fox jumps over the lazy dog. ".repeat(1_456) });
const pieces = document.match(/.{1,16}/g);
const input = JSON.parse(document);
const now = { timestamp: 0, model: "none" };
const jsonSchema = {
  type: "object",
  properties: { title: { type: "string" }, body: { type: "string" } },
  required: ["title", "body"],
};

/** Chunks of a network come in tasks of their own. */
const nextTask = () => new Promise((resolve) => setImmediate(resolve));
const bytesOf = (events) => new TextEncoder().encode(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));

/** Milliseconds until all arguments are there: the median of some runs after one that is not counted. */
async function timed(work, runs = 3) {
  const times = [];
  for (let at = 0; at <= runs; at++) {
    globalThis.gc?.();
    const since = performance.now();
    if ((await work()) !== input.body.length) throw new Error("the arguments are not whole");
    if (at > 0) times.push(performance.now() - since);
  }
  return { "until they are whole, ms": times.sort((one, other) => one - other)[Math.floor(runs / 2)] };
}

export const contenders = {
  /** Joined, and parsed once: without previews. */
  async bare() {
    const events = bytesOf(pieces.map((delta) => ({ delta })));
    return timed(async () => {
      const text = await responseOf(events, 1024, nextTask).text();
      const deltas = text.split("\n\n").filter(Boolean);
      return JSON.parse(deltas.map((line) => JSON.parse(line.slice(6)).delta).join("")).body.length;
    });
  },
  async ours() {
    const { createEndpointModel, GloveClient, MemoryStore } = await import("glove-wasm");
    const call = { id: "c", name: "write", input };
    const message = { sender: "agent", text: "", tool_calls: [{ id: "c", tool_name: "write", input_args: input }] };
    const writing = bytesOf([
      ...pieces.map((delta) => ({ type: "tool_input_delta", id: "c", name: "write", delta })),
      { type: "tool_use", ...call },
      { type: "done", message, tokens_in: 1, tokens_out: 1 },
    ]);
    const ended = bytesOf([{ type: "done", message: { sender: "agent", text: "Done." }, tokens_in: 1, tokens_out: 1 }]);
    return timed(async () => {
      let [asked, length] = [0, 0];
      const written = async ({ body }) => {
        length = body.length;
        return "ok";
      };
      const fetch = async () => responseOf(asked++ === 0 ? writing : ended, 1024, nextTask);
      const session = new GloveClient({
        createModel: () => createEndpointModel("/", { fetch }),
        createStore: (id) => new MemoryStore(id),
        systemPrompt: "",
        tools: [{ name: "write", description: "Writes.", jsonSchema, do: written }],
      }).session("s");
      // As a screen reads it, once a frame.
      session.subscribe(() => void session.getSnapshot().streamingCalls);
      await session.sendMessage("Go");
      session.dispose();
      return length;
    });
  },
  async "AI SDK"() {
    const { Chat } = await import("@ai-sdk/react");
    const { DefaultChatTransport } = await import("ai");
    const events = bytesOf([
      { type: "start", messageId: "a" },
      { type: "tool-input-start", toolCallId: "c", toolName: "write" },
      ...pieces.map((inputTextDelta) => ({ type: "tool-input-delta", toolCallId: "c", inputTextDelta })),
      { type: "tool-input-available", toolCallId: "c", toolName: "write", input },
      { type: "finish" },
    ]);
    return timed(async () => {
      const fetch = async () => responseOf(events, 1024, nextTask);
      const chat = new Chat({ transport: new DefaultChatTransport({ api: "http://localhost/", fetch }) });
      await chat.sendMessage({ text: "Go" });
      return chat.messages.at(-1).parts.at(-1).input.body.length;
    }, 1);
  },
  async TanStack() {
    const { StreamProcessor } = await import("@tanstack/ai");
    const names = { toolCallId: "c", toolCallName: "write", toolName: "write" };
    return timed(async () => {
      const processor = new StreamProcessor({ events: { onMessagesChange() {} } });
      processor.processChunk({ type: "TOOL_CALL_START", ...names, ...now });
      for (const delta of pieces) processor.processChunk({ type: "TOOL_CALL_ARGS", toolCallId: "c", delta, ...now });
      processor.processChunk({ type: "TOOL_CALL_END", ...names, ...now });
      return JSON.parse(processor.getMessages().at(-1).parts.at(-1).arguments).body.length;
    }, 1);
  },
};
