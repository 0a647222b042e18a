// Media in requests: their types, and that base64 is base64.
import type { Judged } from "./types.js";

const pictures = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** Whole, padded, of the usual alphabet. */
export function isBase64(text: string): boolean {
  return text.length > 0 && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

interface DataUrl {
  readonly type: string;
  readonly data: string;
}

function dataUrl(url: string): DataUrl | undefined {
  const comma = url.indexOf(",");
  const head = /^data:([a-z0-9.+-]+\/[a-z0-9.+-]+);base64$/i.exec(url.slice(0, comma));
  return head?.[1] ? { type: head[1], data: url.slice(comma + 1) } : undefined;
}

/** An `image_url`: a picture as a data URL, or a web address. */
export function imageUrl({ add }: Judged, at: string, url: string): void {
  if (/^https?:\/\/[^/]/.test(url)) return;
  const given = dataUrl(url);
  if (!given)
    add("media.url", at, `Invalid image URL: '${url.slice(0, 40)}'. Expected a valid URL or a base64 data URL.`, {
      code: "invalid_image_url",
    });
  else if (!pictures.includes(given.type)) {
    add(
      "media.image-type",
      at,
      `You uploaded an unsupported image (${given.type}). Please make sure your image is png, jpeg, gif or webp.`,
      { code: "invalid_image_format" },
    );
  } else if (!isBase64(given.data)) add("media.base64", at, "Invalid base64 image_url.", { code: "invalid_base64" });
}

/** A video behind OpenRouter. */
export function videoUrl({ add }: Judged, at: string, url: string): void {
  if (/^https?:\/\/[^/]/.test(url)) return;
  const given = dataUrl(url);
  if (!given?.type.startsWith("video/")) add("media.image-type", at, "A video_url holds a video.");
  else if (!isBase64(given.data)) add("media.base64", at, "Invalid base64 video.");
}

/** A file with its data in it. */
export function file({ add, host }: Judged, at: string, data: string, name: string): void {
  const given = dataUrl(data);
  // Behind OpenRouter it may be an address.
  if (host.id === "openrouter" && /^https?:\/\/[^/]/.test(data)) return;
  if (!given) add("media.url", `${at}/file_data`, "Invalid 'file_data'. Expected a base64 data URL.");
  else if (!isBase64(given.data)) add("media.base64", `${at}/file_data`, "Invalid base64 file data.");
  else if (host.api === "chat" && given.type !== "application/pdf") {
    add("media.file-type", `${at}/file_data`, `Invalid file data: '${given.type}'. Expected 'application/pdf'.`);
  }
  if (!/\.[A-Za-z0-9]{1,8}$/.test(name))
    add("media.file-name", `${at}/filename`, `Invalid 'filename': '${name}' has no ending that says what it is.`);
}

/** What Gemini takes beside text, inline or by address. */
const gemini =
  /^(image\/(png|jpeg|webp|heic|heif)|application\/pdf|text\/(plain|html|css|csv|xml|rtf|javascript|x-python|markdown|md)|audio\/(wav|x-wav|mp3|mpeg|aiff|aac|ogg|flac|mp4|m4a|webm|opus|pcm)|video\/(mp4|mpeg|mov|quicktime|avi|x-msvideo|x-flv|mpg|mpegps|webm|wmv|x-ms-wmv|3gpp))(;.*)?$/;

export function geminiType({ add }: Judged, at: string, type: string): void {
  if (!gemini.test(type)) add("media.gemini-type", at, `Unsupported MIME type: ${type}`);
}
