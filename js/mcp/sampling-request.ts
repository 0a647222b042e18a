// What a server asks the application's model, read: as a person sees it, and as the model gets it. Anything may have been sent.

import type { ModelTool } from "../src/ports/model.js";
import type { ContentPart, Message, ToolResult } from "../src/wire/record.js";

export interface SaidText {
  readonly by: "user" | "assistant";
  readonly text: string;
  /** Pictures and sounds, in base64. */
  readonly media?: readonly SaidMedia[] | undefined;
  /** Calls of tools of the server, which runs them itself. */
  readonly calls?: readonly SaidCall[] | undefined;
  /** What came of the calls before. */
  readonly results?: readonly SaidResult[] | undefined;
}

export interface SaidMedia {
  /** Its media type. */
  readonly type: string;
  readonly data: string;
}

export interface SaidCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface SaidResult {
  readonly call: string;
  readonly name: string;
  readonly text: string;
  readonly failed: boolean;
}

/** A tool of the server that the model may ask for. */
export interface SaidTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
}

/** What is to be sent. */
export interface Read {
  readonly system?: string | undefined;
  readonly messages: readonly SaidText[];
  readonly tools?: readonly SaidTool[] | undefined;
  readonly toolChoice?: ToolChoice | undefined;
}

/** Whether the model may call, must, or must not. */
export type ToolChoice = "auto" | "required" | "none";

/** More than that nobody reads before they allow it. */
const most = { letters: 100_000, messages: 100, tools: 32, media: 8, mediaLetters: 4_000_000 };

const strange = "it is no request as the protocol has it";

class Strange extends Error {}

/** A sentence where it is not for our model. */
export function readRequest(params: unknown): Read | string {
  try {
    return readAll(params);
  } catch (error) {
    if (error instanceof Strange) return error.message;
    throw error;
  }
}

function readAll(params: unknown): Read {
  const { messages, systemPrompt = "", maxTokens, tools, toolChoice } = Object(params) as Record<string, unknown>;
  if (!Array.isArray(messages) || typeof systemPrompt !== "string" || !Number.isFinite(maxTokens)) throw new Strange(strange);
  if (messages.length === 0) throw new Strange("it says nothing");
  if (messages.length > most.messages) throw new Strange(`it has more than ${most.messages} messages`);
  const read = messages.map((message) => readMessage(message));
  const named = withNames(read);
  const offered = readTools(tools);
  const media = named.flatMap(({ media = [] }) => media);
  if (media.length > most.media) throw new Strange(`it has more than ${most.media} pictures and sounds`);
  if (media.reduce((sum, { data }) => sum + data.length, 0) > most.mediaLetters)
    throw new Strange(`its pictures and sounds have more than ${most.mediaLetters} letters`);
  const words = named.map(({ media: _, ...rest }) => rest);
  if (systemPrompt.length + JSON.stringify([words, offered]).length > most.letters)
    throw new Strange(`it has more than ${most.letters} letters`);
  return {
    ...(systemPrompt && { system: systemPrompt }),
    messages: named,
    ...(offered.length > 0 && { tools: offered, toolChoice: readChoice(toolChoice) }),
  };
}

function readChoice(choice: unknown): ToolChoice {
  const { mode = "auto" } = Object(choice) as { readonly mode?: unknown };
  if (mode === "auto" || mode === "required" || mode === "none") return mode;
  throw new Strange(strange);
}

function readTools(tools: unknown = []): SaidTool[] {
  if (!Array.isArray(tools)) throw new Strange(strange);
  if (tools.length > most.tools) throw new Strange(`it brings more than ${most.tools} tools`);
  const read = tools.map((tool): SaidTool => {
    const { name, description = "", inputSchema } = Object(tool) as Record<string, unknown>;
    const isObject = (Object(inputSchema) as { readonly type?: unknown }).type === "object";
    if (typeof name !== "string" || typeof description !== "string" || !isObject) throw new Strange(strange);
    // As providers take them.
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) throw new Strange(`it brings a tool with a name that no model takes`);
    return { name, description, inputSchema: inputSchema as object };
  });
  if (new Set(read.map(({ name }) => name)).size < read.length) throw new Strange("it brings two tools of one name");
  return read;
}

type Block = Readonly<Record<string, unknown>>;

function readMessage(message: unknown): SaidText {
  const { role, content } = Object(message) as Block;
  if (role !== "user" && role !== "assistant") throw new Strange(strange);
  const blocks: Block[] = [content].flat().map(Object);
  const of = (...types: string[]) => blocks.filter(({ type }) => types.includes(String(type)));
  const text = textOf(of("text"));
  const media = of("image", "audio").map(readMedia);
  const calls = of("tool_use").map(readCall);
  const results = of("tool_result").map(readResult);
  const other = blocks.find(({ type }) => !/^(text|image|audio|tool_use|tool_result)$/.test(String(type)));
  if (other) throw new Strange(`it sends something that no model is given (${String(other.type).slice(0, 40)})`);
  if (role === "assistant" ? results.length : calls.length) throw new Strange(strange);
  if (role === "assistant" && media.length) throw new Strange("it sends a picture or a sound as the words of the model");
  // The protocol has them alone.
  if (results.length && results.length < blocks.length) throw new Strange(strange);
  return {
    by: role,
    text,
    ...(media.length > 0 && { media }),
    ...(calls.length > 0 && { calls }),
    ...(results.length > 0 && { results }),
  };
}

function textOf(blocks: readonly Block[]): string {
  return blocks
    .map(({ text }) => {
      if (typeof text !== "string") throw new Strange(strange);
      return text;
    })
    .join("\n\n");
}

/** Pictures that browsers show, so that a person has seen what they allow. */
const mediaTypes = /^(image\/(png|jpeg|gif|webp)|audio\/[a-z0-9.+-]{1,40})$/;

function readMedia({ type, data, mimeType }: Block): SaidMedia {
  if (typeof data !== "string" || typeof mimeType !== "string" || !/^[A-Za-z0-9+/]+={0,2}$/.test(data))
    throw new Strange(strange);
  if (!mediaTypes.test(mimeType) || !mimeType.startsWith(String(type)))
    throw new Strange(`it sends a picture or a sound of a kind that is not shown (${mimeType.slice(0, 40)})`);
  return { type: mimeType, data };
}

function readCall({ id, name, input }: Block): SaidCall {
  if (typeof id !== "string" || typeof name !== "string" || !id || typeof input !== "object" || input === null)
    throw new Strange(strange);
  return { id, name, input };
}

function readResult({ toolUseId, content = [], isError = false }: Block): SaidResult {
  if (typeof toolUseId !== "string" || !Array.isArray(content)) throw new Strange(strange);
  const blocks: Block[] = content.map(Object);
  const other = blocks.find(({ type }) => type !== "text");
  if (other) throw new Strange(`it sends the result of a tool that is more than texts (${String(other.type).slice(0, 40)})`);
  return { call: toolUseId, name: "", text: textOf(blocks), failed: isError === true };
}

/** Each call has one result, in the next message, and each result its call. */
function withNames(messages: readonly SaidText[]): SaidText[] {
  let open = new Map<string, string>();
  return messages.map((message, at) => {
    const { calls = [], results = [] } = message;
    const answered = new Set(results.map(({ call }) => call));
    const fits = answered.size === results.length && open.size === answered.size && results.every(({ call }) => open.has(call));
    if (!fits) throw new Strange("its calls of tools and their results are not one for one");
    const named = results.map((result) => ({ ...result, name: open.get(result.call) ?? "" }));
    open = new Map(calls.map(({ id, name }) => [id, name]));
    if (open.size < calls.length || (open.size > 0 && at === messages.length - 1))
      throw new Strange("its calls of tools and their results are not one for one");
    return { ...message, ...(named.length > 0 && { results: named }) };
  });
}

// ---- as the model gets it ------------------------------------------------------------------------------------------

export function messageOf({ by, text, media = [], calls = [], results = [] }: SaidText): Message {
  if (by === "assistant")
    return {
      sender: "agent",
      text,
      ...(calls.length > 0 && { tool_calls: calls.map(({ id, name, input }) => ({ id, tool_name: name, input_args: input })) }),
    };
  if (results.length > 0) return { sender: "user", text, tool_results: results.map(toolResult) };
  if (media.length === 0) return { sender: "user", text };
  const words: ContentPart[] = text ? [{ type: "text", text }] : [];
  return { sender: "user", text, content: [...words, ...media.map(partOf)] };
}

function toolResult({ call, name, text, failed }: SaidResult): ToolResult {
  const result = failed
    ? { status: "error" as const, data: null, message: text || "The tool failed." }
    : { status: "success" as const, data: text };
  return { tool_name: name, call_id: call, result };
}

const partOf = ({ type, data }: SaidMedia): ContentPart => ({
  type: type.startsWith("image/") ? "image" : "document",
  source: { type: "base64", media_type: type, data },
});

export const modelTools = ({ tools = [] }: Read): ModelTool[] =>
  tools.map(({ name, description, inputSchema }) => ({ name, description, jsonSchema: inputSchema as ModelTool["jsonSchema"] }));
