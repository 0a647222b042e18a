// What a server asks a person in the middle of a call, as questions that every chat can draw.

import type { ElicitResult } from "@modelcontextprotocol/client";
import type { SlotRequest } from "../../src/ports/display.js";
import type { BuiltInChoice, ToolDisplay } from "../../src/ports/tool.js";
import { issuesText } from "../../src/schema/check.js";
import { AbortError, GloveError } from "../../src/values/error.js";
import type { Elicitation } from "../connection/connection.js";
import { shortened } from "../connection/errors.js";
import type { McpAllowed } from "../options.js";
import { issuesBy } from "./server-schema.js";

type Asking = Pick<ToolDisplay, "pushAndWait" | "signal">;

/** A field of a form, as servers describe it. */
interface Field {
  readonly type?: string;
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly enumNames?: readonly string[];
  readonly oneOf?: readonly { readonly const: string; readonly title?: string }[];
  readonly items?: {
    readonly enum?: readonly string[];
    readonly anyOf?: readonly { readonly const: string; readonly title?: string }[];
  };
  readonly default?: unknown;
}

/** Forms are no place for these: whoever reads the record would have them. */
const secret = /\b(pass ?(word|phrase|code)s?|secrets?|tokens?|(api|access|private) ?keys?|credentials?|pin|cv[cv])\b/;

/** By what it is called: a description may well say that no password is wanted. */
function isSecret(name: string, { title = "", format }: Field): boolean {
  const words = `${name} ${title}`.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/[^\p{L}\p{N}]+/gu, " ");
  return format === "password" || secret.test(words.toLowerCase());
}

/** So often is a person asked for one field. */
const tries = 5;

/** More of these are no question that a person can answer. */
const most = { fields: 20, choices: 200, addressLetters: 2_000 };

/** The person's answer; turning a question down declines. */
export async function answerOf(
  request: Elicitation,
  display: Asking,
  server: string,
  { questions = true, links = true }: McpAllowed = {},
): Promise<ElicitResult> {
  try {
    if (request.mode === "url") return links ? await link(request, display, server) : { action: "decline" };
    return questions ? await form(request, display, server) : { action: "decline" };
  } catch (error) {
    if (display.signal.aborted || error instanceof AbortError || error instanceof GloveError) throw error;
    return { action: "decline" };
  }
}

async function link(
  { url, message }: Extract<Elicitation, { mode: "url" }>,
  display: Asking,
  server: string,
): Promise<ElicitResult> {
  const address = safe(url);
  if (!address) return { action: "decline" };
  const asks = `The server "${server}" asks you to open an address of ${address.host}: ${shortened(message, 2_000)}\n\n${address}`;
  const options = [
    { label: "Done", value: "done" },
    { label: "Decline", value: "decline" },
  ];
  const answer = await display.pushAndWait({ renderer: "confirm", input: { message: asks, options } });
  return { action: answer === "done" ? "accept" : "decline" };
}

/** Nothing is sent in the clear, but to this machine; and a name before the host could be taken for it. */
function safe(url: string): URL | undefined {
  if (url.length > most.addressLetters || !URL.canParse(url)) return undefined;
  const address = new URL(url);
  const { protocol, hostname, username, password } = address;
  const isHidden = protocol === "https:" || (protocol === "http:" && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname));
  return isHidden && !username && !password ? address : undefined;
}

async function form(request: Elicitation, display: Asking, server: string): Promise<ElicitResult> {
  const { message, requestedSchema } = request as { message: string; requestedSchema?: object };
  const schema = (requestedSchema ?? {}) as { properties?: Record<string, Field>; required?: readonly string[] };
  const fields = Object.entries(schema.properties ?? {});
  const tooMany = fields.length > most.fields || fields.some(([, field]) => (choicesOf(field)?.length ?? 0) > most.choices);
  if (tooMany || fields.some(([name, field]) => isSecret(name, field))) return { action: "decline" };
  const asks = `The server "${server}" asks: ${shortened(message, 2_000)}`;
  const content: Record<string, string | number | boolean | string[]> = {};
  if (fields.length === 0) {
    const answer = await display.pushAndWait({ renderer: "confirm", input: { message: asks } });
    return answer === "yes" ? { action: "accept", content } : { action: "decline" };
  }
  for (const [name, field] of fields) {
    const needed = schema.required?.includes(name) ?? false;
    const value = await fieldAnswer(
      fields.length > 1 ? `${asks}\n\n${labelOf(name, field)}` : withLabel(asks, name, field),
      field,
      needed,
      display,
    );
    if (value !== undefined) content[name] = value;
  }
  return { action: "accept", content };
}

const labelOf = (name: string, { title = name, description }: Field) =>
  shortened(description ? `${title}: ${description}` : title);
const withLabel = (asks: string, name: string, field: Field) =>
  field.title || field.description ? `${asks}\n\n${labelOf(name, field)}` : asks;

const leftOut = "\u0000";

/** Asked again while the answer does not fit. */
async function fieldAnswer(message: string, field: Field, needed: boolean, display: Asking) {
  let why = "";
  for (let count = 0; count < tries; count++) {
    const answer = String(await display.pushAndWait(question(message + why, field, needed)));
    if (!needed && (answer === leftOut || answer === "")) return undefined;
    const value = readAnswer(answer, field);
    const fault = faultOf(value, field);
    if (fault === undefined) return value;
    why = `\n\nThe last answer does not fit: ${fault}.`;
  }
  throw new Error("no answer fits");
}

function question(message: string, field: Field, needed: boolean): SlotRequest {
  const choices = choicesOf(field);
  if (choices && field.type !== "array") {
    const options = needed ? choices : [...choices, { label: "(none)", value: leftOut }];
    return { renderer: "select", input: { message, options } };
  }
  if (field.type === "boolean") return { renderer: "confirm", input: { message } };
  const several = choices?.map((choice) => (typeof choice === "string" ? choice : choice.value)).join(", ");
  const asks = several === undefined ? message : `${message}\n\nAny of these, with commas between them: ${several}`;
  const { default: usual } = field;
  return { renderer: "input", input: { message: asks, ...(usual !== undefined && { default: String(usual) }) } };
}

function choicesOf({ enum: values, enumNames, oneOf, items }: Field): readonly BuiltInChoice[] | undefined {
  const titled = oneOf ?? items?.anyOf;
  if (titled) return titled.map(({ const: value, title = value }) => ({ label: title, value }));
  return (values ?? items?.enum)?.map((value, at) => ({ label: enumNames?.[at] ?? value, value }));
}

function readAnswer(answer: string, { type }: Field): string | number | boolean | string[] {
  if (type === "boolean") return answer === "yes";
  if (type === "array")
    return answer
      .split(",")
      .map((part) => part.trim())
      .filter(Boolean);
  // What is no number is told as what it is.
  if ((type === "number" || type === "integer") && answer.trim() !== "" && Number.isFinite(Number(answer))) return Number(answer);
  return answer;
}

function faultOf(value: unknown, field: Field): string | undefined {
  const issues = issuesBy(field as Record<string, unknown>, value);
  return issues.length ? issuesText(issues) : undefined;
}
