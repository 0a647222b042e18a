// The pictures of a message once more, smaller than they were.
import { fromBase64, toBase64 } from "../../src/values/base64.js";
import { mediaRules } from "../../src/wire/attachments.js";
import type { ContentPart, Message } from "../../src/wire/record.js";
import { kindOf } from "./file-kind.js";
import { scale } from "./scale-image.js";

/** What the message with this id says, with half the width and height of each picture, and a third of its bytes at most. */
export async function smaller(messages: readonly Message[], id: string): Promise<ContentPart[]> {
  const message = messages.findLast((message) => message.id === id);
  if (!message?.content) throw new Error("the message is gone");
  const parts: ContentPart[] = [];
  // One after another: a photograph takes a hundred megabytes while it is open.
  for (const part of message.content) parts.push(await smallerPart(part));
  return parts;
}

async function smallerPart(part: ContentPart): Promise<ContentPart> {
  const { source } = part;
  const bytes = part.type === "image" && source?.data ? await fromBase64(source.data) : undefined;
  if (!bytes || !source) return part;
  const file = new Blob([bytes], { type: source.media_type });
  const kind = await kindOf(file);
  const edge = Math.max(256, Math.round(Math.max(kind.width ?? 0, kind.height ?? 0) / 2)) || mediaRules.shared.edge;
  const { blob } = await scale(file, kind, { ...mediaRules.shared, edge, pictureBytes: Math.max(50_000, bytes.length / 3) });
  return { ...part, source: { ...source, media_type: blob.type, data: await toBase64(blob) } };
}
