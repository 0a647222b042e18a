// UTF-8, also where the environment has no coders: jest's jsdom leaves them out.

/** Lone surrogates become U+FFFD. */
export function encodeUtf8(text: string): Uint8Array {
  if (globalThis.TextEncoder) {
    encoder ??= new TextEncoder();
    return encoder.encode(text);
  }
  const wellFormed = text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
  return Uint8Array.from(unescape(encodeURIComponent(wellFormed)), (byte) => byte.charCodeAt(0));
}

/** Writes plain letters as they are, and tells whether all were such. */
export function encodeAscii(text: string, to: Uint8Array): boolean {
  if (globalThis.TextEncoder) {
    encoder ??= new TextEncoder();
    return encoder.encodeInto(text, to).read === text.length;
  }
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 127) return false;
    to[at] = code;
  }
  return true;
}

/** Decodes what is known to be well formed, a byte order mark included. */
export function decodeUtf8(bytes: Uint8Array): string {
  if (!globalThis.TextDecoder) return decodeURIComponent(escape(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")));
  decoded += bytes.length;
  // Safari's decoders stop working after two gigabytes.
  if (!decoder || decoded >= 0x7ff0_0000) {
    decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    decoded = bytes.length;
  }
  return decoder.decode(bytes);
}

let encoder: TextEncoder | undefined;
let decoder: TextDecoder | undefined;
let decoded = 0;
