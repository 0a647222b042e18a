// Pictures as small as they are sent: decoded and scaled by the browser, off the page's thread where it can.
import { turn } from "../../src/timing/turn.js";
import { toBase64 } from "../../src/values/base64.js";
import type { MediaRules } from "../../src/wire/attachments.js";
import type { FileKind } from "./file-kind.js";

/** Of the pictures in the composer, in pixels. */
const thumbnailEdge = 144;
const qualities = [0.85, 0.7, 0.5];
/** Pixels of a picture that are scaled in one go, and rows of one that are looked at. */
const stripPixels = 4_000_000;
const rowsAtOnce = 128;

type Canvas = OffscreenCanvas | HTMLCanvasElement;

export interface Scaled {
  readonly blob: Blob;
  readonly width: number;
  readonly height: number;
}

/** Makes a picture fit. Rejects when this browser cannot open it. */
export async function scale(file: Blob, kind: FileKind, { edge, pictureBytes, pictures }: MediaRules): Promise<Scaled> {
  let [most, last] = [edge, undefined as Scaled | undefined];
  for (let attempt = 0; attempt < 6; attempt++) {
    const canvas = await drawn(file, most);
    const { width, height } = canvas;
    const opaque = kind.type === "image/jpeg" || (await isOpaque(canvas));
    for (const [type, quality] of formats(opaque, pictures)) {
      const blob = await encoded(canvas, type, quality);
      last = { blob, width, height };
      // A browser that cannot write a type gives a PNG.
      if (blob.type === type && blob.size <= pictureBytes) return last;
    }
    most = Math.floor(Math.max(width, height) * 0.7);
  }
  if (!last) throw new Error("no canvas");
  return last;
}

/** What is seen through stays so. */
function formats(opaque: boolean, pictures: string): readonly (readonly [type: string, quality?: number])[] {
  if (opaque) return qualities.map((quality) => ["image/jpeg", quality]);
  return [
    ["image/png"],
    ...(pictures.includes("image/webp") ? qualities.map((quality) => ["image/webp", quality] as const) : []),
  ];
}

/** A small picture as a data URL, which every policy for pictures that a chat needs allows. */
export async function thumbnail(file: Blob, kind: FileKind): Promise<string> {
  const blob = await encoded(await drawn(file, thumbnailEdge), kind.type === "image/jpeg" ? "image/jpeg" : "image/png", 0.8);
  return `data:${blob.type};base64,${await toBase64(blob)}`;
}

/** Decoded elsewhere and scaled here, in strips with the page's turn between them: all at once, fifty megapixels are a third of a second. */
async function drawn(file: Blob, edge: number): Promise<Canvas> {
  const bitmap = await createImageBitmap(file, { imageOrientation: "from-image" });
  try {
    const { width, height } = bitmap;
    const shrink = Math.min(1, edge / Math.max(width, height));
    const canvas = canvasOf(Math.max(1, Math.round(width * shrink)), Math.max(1, Math.round(height * shrink)));
    const context = contextOf(canvas);
    const rows = Math.ceil(canvas.height / Math.ceil((width * height) / stripPixels));
    for (let top = 0; top < canvas.height; top += rows) {
      const resizeHeight = Math.min(rows, canvas.height - top);
      const [from, to] = [top, top + resizeHeight].map((row) => Math.round((row * height) / canvas.height)) as [number, number];
      const resize: ImageBitmapOptions = { resizeWidth: canvas.width, resizeHeight, resizeQuality: "high" };
      const strip = await createImageBitmap(bitmap, 0, from, width, Math.max(1, to - from), shrink < 1 ? resize : {});
      context.drawImage(strip, 0, top);
      strip.close();
      await turn();
    }
    return canvas;
  } finally {
    bitmap.close();
  }
}

function canvasOf(width: number, height: number): Canvas {
  if (typeof OffscreenCanvas !== "undefined") return new OffscreenCanvas(width, height);
  return Object.assign(document.createElement("canvas"), { width, height });
}

function contextOf(canvas: Canvas): CanvasRenderingContext2D {
  const options = { willReadFrequently: true } as const;
  const context = canvas.getContext("2d", options);
  if (!context) throw new Error("no canvas");
  return context as CanvasRenderingContext2D;
}

/** Looked at in strips, with the page's turn between them. */
async function isOpaque(canvas: Canvas): Promise<boolean> {
  const context = contextOf(canvas);
  for (let top = 0; top < canvas.height; top += rowsAtOnce) {
    const { data } = context.getImageData(0, top, canvas.width, Math.min(rowsAtOnce, canvas.height - top));
    for (let at = 3; at < data.length; at += 4) if (data[at] !== 255) return false;
    await turn();
  }
  return true;
}

async function encoded(canvas: Canvas, type: string, quality?: number): Promise<Blob> {
  if ("convertToBlob" in canvas) return canvas.convertToBlob({ type, ...(quality !== undefined && { quality }) });
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no canvas"))), type, quality);
  });
}
