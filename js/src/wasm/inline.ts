// The wasm file carried inside JavaScript, decoded when it is first needed.
import { base64 } from "./generated/bytes.js";

export function inlineBytes(): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  // A loop: Uint8Array.from with a function is many times slower.
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}
