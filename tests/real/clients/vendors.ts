// The vendors' own clients, each asked for the same four things.
import Anthropic from "@anthropic-ai/sdk";
import { type Content, GoogleGenAI } from "@google/genai";
import { Mistral } from "@mistralai/mistralai";
import OpenAI from "openai";
import type { Ask, Said } from "./situations.js";
import { look, png, question } from "./situations.js";

const image = `data:image/png;base64,${png}`;

export const openaiChat: Ask = async (url, situation, stream) => {
  const { completions } = new OpenAI({ apiKey: "k", baseURL: `${url}/v1`, maxRetries: 0 }).chat;
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: "system", content: "You help." },
    {
      role: "user",
      content:
        situation === "image"
          ? [
              { type: "text", text: question },
              { type: "image_url", image_url: { url: image } },
            ]
          : question,
    },
  ];
  const thinks = situation === "thinking";
  const asked = {
    model: thinks ? "gpt-5.1" : "gpt-4.1",
    messages,
    ...(thinks && { reasoning_effort: "low" as const }),
    ...(situation === "tools" && { tools: [{ type: "function" as const, function: look }] }),
  };
  const ask = async () => {
    if (stream) return (await completions.stream(asked).finalChatCompletion()).choices[0]?.message;
    return (await completions.create(asked)).choices[0]?.message;
  };
  let message = await ask();
  const calls: Said["calls"] = [];
  if (message?.tool_calls?.length) {
    // The helper of streams adds to a message what no request may have.
    const { content, tool_calls } = message;
    const made = tool_calls.flatMap((call) => (call.type === "function" ? [call] : []));
    const plain = made.map(({ id, type, function: { name, arguments: args } }) => ({
      id,
      type,
      function: { name, arguments: args },
    }));
    messages.push({ role: "assistant", content, tool_calls: plain });
    for (const call of made) {
      calls.push({ name: call.function.name, input: JSON.parse(call.function.arguments) });
      messages.push({ role: "tool", tool_call_id: call.id, content: "rain" });
    }
    message = await ask();
  }
  return { text: message?.content ?? "", calls };
};

export const openaiResponses: Ask = async (url, situation, stream) => {
  const { responses } = new OpenAI({ apiKey: "k", baseURL: `${url}/v1`, maxRetries: 0 });
  const input: OpenAI.Responses.ResponseInputItem[] = [
    {
      role: "user",
      content:
        situation === "image"
          ? [
              { type: "input_text", text: question },
              { type: "input_image", image_url: image, detail: "auto" },
            ]
          : question,
    },
  ];
  const asked = {
    ...{ model: "gpt-5.1", instructions: "You help.", input, store: false },
    ...(situation === "thinking" && {
      reasoning: { effort: "low" as const, summary: "auto" as const },
      include: ["reasoning.encrypted_content" as const],
    }),
    ...(situation === "tools" && { tools: [{ type: "function" as const, ...look, strict: false }] }),
  };
  const ask = () => (stream ? responses.stream(asked).finalResponse() : responses.create(asked));
  let answer = await ask();
  const calls: Said["calls"] = [];
  for (const item of answer.output) {
    if (item.type !== "function_call") continue;
    calls.push({ name: item.name, input: JSON.parse(item.arguments) });
    const { call_id, name, arguments: args } = item;
    input.push(
      { type: "function_call", call_id, name, arguments: args },
      { type: "function_call_output", call_id, output: "rain" },
    );
  }
  if (calls.length) answer = await ask();
  const thought = answer.output.flatMap((item) => (item.type === "reasoning" ? item.summary : [])).map(({ text }) => text);
  return { text: answer.output_text, calls, ...(thought.length && { thought: thought.join("") }) };
};

export const anthropic: Ask = async (url, situation, stream) => {
  const client = new Anthropic({ apiKey: "k", baseURL: url, maxRetries: 0 });
  const messages: Anthropic.MessageParam[] = [
    {
      role: "user",
      content:
        situation === "image"
          ? [
              { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
              { type: "text", text: question },
            ]
          : question,
    },
  ];
  const { name, description, parameters } = look;
  const asked = {
    ...{ model: "claude-sonnet-4-20250514", max_tokens: 8000, system: "You help.", messages },
    ...(situation === "thinking" && { thinking: { type: "enabled" as const, budget_tokens: 2000 } }),
    ...(situation === "tools" && { tools: [{ name, description, input_schema: parameters }] }),
  };
  const ask = () => (stream ? client.messages.stream(asked).finalMessage() : client.messages.create(asked));
  let answer = await ask();
  const calls: Said["calls"] = [];
  const results: Anthropic.ToolResultBlockParam[] = [];
  for (const block of answer.content) {
    if (block.type !== "tool_use") continue;
    calls.push({ name: block.name, input: block.input });
    results.push({ type: "tool_result", tool_use_id: block.id, content: "rain" });
  }
  if (results.length) {
    messages.push({ role: "assistant", content: answer.content }, { role: "user", content: results });
    answer = await ask();
  }
  const said = (of: "text" | "thinking") =>
    answer.content.map((block) => (block.type === of ? (block as unknown as Record<string, string>)[of] : "")).join("");
  return { text: said("text"), calls, ...(said("thinking") && { thought: said("thinking") }) };
};

export const google: Ask = async (url, situation, stream) => {
  const { models } = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: url, retryOptions: { attempts: 1 } } });
  const parts =
    situation === "image" ? [{ text: question }, { inlineData: { mimeType: "image/png", data: png } }] : [{ text: question }];
  const contents: Content[] = [{ role: "user", parts }];
  const { name, description, parameters } = look;
  const asked = {
    ...{ model: "gemini-2.5-flash", contents },
    config: {
      systemInstruction: "You help.",
      ...(situation === "thinking" && { thinkingConfig: { includeThoughts: true, thinkingBudget: 1024 } }),
      ...(situation === "tools" && {
        tools: [{ functionDeclarations: [{ name, description, parametersJsonSchema: parameters }] }],
      }),
    },
  };
  const ask = async () => {
    if (!stream) return (await models.generateContent(asked)).candidates?.[0]?.content?.parts ?? [];
    const all = [];
    for await (const chunk of await models.generateContentStream(asked))
      all.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
    return all;
  };
  let answer = await ask();
  const made = answer.flatMap(({ functionCall }) => functionCall ?? []);
  const calls = made.map((call) => ({ name: call.name ?? "", input: call.args }));
  if (made.length) {
    const response = { output: "rain" };
    contents.push({ role: "model", parts: answer.filter(({ text }) => text !== "") });
    contents.push({ role: "user", parts: made.map((call) => ({ functionResponse: { name: call.name ?? "", response } })) });
    answer = await ask();
  }
  const said = (thought: boolean) => answer.map((part) => (Boolean(part.thought) === thought ? (part.text ?? "") : "")).join("");
  return { text: said(false), calls, ...(said(true) && { thought: said(true) }) };
};

export const mistral: Ask = async (url, situation, stream) => {
  const { chat } = new Mistral({ apiKey: "k", serverURL: url, retryConfig: { strategy: "none" } });
  // biome-ignore lint/suspicious/noExplicitAny: the message of an answer is a message of a request, which its types do not say.
  const messages: any[] = [
    { role: "system", content: "You help." },
    {
      role: "user",
      content:
        situation === "image"
          ? [
              { type: "text", text: question },
              { type: "image_url", imageUrl: { url: image } },
            ]
          : question,
    },
  ];
  const asked = {
    ...{ model: "mistral-large-latest", messages },
    ...(situation === "tools" && { tools: [{ type: "function" as const, function: look }] }),
  };
  interface Told {
    content: string;
    calls: { id: string; name: string; args: string }[];
  }
  const ask = async (): Promise<Told> => {
    if (!stream) {
      const message = (await chat.complete(asked)).choices?.[0]?.message;
      const calls = message?.toolCalls?.map(({ id, function: { name, arguments: args } }) => ({
        id: id ?? "",
        name,
        args: String(args),
      }));
      return { content: String(message?.content ?? ""), calls: calls ?? [] };
    }
    const told: Told = { content: "", calls: [] };
    for await (const { data } of await chat.stream(asked)) {
      const delta = data.choices[0]?.delta;
      told.content += delta?.content ?? "";
      for (const { index = 0, id, function: piece } of delta?.toolCalls ?? []) {
        told.calls[index] ??= { id: id ?? "", name: piece.name, args: "" };
        told.calls[index].args += piece.arguments;
      }
    }
    return told;
  };
  let told = await ask();
  const calls = told.calls.map(({ name, args }) => ({ name, input: JSON.parse(args) }));
  if (calls.length) {
    const made = told.calls.map(({ id, name, args }) => ({ id, function: { name, arguments: args } }));
    messages.push({ role: "assistant", content: told.content, toolCalls: made });
    for (const { id, name } of told.calls) messages.push({ role: "tool", toolCallId: id, name, content: "rain" });
    told = await ask();
  }
  return { text: told.content, calls };
};
