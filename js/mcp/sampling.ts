// What a server asks the application's model (`sampling/createMessage`): a person reads what is sent to it, and what it has said before the server
// gets that.

import type { CreateMessageRequest, CreateMessageResult } from "@modelcontextprotocol/client";
import type { ToolDisplay } from "../src/ports/tool.js";
import { withinTime } from "../src/timing/time-limit.js";
import { reasonOf } from "../src/values/error.js";
import type { Message } from "../src/wire/record.js";
import type { McpSampling, McpSamplingWish } from "./options.js";
import { tellWithdrawn } from "./tools/asked.js";
import { turnedDown } from "./tools/turned-down.js";

export type SamplingRequest = CreateMessageRequest["params"];

/** What a person reads. */
export interface SamplingQuestion {
  readonly server: string;
  /** `send`: the model is to be asked this. `give`: it has said this, and the server is to get it. */
  readonly step: "send" | "give";
  /** The server's words. */
  readonly system?: string | undefined;
  readonly messages: readonly SaidText[];
}

export interface SaidText {
  readonly by: "user" | "assistant";
  readonly text: string;
}

export interface SamplingPort {
  readonly display: Pick<ToolDisplay, "pushAndWait" | "progress" | "signal">;
  readonly server: string;
  readonly sampling: McpSampling;
  /** Its server has withdrawn it, or is gone: nobody would get the answer. */
  readonly gone?: AbortSignal | undefined;
  /** The model is given up after so long. */
  readonly maxMs: number;
  /** Does what is paid for, and keeps what came of it. */
  keep(work: () => Promise<Said>): Promise<Said>;
}

/** What the model has said; it is kept in the record. */
export type Said = { readonly text: string; readonly model: string; readonly stop: string } | { readonly failed: string };

/** For the server; or why there is nothing, and whether a person has said so. */
export type Sampled =
  | { readonly answer: CreateMessageResult }
  | { readonly refused: string; readonly byPerson?: boolean | undefined };

/** More than that nobody reads before they allow it. */
const most = { letters: 100_000, messages: 100, stops: 16, name: 200 };

export async function sampled(params: SamplingRequest, port: SamplingPort): Promise<Sampled> {
  const { server, display, gone, keep } = port;
  const read = readRequest(params);
  if (typeof read === "string") return { refused: `The MCP server "${server}" may not ask the model this: ${read}.` };
  const ask = async (question: Omit<SamplingQuestion, "server">): Promise<boolean> => {
    const input: SamplingQuestion = { server, ...question };
    try {
      const answer = await display.pushAndWait({ renderer: "mcp_sampling", input, withdrawn: gone });
      return (Object(answer) as { readonly action?: unknown }).action === "accept";
    } catch (error) {
      turnedDown(error, display.signal);
      tellWithdrawn(port);
      return false;
    }
  };
  const allowed = await ask({ step: "send", ...read });
  const tooLate = { refused: `The MCP server "${server}" does not wait for the model any more.` };
  if (gone?.aborted) return tooLate;
  if (!allowed) return { refused: `The person does not let the MCP server "${server}" ask the model.`, byPerson: true };
  const said = await keep(() => saidBy(params, read, port));
  if ("failed" in said) return { refused: said.failed };
  const { text, model, stop } = said;
  const given = await ask({ step: "give", messages: [{ by: "assistant", text }] });
  if (gone?.aborted) return tooLate;
  if (!given) return { refused: `The person does not give the MCP server "${server}" what the model has said.`, byPerson: true };
  return { answer: { role: "assistant", content: { type: "text", text }, model, stopReason: stop } };
}

type Read = Pick<SamplingQuestion, "system" | "messages">;

/** Anything may have been sent. A sentence where it is not for our model. */
function readRequest(params: unknown): Read | string {
  const { messages, systemPrompt = "", maxTokens, tools, toolChoice } = Object(params) as Record<string, unknown>;
  const strange = "it is no request as the protocol has it";
  if (!Array.isArray(messages) || typeof systemPrompt !== "string" || !Number.isFinite(maxTokens)) return strange;
  if (toolChoice || (Array.isArray(tools) ? tools.length : tools)) return "it brings tools of its own";
  if (messages.length === 0) return "it says nothing";
  if (messages.length > most.messages) return `it has more than ${most.messages} messages`;
  const texts: SaidText[] = [];
  for (const { role, content } of messages.map(Object)) {
    const blocks: { readonly type?: unknown; readonly text?: unknown }[] = [content].flat().map(Object);
    const other = blocks.find(({ type }) => type !== "text");
    if (other) return `it sends something else than texts (${String(other.type).slice(0, 40)})`;
    if ((role !== "user" && role !== "assistant") || blocks.some(({ text }) => typeof text !== "string")) return strange;
    texts.push({ by: role, text: blocks.map(({ text }) => text).join("\n\n") });
  }
  const letters = texts.reduce((sum, { text }) => sum + text.length, systemPrompt.length);
  if (letters > most.letters) return `it has more than ${most.letters} letters`;
  return { ...(systemPrompt && { system: systemPrompt }), messages: texts };
}

const textsIn = (list: unknown): string[] =>
  (Array.isArray(list) ? list : [])
    .filter((one) => typeof one === "string" && one && one.length <= most.name)
    .slice(0, most.stops);

async function saidBy(
  params: SamplingRequest,
  { system, messages }: Read,
  { server, sampling, display, gone, maxMs }: SamplingPort,
): Promise<Said> {
  const stopped = gone ? AbortSignal.any([display.signal, gone]) : display.signal;
  try {
    const { maxTokens, temperature, stopSequences, modelPreferences } = params;
    const { hints } = Object(modelPreferences) as { readonly hints?: unknown };
    const names = (Array.isArray(hints) ? hints : []).map((hint) => Object(hint).name);
    const wish: McpSamplingWish = {
      server,
      maxTokens,
      ...(Number.isFinite(temperature) && { temperature }),
      stopSequences: textsIn(stopSequences),
      models: textsIn(names),
    };
    const asked = messages.map(({ by, text }): Message => ({ sender: by === "user" ? "user" : "agent", text }));
    return await withinTime(maxMs, stopped, async (signal): Promise<Said> => {
      const model = await sampling(wish);
      signal.throwIfAborted();
      model.setSystemPrompt(system ?? "");
      const { messages: said, stop_reason } = await model.prompt({ messages: asked }, async () => {}, signal);
      const text = said.map((message) => message.text).join("");
      if (!text) return { failed: `The model has said nothing to the MCP server "${server}".` };
      return { text, model: model.name, stop: /length|max_?tokens/i.test(stop_reason ?? "") ? "maxTokens" : "endTurn" };
    });
  } catch (error) {
    display.signal.throwIfAborted();
    return { failed: `The model could not answer the MCP server "${server}": ${reasonOf(error)}` };
  }
}
