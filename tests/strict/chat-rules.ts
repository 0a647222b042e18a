// OpenAI's chat format: what no schema says.
import { formatRules } from "./format-rules.js";
import { thinks } from "./hosts.js";
import { file, imageUrl, videoUrl } from "./media-rules.js";
import { toolRules } from "./tool-rules.js";
import type { Body, Judged } from "./types.js";

export function chatRules(judged: Judged): void {
  const { body, add } = judged;
  toolRules(
    judged,
    (body.tools ?? []).map(({ function: { name, parameters } }: Body, at: number) => ({
      name,
      schema: parameters,
      at: `/tools/${at}/function/parameters`,
    })),
  );
  const names = (body.tools ?? []).map((tool: Body) => tool.function.name);
  if (!body.tools) {
    for (const key of ["tool_choice", "parallel_tool_calls"]) {
      if (key in body)
        add("tools.option-alone", `/${key}`, `Invalid value for '${key}': '${key}' is only allowed when 'tools' are specified.`, {
          param: key,
        });
    }
  } else if (body.tool_choice?.function && !names.includes(body.tool_choice.function.name)) {
    add("tools.choice-known", "/tool_choice", `Tool choice '${body.tool_choice.function.name}' not found in 'tools' parameter.`, {
      param: "tool_choice",
    });
  }
  if (body.stream_options && body.stream !== true) {
    add("chat.stream-options", "/stream_options", "The 'stream_options' parameter is only allowed when 'stream' is enabled.", {
      param: "stream_options",
    });
  }
  if ("max_tokens" in body && "max_completion_tokens" in body) {
    add(
      "chat.limit-twice",
      "/max_tokens",
      "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
      { code: "invalid_parameter_combination" },
    );
  }
  const form = body.response_format?.json_schema;
  formatRules(judged, form?.schema && { ...form, at: "/response_format/json_schema/schema" });
  order(judged);
  calls(judged);
  for (const [at, message] of body.messages.entries()) content(judged, `/messages/${at}`, message);
}

function order({ body, host, add }: Judged): void {
  const roles: string[] = body.messages.map(({ role }: Body) => role);
  const systems = roles.filter((role) => role === "system" || role === "developer").length;
  const leads = systems > 0 && ["system", "developer"].includes(roles[0] ?? "");
  if (systems > 1 || (systems === 1 && !leads))
    add("chat.system-first", "/messages", "System message must be at the beginning, and there is one.");
  const said = roles.slice(leads ? 1 : 0);
  const turns = host.rules.includes("alternate") || host.rules.includes("mistral-order");
  if (turns && said.length && said[0] !== "user")
    add("chat.user-first", "/messages", "The first message after the system message must be a user's.");
  const last = roles.at(-1);
  if (turns && last === "assistant") add("chat.last", "/messages", "The last message must have role user or tool.");
  for (const [at, role] of said.entries()) {
    const before = said[at - 1];
    const where = `/messages/${at + (leads ? 1 : 0)}`;
    if (host.rules.includes("mistral-order") && role === "user" && before === "tool") {
      add("chat.user-behind-tool", where, "Unexpected role 'user' after role 'tool'", { code: "3230" });
    }
    if (role === before && role !== "tool" && (turns || role === "assistant")) {
      add("chat.alternate", where, "After the (optional) system message(s), user and assistant roles should be alternating.");
    }
  }
}

function calls({ body, host, model, add }: Judged): void {
  const ids = new Set<string>();
  let waiting: string[] = [];
  const thinking =
    host.rules.includes("reasoning-echo") &&
    (thinks(host, model) || body.thinking?.type === "enabled") &&
    body.thinking?.type !== "disabled";
  for (const [at, message] of body.messages.entries()) {
    const where = `/messages/${at}`;
    if (message.role === "tool") {
      if (!waiting.includes(message.tool_call_id)) {
        add(
          "calls.known",
          where,
          "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
          { param: "messages" },
        );
      }
      waiting = waiting.filter((id) => id !== message.tool_call_id);
      continue;
    }
    unanswered(waiting, where, add);
    waiting = [];
    ids.clear();
    if (!message.tool_calls) continue;
    if (thinking && !message.reasoning_content) {
      add(
        "chat.reasoning-echo",
        where,
        `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${at}`,
      );
    }
    for (const [index, { id, function: made }] of message.tool_calls.entries()) {
      const spot = `${where}/tool_calls/${index}`;
      if (ids.has(id)) add("calls.unique", spot, `Duplicate tool call id: ${id}`);
      ids.add(id);
      waiting.push(id);
      if (id.length > 40) {
        add(
          "calls.id-40",
          `${spot}/id`,
          `Invalid '${where.slice(1).replace("/", "[")}].tool_calls[${index}].id': string too long. Expected a string with maximum length 40.`,
          { code: "string_above_max_length" },
        );
      }
      if (!isObject(made.arguments))
        add("calls.arguments", `${spot}/function/arguments`, "Tool call arguments must be a JSON object.");
    }
  }
  unanswered(waiting, `/messages/${body.messages.length}`, add);
  const made = body.messages.some((message: Body) => message.tool_calls);
  if (made && !body.tools && host.rules.includes("tools-when-called")) {
    add("tools.when-called", "/tools", "The toolConfig field must be defined when using toolUse and toolResult content blocks.");
  }
}

export function unanswered(waiting: readonly string[], where: string, add: Judged["add"]): void {
  if (!waiting.length) return;
  add(
    "calls.answered",
    where,
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following did not have response messages: ${waiting.join(", ")}`,
    {
      param: "messages",
    },
  );
}

export function isObject(text: string): boolean {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function content(judged: Judged, at: string, message: Body): void {
  const { add } = judged;
  const { role, content } = message;
  const texts =
    typeof content === "string"
      ? [content]
      : (content ?? []).filter((part: Body) => part.type === "text").map((part: Body) => part.text);
  const bare = role === "assistant" && message.tool_calls;
  if (role !== "tool" && (!bare || typeof content !== "string") && texts.some((text: string) => text.trim() === "")) {
    add("text.blank", `${at}/content`, "Message content must not be empty.");
  }
  if (bare && typeof content === "string" && content !== "" && content.trim() === "")
    add("text.blank", `${at}/content`, "Message content must not be blank.");
  if (!Array.isArray(content)) return;
  let marks = 0;
  for (const [index, part] of content.entries()) {
    const where = `${at}/content/${index}`;
    if (part.cache_control) marks += 1;
    if (part.type === "image_url") imageUrl(judged, `${where}/image_url/url`, part.image_url.url);
    if (part.type === "video_url") videoUrl(judged, `${where}/video_url/url`, part.video_url.url);
    if (part.type === "file") file(judged, `${where}/file`, part.file.file_data, part.file.filename);
    if (part.type === "document_url" && !/^(https:\/\/|data:application\/pdf;base64,)/.test(part.document_url)) {
      add("media.url", `${where}/document_url`, "Invalid document_url.");
    }
  }
  if (marks > 4) add("cache.marks", at, "A maximum of 4 blocks with cache_control may be provided.");
}
