// What a tool shows beside its result, as it is kept: within limits, and a file with its body.
import { GloveError, reasonOf } from "../error.js";
import type { FileOutput } from "../tools/tool.js";
import { toBase64 } from "../values/base64.js";
import { toJson } from "../values/json.js";
import { encodeUtf8 } from "../values/utf8.js";
import { mostOutputBytes } from "../wire/outputs.js";
import type { SideOutput } from "../wire/record.js";

/** As a tool adds it. */
export type AddedOutput = SideOutput | { readonly type: "file"; readonly file: FileOutput };

export async function outputsJson(tool: string, outputs: readonly AddedOutput[]): Promise<string> {
  const written: string[] = [];
  for (const added of outputs) {
    const output = "file" in added ? await fileOutput(added.file) : added;
    const json = toJson(output, `The outputs of ${tool}`);
    fits(json.length, `An output of ${tool}`);
    written.push(json);
  }
  return `[${written}]`;
}

async function fileOutput(file: FileOutput): Promise<SideOutput> {
  const { name = "", summary, url, content = file as Blob } = file as Exclude<FileOutput, Blob> & { readonly name?: string };
  const data = { name, type: file.type ?? "", ...(url === undefined ? await contentOf(name, content) : { url }) };
  return { type: "file", ...(summary !== undefined && { summary }), data };
}

async function contentOf(name: string, content: string | Blob | Uint8Array) {
  // Bytes of another realm are made ours: jest's jsdom has two.
  const bytes = content instanceof Blob ? content : new Uint8Array(typeof content === "string" ? encodeUtf8(content) : content);
  const size = "size" in bytes ? bytes.size : bytes.length;
  fits((size * 4) / 3, `The file "${name}"`);
  try {
    return { size, data: await toBase64(bytes) };
  } catch (cause) {
    throw new GloveError("FILE_UNREADABLE", `The file "${name}" cannot be read (${reasonOf(cause)}).`, { cause });
  }
}

function fits(size: number, what: string): void {
  if (size <= mostOutputBytes) return;
  const message = `${what} has ${Math.ceil(size)} bytes; at most ${mostOutputBytes} are kept in a conversation. Store it elsewhere, and add its \`url\`.`;
  throw new GloveError("OUTPUT_TOO_LARGE", message);
}
