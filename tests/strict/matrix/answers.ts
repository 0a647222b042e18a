// What a provider of each API answers, with all that it would want to have back.
import type { Api } from "../types.js";

export interface Said {
  readonly text?: string;
  readonly thought?: string;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly args: string }[];
  /** The answer breaks off here. */
  readonly cut?: boolean;
}

const data = (event: object) => `data: ${JSON.stringify(event)}\n\n`;
const named = (event: { readonly type: string }) => `event: ${event.type}\n${data(event)}`;

const say: Readonly<Record<Exclude<Api, "endpoint">, (said: Said, model: string) => string[]>> = {
  chat: ({ text, thought, calls }, model) => {
    const chunk = (delta: object, finish_reason: string | null = null) =>
      data({ id: "chatcmpl-1", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] });
    const signed = /gemini-3/.test(model);
    return [
      ...(thought ? [chunk({ role: "assistant", [/\//.test(model) ? "reasoning" : "reasoning_content"]: thought })] : []),
      ...(text ? [chunk({ role: "assistant", content: text })] : []),
      ...(calls ?? []).map(({ id, name, args }, index) =>
        chunk({
          tool_calls: [
            {
              index,
              id,
              type: "function",
              function: { name, arguments: args },
              ...(signed && { extra_content: { google: { thought_signature: "c2ln" } } }),
            },
          ],
          ...(signed &&
            index === 0 && {
              reasoning_details: [{ type: "reasoning.encrypted", data: "c2ln", id, format: "google-gemini-v1", index: 0 }],
            }),
        }),
      ),
      chunk({}, calls ? "tool_calls" : "stop"),
      data({ id: "chatcmpl-1", choices: [], usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 } }),
      "data: [DONE]\n\n",
    ];
  },
  anthropic: ({ text, thought, calls }) => {
    const out = [
      named({
        type: "message_start",
        message: { id: "msg_1", type: "message", role: "assistant", content: [], usage: { input_tokens: 7, output_tokens: 1 } },
      } as never),
    ];
    let index = 0;
    const block = (content_block: object, ...deltas: object[]) => {
      out.push(named({ type: "content_block_start", index, content_block } as never));
      for (const delta of deltas) out.push(named({ type: "content_block_delta", index, delta } as never));
      out.push(named({ type: "content_block_stop", index } as never));
      index += 1;
    };
    if (thought)
      block(
        { type: "thinking", thinking: "", signature: "" },
        { type: "thinking_delta", thinking: thought },
        { type: "signature_delta", signature: "c2ln" },
      );
    if (text) block({ type: "text", text: "" }, { type: "text_delta", text });
    for (const { id, name, args } of calls ?? [])
      block({ type: "tool_use", id, name, input: {} }, { type: "input_json_delta", partial_json: args });
    out.push(
      named({
        type: "message_delta",
        delta: { stop_reason: calls ? "tool_use" : "end_turn", stop_sequence: null },
        usage: { output_tokens: 5 },
      } as never),
    );
    return [...out, named({ type: "message_stop" })];
  },
  gemini: ({ text, thought, calls }) => {
    const chunk = (parts: object[], finishReason?: string) =>
      data({
        candidates: [{ content: { role: "model", parts }, index: 0, ...(finishReason && { finishReason }) }],
        usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 5, totalTokenCount: 12 },
      });
    return [
      ...(thought ? [chunk([{ text: thought, thought: true }])] : []),
      ...(text ? [chunk([{ text }])] : []),
      ...(calls ?? []).map(({ name, args }, at) =>
        chunk([{ functionCall: { name, args: JSON.parse(args) }, ...(at === 0 && { thoughtSignature: "c2ln" }) }]),
      ),
      chunk([{ text: "" }], "STOP"),
    ];
  },
  responses: ({ text, thought, calls }) => {
    const output = [
      ...(thought
        ? [
            {
              type: "reasoning",
              id: `rs_${thoughts++}`,
              summary: [{ type: "summary_text", text: thought }],
              encrypted_content: "c2ln",
            },
          ]
        : []),
      ...(text
        ? [
            {
              type: "message",
              id: `msg_${thoughts++}`,
              role: "assistant",
              status: "completed",
              content: [{ type: "output_text", text, annotations: [] }],
            },
          ]
        : []),
      ...(calls ?? []).map(({ id, name, args }) => ({
        type: "function_call",
        id: `fc_${thoughts++}`,
        call_id: id,
        name,
        arguments: args,
        status: "completed",
      })),
    ];
    const events: { readonly type: string }[] = [
      { type: "response.created", response: { id: "resp_1", status: "in_progress", output: [] } } as never,
    ];
    for (const [output_index, item] of output.entries()) {
      events.push({
        type: "response.output_item.added",
        output_index,
        item: item.type === "message" ? { ...item, content: [] } : { ...item, ...("arguments" in item && { arguments: "" }) },
      } as never);
      if (item.type === "message")
        events.push({
          type: "response.output_text.delta",
          output_index,
          content_index: 0,
          item_id: item.id,
          delta: text,
        } as never);
      if ("arguments" in item) {
        events.push({
          type: "response.function_call_arguments.delta",
          output_index,
          item_id: item.id,
          delta: item.arguments,
        } as never);
        events.push({
          type: "response.function_call_arguments.done",
          output_index,
          item_id: item.id,
          arguments: item.arguments,
        } as never);
      }
      events.push({ type: "response.output_item.done", output_index, item } as never);
    }
    events.push({
      type: "response.completed",
      response: { id: "resp_1", status: "completed", output, usage: { input_tokens: 7, output_tokens: 5, total_tokens: 12 } },
    } as never);
    return events.map(named);
  },
};

let thoughts = 1;

export function answer(api: Api, said: Said, model: string): Response {
  const events = say[api === "endpoint" ? "chat" : api](said, model);
  const told = said.cut ? events.slice(0, -3) : events;
  return new Response(told.join(""), { headers: { "content-type": "text/event-stream" } });
}
