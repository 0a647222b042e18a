// Base64 and bytes. Megabytes are done natively, or in pieces with the page's turn between them, so that no frame comes late.
import { turn } from "../timing/turn.js";

/** What newer engines have; TypeScript does not know it of all of them. */
interface Native {
  toBase64?(): string;
}
interface NativeClass {
  fromBase64?(text: string, options: { lastChunkHandling: "strict" }): Uint8Array<ArrayBuffer>;
}

/** A multiple of three and of four. */
const pieceLength = 0x6_0000;

export async function toBase64(data: Blob | Uint8Array): Promise<string> {
  const bytes = data instanceof Uint8Array ? data : new Uint8Array(await data.arrayBuffer());
  const native = (bytes as Native).toBase64?.();
  let text = native ?? "";
  for (let from = 0; native === undefined && from < bytes.length; from += pieceLength) {
    if (from > 0) await turn();
    let binary = "";
    // A call takes only so many arguments.
    for (let at = from; at < from + pieceLength; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
    text += btoa(binary);
  }
  // What is done with so much takes a turn of its own.
  if (bytes.length > pieceLength) await turn();
  return text;
}

/** Nothing for a text that would not come back as it was. */
export async function fromBase64(text: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (text.length > pieceLength) await turn();
  try {
    const bytes = (Uint8Array as NativeClass).fromBase64?.(text, { lastChunkHandling: "strict" }) ?? (await decoded(text));
    // Blanks are passed over.
    return Math.ceil(bytes.length / 3) * 4 === text.length ? bytes : undefined;
  } catch {
    return undefined;
  }
}

async function decoded(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array((text.length / 4) * 3 - (/=*$/.exec(text.slice(-2))?.[0].length ?? 0));
  let to = 0;
  for (let from = 0; from < text.length; from += pieceLength) {
    if (from > 0) await turn();
    const piece = text.slice(from, from + pieceLength);
    const binary = atob(piece);
    // Bits that base64 does not use would be lost.
    if (btoa(binary) !== piece) throw new Error();
    for (let at = 0; at < binary.length; at++) bytes[to++] = binary.charCodeAt(at);
  }
  // Padding in the middle.
  if (to !== bytes.length) throw new Error();
  return bytes;
}
