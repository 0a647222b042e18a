// What a tool asks a person in the middle of its work, as a form of the protocol, and the answer that the tool gets of it.

import type { ElicitRequestFormParams } from "@modelcontextprotocol/server";
import type { JsonSchema } from "../../src/schema/types.js";
import type { ShownSlot } from "../../src/snapshot/snapshot.js";
import { formSchemaOf } from "../form-schema.js";
import { type FormSchema, fieldsOf, mayAsk } from "../tools/form.js";

/** What a person reads, what they fill in, and what the tool gets of that. */
export interface AskedForm {
  readonly message: string;
  readonly schema: ElicitRequestFormParams["requestedSchema"];
  /** Nothing where it is no answer to this. */
  answer(content: Readonly<Record<string, unknown>>): unknown;
}

/** A sentence where a form cannot ask it. `answers`: what the tool's own renderer may answer. */
export function askedForm(slot: ShownSlot, answers: JsonSchema | undefined): AskedForm | string {
  const { renderer, toolName } = slot;
  const form = renderer === toolName ? ownForm(slot, answers) : builtIn(slot);
  if (!form) return `"${toolName}" asked something that a client of MCP cannot show.`;
  // Secrets have no place in a form, and neither has what nobody answers.
  if (!mayAsk(fieldsOf(form.schema as FormSchema))) return `"${toolName}" asked something that has no place in a form.`;
  return form;
}

function builtIn(slot: ShownSlot): AskedForm | undefined {
  if (/^(confirm|select|input)$/.test(slot.renderer)) return oneQuestion(slot);
  if (slot.renderer === "questions") return severalQuestions(slot);
  return slot.renderer === "mcp_form" ? passedOn(slot) : undefined;
}

type Field = ElicitRequestFormParams["requestedSchema"]["properties"][string];

const formOf = (properties: Record<string, Field>, required: readonly string[]) =>
  ({ type: "object", properties, required: [...required] }) as AskedForm["schema"];

interface Choice {
  readonly const: string;
  readonly title: string;
  readonly value: unknown;
}

/** What is no text is told by its place. */
function choicesOf(options: unknown): Choice[] {
  return (Array.isArray(options) ? options : []).map((one: unknown, at) => {
    const { value = one, label = value } = Object(one) as { readonly value?: unknown; readonly label?: unknown };
    return { const: typeof value === "string" ? value : `#${at + 1}`, title: String(label), value };
  });
}

const listed = (choices: readonly Choice[]) => choices.map(({ const: value, title }) => ({ const: value, title }));

function oneQuestion({ renderer, input, toolName }: ShownSlot): AskedForm | undefined {
  const { message, options, default: usual } = Object(input) as Readonly<Record<string, unknown>>;
  const choices = choicesOf(options);
  if (renderer === "confirm" && choices.length === 0)
    choices.push({ const: "yes", title: "Yes", value: "yes" }, { const: "no", title: "No", value: "no" });
  const isChosen = renderer !== "input";
  if (isChosen && choices.length === 0) return undefined;
  const preset = typeof usual === "string" && { default: usual };
  const field = { type: "string", title: "Answer", ...(isChosen ? { oneOf: listed(choices) } : preset) } as Field;
  return {
    message: typeof message === "string" ? message : toolName,
    schema: formOf({ answer: field }, ["answer"]),
    answer: ({ answer }) =>
      isChosen ? choices.find((choice) => choice.const === answer)?.value : typeof answer === "string" ? answer : undefined,
  };
}

/** A field for each; beside the options of one, another for words of one's own. */
function severalQuestions({ input, toolName }: ShownSlot): AskedForm | undefined {
  const { questions, message } = Object(input) as { readonly questions?: unknown; readonly message?: unknown };
  const asked = (Array.isArray(questions) ? questions : []).map((one: unknown, at) => readQuestion(one, at + 1));
  if (asked.length === 0 || asked.some((one) => !one.title)) return undefined;
  const properties = Object.fromEntries(asked.flatMap(({ fields }) => fields));
  // Where words of one's own may stand for a choice, neither field is needed.
  const required = asked.flatMap(({ required, fields }) => (required && fields.length === 1 ? fields.map(([name]) => name) : []));
  const answer: AskedForm["answer"] = (content) => {
    const all = asked.map(({ take }) => take(content));
    return asked.some(({ required }, at) => required && all[at] === null) ? undefined : all;
  };
  return { message: typeof message === "string" ? message : toolName, schema: formOf(properties, required), answer };
}

function readQuestion(one: unknown, at: number) {
  const given = Object(typeof one === "string" ? { message: one } : one) as Readonly<Record<string, unknown>>;
  const { message, options, multiple, own, required } = given;
  const title = typeof message === "string" ? message : "";
  const choices = choicesOf(options);
  const [chosenBy, ownBy] = [`q${at}`, choices.length > 0 ? `q${at}_own` : `q${at}`];
  const fields: (readonly [string, Field])[] = [];
  if (choices.length > 0 && multiple === true)
    fields.push([chosenBy, { type: "array", title, items: { anyOf: listed(choices) } } as Field]);
  else if (choices.length > 0) fields.push([chosenBy, { type: "string", title, oneOf: listed(choices) } as Field]);
  const mayWrite = choices.length === 0 || own !== false;
  if (mayWrite) fields.push([ownBy, { type: "string", title: choices.length > 0 ? `${title} (other)` : title } as Field]);
  const take = (content: Readonly<Record<string, unknown>>): unknown => {
    const chosen = choices.length > 0 ? [content[chosenBy]].flat().filter((value) => value !== undefined) : [];
    const values = chosen.flatMap((value) => choices.filter((choice) => choice.const === value)).map(({ value }) => value);
    const words = mayWrite ? String(content[ownBy] ?? "").trim() : "";
    const all = words ? [...values, words] : values;
    if (all.length === 0) return null;
    return multiple === true ? all : all.at(-1);
  };
  return { title, fields, required: required === true, take };
}

/** A server of MCP asks it, which a tool of the conversation calls. */
function passedOn({ input }: ShownSlot): AskedForm | undefined {
  const { server, message, schema } = Object(input) as Readonly<Record<string, unknown>>;
  const form = formSchemaOf(schema);
  const said = `The server "${server}" asks: ${message}`;
  return form && { message: said, schema: form as AskedForm["schema"], answer: (content) => ({ action: "accept", content }) };
}

/** A tool with a renderer of its own says by its `resolveSchema` what an answer is. */
function ownForm({ input, toolName }: ShownSlot, answers: JsonSchema | undefined): AskedForm | undefined {
  if (!answers) return undefined;
  const { message } = Object(input) as { readonly message?: unknown };
  const shown = typeof message === "string" ? message : `${toolName} ${JSON.stringify(input, null, 2)}`;
  const isObject = answers.type === "object";
  const form = formSchemaOf(isObject ? answers : { properties: { answer: answers }, required: ["answer"] });
  return (
    form && { message: shown, schema: form as AskedForm["schema"], answer: (content) => (isObject ? content : content.answer) }
  );
}
