// What a tool shows beside its result, as it is kept: within limits, and a file with its body.

import type { FileOutput } from "../ports/tool.js";
import { toBase64 } from "../values/base64.js";
import { GloveError, reasonOf } from "../values/error.js";
import { deepest, withoutCycles } from "../values/json.js";
import { encodeUtf8 } from "../values/utf8.js";
import { check, describeValue } from "../values/validate-options.js";
import { mostOutputBytes } from "../wire/outputs.js";
import type { SideOutput } from "../wire/record.js";
import { isDeeper } from "./spec.js";

/** As a tool adds it: what it said of it, or a file that is still to be read. */
export type AddedOutput = { readonly output: SideOutput } | { readonly file: FileOutput };

/** Refuses what the core would not take for an output. */
export function checkOutput(output: SideOutput): SideOutput {
  check("The output", output, "object");
  check("`type` of the output", output.type, "text");
  return checkTexts("output", output, ["widget", "summary", "fallback"]);
}

export function checkFile(file: FileOutput): FileOutput {
  if (file instanceof Blob) return file;
  checkTexts("file", check("The file", file, "object"), ["name", "type", "summary", "url"]);
  const { url, content } = file;
  if (url !== undefined || (typeof Object(content).slice === "function" && !Array.isArray(content))) return file;
  const message = `\`content\` of the file must be a string, bytes or a Blob, got ${describeValue(content)}.`;
  throw new GloveError("CONFIG_INVALID", message);
}

function checkTexts<T extends object>(of: string, value: T, keys: readonly (keyof T & string)[]): T {
  for (const key of keys) if (value[key] != null) check(`\`${key}\` of the ${of}`, value[key], "text");
  return value;
}

/** `report` hears of an output that is no longer what it was when it was added; the others are kept. */
export async function outputsJson(
  tool: string,
  outputs: readonly AddedOutput[],
  report: (error: unknown) => void,
): Promise<string> {
  const written: string[] = [];
  let size = 0;
  for (const added of outputs) {
    const output = "file" in added ? await fileOutput(added.file, size) : added.output;
    const plain = withoutCycles(output, `The outputs of ${tool}`);
    try {
      checkOutput(plain);
      if (isDeeper(plain, deepest))
        throw new GloveError(
          "NOT_SERIALISABLE",
          `An output of ${tool} is nested deeper than ${deepest} levels. Give its deeper parts as text.`,
        );
    } catch (error) {
      report(error);
      continue;
    }
    // The core says when.
    const json = JSON.stringify({ ...plain, at: undefined });
    // No text has fewer bytes than letters.
    size += size + json.length > mostOutputBytes ? json.length : encodeUtf8(json).length;
    fits(size, `An output of ${tool}`);
    written.push(json);
  }
  return `[${written}]`;
}

async function fileOutput(file: FileOutput, before: number): Promise<SideOutput> {
  const { name = "", summary, url, content = file as Blob } = file as Exclude<FileOutput, Blob> & { readonly name?: string };
  const data = { name, type: file.type ?? "", ...(url === undefined ? await contentOf(name, content, before) : { url }) };
  return { type: "file", ...(summary !== undefined && { summary }), data };
}

async function contentOf(name: string, content: string | Blob | Uint8Array, before: number) {
  // Bytes of another realm are made ours: jest's jsdom has two.
  const bytes = content instanceof Blob ? content : new Uint8Array(typeof content === "string" ? encodeUtf8(content) : content);
  const size = "size" in bytes ? bytes.size : bytes.length;
  fits(before + (size * 4) / 3, `The file "${name}"`);
  try {
    return { size, data: await toBase64(bytes) };
  } catch (cause) {
    throw new GloveError("FILE_UNREADABLE", `The file "${name}" cannot be read (${reasonOf(cause)}).`, { cause });
  }
}

function fits(size: number, what: string): void {
  if (size <= mostOutputBytes) return;
  const message = `${what} makes the outputs of its call ${Math.ceil(size)} bytes; at most ${mostOutputBytes} are kept in a conversation. Store it elsewhere, and add its \`url\`.`;
  throw new GloveError("OUTPUT_TOO_LARGE", message);
}
