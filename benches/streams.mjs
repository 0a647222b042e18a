// Streams of answers for the rows: what each library's server, or a provider, sends, in chunks of any size; and a parser as one writes it.

const piece = " word";
const now = { timestamp: 0, model: "none" };
const usage = { input_tokens: 1, output_tokens: 1 };

/** By protocol: the events before the pieces of text, one piece, and the events after `text`. */
const protocols = {
  ours: {
    before: () => [],
    piece: { type: "text_delta", text: piece },
    after: (text) => [{ type: "done", message: { sender: "agent", text }, tokens_in: 1, tokens_out: 1 }],
  },
  "ai-sdk": {
    before: () => [
      { type: "start", messageId: "a" },
      { type: "text-start", id: "t" },
    ],
    piece: { type: "text-delta", id: "t", delta: piece },
    after: () => [{ type: "text-end", id: "t" }, { type: "finish" }],
  },
  tanstack: {
    before: () => [
      { type: "RUN_STARTED", runId: "r", threadId: "t", ...now },
      { type: "TEXT_MESSAGE_START", messageId: "a", role: "assistant", ...now },
    ],
    piece: { type: "TEXT_MESSAGE_CONTENT", messageId: "a", delta: piece, ...now },
    after: () => [
      { type: "TEXT_MESSAGE_END", messageId: "a", ...now },
      { type: "RUN_FINISHED", runId: "r", threadId: "t", finishReason: "stop", ...now },
    ],
  },
  anthropic: {
    named: true,
    before: () => [
      { type: "message_start", message: { id: "m", type: "message", role: "assistant", model: "claude", content: [], usage } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ],
    piece: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: piece } },
    after: () => [
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 9 } },
      { type: "message_stop" },
    ],
  },
  openai: {
    before: () => [completion({ role: "assistant", content: "" })],
    piece: completion({ content: piece }),
    after: () => [{ ...completion({}), choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }, "[DONE]"],
  },
};

function completion(delta) {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: null }];
  return { id: "c1", object: "chat.completion.chunk", created: 1, model: "gpt", system_fingerprint: "fp", choices };
}

/** The bytes of an answer of so many pieces. */
export function answer(protocol, pieces) {
  const { before, piece: one, after, named } = protocols[protocol];
  const line = (event) => {
    const data = typeof event === "string" ? event : JSON.stringify(event);
    return `${named ? `event: ${event.type}\n` : ""}data: ${data}\n\n`;
  };
  const all = [...before().map(line), line(one).repeat(pieces), ...after(piece.repeat(pieces)).map(line)];
  return new TextEncoder().encode(all.join(""));
}

/** How long the text of an answer is. */
export const lengthOf = (pieces) => piece.length * pieces;

/** A response that gives these bytes in chunks, as fast as they are taken; `onChunk` is told how many bytes went before, and waited for. */
export function responseOf(bytes, size, onChunk = () => {}) {
  let at = 0;
  const pull = (controller) => {
    const waits = onChunk(at);
    return waits ? waits.then(() => next(controller)) : next(controller);
  };
  const next = (controller) => {
    if (at >= bytes.length) return controller.close();
    controller.enqueue(bytes.slice(at, at + size));
    at += size;
  };
  const headers = { "content-type": "text/event-stream", "x-vercel-ai-ui-message-stream": "v1" };
  return new Response(new ReadableStream({ pull }), { headers });
}

/** A push parser as one writes it: lines, fields, JSON.parse. Gives the text. */
export async function plainly(response, textOf) {
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let [rest, data, text] = ["", "", ""];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text;
    const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (line.startsWith("data: ")) data += line.slice(6);
      else if (line === "" && data) {
        if (data !== "[DONE]") text += textOf(JSON.parse(data)) ?? "";
        data = "";
      }
    }
  }
}

/** What a plain parser takes from an event of a protocol. */
export const textOf = {
  ours: ({ type, text }) => (type === "text_delta" ? text : ""),
  anthropic: ({ type, delta }) => (type === "content_block_delta" ? delta.text : ""),
  openai: ({ choices }) => choices[0]?.delta.content,
};
