// Files that a page's messages only name: the application gives what is in them, and nothing here fetches an address that a page has sent.

import { clientDisconnected } from "../../src/relay/refusal-response.js";
import { arrayBody, elementsOf, membersOf } from "../../src/store/json-text.js";
import type { Maybe } from "../../src/timing/sync-or-promise.js";
import { withinTime } from "../../src/timing/time-limit.js";
import { toBase64 } from "../../src/values/base64.js";
import { reasonOf } from "../../src/values/error.js";
import { describeValue } from "../../src/values/validate-options.js";
import type { ContentPart } from "../../src/wire/record.js";
import { Refused, refuse } from "../refuse.js";

/** A file as a message names it. A page has sent this: look whether whoever asks may read it. */
export interface FileReference {
  /** What `upload` gave in the page. */
  readonly url: string;
  /** Its media type, as the page says. */
  readonly type: string;
  readonly name: string;
}

/** What is in a file, or an `https` address that the provider fetches; nothing where there is no such file for this caller. */
export type ResolvedFile = Blob | Uint8Array | string | null | undefined;

/** Gives what is in a file that a message names, for this request. */
export type ResolveFile = (file: FileReference, request: Request) => Maybe<ResolvedFile>;

/** Of all files of a request together: the default of `limits.fileBytes`. */
const defaultBytes = 33_554_432;
/** A file that has not come by then does not come. */
const longestMs = 60_000;
/** So many are asked for at the same time. */
const atOnce = 4;

/** The body of a request with its files in it. Each file is asked for once, however often it is named. */
export async function withFiles(
  body: string,
  resolve: ResolveFile,
  request: Request,
  limit: number = defaultBytes,
): Promise<string> {
  const places = named(body);
  if (!places) return body;
  const urls = [...new Set(places.references.map(({ url }) => url))];
  const resolved = new Map<string, ResolvedFile>();
  let size = 0;
  const work = async () => {
    for (let url = urls.shift(); url !== undefined && !request.signal.aborted; url = urls.shift()) {
      const file = await one(places.references.find((reference) => reference.url === url) as FileReference, resolve, request);
      size += file instanceof Blob ? file.size : typeof file === "object" ? (file?.byteLength ?? 0) : 0;
      if (size > limit) tooLarge(limit);
      resolved.set(url, file);
    }
  };
  // Nothing more is asked for once one has failed.
  await Promise.all(Array.from({ length: atOnce }, work)).finally(() => urls.splice(0));
  if (request.signal.aborted) throw new Refused(clientDisconnected);
  return places.filled(async (part, reference) => JSON.stringify(await partOf(part, reference, resolved.get(reference.url))));
}

async function one(file: FileReference, resolve: ResolveFile, request: Request): Promise<ResolvedFile> {
  let given: unknown;
  try {
    given = await withinTime(longestMs, request.signal, () => resolve(file, request));
  } catch (error) {
    if (request.signal.aborted) throw new Refused(clientDisconnected);
    return refuse(
      500,
      "FILE_NOT_RESOLVED",
      "A file of this conversation cannot be read right now. Try again.",
      error,
      reasonOf(error),
    );
  }
  if (given instanceof Blob || given instanceof Uint8Array || given === null || given === undefined) return given;
  if (typeof given === "string" && given.startsWith("https://")) return given;
  const what = typeof given === "string" ? "another text" : describeValue(given);
  const detail = `\`resolveFile\` must give a Blob, a Uint8Array, an address that begins with https://, or nothing; got ${what}.`;
  return refuse(500, "FILE_NOT_RESOLVED", "A file of this conversation cannot be read right now.", undefined, detail);
}

function tooLarge(limit: number): never {
  const detail = `The files of a request exceeded ${limit} bytes. To allow larger ones, raise the handler's limits.fileBytes.`;
  return refuse(413, "BODY_TOO_LARGE", "The files of this conversation are too large together.", undefined, detail);
}

async function partOf(part: ContentPart, { type, name }: FileReference, file: ResolvedFile): Promise<ContentPart> {
  if (typeof file === "string") return { ...part, source: { type: "url", media_type: type, url: file } };
  const blob = file instanceof Uint8Array ? new Blob([new Uint8Array(file)]) : file;
  const media_type = blob?.type || type;
  if (!blob?.size) {
    const which = name && ` ${JSON.stringify(name)}`;
    return { type: "text", text: `[The file${which} is not there, so it cannot be read.]` };
  }
  // As pages send texts that they have themselves.
  if (/^(?:text\/|application\/json\b|image\/svg\b)/.test(media_type))
    return { type: "text", text: `${name || "file"}:\n${await blob.text()}` };
  const kind = /^(image|video)\//.exec(media_type)?.[1] ?? "document";
  const source = { type: "base64", media_type, data: await toBase64(blob) };
  return { type: kind, source, ...(part.file && { file: part.file }) };
}

type Fill = (part: ContentPart, reference: FileReference) => Promise<string>;

interface Places {
  readonly references: readonly FileReference[];
  /** The body with something else in the place of each part that names a file. All else stays as it is written, to the last digit. */
  filled(fill: Fill): Promise<string>;
}

function named(body: string): Places | undefined {
  // The core says what is wrong with it.
  if (!/"url"|\\u/.test(body) || !isJson(body)) return undefined;
  const request = members(body);
  const messages = elements(request.get("messages")).map((text) => {
    const message = members(text);
    const parts = elements(message.get("content")).map((text) => ({ text, reference: referenceOf(text) }));
    return { text, message, parts };
  });
  const references = messages.flatMap(({ parts }) => parts.flatMap(({ reference }) => reference ?? []));
  if (references.length === 0) return undefined;
  const filled = async (fill: Fill) => {
    const written: string[] = [];
    for (const { text, message, parts } of messages) {
      if (!parts.some(({ reference }) => reference)) {
        written.push(text);
        continue;
      }
      const content: string[] = [];
      for (const { text, reference } of parts)
        content.push(reference ? await fill(JSON.parse(text) as ContentPart, reference) : text);
      written.push(objectOf(message, "content", content));
    }
    return objectOf(request, "messages", written);
  };
  return { references, filled };
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}

const members = (text: string): ReadonlyMap<string, string> => (/^\s*\{/.test(text) ? membersOf(text) : new Map());
const elements = (text = ""): readonly string[] => (/^\s*\[/.test(text) ? elementsOf(arrayBody(text.trim())) : []);

function objectOf(all: ReadonlyMap<string, string>, name: string, list: readonly string[]): string {
  const own = [...all].map(([key, text]) => `${JSON.stringify(key)}:${key === name ? `[${list.join()}]` : text}`);
  return `{${own.join()}}`;
}

/** What a part names, if what is in it is elsewhere. */
function referenceOf(text: string): FileReference | undefined {
  const { source, file } = Object(JSON.parse(text)) as Partial<ContentPart>;
  const { type, media_type, data, url } = Object(source) as Record<string, unknown>;
  if (typeof url !== "string" || url.startsWith("data:") || (type === "base64" && typeof data === "string")) return undefined;
  const name = typeof file?.name === "string" ? file.name : "";
  return { url, type: typeof media_type === "string" ? media_type : "", name };
}
