// The pictures and files in the result of a tool: parts as messages have them, or the blocks that MCP servers send. What a model is given of
// them is decided by `src/result_parts.rs`, with the same forms.
import { read, text } from "../renderers/props.js";

export type ResultPart =
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "image" | "file";
      readonly name: string;
      /** Its media type. */
      readonly type: string;
      /** In bytes; 0 where it is elsewhere. */
      readonly size: number;
      /** Its content in base64, or where it is. */
      readonly data: { readonly data: string } | { readonly url: string };
    };

/** Nothing where there is no picture and no file. */
export function resultParts(output: string): readonly ResultPart[] | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(output);
  } catch {
    return undefined;
  }
  const content = read(parsed, "content");
  const answer = Array.isArray(content) ? content : undefined;
  const parts = (answer ?? [parsed].flat(1)).flatMap(partsOf);
  if (parts.every(({ kind }) => kind === "text")) return undefined;
  const all = answer ? [...parts, ...beside(parsed, /^content$/)] : parts;
  return all.filter((part) => part.kind !== "text" || part.text.trim() !== "");
}

function partsOf(block: unknown): ResultPart[] {
  const part = known(block);
  if (part) return [part, ...beside(block, /^(type|text|source|data|mimeType|resource|file)$/)];
  return [said(typeof block === "string" ? block : JSON.stringify(block))];
}

/** What else a tool has said beside it, without what is for clients. */
function beside(block: unknown, known: RegExp): ResultPart[] {
  const rest = Object.entries(Object(block)).filter(
    ([name, value]) =>
      !known.test(name) && !/^(annotations|_meta|cache_control)$/.test(name) && !(name === "isError" && value === false),
  );
  return rest.length > 0 ? [said(JSON.stringify(Object.fromEntries(rest)))] : [];
}

function known(block: unknown): ResultPart | undefined {
  const kind = text(block, "type") ?? "";
  if (kind === "text") return saidIn(block);
  const resource = kind === "resource" ? read(block, "resource") : undefined;
  const isFile = /^(image|document|file|audio|video)$/.test(kind);
  const source = isFile ? read(block, "source") : undefined;
  const type = text(source, "media_type") ?? text(resource ?? block, "mimeType");
  const own = isFile && type !== undefined ? text(block, "data") : undefined;
  const data = text(source, "data") ?? text(resource, "blob") ?? own;
  const url = data === undefined ? text(source, "url") : undefined;
  if ((data ?? url) === undefined) return saidIn(resource);
  const place = text(resource, "uri") ?? url ?? "";
  const name = text(read(block, "file"), "name") ?? /([^/?#]+)(?:[?#].*)?$/.exec(place)?.[1] ?? "";
  const file = { name, type: type ?? "" };
  // What is elsewhere is loaded when a person goes there.
  if (data === undefined) return { kind: "file", ...file, size: 0, data: { url: place } };
  const size = Math.floor((data.replace(/=+$/, "").length * 3) / 4);
  return { kind: kind === "image" || file.type.startsWith("image/") ? "image" : "file", ...file, size, data: { data } };
}

const said = (text: string): ResultPart => ({ kind: "text", text });

function saidIn(of: unknown): ResultPart | undefined {
  const found = text(of, "text");
  return found === undefined ? undefined : said(found);
}
