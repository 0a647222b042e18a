// What a server asks the application's model (`sampling/createMessage`): a person reads what is sent to it, and what it has said before the server
// gets that.

import type { CreateMessageRequest, CreateMessageResult, CreateMessageResultWithTools } from "@modelcontextprotocol/client";
import type { ToolDisplay } from "../src/ports/tool.js";
import { withinTime } from "../src/timing/time-limit.js";
import { reasonOf } from "../src/values/error.js";
import type { Message } from "../src/wire/record.js";
import type { McpSampling, McpSamplingWish } from "./options.js";
import {
  messageOf,
  modelTools,
  type Read,
  readRequest,
  type SaidCall,
  type SaidText,
  type SaidTool,
} from "./sampling-request.js";
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
  /** What the model may ask the server to run. */
  readonly tools?: readonly SaidTool[] | undefined;
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
export type Said =
  | {
      readonly text: string;
      /** What it asks the server to run. */
      readonly calls?: readonly SaidCall[] | undefined;
      readonly model: string;
      readonly stop: string;
    }
  | { readonly failed: string };

/** For the server; or why there is nothing, and whether a person has said so. */
export type Sampled =
  | { readonly answer: CreateMessageResult | CreateMessageResultWithTools }
  | { readonly refused: string; readonly byPerson?: boolean | undefined };

const most = { stops: 16, name: 200 };

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
  const { toolChoice: _, ...shown } = read;
  const allowed = await ask({ step: "send", ...shown });
  const tooLate = { refused: `The MCP server "${server}" does not wait for the model any more.` };
  if (gone?.aborted) return tooLate;
  if (!allowed) return { refused: `The person does not let the MCP server "${server}" ask the model.`, byPerson: true };
  const said = await keep(() => saidBy(params, read, port));
  if ("failed" in said) return { refused: said.failed };
  const { text, calls, model, stop } = said;
  const given = await ask({ step: "give", messages: [{ by: "assistant", text, ...(calls && { calls }) }] });
  if (gone?.aborted) return tooLate;
  if (!given) return { refused: `The person does not give the MCP server "${server}" what the model has said.`, byPerson: true };
  const words = { type: "text" as const, text };
  if (!calls) return { answer: { role: "assistant", content: words, model, stopReason: stop } };
  const asked = calls.map(({ id, name, input }) => ({
    type: "tool_use" as const,
    id,
    name,
    input: input as Record<string, unknown>,
  }));
  return { answer: { role: "assistant", content: [...(text ? [words] : []), ...asked], model, stopReason: "toolUse" } };
}

const textsIn = (list: unknown): string[] =>
  (Array.isArray(list) ? list : [])
    .filter((one) => typeof one === "string" && one && one.length <= most.name)
    .slice(0, most.stops);

async function saidBy(
  params: SamplingRequest,
  read: Read,
  { server, sampling, display, gone, maxMs }: SamplingPort,
): Promise<Said> {
  const { system, messages, toolChoice } = read;
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
      ...(toolChoice && { toolChoice }),
    };
    const asked: Message[] = messages.map(messageOf);
    const tools = modelTools(read);
    return await withinTime(maxMs, stopped, async (signal): Promise<Said> => {
      const model = await sampling(wish);
      signal.throwIfAborted();
      model.setSystemPrompt(system ?? "");
      let leftOut: string | undefined;
      const heard = async (event: string, about: unknown) => {
        const { code, message } = Object(about) as { readonly code?: unknown; readonly message?: unknown };
        if (event === "model_notice" && code === "MEDIA_LEFT_OUT") leftOut = String(message);
      };
      const { messages: said, stop_reason } = await model.prompt(
        { messages: asked, ...(tools.length > 0 && { tools }) },
        heard,
        signal,
      );
      // An answer to something else than what was asked is none.
      if (leftOut !== undefined)
        return { failed: `The model does not take all that the MCP server "${server}" has sent: ${leftOut}` };
      const text = said.map((message) => message.text).join("");
      const calls = callsIn(said);
      const wrong = wrongCalls(calls, read);
      if (wrong) return { failed: `The model ${wrong}, so the MCP server "${server}" gets nothing of it.` };
      if (calls.length > 0)
        return { text, calls: calls.map(({ isRead: _, ...call }) => call), model: model.name, stop: "toolUse" };
      if (!text) return { failed: `The model has said nothing to the MCP server "${server}".` };
      return { text, model: model.name, stop: /length|max_?tokens/i.test(stop_reason ?? "") ? "maxTokens" : "endTurn" };
    });
  } catch (error) {
    display.signal.throwIfAborted();
    return { failed: `The model could not answer the MCP server "${server}": ${reasonOf(error)}` };
  }
}

/** `isRead`: its arguments are an object. */
function callsIn(said: readonly Message[]): (SaidCall & { readonly isRead: boolean })[] {
  return said
    .flatMap(({ tool_calls = [] }) => tool_calls)
    .map(({ id, tool_name: name, input_args: input, unparsed_args: unread }, at) => ({
      id: id || `call_${at + 1}`,
      name,
      input,
      isRead: !unread && typeof input === "object" && input !== null && !Array.isArray(input),
    }));
}

/** Why the server cannot be given these. */
function wrongCalls(calls: ReturnType<typeof callsIn>, { tools = [], toolChoice }: Read): string | undefined {
  if (toolChoice === "required" && calls.length === 0) return "has called no tool, which was required";
  if (calls.length === 0) return undefined;
  if (toolChoice === "none") return "has called a tool, which it was not to do";
  if (!calls.every(({ name }) => tools.some((tool) => tool.name === name))) return "has called a tool that it was not given";
  return calls.every(({ isRead }) => isRead) ? undefined : "has called a tool with arguments that cannot be read";
}
