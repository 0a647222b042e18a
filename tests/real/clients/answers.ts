// One answer in the form of each API: as the events of a stream, as the stand-ins of all tests say it, and as one body.
import { type Reply, speak, type ToolCallMade } from "../../support/provider.js";

export type Api = "chat" | "mistral" | "responses" | "anthropic" | "gemini";

export interface Answer {
  readonly text: string;
  /** What the model thinks before it. */
  readonly thought?: string;
  readonly call?: ToolCallMade;
}

export function answered(api: Api, answer: Answer, stream: boolean): Reply {
  if (!stream) return { headers: { "content-type": "application/json" }, body: [JSON.stringify(whole[api](answer))] };
  return { headers: { "content-type": "text/event-stream" }, body: streamed[api](answer) };
}

const halves = (text: string) => [text.slice(0, 3), text.slice(3)];
const event = (event: { type: string }) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

const streamed: Readonly<Record<Api, (answer: Answer) => string[]>> = {
  chat: ({ text, call }) => speak.openai(halves(text), call),
  // Its calls come whole, each in one piece.
  mistral: (answer) => {
    const { choices, ...rest } = chat(answer);
    const { message, finish_reason } = choices[0] as (typeof choices)[number];
    const { content, tool_calls } = message;
    const pieces = [
      ...halves(content).map((text) => ({ index: 0, delta: { content: text }, finish_reason: null })),
      { index: 0, delta: { content: "", ...(tool_calls && { tool_calls }) }, finish_reason },
    ];
    const chunks = pieces.map((choice) => ({ ...rest, object: "chat.completion.chunk", choices: [choice] }));
    return [...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), "data: [DONE]\n\n"];
  },
  anthropic: ({ text, call, thought }) => speak.anthropic(halves(text), call, thought),
  gemini: ({ text, call, thought }) => speak.gemini(halves(text), call, thought),
  responses: (answer) => {
    const { output, ...rest } = whole.responses(answer);
    const created = { ...rest, status: "in_progress", output: [], usage: null };
    const events: object[] = [
      { type: "response.created", response: created },
      { type: "response.in_progress", response: created },
    ];
    for (const [output_index, item] of output.entries()) {
      const at = { output_index, item_id: item.id };
      const begun = { ...item, status: "in_progress", ...empty[item.type] };
      events.push({ type: "response.output_item.added", output_index, item: begun });
      if (item.type === "message") {
        const part = { type: "output_text", text: "", annotations: [], logprobs: [] };
        events.push({ type: "response.content_part.added", ...at, content_index: 0, part });
        for (const delta of halves(answer.text)) {
          events.push({ type: "response.output_text.delta", ...at, content_index: 0, delta, logprobs: [] });
        }
        events.push({ type: "response.output_text.done", ...at, content_index: 0, text: answer.text, logprobs: [] });
        events.push({ type: "response.content_part.done", ...at, content_index: 0, part: { ...part, text: answer.text } });
      }
      if (item.type === "reasoning") {
        const part = { type: "summary_text", text: "" };
        events.push({ type: "response.reasoning_summary_part.added", ...at, summary_index: 0, part });
        events.push({ type: "response.reasoning_summary_text.delta", ...at, summary_index: 0, delta: answer.thought });
        events.push({ type: "response.reasoning_summary_text.done", ...at, summary_index: 0, text: answer.thought });
        const said = { ...part, text: answer.thought };
        events.push({ type: "response.reasoning_summary_part.done", ...at, summary_index: 0, part: said });
      }
      if (item.type === "function_call") {
        const args = answer.call?.args ?? "";
        for (const delta of halves(args)) events.push({ type: "response.function_call_arguments.delta", ...at, delta });
        events.push({ type: "response.function_call_arguments.done", ...at, name: answer.call?.name, arguments: args });
      }
      events.push({ type: "response.output_item.done", output_index, item });
    }
    events.push({ type: "response.completed", response: { ...rest, output } });
    return events.map((one, sequence_number) => event({ ...one, sequence_number } as never));
  },
};

const empty: Readonly<Record<string, object>> = {
  message: { content: [] },
  reasoning: { summary: [] },
  function_call: { arguments: "" },
};

const chat = ({ text, call }: Answer) => ({
  ...{ id: "chatcmpl-1", object: "chat.completion", created: 1_790_000_000, model: "m" },
  choices: [
    {
      index: 0,
      message: {
        role: "assistant",
        content: text,
        refusal: null,
        ...(call && { tool_calls: [{ id: call.id, type: "function", function: { name: call.name, arguments: call.args } }] }),
      },
      logprobs: null,
      finish_reason: call ? "tool_calls" : "stop",
    },
  ],
  usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 },
});

const whole = {
  chat,
  mistral: chat,
  anthropic: ({ text, call, thought }: Answer) => ({
    ...{ id: "msg_1", type: "message", role: "assistant", model: "m" },
    content: [
      ...(thought ? [{ type: "thinking", thinking: thought, signature: "c2ln" }] : []),
      { type: "text", text },
      ...(call ? [{ type: "tool_use", id: call.id, name: call.name, input: JSON.parse(call.args) }] : []),
    ],
    ...{ stop_reason: call ? "tool_use" : "end_turn", stop_sequence: null },
    usage: { input_tokens: 7, output_tokens: 5 },
  }),
  gemini: ({ text, call, thought }: Answer) => ({
    candidates: [
      {
        content: {
          role: "model",
          parts: [
            ...(thought ? [{ text: thought, thought: true }] : []),
            { text },
            ...(call ? [{ functionCall: { name: call.name, args: JSON.parse(call.args) } }] : []),
          ],
        },
        ...{ index: 0, finishReason: "STOP" },
      },
    ],
    usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 5, totalTokenCount: 12 },
  }),
  responses: ({ text, call, thought }: Answer) => ({
    ...{ id: "resp_1", object: "response", created_at: 1_790_000_000, status: "completed", model: "m" },
    ...{
      error: null,
      incomplete_details: null,
      instructions: null,
      metadata: {},
      parallel_tool_calls: true,
      tool_choice: "auto",
    },
    ...{ tools: [], temperature: 1, top_p: 1 },
    output: [
      ...(thought ? [{ type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: thought }] }] : []),
      {
        ...{ type: "message", id: "msg_1", role: "assistant", status: "completed" },
        content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
      },
      ...(call
        ? [{ type: "function_call", id: "fc_1", call_id: call.id, name: call.name, arguments: call.args, status: "completed" }]
        : []),
    ],
    usage: {
      ...{ input_tokens: 7, output_tokens: 5, total_tokens: 12 },
      ...{ input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
    },
  }),
};
