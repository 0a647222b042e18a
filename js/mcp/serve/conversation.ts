// A message to the application's agent, as work: a prompt of a conversation that goes on with the next one.

import type { Tool } from "@modelcontextprotocol/server";
import type { GloveSession } from "../../src/session/session.js";
import type { PromptText } from "../../src/wire/run-types.js";
import type { OfferedAgent } from "./options.js";
import { failed, tooLong } from "./result.js";
import type { Work } from "./served-call.js";

export const agentTool = ({ name, title, description }: OfferedAgent): Tool => ({
  name,
  ...(title !== undefined && { title }),
  description,
  inputSchema: {
    type: "object",
    properties: {
      message: { type: "string", description: "What is said to the agent." },
      conversation: { type: "string", description: "Goes on with an earlier conversation: the `conversation` of its answer." },
    },
    required: ["message"],
  },
  outputSchema: {
    type: "object",
    properties: { answer: { type: "string" }, conversation: { type: "string" } },
    required: ["answer", "conversation"],
  },
});

/** What a client says, and in which conversation. */
export interface AgentInput {
  readonly message: string;
  readonly conversation?: string | undefined;
}

/** A sentence where it is none. */
export function agentInput(input: unknown): AgentInput | string {
  const { message, conversation } = Object(input) as Readonly<Record<string, unknown>>;
  if (typeof message !== "string" || !message.trim()) return "`message` must be a text.";
  if (conversation === undefined) return { message };
  if (typeof conversation === "string" && /^[0-9a-f-]{36}$/.test(conversation)) return { message, conversation };
  return noConversation;
}

const noConversation = "There is no such conversation. Leave `conversation` out to begin one.";

/** `id` is the prompt's. */
export function agentCall(
  id: string,
  name: string,
  { message, conversation }: AgentInput,
  called: string,
  letters: number,
): Work {
  return {
    name,
    ready: () => {},
    refusal: (session) => {
      const { busy, timeline } = session.getSnapshot();
      if (conversation !== undefined && timeline.length === 0) return noConversation;
      return busy ? "This conversation is being answered, or waits for a person. Nothing was said in it." : undefined;
    },
    begin: (session) => session.requestAs(id, { text: message }),
    async ended(session) {
      const said = await answerIn(session, id);
      if (!said) return undefined;
      const { text, partial } = said;
      if (partial) return { result: failed("The answer was stopped before its end."), stopped: true };
      if (text.length > letters) return { result: tooLong(`The answer of "${name}"`, text.length, letters), stopped: false };
      const structuredContent = { answer: text, conversation: called };
      return {
        result: { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent },
        stopped: false,
      };
    },
    unknown: "Nothing is known of this conversation any more.",
    nothing: "The agent could not answer. Try again.",
  };
}

/** Nothing while it is not given: what failed can go on, and what the model said before a call is no answer. */
async function answerIn(
  session: GloveSession,
  id: string,
): Promise<{ readonly text: string; readonly partial: boolean } | undefined> {
  const prompts = await session.prompts(id);
  const prompt = prompts.find((one) => one.id === id);
  const goesOn = prompts.at(-1) === prompt && session.getSnapshot().run.phase !== "idle";
  if (!prompt || goesOn) return undefined;
  const last = prompt.outputs.findLast(({ type }) => type === "text" || type === "tool");
  if (last?.type !== "text") return undefined;
  const { text, partial = false } = last as PromptText;
  return { text, partial };
}
