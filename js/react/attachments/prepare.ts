// One file made ready to be sent, or the reason why it cannot be.
import { type MediaRules, type mediaSentences, mostPixels, mostSourceBytes } from "../../src/wire/attachments.js";
import type { Upload, uploadSentences } from "./elsewhere/upload.js";
import { type FileKind, kindOf } from "./file-kind.js";
import { bytes } from "./file-labels.js";
import { scale, thumbnail } from "./scale-image.js";

export type Sentence = keyof typeof mediaSentences | keyof typeof uploadSentences;

/** A sentence, and what stands in its gaps. */
export interface Note {
  readonly code: Sentence;
  readonly values?: Readonly<Record<string, string | number | readonly string[]>>;
}

export interface Prepared {
  readonly file: File;
  /** How many pixels a picture has that was scaled. */
  readonly width?: number;
  readonly height?: number;
  readonly thumbnail?: string | undefined;
  /** It is not sent as it was. */
  readonly note?: Note | undefined;
  /** It is a text that was pasted. */
  readonly pasted?: boolean;
  /** Where the application has it by now: it is sent as this. */
  readonly url?: string;
}

/** Why a file is not attached. */
export class Refused extends Error {
  readonly note: Note;

  constructor(code: Sentence, values: Note["values"] = {}) {
    super(code);
    this.note = { code, values };
  }
}

/** What a chat takes beside the rules of its provider. */
export interface Allowed extends MediaRules {
  /** Types or beginnings of types that the application allows; all when it says nothing. */
  readonly accept?: readonly string[] | undefined;
  readonly upload?: Upload | undefined;
}

/** What a file is, if it is of a kind that is taken. */
export async function takenKind(file: File, allowed: Allowed): Promise<FileKind> {
  if (file.size === 0) throw new Refused("empty");
  const kind = await kindOf(file).catch(() => {
    throw new Refused("unreadable");
  });
  const { type } = kind;
  const readable = isPicture(type) ? allowed.pictures : isText(type) || allowed.documents.split(" ").includes(type);
  if (!readable || !isAccepted(type, file.name, allowed.accept)) throw new Refused("type", { types: kindsOf(allowed).join(" ") });
  return kind;
}

const isPicture = (type: string) => type.startsWith("image/") && type !== "image/svg+xml";
const isText = (type: string) => /^text\/|^application\/json\b|^image\/svg\+xml/.test(type);

export async function prepare(file: File, allowed: Allowed): Promise<Prepared> {
  const kind = await takenKind(file, allowed);
  const renamed = isRenamed(file.type, kind.type)
    ? ({ code: "renamed", values: { type: shortType(kind.type) } } as const)
    : undefined;
  if (isPicture(kind.type)) return { note: renamed, ...(await picture(file, kind, allowed)) };
  checkSize(file, allowed.messageBytes);
  if (isText(kind.type)) {
    const note: Note | undefined = kind.type === "image/svg+xml" ? { code: "source" } : renamed;
    return { file: as(file, kind.type.startsWith("image/") ? "text/plain" : kind.type, file.name), note };
  }
  return { file: as(file, kind.type, file.name), note: renamed };
}

async function picture(file: File, kind: FileKind, allowed: Allowed): Promise<Prepared> {
  checkSize(file, mostSourceBytes);
  const { width = 0, height = 0 } = kind;
  if (width * height > mostPixels) {
    throw new Refused("pixels", { pixels: Math.round((width * height) / 1e6), limit: mostPixels / 1e6 });
  }
  const taken = allowed.pictures.split(" ").includes(kind.type);
  const fits = taken && !kind.moves && file.size <= allowed.pictureBytes && Math.max(width, height) <= allowed.edge;
  try {
    if (fits) {
      // Kinds that only the provider can open are sent as they are.
      const opened = thumbnail(file, kind).catch((error: unknown) =>
        kind.type === "image/heic" ? undefined : Promise.reject(error),
      );
      return { file: as(file, kind.type, file.name), width, height, thumbnail: await opened };
    }
    const { blob, ...size } = await scale(file, kind, allowed);
    const name = `${file.name.replace(/\.[^.]*$/, "") || "picture"}.${blob.type.replace("image/", "").replace("jpeg", "jpg")}`;
    return {
      file: as(blob, blob.type, name),
      ...size,
      // From the small one: the large one is not opened twice.
      thumbnail: await thumbnail(blob, { type: blob.type, ...size }),
      ...(kind.moves && { note: { code: "still" } as const }),
    };
  } catch {
    throw new Refused(kind.type === "image/heic" ? "heic" : "broken");
  }
}

function checkSize({ size }: Blob, limit: number): void {
  if (size > limit) throw new Refused("large", { size: bytes(size), limit: bytes(limit) });
}

const as = (data: Blob, type: string, name: string) => new File([data], name, { type });

/** What it says it is, and what it is, are two kinds of files. */
function isRenamed(declared: string, type: string): boolean {
  const isOfKind = (kind: string) =>
    declared.startsWith(kind) !== type.startsWith(kind) || (declared.startsWith(kind) && declared !== type);
  return (
    declared !== "" &&
    type !== "" &&
    (isOfKind("image/") || declared.startsWith("application/pdf") !== type.startsWith("application/pdf"))
  );
}

const shortType = (type: string) =>
  (type.startsWith("text/") ? "text" : (type.split("/")[1] ?? type)).replace(/^x-|\+.*$/g, "").toUpperCase();

function isAccepted(type: string, name: string, accept: readonly string[] | undefined): boolean {
  if (!accept) return true;
  const ends = name.toLowerCase();
  return accept.some((one) =>
    one.startsWith(".")
      ? ends.endsWith(one.toLowerCase())
      : one.endsWith("/*")
        ? type.startsWith(one.slice(0, -1))
        : type === one,
  );
}

/** The kinds of files that are taken, in the words of `mediaSentences`. */
function kindsOf({ pictures, documents, accept }: Allowed): Sentence[] {
  const kinds: readonly (readonly [Sentence, boolean, string])[] = [
    ["pictures", pictures !== "", "image/png"],
    ["pdfs", documents.includes("application/pdf"), "application/pdf"],
    ["office", documents.includes("officedocument"), "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
    ["videos", documents.includes("video/"), "video/mp4"],
    ["sounds", documents.includes("audio/"), "audio/wav"],
    ["texts", true, "text/plain"],
  ];
  return kinds.filter(([, taken, type]) => taken && isAccepted(type, "", accept)).map(([kind]) => kind);
}
