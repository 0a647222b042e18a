// What a server asks a person in the middle of a call, as slots of the call: `mcp_form` and `mcp_link`.

import type { ElicitResult } from "@modelcontextprotocol/client";
import type { ToolDisplay } from "../../src/ports/tool.js";
import type { Elicitation } from "../connection/connection.js";
import { shortened } from "../connection/errors.js";
import type { McpAllowed } from "../options.js";
import { isSafe } from "../safe-address.js";
import { type FormContent, type FormQuestion, type FormSchema, fieldsOf, mayAsk, readForm } from "./form.js";
import { turnedDown } from "./turned-down.js";

/** Who asks whom. */
interface Asking {
  readonly display: Pick<ToolDisplay, "pushAndWait" | "progress" | "signal">;
  /** The `name` of the server. */
  readonly server: string;
  /** It does not wait for the answer any more. */
  readonly gone?: AbortSignal | undefined;
}

/** What a question for an address holds. */
export interface LinkQuestion {
  readonly server: string;
  readonly message: string;
  readonly url: string;
}

/** So often is a person asked for one form. */
const tries = 5;

const most = { messageLetters: 2_000, addressLetters: 2_000 };

const declined: ElicitResult = { action: "decline" };

/** The person's answer: what they gave, that they want none of it, or that they turned the question down. */
export async function answerOf(
  request: Elicitation,
  asking: Asking,
  { questions = true, links = true }: McpAllowed = {},
): Promise<ElicitResult> {
  try {
    if (request.mode === "url") return links ? await link(request, asking) : declined;
    return questions ? await form(request, asking) : declined;
  } catch (error) {
    turnedDown(error, asking.display.signal);
    tellWithdrawn(asking);
    return { action: "cancel" };
  }
}

async function link(
  { url, message }: Extract<Elicitation, { mode: "url" }>,
  { display, server, gone: withdrawn }: Asking,
): Promise<ElicitResult> {
  const address = safe(url);
  if (!address) return declined;
  const input: LinkQuestion = { server, message: shortened(message, most.messageLetters), url: address.href };
  const answer = await display.pushAndWait({ renderer: "mcp_link", input, withdrawn });
  return actionOf(answer) === "accept" ? { action: "accept" } : declined;
}

/** A name before the host could be taken for it. */
function safe(url: string): URL | undefined {
  if (url.length > most.addressLetters || !URL.canParse(url)) return undefined;
  const address = new URL(url);
  return isSafe(address) && !address.username && !address.password ? address : undefined;
}

async function form(request: Elicitation, { display, server, gone: withdrawn }: Asking): Promise<ElicitResult> {
  const { message, requestedSchema } = request as { message: string; requestedSchema?: FormSchema };
  const schema: FormSchema = requestedSchema ?? {};
  if (!mayAsk(fieldsOf(schema))) return declined;
  const question: FormQuestion = { server, message: shortened(message, most.messageLetters), schema };
  let before: Pick<FormQuestion, "content" | "issues"> = {};
  for (let count = 0; count < tries; count++) {
    const answer = await display.pushAndWait({ renderer: "mcp_form", input: { ...question, ...before }, withdrawn });
    if (actionOf(answer) !== "accept") return declined;
    const { content, issues } = readForm(schema, (answer as { readonly content?: FormContent }).content);
    if (issues.length === 0) return { action: "accept", content };
    before = { content, issues };
  }
  return { action: "cancel" };
}

/** Where a question stood a moment ago, a person reads why it is gone. */
export function tellWithdrawn({ display, server, gone }: Asking): void {
  if (gone?.aborted) display.progress(`The server "${server}" has withdrawn its question.`);
}

const actionOf = (answer: unknown): unknown => Object(answer).action;
