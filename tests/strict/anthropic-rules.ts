// Anthropic's Messages API: what no schema says.
import { formatRules } from "./format-rules.js";
import { isBase64 } from "./media-rules.js";
import { toolRules } from "./tool-rules.js";
import type { Body, Judged } from "./types.js";

export function anthropicRules(judged: Judged): void {
  const { body, add } = judged;
  const tools = body.tools ?? [];
  toolRules(
    judged,
    tools.map(({ name, input_schema }: Body, at: number) => ({ name, schema: input_schema, at: `/tools/${at}/input_schema` })),
  );
  if (body.tool_choice && !body.tools)
    add("tools.option-alone", "/tool_choice", "tool_choice: may only be specified while providing tools.");
  if (body.tool_choice?.name && !tools.some(({ name }: Body) => name === body.tool_choice.name)) {
    add("tools.choice-known", "/tool_choice", `Tool '${body.tool_choice.name}' not found in provided tools`);
  }
  if (body.thinking?.type === "enabled" && body.thinking.budget_tokens >= body.max_tokens) {
    add("anthropic.budget", "/thinking/budget_tokens", "`max_tokens` must be greater than `thinking.budget_tokens`.");
  }
  const form = body.output_config?.format;
  formatRules(judged, form && { schema: form.schema, at: "/output_config/format/schema" });
  marks(judged);
  messages(judged);
}

function marks({ body, add }: Judged): void {
  let count = body.cache_control ? 1 : 0;
  const visit = (value: Body): void => {
    if (!value || typeof value !== "object") return;
    if (value.cache_control) count += 1;
    for (const inner of [value.content, value.source?.content]) if (Array.isArray(inner)) inner.forEach(visit);
  };
  for (const list of [body.system, body.tools, body.messages]) if (Array.isArray(list)) list.forEach(visit);
  if (count > 4) add("cache.marks", "", `A maximum of 4 blocks with cache_control may be provided. Found ${count}.`);
}

function blocksOf({ content }: Body): Body[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function messages({ body, add, model }: Judged): void {
  const list: Body[] = body.messages;
  if (list[0]?.role !== "user") add("chat.user-first", "/messages/0", 'messages: first message must use the "user" role');
  const answers = body.thinking && body.thinking.type !== "disabled";
  if (list.at(-1)?.role !== "user" && (answers || /claude-[a-z]+-(4-[6-9]|[5-9])(-|$)/.test(model))) {
    add(
      "chat.last",
      `/messages/${list.length - 1}`,
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    );
  }
  const ids = new Set<string>();
  for (const [at, message] of list.entries()) {
    const where = `/messages/${at}`;
    const blocks = blocksOf(message);
    if (message.role === list[at - 1]?.role)
      add("chat.alternate", where, 'messages: roles must alternate between "user" and "assistant"');
    if (message.role === "assistant") {
      const made: string[] = blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id);
      for (const id of made) {
        if (ids.has(id)) add("calls.unique", where, "messages: `tool_use` ids must be unique");
        ids.add(id);
      }
      const next = list[at + 1];
      const answers =
        next?.role === "user"
          ? blocksOf(next)
              .filter(({ type }) => type === "tool_result")
              .map((block) => block.tool_use_id)
          : [];
      const missing = made.filter((id) => !answers.includes(id));
      if (missing.length)
        add(
          "calls.answered",
          where,
          `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}.`,
        );
      thinking(at, blocks);
    } else {
      const before = list[at - 1];
      const known =
        before?.role === "assistant"
          ? blocksOf(before)
              .filter(({ type }) => type === "tool_use")
              .map(({ id }) => id)
          : [];
      const told = new Set<string>();
      for (const { type, tool_use_id } of blocks) {
        if (type !== "tool_result") continue;
        if (!known.includes(tool_use_id))
          add(
            "calls.known",
            where,
            `messages.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${tool_use_id}.`,
          );
        if (told.has(tool_use_id))
          add(
            "calls.once",
            where,
            `messages.${at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${tool_use_id}`,
          );
        told.add(tool_use_id);
      }
      const first = blocks.findIndex(({ type }) => type !== "tool_result");
      if (first >= 0 && blocks.slice(first).some(({ type }) => type === "tool_result")) {
        add("calls.results-first", where, `messages.${at}: tool_result blocks must come first in the content.`);
      }
    }
    for (const [index, block] of blocks.entries()) base64(`${where}/content/${index}`, block);
  }

  function base64(at: string, block: Body): void {
    if (block.source?.type === "base64" && !isBase64(block.source.data))
      add("media.base64", at, "source.base64.data: invalid base64 data");
    if (block.type === "tool_result" && Array.isArray(block.content)) {
      for (const [index, inner] of block.content.entries()) base64(`${at}/content/${index}`, inner);
    }
  }

  /** Within the turn that goes on, an answer with calls begins with its thoughts. */
  function thinking(at: number, blocks: Body[]): void {
    const kinds = blocks.map(({ type }) => type);
    const begins = /thinking$/.test(kinds[0] ?? "");
    if (kinds.length && kinds.every((kind) => /thinking$/.test(kind))) {
      add(
        "anthropic.thinking-last",
        `/messages/${at}`,
        `messages.${at}: The final block in an assistant message cannot be \`thinking\`.`,
      );
    }
    const turn = list.findLastIndex(
      (message) => message.role === "user" && blocksOf(message).some(({ type }) => type !== "tool_result"),
    );
    const goesOn = at > turn && kinds.includes("tool_use");
    if (body.thinking?.type === "enabled" && goesOn && !begins) {
      add(
        "anthropic.thinking-first",
        `/messages/${at}`,
        `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${kinds[0]}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`,
      );
    }
  }
}
