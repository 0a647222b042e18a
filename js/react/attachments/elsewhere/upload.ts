// Files that the application stores itself: how one gets there, and how a message says where it is.
import { GloveError } from "../../../src/values/error.js";
import type { ContentPart } from "../../../src/wire/record.js";

/** Stores a file, and gives the address or the name that your server knows it by. */
export type Upload = (file: File, context: UploadContext) => Promise<string>;

/** What `upload` is called with beside the file. */
export interface UploadContext {
  /** The person took the file away. */
  readonly signal: AbortSignal;
  /** How much of it is there: from 0 to 1. */
  readonly onProgress: (share: number) => void;
}

/** Why a file is not where the application takes it. */
export const uploadSentences = { upload: "{name} could not be uploaded: {reason}" } as const;

/** Where the file is, once it is there. Each percent is told once, and nothing after the end. */
export async function uploaded(file: File, upload: Upload, signal: AbortSignal, tell: (share: number) => void): Promise<string> {
  let [percent, over] = [0, false];
  const onProgress = (share: number) => {
    const now = Math.floor(Math.min(Math.max(share, 0), 1) * 100);
    if (over || !(now > percent)) return;
    percent = now;
    tell(now / 100);
  };
  try {
    const url: unknown = await upload(file, { signal, onProgress });
    // The file itself is not what is meant, and would travel with every request.
    if (typeof url === "string" && url !== "" && !url.startsWith("data:")) return url;
    throw new GloveError(
      "CONFIG_INVALID",
      "`attachments.upload` must give the address or the name of the file that it has stored.",
    );
  } finally {
    over = true;
  }
}

/** The parts of a message whose files are all elsewhere. */
export function partsAt(
  all: readonly { readonly file: File; readonly url?: string }[],
  text: string,
): { readonly content: ContentPart[] } | undefined {
  const parts: ContentPart[] = [];
  for (const { file, url } of all) {
    if (url === undefined) return undefined;
    parts.push(partAt(file, url));
  }
  return { content: text ? [...parts, { type: "text", text }] : parts };
}

function partAt({ name, type, size }: File, url: string): ContentPart {
  const kind = /^(image|video)\//.exec(type)?.[1] ?? "document";
  // A picture that only the server finds by its name is a card in the conversation.
  const isSeen = kind === "image" && /^(?:https?:|\.{0,2}\/)/.test(url);
  const source = { type: "url", media_type: type, url };
  return isSeen ? { type: kind, source } : { type: kind === "image" ? "document" : kind, source, file: { name, type, size } };
}
