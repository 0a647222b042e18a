// Files of every kind, as a record holds them.
import type { ContentPart } from "glove-wasm";
import { png } from "../good.js";

export const base64 = (kind: string, media_type: string, data = png): ContentPart => ({
  type: kind,
  source: { type: "base64", media_type, data },
});
export const url = (kind: string, media_type: string, url: string): ContentPart => ({
  type: kind,
  source: { type: "url", media_type, url },
});
const pdf = btoa("%PDF-1.4 one page");
const site = "https://files.example/a";

export const files: Readonly<Record<string, readonly ContentPart[]>> = {
  "a png": [base64("image", "image/png")],
  "a jpeg": [base64("image", "image/jpeg")],
  "a gif": [base64("image", "image/gif")],
  "a webp": [base64("image", "image/webp")],
  "an svg": [base64("image", "image/svg+xml", btoa("<svg/>"))],
  "a heic": [base64("image", "image/heic")],
  "a bmp": [base64("image", "image/bmp")],
  "an image of no type": [base64("image", "")],
  "an image by url": [url("image", "image/png", `${site}.png`)],
  "an svg by url": [url("image", "image/svg+xml", `${site}.svg`)],
  "two images and a text between": [base64("image", "image/png"), { type: "text", text: "and" }, base64("image", "image/png")],
  "a pdf": [base64("document", "application/pdf", pdf)],
  "a pdf by url": [url("document", "application/pdf", `${site}.pdf`)],
  "a word document": [base64("document", "application/vnd.openxmlformats-officedocument.wordprocessingml.document")],
  "a zip": [base64("document", "application/zip")],
  "a text file": [base64("document", "text/plain", btoa("hello"))],
  "a csv": [base64("document", "text/csv", btoa("a,b"))],
  "a document of no type": [base64("document", "")],
  "a video": [base64("video", "video/mp4")],
  "a video by url": [url("video", "video/mp4", `${site}.mp4`)],
  "an mp3": [base64("audio", "audio/mpeg")],
  "an mp3 as a document": [base64("document", "audio/mpeg")],
  "a file of an unknown kind": [base64("model", "model/gltf+json", btoa("{}"))],
  "a part without a source": [{ type: "image" }, { type: "text", text: "there was one" }],
  "base64 of another alphabet": [base64("image", "image/png", "-_-_")],
  "base64 without its end": [base64("image", "image/png", "iVBORw0KGgo")],
  "base64 with line breaks": [base64("image", "image/png", `${png.slice(0, 40)}\n${png.slice(40)}`)],
};
