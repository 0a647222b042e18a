// One good request for each API, with something of everything in it, written by hand from the vendors' documents.
import { hosts } from "./hosts.js";
import type { Api, Body, Host, Sent } from "./types.js";

export const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const schema = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "array", items: { type: "integer" } } },
  required: ["city"],
};

/** A model of each host; those of the table of models have their own in the tests of their rows. */
export const modelOf: Readonly<Record<string, string>> = {
  openai: "gpt-4.1",
  "openai-responses": "gpt-5.1",
  "azure-responses": "gpt-5.1",
  anthropic: "claude-sonnet-4-20250514",
  gemini: "gemini-2.5-flash",
  vertex: "gemini-2.5-flash",
};

const bodies: Readonly<Record<Api, (model: string, host: Host) => Body>> = {
  chat: (model, { rules, id }) => ({
    model,
    messages: [
      { role: "system", content: "You help." },
      { role: "user", content: "How is Rome?" },
      ...(rules.includes("no-tools")
        ? []
        : [
            {
              role: "assistant",
              content: id === "mimo" ? "" : null,
              tool_calls: ["a1b2c3d4e", "f5g6h7i8j"].map((id) => ({
                id,
                type: "function",
                function: { name: "weather", arguments: '{"city":"Rome"}' },
              })),
              ...(rules.includes("reasoning-echo") && { reasoning_content: "I look." }),
            },
            { role: "tool", tool_call_id: "a1b2c3d4e", content: "sunny" },
            { role: "tool", tool_call_id: "f5g6h7i8j", content: "sunny" },
          ]),
      { role: "assistant", content: "Sunny." },
      { role: "user", content: "And Oslo?" },
    ],
    stream: true,
    ...(!rules.includes("no-tools") && {
      tools: [{ type: "function", function: { name: "weather", description: "Looks.", parameters: schema } }],
    }),
  }),
  responses: (model) => ({
    model,
    instructions: "You help.",
    input: [
      { role: "user", content: [{ type: "input_text", text: "How is Rome?" }] },
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "abc" },
      { type: "function_call", call_id: "call_1", name: "weather", arguments: '{"city":"Rome"}' },
      { type: "function_call_output", call_id: "call_1", output: "sunny" },
      { role: "assistant", content: [{ type: "output_text", text: "Sunny." }] },
      { role: "user", content: "And Oslo?" },
    ],
    tools: [{ type: "function", name: "weather", description: "Looks.", parameters: schema, strict: false }],
    store: false,
    include: ["reasoning.encrypted_content"],
    stream: true,
  }),
  anthropic: (model) => ({
    model,
    max_tokens: 8000,
    system: [{ type: "text", text: "You help.", cache_control: { type: "ephemeral" } }],
    thinking: { type: "enabled", budget_tokens: 2000 },
    messages: [
      { role: "user", content: [{ type: "text", text: "How is Rome?" }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "I look.", signature: "c2ln" },
          { type: "text", text: "Looking." },
          { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Rome" } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "sunny" }] },
    ],
    tools: [{ name: "weather", description: "Looks.", input_schema: schema }],
    stream: true,
  }),
  gemini: () => ({
    systemInstruction: { parts: [{ text: "You help." }] },
    contents: [
      { role: "user", parts: [{ text: "How is Rome?" }] },
      { role: "model", parts: [{ functionCall: { name: "weather", args: { city: "Rome" } }, thoughtSignature: "c2ln" }] },
      { role: "user", parts: [{ functionResponse: { name: "weather", response: { output: "sunny" } } }] },
    ],
    tools: [{ functionDeclarations: [{ name: "weather", description: "Looks.", parametersJsonSchema: schema }] }],
    generationConfig: { maxOutputTokens: 1000, temperature: 0.5 },
  }),
  endpoint: () => ({
    systemPrompt: "You help.",
    messages: [
      { sender: "user", text: "How is Rome?" },
      { sender: "agent", text: "", tool_calls: [{ tool_name: "weather", input_args: { city: "Rome" }, id: "c1" }] },
      {
        sender: "user",
        text: "tool results",
        tool_results: [{ tool_name: "weather", call_id: "c1", result: { status: "success", data: "sunny" } }],
      },
    ],
    tools: [{ name: "weather", description: "Looks.", parameters: schema }],
  }),
};

const ends = { chat: "/chat/completions", responses: "/responses", anthropic: "/v1/messages", endpoint: "/api/chat" };

/** A request whose body can be changed before it is sent. */
export interface Draft {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: Body;
}

export function goodRequest(id: string, model = modelOf[id] ?? "some-model"): Draft {
  const host = hosts.get(id);
  if (!host) throw new Error(`No host is called ${id}.`);
  const name = (host.hostnames[0] ?? "server.test").replaceAll("*", "one");
  const end = host.api === "gemini" ? `/models/${model}:streamGenerateContent?alt=sse` : ends[host.api];
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (host.auth.startsWith("x-api-key")) Object.assign(headers, { "x-api-key": "key", "anthropic-version": "2023-06-01" });
  else if (host.auth === "x-goog-api-key") headers["x-goog-api-key"] = "key";
  else if (host.auth !== "none") headers.authorization = "Bearer key";
  return {
    method: "POST",
    url: `https://${name}${host.base}${end}`,
    headers,
    body: structuredClone(bodies[host.api](model, host)),
  };
}

export function send({ body, ...rest }: Draft): Sent {
  return { ...rest, body: typeof body === "string" ? body : JSON.stringify(body) };
}
