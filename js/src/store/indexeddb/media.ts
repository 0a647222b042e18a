// Long base64 strings in JSON text, kept as bytes beside it. What comes back is the same text, character by character.

import { fromBase64, toBase64 } from "../../values/base64.js";
import { generateId } from "../../values/ids.js";
import { storeError } from "../errors.js";

/** Text as it is stored: whole, or the pieces between its media and the keys of those. */
export type StoredText = string | { readonly pieces: readonly string[]; readonly media: readonly string[] };

/** As bytes: private windows of WebKit store no Blob, and the transaction that tries never ends. Older versions wrote Blobs. */
export type Media = Uint8Array<ArrayBuffer> | Blob;

/** Shorter ones are not worth a row of their own. */
const leastLength = 4096;

/** Takes the media out; they are put into `media` under the hash of their content. What is in `known` is not read and hashed again. */
export async function takeOut(text: string, media: Map<string, Media>, known = new Map<string, string>()): Promise<StoredText> {
  if (text.length < leastLength) return text;
  const pieces: string[] = [];
  const keys: string[] = [];
  let rest = 0;
  // A string that needs no escapes stands between two quotes that follow on each other.
  for (let [from, to] = [0, text.indexOf('"')]; to >= 0; from = to + 1, to = text.indexOf('"', from)) {
    if (to - from < leastLength) continue;
    const start = Math.max(from, text.slice(from, from + 200).lastIndexOf(",") + 1 + from);
    const data = text.slice(start, to);
    let key = known.get(data);
    if (key === undefined) {
      const bytes = data.length < leastLength ? undefined : await fromBase64(data);
      if (!bytes) continue;
      key = await hash(bytes);
      media.set(key, bytes);
      known.set(data, key);
    }
    keys.push(key);
    pieces.push(text.slice(rest, start));
    rest = to;
  }
  return keys.length === 0 ? text : { pieces: [...pieces, text.slice(rest)], media: keys };
}

/** Puts the media back. */
export async function putBack(stored: StoredText, media: ReadonlyMap<string, Media>): Promise<string> {
  if (typeof stored === "string") return stored;
  const { pieces, media: keys } = stored;
  const texts = await Promise.all(keys.map((key) => textOf(media.get(key))));
  return pieces.map((piece, at) => piece + (texts[at] ?? "")).join("");
}

async function textOf(data: Media | undefined): Promise<string> {
  try {
    if (data) return await toBase64(data);
  } catch (cause) {
    throw storeError("corrupt", "An attachment of this session cannot be read: the browser lost its file.", cause);
  }
  throw storeError("corrupt", "An attachment of this session is missing from the database.");
}

async function hash(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  // Pages without a secure context have no hashes; there, the same file is kept twice.
  if (!globalThis.crypto.subtle) return generateId();
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
