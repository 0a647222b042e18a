// Frameworks that speak to many providers: the AI SDK and LangChain, each asked for the same four things.
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { ChatAnthropic } from "@langchain/anthropic";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { type AIMessageChunk, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { generateText, jsonSchema, type LanguageModel, stepCountIs, streamText, tool } from "ai";
import type { Ask, Said, Situation } from "./situations.js";
import { look, png, question } from "./situations.js";

const ai =
  (model: (url: string, situation: Situation) => LanguageModel, options?: (situation: Situation) => object): Ask =>
  async (url, situation, stream) => {
    const content =
      situation === "image"
        ? [
            { type: "text" as const, text: question },
            { type: "image" as const, image: png, mediaType: "image/png" },
          ]
        : question;
    const calls: Said["calls"] = [];
    const { name, description, parameters } = look;
    const execute = async (input: unknown) => {
      calls.push({ name, input });
      return "rain";
    };
    const tools = { [name]: tool({ description, inputSchema: jsonSchema(parameters), execute }) };
    const asked = {
      ...{ model: model(url, situation), system: "You help.", messages: [{ role: "user" as const, content }], maxRetries: 0 },
      ...(situation === "tools" && { tools, stopWhen: stepCountIs(3) }),
      ...options?.(situation),
    };
    let failed: unknown;
    const onError = ({ error }: { error: unknown }) => {
      failed = error;
    };
    const answer = stream ? streamText({ ...asked, onError }) : await generateText(asked);
    if (stream) await (answer as ReturnType<typeof streamText>).consumeStream();
    if (failed) throw failed;
    const [text, thought] = await Promise.all([answer.text, answer.reasoningText]);
    return { text, calls, ...(thought && { thought }) };
  };

const openaiOf = (url: string) => createOpenAI({ apiKey: "k", baseURL: `${url}/v1` });

export const aiResponses = ai(
  (url) => openaiOf(url).responses("gpt-5.1"),
  (situation) => ({
    providerOptions: {
      openai: { store: false, ...(situation === "thinking" && { reasoningEffort: "low", reasoningSummary: "auto" }) },
    },
  }),
);
export const aiChat = ai(
  (url, situation) => openaiOf(url).chat(situation === "thinking" ? "gpt-5.1" : "gpt-4.1"),
  (situation) => (situation === "thinking" ? { providerOptions: { openai: { reasoningEffort: "low" } } } : {}),
);
export const aiAnthropic = ai(
  (url) => createAnthropic({ apiKey: "k", baseURL: `${url}/v1` })("claude-sonnet-4-20250514"),
  (situation) =>
    situation === "thinking" ? { providerOptions: { anthropic: { thinking: { type: "enabled", budgetTokens: 2000 } } } } : {},
);
export const aiGoogle = ai(
  (url) => createGoogleGenerativeAI({ apiKey: "k", baseURL: `${url}/v1beta` })("gemini-2.5-flash"),
  (situation) =>
    situation === "thinking"
      ? { providerOptions: { google: { thinkingConfig: { includeThoughts: true, thinkingBudget: 1024 } } } }
      : {},
);
export const aiCompatible = ai((url) =>
  createOpenAICompatible({ name: "own", apiKey: "k", baseURL: `${url}/v1`, includeUsage: true })("a-model"),
);

const langchain =
  (model: (url: string, situation: Situation) => BaseChatModel): Ask =>
  async (url, situation, stream) => {
    const plain = model(url, situation);
    const chat = situation === "tools" ? plain.bindTools?.([{ type: "function", function: look }]) : plain;
    if (!chat) throw new Error("it takes no tools");
    const image = { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } };
    const human = new HumanMessage({ content: situation === "image" ? [{ type: "text", text: question }, image] : question });
    const messages: BaseMessage[] = [new SystemMessage("You help."), human];
    const ask = async () => {
      if (!stream) return chat.invoke(messages);
      let all: AIMessageChunk | undefined;
      for await (const chunk of await chat.stream(messages))
        all = all ? all.concat(chunk as AIMessageChunk) : (chunk as AIMessageChunk);
      if (!all) throw new Error("it said nothing");
      return all;
    };
    let answer = await ask();
    const made = (answer as AIMessageChunk).tool_calls ?? [];
    const calls = made.map(({ name, args }) => ({ name, input: args }));
    if (made.length) {
      messages.push(answer);
      for (const { id } of made) messages.push(new ToolMessage({ tool_call_id: id ?? "", content: "rain" }));
      answer = await ask();
    }
    const thought = answer.contentBlocks.map((block) => (block.type === "reasoning" ? block.reasoning : "")).join("");
    return { text: answer.text, calls, ...(thought && { thought }) };
  };

export const langchainChat = langchain((url, situation) => {
  const thinking = situation === "thinking" ? { model: "gpt-5.1", reasoning: { effort: "low" as const } } : { model: "gpt-4.1" };
  return new ChatOpenAI({ apiKey: "k", maxRetries: 0, ...thinking, configuration: { baseURL: `${url}/v1` } });
});
export const langchainResponses = langchain((url, situation) => {
  const reasoning = situation === "thinking" && { reasoning: { effort: "low" as const, summary: "auto" as const } };
  const given = { apiKey: "k", maxRetries: 0, model: "gpt-5.1", useResponsesApi: true, zdrEnabled: true, ...reasoning };
  return new ChatOpenAI({ ...given, configuration: { baseURL: `${url}/v1` } });
});
export const langchainAnthropic = langchain((url, situation) => {
  const thinking = situation === "thinking" && { thinking: { type: "enabled" as const, budget_tokens: 2000 } };
  const given = { apiKey: "k", maxRetries: 0, model: "claude-sonnet-4-20250514", maxTokens: 8000, ...thinking };
  return new ChatAnthropic({ ...given, anthropicApiUrl: url });
});
