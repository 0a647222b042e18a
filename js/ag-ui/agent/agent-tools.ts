// What an agent does itself and what it asks, as calls of our record: so they are drawn, kept, and answered after a reload.

import { formSchemaOf } from "../../mcp/form-schema.js";
import type { ToolConfig, ToolDisplay } from "../../src/ports/tool.js";
import { loadPart } from "../../src/values/error.js";
import type { ToolResultData } from "../../src/wire/record.js";
import type { AgentCall, AgentQuestion } from "./agent-run.js";

/** The names of both; an agent may call neither. */
export const stepName = "ag_ui_step";
export const questionName = "ag_ui_question";

/** What a call of `stepName` holds. */
export interface StepInput {
  readonly name: string;
  readonly args: unknown;
}

/** What an answer to a question holds. */
export interface QuestionAnswer {
  readonly interruptId: string;
  readonly status: "resolved" | "cancelled";
  readonly payload?: unknown;
}

/** The arguments as JSON, or as the text that is none. */
export function argumentsOf({ args }: AgentCall): unknown {
  if (args.trim() === "") return {};
  try {
    return JSON.parse(args) as unknown;
  } catch {
    return args;
  }
}

/** A call of a tool that the agent runs: its result is there when it is shown. */
export function stepTool(resultOf: (sessionId: string) => string | undefined): ToolConfig<StepInput> {
  return {
    name: stepName,
    description: "What the agent did itself.",
    jsonSchema: { type: "object" },
    title: (input) => String(Object(input).name),
    // It only shows.
    idempotent: true,
    do(_, { sessionId = "" }): ToolResultData {
      const result = resultOf(sessionId);
      if (result !== undefined) return { status: "success", data: result };
      const message = "What this gave is not known here: the page was left before it was stored.";
      return { status: "error", data: null, message };
    },
  };
}

/** A question of the agent. Its answer goes out with the next run. */
export function questionTool(agent: string): ToolConfig<AgentQuestion> {
  return {
    name: questionName,
    description: "What the agent asks.",
    jsonSchema: { type: "object" },
    title: () => agent,
    async do(question, display): Promise<QuestionAnswer> {
      const interruptId = question.id;
      const payload = await answerTo(question, display, agent);
      return payload === undefined ? { interruptId, status: "cancelled" } : { interruptId, status: "resolved", payload };
    },
  };
}

/** Nothing where the person wants to give no answer. */
async function answerTo(question: AgentQuestion, display: ToolDisplay, agent: string): Promise<unknown> {
  const { reason, schema } = question;
  const message = wordsOf(question, agent);
  if (!schema && (reason === "tool_call" || reason === "confirmation")) {
    const yes = (await display.pushAndWait({ renderer: "confirm", input: { message } })) === "yes";
    return reason === "tool_call" ? { approved: yes } : yes;
  }
  const form = formSchemaOf(schema);
  if (!form) return display.pushAndWait({ renderer: "input", input: { message } });
  // A form says only so much: what it is about is read, and allowed, before.
  if (message.length > formLetters && (await display.pushAndWait({ renderer: "confirm", input: { message } })) !== "yes")
    return undefined;
  const { answerOf } = await loadPart(import("./asked.js"));
  const asks = { mode: "form", message, requestedSchema: form } as unknown as Parameters<typeof answerOf>[0];
  const answer = await answerOf(asks, { display, server: agent });
  return answer.action === "accept" ? (answer.content ?? {}) : undefined;
}

const formLetters = 2_000;

/** Whoever allows a call sees what it is, whatever the agent says of it. */
function wordsOf({ message, reason, call }: AgentQuestion, agent: string): string {
  const words = message || `${agent}: ${reason}`;
  return call ? `${words}\n\n${call.name} ${call.args}` : words;
}
