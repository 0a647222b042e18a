// What a person sends: text, images and files, as the parts of a message.

import { whenBusyOption } from "../ports/session-config.js";
import type { Schema } from "../schema/types.js";
import { GloveError, loadPart } from "../values/error.js";
import { toPlain } from "../values/json.js";
import { check, checkOptions, type Options } from "../values/validate-options.js";
import type { ContentPart } from "../wire/record.js";
import type { WhenBusy } from "../wire/run-types.js";
import type { FileInput, ImageInput } from "./files.js";

export type { FileInput, ImageInput };

/** A user message that is more than text. */
export interface MessageInput {
  readonly text?: string;
  readonly images?: readonly ImageInput[];
  /** Images, videos and documents; texts are read as text. */
  readonly files?: readonly FileInput[];
  /** Kept on the message. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Complete content parts, instead of the above. */
  readonly content?: readonly ContentPart[];
  /** What happens to it while another request runs. */
  readonly whenBusy?: WhenBusy;
  /** The model that answers, by its name in `models`; `normal` is the usual one. */
  readonly model?: string;
  /** The schema of the answer: it comes as a checked `value` of the outcome, and not in words. */
  readonly output?: Schema;
}

export interface RequestBody {
  readonly text: string;
  readonly content?: readonly ContentPart[];
  /** What a person wrote, where a hook has made something else of it. */
  readonly preModifiedText?: string;
  /** What a hook has answered. */
  readonly hookAnswer?: string;
  readonly extra?: Readonly<Record<string, unknown>>;
}

const options = {
  text: "any",
  images: "any",
  files: "any",
  metadata: "any",
  content: "any",
  whenBusy: whenBusyOption,
  model: "text",
  output: "any",
} as const satisfies Options<MessageInput>;

/** What knows of answers that have a schema. */
export const answers = () => loadPart(import("../tools/answers.js"));

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

/** How many images and files it has. */
export const fileCount = ({ images = [], files = [], content }: MessageInput): number =>
  (content ? content.filter(({ source, file }) => source || file) : [...images, ...files]).length;

/** Media come first and the text last, as models read them best. */
export async function bodyOf(
  { text = "", images = [], files = [], metadata, content, output, model }: MessageInput,
  id: string,
  session: object,
): Promise<RequestBody> {
  const answer_schema = output && (await (await answers()).expectAnswer(session, id, output));
  const extra = { extra: { metadata: metadata && toPlain(metadata, "metadata"), answer_schema, model } };
  if (content) return { text, content: toPlain(content, "content"), ...extra };
  if (images.length + files.length === 0) return { text, ...extra };
  const { partsOf } = await loadPart(import("./files.js"));
  const parts = await partsOf(images, files);
  return { text, content: text ? [...parts, { type: "text", text }] : parts, ...extra };
}
