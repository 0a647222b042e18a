// A `RunAgentInput`, checked: what is wrong with it is said before a run begins. What is not known of it is left out.

import { refuse } from "../../server/refuse.js";
import { answerTool } from "../../src/tools/answer-tool.js";
import { skillTool } from "../../src/tools/skill-tool.js";
import type { ContentPart } from "../../src/wire/record.js";

/** A tool that the application runs. */
export interface ClientTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** What was said last, and where. */
export interface UserMessage {
  readonly id: string;
  readonly content: readonly ContentPart[];
  /** As the client has it; several where it has said several things. */
  readonly messages: readonly object[];
}

/** What a tool of the application gave. */
export interface ToolAnswer {
  readonly content: string;
  readonly error?: string;
  /** The message itself, as its client has it. */
  readonly message: object;
}

export interface ResumeEntry {
  readonly interruptId: string;
  readonly cancelled: boolean;
  readonly payload: unknown;
}

export interface RunInput {
  readonly threadId: string;
  readonly runId: string;
  /** The client says which version it speaks. */
  readonly versioned: boolean;
  readonly state: unknown;
  readonly tools: readonly ClientTool[];
  readonly context: readonly string[];
  readonly resume: readonly ResumeEntry[];
  /** What the client knows, by the ids of its messages. */
  readonly known: ReadonlySet<string>;
  /** The messages of people, as the client has them, by their ids. */
  readonly users: ReadonlyMap<string, object>;
  /** By the ids of calls. */
  readonly answers: ReadonlyMap<string, ToolAnswer>;
  /** Behind the last answer; nothing where the client says nothing. */
  readonly said: UserMessage | undefined;
  /** The message of a person before that. */
  readonly before: string | undefined;
  /** Messages that are the client's alone, such as its instructions. */
  readonly own: readonly object[];
}

export interface InputLimits {
  readonly messages: number;
  readonly tools: number;
}

/** In letters. */
const most = { id: 200, toolName: 64, description: 16_000, schema: 64_000, context: 64_000, state: 32_000, entries: 100 };

const wrong = (what: string): never => refuse(400, "RUN_INPUT_INVALID", `The body is no RunAgentInput: ${what}.`);

type Fields = Readonly<Record<string, unknown>>;

function object(value: unknown, name: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return wrong(`${name} is no object`);
  return value as Fields;
}

function text(value: unknown, name: string, longest = Number.POSITIVE_INFINITY): string {
  if (typeof value !== "string") return wrong(`${name} is no text`);
  return value.length > longest ? wrong(`${name} has more than ${longest} letters`) : value;
}

function id(value: unknown, name: string): string {
  const named = text(value, name, most.id) || wrong(`${name} is empty`);
  return /\p{Surrogate}/u.test(named) ? wrong(`${name} has half a letter`) : named;
}

function list(value: unknown, name: string): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : wrong(`${name} is no list`);
}

export function runInput(body: string, limits: InputLimits): RunInput {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch (error) {
    refuse(400, "BODY_NOT_JSON", "The request body is not valid JSON.", error);
  }
  const given = object(parsed, "it");
  const messages = list(given.messages ?? wrong("`messages` is missing"), "`messages`").map((message, at) =>
    object(message, `messages[${at}]`),
  );
  if (messages.length > limits.messages) refuse(413, "TOO_MANY_MESSAGES", `A run takes at most ${limits.messages} messages.`);
  const tools = list(given.tools, "`tools`");
  if (tools.length > limits.tools) refuse(413, "TOO_MANY_TOOLS", `A run takes at most ${limits.tools} tools.`);
  const { state } = given;
  if (JSON.stringify(state ?? null).length > most.state) wrong(`\`state\` has more than ${most.state} letters`);
  return {
    threadId: id(given.threadId, "`threadId`"),
    runId: id(given.runId, "`runId`"),
    versioned: typeof given.protocolVersion === "string",
    state: state ?? {},
    tools: toolsOf(tools),
    context: contextOf(given.context),
    resume: resumeOf(given.resume),
    ...messagesOf(messages),
  };
}

/** Names differ in more than their case: a call that was allowed as one would be the other's. */
function toolsOf(given: readonly unknown[]): ClientTool[] {
  const tools = given.map(toolOf);
  const names = new Set<string>([answerTool, skillTool]);
  for (const [at, { name }] of tools.entries()) {
    const same = name.toLowerCase();
    if (names.has(same)) wrong(`tools[${at}].name is taken by another tool: "${name}" (case is ignored)`);
    names.add(same);
  }
  return tools;
}

function toolOf(given: unknown, at: number): ClientTool {
  const { name, description, parameters } = object(given, `tools[${at}]`);
  const called = text(name, `tools[${at}].name`);
  if (!/^[a-zA-Z0-9_-]+$/.test(called) || called.length > most.toolName) wrong(`tools[${at}].name is no name of a tool`);
  const schema = parameters === undefined || parameters === null ? {} : object(parameters, `tools[${at}].parameters`);
  if (JSON.stringify(schema).length > most.schema) wrong(`tools[${at}].parameters are too long`);
  return {
    name: called,
    description: text(description, `tools[${at}].description`, most.description),
    parameters: { type: "object", ...schema },
  };
}

function contextOf(given: unknown): string[] {
  const lines = list(given, "`context`").map((entry, at) => {
    const { description, value } = object(entry, `context[${at}]`);
    return `${text(description, `context[${at}].description`)}: ${text(value, `context[${at}].value`)}`;
  });
  if (lines.join("").length > most.context) wrong(`\`context\` has more than ${most.context} letters`);
  return lines;
}

function resumeOf(given: unknown): ResumeEntry[] {
  const entries = list(given, "`resume`");
  if (entries.length > most.entries) wrong(`\`resume\` has more than ${most.entries} entries`);
  return entries.map((entry, at) => {
    const { interruptId, status, payload } = object(entry, `resume[${at}]`);
    if (status !== "resolved" && status !== "cancelled") wrong(`resume[${at}].status is neither "resolved" nor "cancelled"`);
    return { interruptId: text(interruptId, `resume[${at}].interruptId`, most.id), cancelled: status === "cancelled", payload };
  });
}

function messagesOf(messages: readonly Fields[]): Pick<RunInput, "known" | "users" | "answers" | "said" | "before" | "own"> {
  const known = new Set<string>();
  const users = new Map<string, object>();
  const answers = new Map<string, ToolAnswer>();
  const own: object[] = [];
  messages.forEach((message, at) => {
    const named = id(message.id, `messages[${at}].id`);
    known.add(named);
    const { role } = message;
    if (role === "user") users.set(named, message);
    if (role === "system" || role === "developer") own.push(message);
    if (role !== "tool") return;
    const { content, error } = message;
    const answer = { content: plain(content, at), message, ...(typeof error === "string" && { error }) };
    answers.set(id(message.toolCallId, `messages[${at}].toolCallId`), answer);
  });
  const last = messages.findLastIndex(({ role }) => role === "assistant" || role === "tool");
  const isUser = ({ role }: Fields) => role === "user";
  const fresh = messages.slice(last + 1).filter(isUser);
  const before = messages.slice(0, last + 1).findLast(isUser)?.id as string | undefined;
  const newest = fresh.at(-1);
  if (!newest) return { known, users, answers, own, before, said: undefined };
  const content = fresh.flatMap((message) => partsOf(message.content, messages.indexOf(message)));
  if (content.length === 0) wrong("the last message is empty");
  return { known, users, answers, own, before, said: { id: newest.id as string, content, messages: fresh } };
}

function plain(content: unknown, at: number): string {
  const parts = partsOf(content, at);
  return parts.map((part) => part.text ?? `[${part.type}]`).join("\n");
}

/** What no model takes is left out with a word about it: the run goes on without. */
function partsOf(content: unknown, at: number): ContentPart[] {
  if (typeof content === "string") return content.trim() === "" ? [] : [{ type: "text", text: content }];
  return list(content ?? wrong(`messages[${at}].content is missing`), `messages[${at}].content`).map((given, index) => {
    const part = object(given, `messages[${at}].content[${index}]`);
    const { type } = part;
    if (type === "text") return { type: "text", text: text(part.text, `the text of messages[${at}]`) };
    return mediaOf(part) ?? { type: "text", text: `[left out: ${String(type).slice(0, 40)}]` };
  });
}

function mediaOf({ type, source, mimeType, data, url }: Fields): ContentPart | undefined {
  // What files were called before 1.0.
  const old = type === "binary";
  const from = (old ? { type: data === undefined ? "url" : "data", value: data ?? url, mimeType } : Object(source)) as Fields;
  const media = typeof from.mimeType === "string" ? from.mimeType : type === "image" ? "image/png" : "";
  const kind = /^(image|video)\//.exec(media)?.[1] ?? "document";
  if (typeof from.value !== "string" || !media || !/^(image|video|document|binary)$/.test(String(type))) return undefined;
  if (from.type === "data") return { type: kind, source: { type: "base64", media_type: media, data: from.value } };
  if (from.type !== "url" || !/^https?:/i.test(from.value)) return undefined;
  return { type: kind, source: { type: "url", media_type: media, url: from.value } };
}
