// The forms of servers: what their fields are to a person, and what an answer must be. Whoever draws them reads them here too.

import type { Issue } from "../../src/schema/types.js";
import { issuesBy } from "./server-schema.js";

/** A field, as servers describe it. */
interface FieldSchema {
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
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
}

/** A field, as a person fills it in. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly description?: string | undefined;
  /** `one` and `many` are chosen. */
  readonly kind: "text" | "number" | "flag" | "one" | "many";
  /** The `type` of an `<input>`. */
  readonly type: "text" | "email" | "url" | "date" | "datetime-local" | "number";
  readonly choices: readonly { readonly label: string; readonly value: string }[];
  readonly required: boolean;
  readonly default?: unknown;
  readonly schema: FieldSchema;
}

/** The schema of a form. */
export interface FormSchema {
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
}

/** What a person has filled in. */
export type FormContent = Record<string, string | number | boolean | string[]>;

/** What a question for a form holds. */
export interface FormQuestion {
  readonly server: string;
  readonly message: string;
  readonly schema: FormSchema;
  /** What was filled in before, where that did not fit, and why. */
  readonly content?: FormContent | undefined;
  readonly issues?: readonly Issue[] | undefined;
}

const types: Readonly<Record<string, FormField["type"]>> = {
  email: "email",
  uri: "url",
  date: "date",
  "date-time": "datetime-local",
};

export function fieldsOf({ properties = {}, required = [] }: FormSchema): readonly FormField[] {
  return Object.entries(properties).map(([name, schema]) => {
    const { type, format = "", title = name, description, default: usual } = schema;
    const choices = choicesOf(schema);
    const isNumber = type === "number" || type === "integer";
    const kind =
      type === "array" ? "many" : choices.length > 0 ? "one" : type === "boolean" ? "flag" : isNumber ? "number" : "text";
    const typed = isNumber ? "number" : Object.hasOwn(types, format) ? types[format] : undefined;
    return {
      name,
      label: title,
      description,
      kind,
      type: typed ?? "text",
      choices,
      required: required.includes(name),
      default: usual,
      schema,
    };
  });
}

function choicesOf({ enum: values, enumNames, oneOf, items }: FieldSchema) {
  const titled = oneOf ?? items?.anyOf;
  if (titled) return titled.map(({ const: value, title = value }) => ({ label: title, value }));
  return (values ?? items?.enum ?? []).map((value, at) => ({ label: enumNames?.[at] ?? value, value }));
}

/** What of an answer is that of the form, and what is wrong with it. */
export function readForm(
  schema: FormSchema,
  given: unknown,
): { readonly content: FormContent; readonly issues: readonly Issue[] } {
  const content: [string, FormContent[string]][] = [];
  const issues: Issue[] = [];
  for (const { name, kind, type, choices, required, schema: field } of fieldsOf(schema)) {
    const value: unknown = Object.hasOwn(Object(given), name) ? (given as Record<string, unknown>)[name] : undefined;
    const isEmpty = value === undefined || value === null || (value === "" && !(required && kind === "one"));
    if (isEmpty) {
      if (required) issues.push({ path: [name], message: "must be filled in" });
      continue;
    }
    const isChosen = (one: unknown) => choices.some((choice) => choice.value === one);
    const chosen = kind === "one" ? isChosen(value) : kind !== "many" || (Array.isArray(value) && value.every(isChosen));
    if (!chosen) issues.push({ path: [name], message: "must be chosen from the list" });
    else if (kind === "text" && !hasForm(String(value), type))
      issues.push({ path: [name], message: words[type] ?? "does not fit" });
    else issues.push(...issuesBy(field as Record<string, unknown>, value).map(({ message }) => ({ path: [name], message })));
    content.push([name, value as FormContent[string]]);
  }
  return { content: Object.fromEntries(content), issues };
}

const words: Readonly<Record<string, string>> = {
  email: "must be an e-mail address",
  url: "must be a whole address, such as https://example.com",
  date: "must be a date, such as 2026-11-30",
  "datetime-local": "must be a date and a time",
};

function hasForm(value: string, type: FormField["type"]): boolean {
  if (type === "email") return /^[^\s@]{1,64}@[^\s@]{1,255}$/.test(value);
  if (type === "url") return URL.canParse(value);
  if (type === "date") return /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value));
  return type !== "datetime-local" || (/^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d/.test(value) && !Number.isNaN(Date.parse(value)));
}

// ---- what is asked of nobody ---------------------------------------------------------------------------------------

/** Forms are no place for these: whoever reads the record would have them. */
const secret = /\b(pass ?(word|phrase|code)s?|secrets?|tokens?|(api|access|private) ?keys?|credentials?|pin|cv[cv])\b/;

/** By what it is called: a description may well say that no password is wanted. */
function isSecret({ name, label, schema: { format } }: FormField): boolean {
  const words = `${name} ${label}`.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/[^\p{L}\p{N}]+/gu, " ");
  return format === "password" || secret.test(words.toLowerCase());
}

/** More of these are no question that a person can answer. */
const most = { fields: 20, choices: 200 };

/** Whether a person may be asked for it. */
export function mayAsk(fields: readonly FormField[]): boolean {
  return fields.length <= most.fields && fields.every((field) => field.choices.length <= most.choices && !isSecret(field));
}
