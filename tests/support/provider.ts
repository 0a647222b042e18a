// A model provider on localhost: it judges what it is asked, answers from a script, in each provider's own format, and knows who is
// still connected.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { verdict } from "../strict/stand-in.js";
import type { Finding } from "../strict/types.js";

export interface Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: whatever was posted.
  readonly body: any;
  /** What its vendor would have refused. */
  readonly findings: readonly Finding[];
  /** When the client closed the connection before the answer was whole. */
  left?: number;
}

/** Writes one answer; a number waits for so many milliseconds, `cut` breaks the connection. */
export interface Reply {
  /** How long it waits before the head. */
  readonly silent?: number;
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body: readonly (string | number | "cut")[];
}

export interface Provider {
  readonly url: string;
  readonly asked: Asked[];
  /** Further replies; the last one is given again and again. */
  reply(...replies: Reply[]): void;
  close(): Promise<void>;
}

/** `as` is a host of tests/strict/hosts.json; without it the path says whose API is asked. */
export async function openProvider(as?: string): Promise<Provider> {
  const asked: Asked[] = [];
  let replies: Reply[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const piece of request) text += piece;
    const { method = "", headers } = request;
    const plain = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    const { findings, refusal } = verdict(
      { method, url: `http://${headers.host}${request.url}`, headers: plain, body: text },
      as,
    );
    const one: Asked = { path: request.url ?? "", headers, body: parsed(text), findings };
    asked.push(one);
    response.on("close", () => {
      if (!response.writableFinished) one.left = performance.now();
    });
    if (refusal) return void response.writeHead(refusal.status, refusal.headers).end(refusal.body);
    const reply = replies.length > 1 ? replies.shift() : replies[0];
    if (reply) await play(reply, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    reply: (...more) => {
      replies = more;
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function play({ silent, status = 200, headers, body }: Reply, response: ServerResponse): Promise<void> {
  if (silent !== undefined) await sleep(silent, undefined, { ref: false });
  if (response.destroyed) return;
  response.writeHead(status, { "content-type": "text/event-stream", ...headers });
  response.flushHeaders();
  for (const piece of body) {
    if (response.destroyed) return;
    if (piece === "cut") return void response.destroy();
    if (typeof piece === "number") await sleep(piece, undefined, { ref: false });
    else response.write(piece);
  }
  response.end();
}

const data = (event: object) => `data: ${JSON.stringify(event)}\n\n`;
const named = (event: { type: string }) => `event: ${event.type}\n${data(event)}`;

export interface ToolCallMade {
  readonly id: string;
  readonly name: string;
  readonly args: string;
}

/** The events of one answer, in the form of each API. */
export const speak = {
  anthropic(texts: readonly string[], call?: ToolCallMade, thought?: string): string[] {
    const usage = { input_tokens: 7, output_tokens: 1 };
    const out = [named({ type: "message_start", message: { id: "msg_1", role: "assistant", content: [], usage } } as never)];
    const block = (index: number, content_block: object, deltas: readonly object[]) => {
      out.push(named({ type: "content_block_start", index, content_block } as never));
      for (const delta of deltas) out.push(named({ type: "content_block_delta", index, delta } as never));
      out.push(named({ type: "content_block_stop", index } as never));
    };
    let index = 0;
    if (thought) {
      const deltas = [
        { type: "thinking_delta", thinking: thought },
        { type: "signature_delta", signature: "c2ln" },
      ];
      block(index++, { type: "thinking", thinking: "", signature: "" }, deltas);
    }
    block(
      index++,
      { type: "text", text: "" },
      texts.map((text) => ({ type: "text_delta", text })),
    );
    if (call) {
      const halves = [call.args.slice(0, 3), call.args.slice(3)];
      const deltas = halves.map((partial_json) => ({ type: "input_json_delta", partial_json }));
      block(index, { type: "tool_use", id: call.id, name: call.name, input: {} }, deltas);
    }
    const delta = { stop_reason: call ? "tool_use" : "end_turn", stop_sequence: null };
    out.push(named({ type: "message_delta", delta, usage: { output_tokens: 5 } } as never), named({ type: "message_stop" }));
    return out;
  },
  openai(texts: readonly string[], call?: ToolCallMade): string[] {
    const of = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_790_000_000, model: "m" };
    const chunk = (delta: object, finish_reason: string | null = null) =>
      data({ ...of, choices: [{ index: 0, delta, finish_reason }] });
    const out = [chunk({ role: "assistant", content: "" }), ...texts.map((content) => chunk({ content }))];
    if (call) {
      const made = { index: 0, id: call.id, type: "function", function: { name: call.name, arguments: "" } };
      out.push(chunk({ tool_calls: [made] }));
      for (const piece of [call.args.slice(0, 3), call.args.slice(3)]) {
        out.push(chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] }));
      }
    }
    out.push(chunk({}, call ? "tool_calls" : "stop"));
    out.push(data({ ...of, choices: [], usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 } }));
    return [...out, "data: [DONE]\n\n"];
  },
  responses(texts: readonly string[], call?: ToolCallMade): string[] {
    const item = { type: "message", id: "msg_1", role: "assistant" };
    const out = [named({ type: "response.output_item.added", output_index: 0, item: { ...item, content: [] } } as never)];
    const text = { type: "response.output_text.delta", item_id: "msg_1", output_index: 0, content_index: 0 };
    out.push(...texts.map((delta) => named({ ...text, delta } as never)));
    const output: object[] = [{ ...item, content: [{ type: "output_text", text: texts.join(""), annotations: [] }] }];
    if (call) {
      const made = { type: "function_call", id: "fc_1", call_id: call.id, name: call.name, arguments: "" };
      const at = { item_id: "fc_1", output_index: 1 };
      out.push(named({ type: "response.output_item.added", output_index: 1, item: made } as never));
      for (const delta of [call.args.slice(0, 3), call.args.slice(3)]) {
        out.push(named({ type: "response.function_call_arguments.delta", ...at, delta } as never));
      }
      output.push({ ...made, arguments: call.args });
      out.push(named({ type: "response.output_item.done", output_index: 1, item: output[1] } as never));
    }
    const usage = { input_tokens: 7, output_tokens: 5, total_tokens: 12 };
    const response = { id: "resp_1", status: "completed", output, usage };
    return [...out, named({ type: "response.completed", response } as never)];
  },
  gemini(texts: readonly string[], call?: ToolCallMade, thought?: string): string[] {
    const chunk = (parts: object[], finishReason?: string) =>
      data({
        candidates: [{ content: { role: "model", parts }, index: 0, ...(finishReason && { finishReason }) }],
        usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 5, totalTokenCount: 12 },
      });
    const out = thought ? [chunk([{ text: thought, thought: true }])] : [];
    out.push(...texts.map((text) => chunk([{ text }])));
    if (call) out.push(chunk([{ functionCall: { name: call.name, args: JSON.parse(call.args) } }]));
    return [...out, chunk([{ text: "" }], "STOP")];
  },
};
