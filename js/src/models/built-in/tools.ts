// Tools for a model that only knows schemas: each answer is an object that holds either a text or one call.

import type { ModelTool } from "../../ports/model.js";
import type { JsonSchema } from "../../schema/types.js";
import { GloveError } from "../../values/error.js";
import type { ToolCall } from "../../wire/record.js";

/** Arguments may be any object. */
export type Loose = boolean;

/** What an answer came to. */
export interface Made {
  readonly text: string;
  readonly tool_calls?: ToolCall[];
  readonly reasoning_content?: string;
}

/** The system prompt with the tools in it. */
export function described(system: string, tools: readonly ModelTool[]): string {
  if (tools.length === 0) return system;
  const list = tools.map(({ name, description, jsonSchema }) => `- ${name}: ${description}\n  ${JSON.stringify(jsonSchema)}`);
  const how =
    'Answer with one JSON object. To answer the user: {"answer":"…"}. To use a tool, and be told its result: ' +
    '{"tool":"its name","arguments":{…}}. Tools and the schemas of their arguments:';
  return [...(system ? [system, ""] : []), how, ...list].join("\n");
}

/** The schema that an answer must keep. */
export function choiceOf(tools: readonly ModelTool[], loose: Loose): object | undefined {
  if (tools.length === 0) return undefined;
  const object = (properties: object) => ({
    ...{ type: "object", properties },
    ...{ required: Object.keys(properties), additionalProperties: false },
  });
  const calls = tools.map(({ name, jsonSchema }) =>
    object({ tool: { type: "string", enum: [name] }, arguments: loose ? { type: "object" } : schemaOf(jsonSchema) }),
  );
  return { anyOf: [object({ answer: { type: "string" } }), ...calls] };
}

/** References lead nowhere inside of another schema. */
function schemaOf({ $schema: _, ...schema }: JsonSchema): object {
  return JSON.stringify(schema).includes('"$ref"') ? { type: "object" } : schema;
}

/** A call as the model wrote it. */
export function made({ tool_name, input_args }: ToolCall): string {
  return JSON.stringify({ tool: tool_name, arguments: input_args });
}

const begins = /^\s*\{\s*"answer"\s*:\s*"/;
/** Blank and all. */
const longestFront = 256;

/** Reads an answer while it comes, and gives what of it can be shown. */
export class AnswerText {
  /** Only joined until the end: to look into it is to copy it. */
  #all = "";
  /** What is not read yet; nothing where no text can be shown. */
  #rest: string | undefined = "";
  #begun = false;
  readonly #chosen: boolean;

  /** `chosen`: it keeps the schema of `choiceOf`. */
  constructor(chosen: boolean) {
    this.#chosen = chosen;
  }

  add(piece: string): string {
    this.#all += piece;
    if (!this.#chosen) return piece;
    if (this.#rest === undefined) return "";
    this.#rest += piece;
    return this.#begun || this.#begins(this.#rest) ? this.#read(this.#rest) : "";
  }

  /** Whether the front of an answer is there. It is taken off. */
  #begins(rest: string): boolean {
    const front = begins.exec(rest)?.[0];
    this.#begun = front !== undefined;
    // What is longer and no front is a call.
    if (front !== undefined) this.#rest = rest.slice(front.length);
    else if (rest.length > longestFront) this.#rest = undefined;
    return this.#begun;
  }

  /** Unescapes up to the end of the string, or to what is not whole yet. */
  #read(rest: string): string {
    const whole = /^(?:[^"\\]+|\\(?:[^u]|u.{4}))*/s.exec(rest)?.[0] ?? "";
    // Behind the end of the text nothing is shown.
    this.#rest = rest[whole.length] === '"' ? undefined : rest.slice(whole.length);
    try {
      return JSON.parse(`"${whole}"`) as string;
    } catch {
      // No JSON: the end says so.
      this.#rest = undefined;
      return "";
    }
  }

  /** What the whole answer is. An answer that is no whole object is an error: it never becomes a call. */
  end(): Made {
    if (!this.#chosen) return { text: this.#all };
    let value: { answer?: unknown; tool?: unknown; arguments?: unknown } | null;
    try {
      value = JSON.parse(this.#all);
    } catch (error) {
      throw bad(this.#all, error);
    }
    if (typeof value?.answer === "string") return { text: value.answer };
    const { tool, arguments: input_args } = value ?? {};
    if (typeof tool !== "string" || typeof input_args !== "object" || input_args === null) throw bad(this.#all);
    return { text: "", tool_calls: [{ tool_name: tool, input_args }] };
  }
}

function bad(text: string, cause?: unknown): GloveError {
  const excerpt = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  const message = `The browser's model returned neither an answer nor a complete tool call: ${excerpt}`;
  return new GloveError("MODEL_BAD_RESPONSE", message, { cause });
}
