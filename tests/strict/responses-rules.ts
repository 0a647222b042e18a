// OpenAI's Responses API: what no schema says.
import { isObject } from "./chat-rules.js";
import { formatRules } from "./format-rules.js";
import { file, imageUrl } from "./media-rules.js";
import { toolRules } from "./tool-rules.js";
import type { Body, Judged } from "./types.js";

export function responsesRules(judged: Judged): void {
  const { body, add } = judged;
  const tools = body.tools ?? [];
  toolRules(
    judged,
    tools.map(({ name, parameters }: Body, at: number) => ({ name, schema: parameters, at: `/tools/${at}/parameters` })),
  );
  for (const [at, tool] of tools.entries()) {
    // Left out it is true, and then all properties have to be required and closed.
    if ((tool.strict ?? tool.strict === undefined) && !closed(tool.parameters))
      add(
        "responses.strict",
        `/tools/${at}/strict`,
        `Invalid schema for function '${tool.name}': in strict mode all properties are required and 'additionalProperties' is false.`,
      );
  }
  if (!body.tools) {
    for (const key of ["tool_choice", "parallel_tool_calls"]) {
      if (key in body)
        add("tools.option-alone", `/${key}`, `'${key}' is only allowed when 'tools' are specified.`, { param: key });
    }
  } else if (body.tool_choice?.name && !tools.some(({ name }: Body) => name === body.tool_choice.name)) {
    add("tools.choice-known", "/tool_choice", `Tool choice '${body.tool_choice.name}' not found in 'tools' parameter.`, {
      param: "tool_choice",
    });
  }
  const form = body.text?.format;
  formatRules(judged, form?.schema && { ...form, at: "/text/format/schema" });
  if (typeof body.instructions === "string" && body.instructions.trim() === "")
    add("text.blank", "/instructions", "Instructions must not be empty.");
  if (!Array.isArray(body.input)) return;
  items(judged);
}

function closed(schema: Body): boolean {
  const { properties = {}, required = [], additionalProperties, items, anyOf = [] } = schema;
  const open =
    schema.type === "object" &&
    (additionalProperties !== false || Object.keys(properties).some((key) => !required.includes(key)));
  return !open && [...Object.values(properties), ...anyOf, ...(items ? [items] : [])].every(closed);
}

function items(judged: Judged): void {
  const { body, add } = judged;
  const ids = new Set<string>();
  const itemIds = new Set<string>();
  let waiting: string[] = [];
  for (const [at, item] of body.input.entries()) {
    const where = `/input/${at}`;
    if (item.id) {
      if (itemIds.has(item.id))
        add(
          "responses.item-unique",
          where,
          `Duplicate item found with id ${item.id}. Remove duplicate items from your input and try again.`,
        );
      itemIds.add(item.id);
    }
    const type = item.type ?? "message";
    if (type === "function_call") {
      if (ids.has(item.call_id)) add("calls.unique", where, `Duplicate function call with call_id ${item.call_id}.`);
      ids.add(item.call_id);
      waiting.push(item.call_id);
      if (!isObject(item.arguments))
        add("calls.arguments", `${where}/arguments`, "Function call arguments must be a JSON object.");
    } else if (type === "function_call_output") {
      if (!waiting.includes(item.call_id))
        add("calls.known", where, `No tool call found for function call output with call_id ${item.call_id}.`, {
          param: "input",
        });
      waiting = waiting.filter((id) => id !== item.call_id);
    } else if (type === "reasoning") {
      if (!item.encrypted_content && body.store === false) {
        add(
          "responses.reasoning-kept",
          where,
          `Item with id '${item.id}' not found. Items are not persisted when \`store\` is set to false.`,
          { status: 404 },
        );
      }
      const next = body.input[at + 1];
      const follows =
        next &&
        (next.type === "reasoning" ||
          next.type === "function_call" ||
          ((next.type ?? "message") === "message" && next.role === "assistant"));
      if (!follows)
        add(
          "responses.reasoning-followed",
          where,
          `Item '${item.id}' of type 'reasoning' was provided without its required following item.`,
        );
    } else {
      if (waiting.length && item.role !== "assistant") unanswered(judged, waiting, where);
      content(judged, where, item);
    }
  }
  if (waiting.length) unanswered(judged, waiting, `/input/${body.input.length}`);
}

function unanswered({ add }: Judged, waiting: string[], where: string): void {
  add("calls.answered", where, `No tool output found for function call ${waiting.join(", ")}.`, { param: "input" });
  waiting.length = 0;
}

function content(judged: Judged, at: string, item: Body): void {
  const { add } = judged;
  const parts = typeof item.content === "string" ? [{ type: "input_text", text: item.content }] : item.content;
  for (const [index, part] of parts.entries()) {
    const where = `${at}/content/${index}`;
    if (typeof part.text === "string" && part.text.trim() === "") add("text.blank", where, "Text content must not be empty.");
    if (part.type === "input_image") imageUrl(judged, `${where}/image_url`, part.image_url);
    if (part.type === "input_file" && part.file_data) file(judged, where, part.file_data, part.filename);
    if (part.type === "input_file" && part.file_url && !/^https?:\/\//.test(part.file_url))
      add("media.url", `${where}/file_url`, "Invalid file_url.");
  }
}
