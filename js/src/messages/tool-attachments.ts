// The files of a conversation as its tools reach them: those of its messages, and those that calls returned or added. Loaded with the first use.

import type { ToolAttachment } from "../ports/tool.js";
import { fromBase64 } from "../values/base64.js";
import { GloveError } from "../values/error.js";
import { decodeUtf8, encodeUtf8 } from "../values/utf8.js";
import { check, checkOptions } from "../values/validate-options.js";
import type { ContentPart, Message } from "../wire/record.js";

type Body = { readonly base64: string } | { readonly text: string } | { readonly url: string };
type About = Pick<ToolAttachment, "name" | "type" | "from">;

/** A file in the record, and what it is called there. */
type Add = (id: string, about: About, body: Body) => void;

/** All of them, the oldest first. */
export function attachmentsOf(messages: readonly Message[]): readonly ToolAttachment[] {
  const found = new Map<string, ToolAttachment>();
  const add: Add = (id, about, body) => void found.set(id, attachment(id, about, body));
  for (const [at, { id = `${at}`, content, tool_results = [] }] of messages.entries()) {
    for (const [index, part] of (content ?? []).entries()) addPart(`${id}.${index + 1}`, part, "message", add);
    for (const { call_id = id, result, outputs = [] } of tool_results) {
      const given = [read(result.data, "content") ?? result.data].flat(1);
      for (const [index, part] of given.entries()) addPart(`${call_id}.result.${index + 1}`, part, "tool", add);
      for (const [index, { type, data }] of outputs.entries())
        if (type === "file") addOutput(`${call_id}.${index + 1}`, data, add);
    }
  }
  return [...found.values()];
}

/** This one, by its id, or else the newest of this name. */
export function attachmentCalled(
  messages: readonly Message[],
  id: string,
  options: { readonly maxBytes?: number } = {},
): ToolAttachment {
  check("The id of an attachment", id, "text");
  checkOptions(options, { maxBytes: "whole" }, { called: (option) => `\`${option}\` of an attachment`, code: "CONFIG_INVALID" });
  const all = attachmentsOf(messages);
  const one = all.find((each) => each.id === id) ?? all.findLast(({ name }) => name === id);
  if (!one) {
    const has = all.length
      ? `It has ${all
          .slice(-20)
          .map(({ id, name }) => `${id} (${name || "no name"})`)
          .join(", ")}.`
      : "It has none.";
    throw new GloveError("ATTACHMENT_UNKNOWN", `This conversation has no attachment "${id.slice(0, 200)}". ${has}`);
  }
  const { maxBytes = defaultMaxBytes } = options;
  if (one.size <= maxBytes) return one;
  const message = `The attachment "${one.name || one.id}" has ${one.size} bytes, more than the ${maxBytes} that are read at once. Give \`maxBytes\` to read more.`;
  throw new GloveError("ATTACHMENT_TOO_LARGE", message);
}

const defaultMaxBytes = 32 << 20;

function read(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
}

function text(value: unknown, key: string): string | undefined {
  const found = read(value, key);
  return typeof found === "string" ? found : undefined;
}

/** A part as messages have it, or a block of an MCP server. */
function addPart(id: string, part: unknown, from: About["from"], add: Add): void {
  const { type: kind, file, text: written } = Object(part) as ContentPart;
  const about = { name: text(file, "name") ?? "", type: text(file, "type") ?? "", from };
  if (kind === "text") {
    // Its name stands above it, for the model.
    const above = `${about.name || "file"}:\n`;
    if (file && typeof written === "string")
      add(id, about, { text: written.startsWith(above) ? written.slice(above.length) : written });
    return;
  }
  const resource = kind === "resource" ? read(part, "resource") : undefined;
  const source = read(part, "source");
  const type = text(source, "media_type") ?? text(resource ?? part, "mimeType");
  const base64 = text(source, "data") ?? text(resource, "blob") ?? (type === undefined ? undefined : text(part, "data"));
  const url = text(source, "url");
  const name = about.name || (/([^/?#]+)(?:[?#].*)?$/.exec(text(resource, "uri") ?? url ?? "")?.[1] ?? "");
  const shown = { ...about, name, type: about.type || (type ?? "") };
  if (base64 !== undefined) add(id, shown, { base64 });
  else if (url !== undefined) add(id, shown, { url });
}

function addOutput(id: string, data: unknown, add: Add): void {
  const about = { name: text(data, "name") ?? "", type: text(data, "type") ?? "", from: "tool" as const };
  const [base64, url] = [text(data, "data"), text(data, "url")];
  if (base64 !== undefined) add(id, about, { base64 });
  else if (url !== undefined) add(id, about, { url });
}

function attachment(id: string, about: About, body: Body): ToolAttachment {
  const bytes = async (): Promise<Uint8Array<ArrayBuffer>> => {
    const known = "base64" in body ? await fromBase64(body.base64) : "text" in body ? encodeUtf8(body.text) : undefined;
    if (known) return known as Uint8Array<ArrayBuffer>;
    const why = "url" in body ? `it is at ${body.url}, and not in the conversation` : "its content is damaged";
    throw new GloveError("FILE_UNREADABLE", `The file "${about.name || id}" cannot be read (${why}).`);
  };
  return {
    id,
    ...about,
    size: sizeOf(body),
    ...("url" in body && { url: body.url }),
    bytes,
    text: async () => ("text" in body ? body.text : decodeUtf8(await bytes())),
    blob: async () => new Blob([await bytes()], { type: about.type }),
    stream: () =>
      new ReadableStream({
        async start(stream) {
          stream.enqueue(await bytes());
          stream.close();
        },
      }),
  };
}

function sizeOf(body: Body): number {
  if ("text" in body) return encodeUtf8(body.text).length;
  return "base64" in body ? Math.floor((body.base64.replace(/=+$/, "").length * 3) / 4) : 0;
}
