// Images and files as the parts of a message, loaded with the first of them.

import { toBase64 } from "../values/base64.js";
import { GloveError, reasonOf } from "../values/error.js";
import type { ContentPart } from "../wire/record.js";

/** An image as base64 data, without the `data:` prefix. */
export interface ImageInput {
  readonly data: string;
  readonly media_type: string;
}

/** A file to send: what was picked, dropped or pasted, or made by the page. */
export type FileInput = Blob & { readonly name?: string };

export async function partsOf(images: readonly ImageInput[], files: readonly FileInput[]): Promise<ContentPart[]> {
  const parts: ContentPart[] = images.map(({ data, media_type }) => ({
    type: "image",
    source: { type: "base64", media_type, data },
  }));
  for (const file of files) parts.push(await partOf(file));
  return parts;
}

async function partOf(file: FileInput): Promise<ContentPart> {
  try {
    return await read(file);
  } catch (error) {
    const name = file.name ?? file.type;
    throw new GloveError("FILE_UNREADABLE", `The file "${name}" cannot be read (${reasonOf(error)}); the message was not sent.`, {
      cause: error,
    });
  }
}

async function read(file: FileInput): Promise<ContentPart> {
  const media_type = file.type || "application/octet-stream";
  const kind = media_type.split("/")[0];
  const shown = { file: { name: file.name ?? "", type: file.type, size: file.size } };
  if (kind === "text" || media_type === "application/json") {
    return { type: "text", text: `${file.name ?? "file"}:\n${await file.text()}`, ...shown };
  }
  // Providers refuse media without data, and would at each later request.
  if (file.size === 0) throw new Error("it is empty");
  const type = kind === "image" || kind === "video" ? kind : "document";
  return { type, source: { type: "base64", media_type, data: await toBase64(file) }, ...(kind !== "image" && shown) };
}
