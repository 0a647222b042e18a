// What a person sends: text, images and files, as the parts of a message.

import { GloveError, reasonOf } from "../error.js";
import { toBase64 } from "../values/base64.js";
import { toPlain } from "../values/json.js";
import { check, checkOptions, type Options } from "../values/validate-options.js";
import type { ContentPart } from "../wire/record.js";
import type { WhenBusy } from "../wire/run-types.js";

/** An image as base64 data, without the `data:` prefix. */
export interface ImageInput {
  readonly data: string;
  readonly media_type: string;
}

/** A user message that is more than text. */
export interface MessageInput {
  readonly text?: string;
  readonly images?: readonly ImageInput[];
  /** Images, videos and documents; texts are read as text. */
  readonly files?: readonly (Blob & { readonly name?: string })[];
  /** Kept on the message. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Complete content parts, instead of the above. */
  readonly content?: readonly ContentPart[];
  /** What happens to it while another request runs. */
  readonly whenBusy?: WhenBusy;
}

export interface RequestBody {
  readonly text: string;
  readonly content?: readonly ContentPart[];
  readonly extra?: Readonly<Record<string, unknown>>;
}

export const whenBusyOption = "queue|drop|interrupt|steer";

const options = {
  text: "any",
  images: "any",
  files: "any",
  metadata: "any",
  content: "any",
  whenBusy: whenBusyOption,
} as const satisfies Options<MessageInput>;

/** Refuses a message with nothing in it. */
export function checkInput(input: MessageInput): void {
  checkOptions(input, options);
  const { text, images, files, content } = input;
  for (const [name, all, kind] of [
    ["images", images, "image"],
    ["files", files, "file"],
    ["content", content, "part"],
  ] as const) {
    const list: readonly unknown[] = check(`\`${name}\``, all ?? [], "list");
    for (const [at, one] of list.entries()) check(`\`${name}[${at}]\``, one, kind);
  }
  if ((typeof text === "string" && text.trim()) || images?.length || files?.length || content?.length) return;
  throw new GloveError("MESSAGE_EMPTY", "A message needs text, an image, a file or content.");
}

/** Media come first and the text last, as models read them best. */
export async function bodyOf({ text = "", images = [], files = [], metadata, content }: MessageInput): Promise<RequestBody> {
  const extra = metadata && { extra: { metadata: toPlain(metadata, "metadata") } };
  if (content) return { text, content: toPlain(content, "content"), ...extra };
  const parts: ContentPart[] = images.map(({ data, media_type }) => ({
    type: "image",
    source: { type: "base64", media_type, data },
  }));
  for (const file of files) parts.push(await partOf(file));
  if (parts.length === 0) return { text, ...extra };
  return { text, content: text ? [...parts, { type: "text", text }] : parts, ...extra };
}

type Named = Blob & { readonly name?: string };

async function partOf(file: Named): Promise<ContentPart> {
  try {
    return await read(file);
  } catch (error) {
    const name = file.name ?? file.type;
    throw new GloveError("FILE_UNREADABLE", `The file "${name}" cannot be read (${reasonOf(error)}); the message was not sent.`, {
      cause: error,
    });
  }
}

async function read(file: Named): Promise<ContentPart> {
  const media_type = file.type || "application/octet-stream";
  const kind = media_type.split("/")[0];
  if (kind === "text" || media_type === "application/json") {
    return { type: "text", text: `${file.name ?? "file"}:\n${await file.text()}` };
  }
  // Providers refuse media without data, and would at each later request.
  if (file.size === 0) throw new Error("it is empty");
  const type = kind === "image" || kind === "video" ? kind : "document";
  return { type, source: { type: "base64", media_type, data: await toBase64(file) } };
}
