// What a file is by its first bytes, whatever its name says, and how many pixels a picture has, before it is opened.

export interface FileKind {
  /** Its media type. */
  readonly type: string;
  /** As it is shown: a camera may have been held upright. */
  readonly width?: number;
  readonly height?: number;
  /** It has more than one picture. */
  readonly moves?: boolean;
}

/** As far as the sizes of pictures may stand behind their other data. */
const headBytes = 0x80000;

export async function kindOf(file: Blob): Promise<FileKind> {
  const head = new Uint8Array(await file.slice(0, headBytes).arrayBuffer());
  const view = new DataView(head.buffer);
  const text = (at: number, length: number) => String.fromCharCode(...head.subarray(at, at + length));
  try {
    const kind = pictureKind(view, text);
    if (kind) return kind;
  } catch (error) {
    // It ends in the middle of what says how large it is.
    if (!(error instanceof RangeError)) throw error;
    return { type: file.type };
  }
  if (text(0, 1024).includes("%PDF-")) return { type: "application/pdf" };
  if (isText(head, file.size > head.length)) {
    const front = text(0, 1024);
    return { type: /<svg[\s/>]/i.test(front) ? "image/svg+xml" : isTextType(file.type) ? file.type : "text/plain" };
  }
  // What claims to be a text and is none.
  return { type: isTextType(file.type) ? "" : file.type.split(";")[0]?.trim().toLowerCase() || "" };
}

const isTextType = (type: string) => /^text\/|^application\/json\b/.test(type);

type Text = (at: number, length: number) => string;

function pictureKind(view: DataView, text: Text): FileKind | undefined {
  if (view.byteLength < 12) return undefined;
  if (text(0, 4) === "\x89PNG") {
    const before = text(0, 0x1000).split("IDAT")[0] ?? "";
    return { type: "image/png", width: view.getUint32(16), height: view.getUint32(20), moves: before.includes("acTL") };
  }
  if (text(0, 4) === "GIF8") {
    return { type: "image/gif", width: view.getUint16(6, true), height: view.getUint16(8, true), moves: gifMoves(view) };
  }
  if (text(0, 4) === "RIFF" && text(8, 4) === "WEBP") return webp(view, text);
  if (view.getUint16(0) === 0xffd8) return jpeg(view, text);
  if (text(0, 2) === "BM" && view.getUint32(6) === 0) {
    return { type: "image/bmp", width: view.getInt32(18, true), height: Math.abs(view.getInt32(22, true)) };
  }
  if (/^(?:II\*\0|MM\0\*)$/.test(text(0, 4))) return { type: "image/tiff" };
  if (text(4, 4) === "ftyp") return box(view, text);
  return undefined;
}

/** A block that says how long a picture stays comes before each of them. */
function gifMoves(view: DataView): boolean {
  let found = 0;
  for (let at = 13; at < view.byteLength - 3 && found < 2; at++) {
    if (view.getUint8(at) === 0x21 && view.getUint16(at + 1) === 0xf904) found++;
  }
  return found > 1;
}

function webp(view: DataView, text: Text): FileKind {
  const type = "image/webp";
  const size = (at: number, bits: number) => (view.getUint32(at, true) & (2 ** bits - 1)) + 1;
  if (text(12, 4) === "VP8X") {
    return { type, width: size(24, 24), height: (view.getUint32(26, true) >>> 8) + 1, moves: (view.getUint8(20) & 2) !== 0 };
  }
  if (text(12, 4) === "VP8L") return { type, width: size(21, 14), height: ((view.getUint32(21, true) >>> 14) & 0x3fff) + 1 };
  return { type, width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
}

function jpeg(view: DataView, text: Text): FileKind {
  const type = "image/jpeg";
  let turned = false;
  for (let at = 2; at < view.byteLength - 9; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint16(at);
    if (marker === 0xffe1 && text(at + 4, 4) === "Exif") turned = isTurned(view, at + 10);
    // The sizes stand at the beginning of the picture itself; C4, C8 and CC are tables.
    if (marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker)) {
      const [height, width] = [view.getUint16(at + 5), view.getUint16(at + 7)];
      return turned ? { type, width: height, height: width } : { type, width, height };
    }
    if (marker >> 8 !== 0xff) break;
  }
  return { type };
}

/** Whether it is shown lying on its side, by its Exif data. */
function isTurned(view: DataView, tiff: number): boolean {
  const little = view.getUint16(tiff) === 0x4949;
  const list = tiff + view.getUint32(tiff + 4, little);
  for (let index = 0; index < view.getUint16(list, little); index++) {
    const at = list + 2 + index * 12;
    if (view.getUint16(at, little) === 0x112) return view.getUint16(at + 8, little) > 4;
  }
  return false;
}

/** AVIF, HEIC, and films. The largest size counts: thumbnails have theirs too. */
function box(view: DataView, text: Text): FileKind {
  const brand = text(8, 4);
  const type = /^avi[fs]/.test(brand)
    ? "image/avif"
    : /^(?:hei[cxms]|hev[cxms]|mif1|msf1)/.test(brand)
      ? "image/heic"
      : brand === "qt  "
        ? "video/quicktime"
        : /^M4[AB]/.test(brand)
          ? "audio/mp4"
          : "video/mp4";
  if (!type.startsWith("image/")) return { type };
  let [width, height] = [0, 0];
  for (let at = 12; at < Math.min(view.byteLength - 16, 0x10000); at++) {
    if (view.getUint32(at) !== 0x69737065) continue;
    width = Math.max(width, view.getUint32(at + 8));
    height = Math.max(height, view.getUint32(at + 12));
  }
  return width ? { type, width, height } : { type };
}

function isText(head: Uint8Array, goesOn: boolean): boolean {
  if (head.includes(0)) return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: goesOn });
    return true;
  } catch {
    return false;
  }
}
