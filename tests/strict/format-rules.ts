// Answers that are asked for in the form of a JSON Schema: what the APIs that keep to it refuse in the schema.
import { schemas } from "./tool-rules.js";
import type { Body, Judged } from "./types.js";

/** Words that a strict schema of OpenAI's may not have, and those that Anthropic's may not have. */
const openai = [
  ...["oneOf", "allOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "patternProperties"],
  ...["propertyNames", "prefixItems", "contains", "uniqueItems", "minLength", "maxLength", "minProperties", "maxProperties"],
  ...["unevaluatedProperties", "unevaluatedItems"],
];
const anthropic = [
  ...["oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "patternProperties", "propertyNames"],
  ...["prefixItems", "contains", "uniqueItems", "minLength", "maxLength", "maxItems", "minProperties", "maxProperties"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
];

export interface AnswerForm {
  readonly schema: Body;
  readonly strict?: boolean;
  readonly at: string;
}

export function formatRules(judged: Judged, form: AnswerForm | undefined): void {
  if (!form) return;
  const { host, add, body } = judged;
  const has = (rule: string) => host.rules.includes(rule);
  if (has("format-alone") && body.tools?.length) {
    add("format.beside-tools", form.at, "Cannot use a response format together with tools.", { param: "response_format" });
  }
  const claude = has("anthropic-tools");
  if (!claude && !(has("strict-format") && form.strict === true)) return;
  const says = (text: string) => `Invalid schema for response_format 'answer': ${text}`;
  if (form.schema.type !== "object" || form.schema.anyOf) {
    add("format.root", form.at, says("schema must be a JSON Schema of 'type: \"object\"'."), { param: "response_format" });
  }
  const words = claude ? anthropic : openai;
  for (const [where, inner] of schemas(form.schema)) {
    const at = `${form.at}${where}`;
    const word = words.find((key) => key in inner);
    if (word) add("format.word", at, says(`'${word}' is not permitted.`), { param: "response_format" });
    if (!("type" in inner) && !("anyOf" in inner) && !("$ref" in inner) && !("allOf" in inner) && !("enum" in inner))
      add("format.type", at, says("schema must have a 'type' key."), { param: "response_format" });
    if (inner.type === "array" && !inner.items) add("format.type", at, says("array schema missing items."));
    if (!inner.properties && inner.type !== "object") continue;
    if (inner.additionalProperties !== false)
      add("format.closed", at, says("'additionalProperties' is required to be supplied and to be false."));
    const missing = Object.keys(inner.properties ?? {}).find((key) => !(inner.required ?? []).includes(key));
    if (!claude && missing !== undefined)
      add("format.required", at, says(`'required' is required to include every key in properties. Missing '${missing}'.`));
  }
  if (claude && circular(form.schema, form.schema, []))
    add("format.circle", form.at, "output_config.format.schema: Recursive schemas are not supported.");
}

function circular(schema: Body, root: Body, open: readonly string[]): boolean {
  if (!schema || typeof schema !== "object") return false;
  const { $ref, $defs, ...rest } = schema;
  if (typeof $ref === "string") {
    if (open.includes($ref) || $ref === "#") return true;
    const target = $ref
      .slice(2)
      .split("/")
      .reduce((value: Body, step: string) => value?.[step], root);
    return circular(target, root, [...open, $ref]);
  }
  return Object.values(rest).some((inner) => circular(inner, root, open));
}
