// A session as one JSON text: exported, kept elsewhere, imported again.

import type { InboxItem, TokenCount } from "../ports/store.js";
import { GloveError } from "../values/error.js";
import { generateSessionId } from "../values/ids.js";
import type { Message, Task } from "../wire/record.js";
import { storeError } from "./errors.js";
import { membersOf } from "./json-text.js";
import { runFormat, runVersion } from "./run-format.js";
import { addTokens } from "./step.js";

const format = "glove-session";
const version = 1;

/** Permissions are not part of it: a person gave them on one device. */
export interface Transcript {
  readonly id: string;
  readonly title?: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly turns: number;
  readonly tokens: TokenCount;
  readonly seq: number;
}

/** The parts of a transcript that are kept as the text that they are. */
export interface TranscriptTexts {
  readonly messages: string;
  readonly records: string;
  /** JSON of the text, which is JSON itself. */
  readonly checkpoint?: string | undefined;
  readonly tasks: string;
  readonly inbox: string;
  /** What could not be read of it: a list of `SessionDamage`. */
  readonly damage?: string;
}

export interface ReadTranscript {
  readonly about: Transcript;
  readonly texts: TranscriptTexts;
  readonly messages: readonly Message[];
  readonly tasks: Task[];
  readonly inbox: InboxItem[];
}

/** The id for an imported session. */
export function freeId(own: string, wanted: string | undefined, taken: boolean): string {
  if (!taken) return wanted ?? own;
  if (wanted === undefined) return generateSessionId();
  throw new GloveError("SESSION_EXISTS", `A session "${wanted}" already exists; delete it first, or import under another id.`);
}

export function writeTranscript(about: Transcript, texts: TranscriptTexts): string {
  const { messages, records, checkpoint, tasks, inbox, damage } = texts;
  const head = JSON.stringify({ format, version, ...about }).slice(0, -1);
  const run = checkpoint === undefined ? "" : `,"checkpoint":${checkpoint}`;
  const faults = damage === undefined ? "" : `,"damage":${damage}`;
  return `${head},"messages":${messages},"tasks":${tasks},"inbox":${inbox},"records":${records}${run}${faults}}`;
}

export function readTranscript(text: string): ReadTranscript {
  const transcript = parse(text);
  if (transcript.format === runFormat) return readTranscript(endOfRun(transcript, text));
  if (transcript.format !== format) refuse(`it has no "format": "${format}"`);
  if (typeof transcript.version !== "number" || transcript.version > version) {
    throw storeError("newer", "This session was exported by a newer version; update the application to import it.");
  }
  const {
    id,
    title,
    createdAt,
    updatedAt,
    turns,
    tokens,
    seq,
    messages,
    records = [],
    tasks = [],
    inbox = [],
    checkpoint,
  } = transcript;
  if (typeof id !== "string" || id === "") refuse("it has no id");
  if (!isListOf(messages, isMessage)) refuse("its `messages` is not an array of messages");
  if (!isListOf(tasks, hasId) || !isListOf(inbox, hasId))
    refuse("its `tasks` and `inbox` must be arrays of objects with an `id`");
  if (!isListOf(records, isObject)) refuse("its `records` is not an array of objects");
  if (isTooDeep(messages) || isTooDeep(tasks) || isTooDeep(inbox)) refuse(`it is nested deeper than ${deepest} levels`);
  if (checkpoint !== undefined && typeof checkpoint !== "string") refuse("its `checkpoint` is not a string");
  const texts = membersOf(text);
  return {
    about: {
      id,
      ...(typeof title === "string" && { title }),
      createdAt: number(createdAt, Date.now()),
      updatedAt: number(updatedAt, Date.now()),
      turns: number(turns, 0),
      tokens: addTokens({ tokens_in: 0, tokens_out: 0 }, isObject(tokens) ? (tokens as unknown as TokenCount) : 0),
      seq: number(seq, 0),
    },
    texts: {
      messages: texts.get("messages") ?? "[]",
      records: texts.get("records") ?? "[]",
      checkpoint: texts.get("checkpoint"),
      tasks: texts.get("tasks") ?? "[]",
      inbox: texts.get("inbox") ?? "[]",
    },
    messages: messages as Message[],
    tasks: tasks as Task[],
    inbox: inbox as InboxItem[],
  };
}

/** A recorded run as the session that it ends with. */
function endOfRun({ version, end }: Record<string, unknown>, text: string): string {
  if (typeof version !== "number") refuse("the recorded run has no `version`");
  if (version > runVersion) {
    throw storeError("newer", "This run was recorded by a newer version; update the application to import it.");
  }
  const { messages, checkpoint } = Object(end) as { messages?: unknown; checkpoint?: unknown };
  if (!isListOf(messages, isMessage) || !isObject(checkpoint)) refuse("the recorded run has no `end`");
  const parts = membersOf(membersOf(text).get("end") ?? "{}");
  const { seq, state } = checkpoint as { readonly seq?: unknown; readonly state?: unknown };
  const { turns, usage } = Object(state) as { readonly turns?: unknown; readonly usage?: unknown };
  const times = (messages as readonly { readonly at?: unknown }[]).map(({ at }) => number(at, 0)).filter(Boolean);
  const about = {
    id: "recorded-run",
    createdAt: times[0] ?? 0,
    updatedAt: times.at(-1) ?? 0,
    turns: number(turns, 0),
    tokens: addTokens({ tokens_in: 0, tokens_out: 0 }, isObject(usage) ? (usage as unknown as TokenCount) : 0),
    seq: number(seq, 0),
  };
  return writeTranscript(about, {
    messages: parts.get("messages") ?? "[]",
    records: "[]",
    checkpoint: JSON.stringify(parts.get("checkpoint")),
    tasks: "[]",
    inbox: "[]",
  });
}

function parse(text: string): Record<string, unknown> {
  try {
    const transcript = JSON.parse(text) as unknown;
    if (typeof transcript === "object" && transcript !== null) return transcript as Record<string, unknown>;
  } catch {
    // Said below.
  }
  return refuse("it is not a JSON object");
}

/** What the core takes in one value. */
const deepest = 127;

function isTooDeep(value: unknown, left = deepest): boolean {
  if (typeof value !== "object" || value === null) return false;
  return left === 0 || Object.values(value).some((inner) => isTooDeep(inner, left - 1));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isListOf(value: unknown, is: (item: unknown) => boolean): value is unknown[] {
  return Array.isArray(value) && value.every(is);
}

function hasId(value: unknown): boolean {
  return isObject(value) && typeof value.id === "string";
}

/** As far as the core looks at it. */
function isMessage(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { sender, text, content = [], tool_calls = [], tool_results = [] } = value;
  return (
    (sender === "user" || sender === "agent") &&
    typeof text === "string" &&
    isListOf(content, (part) => isObject(part) && typeof part.type === "string") &&
    isListOf(tool_calls, (call) => isObject(call) && typeof call.tool_name === "string") &&
    isListOf(tool_results, (result) => isObject(result) && typeof result.tool_name === "string" && isObject(result.result))
  );
}

function number(value: unknown, otherwise: number): number {
  return typeof value === "number" && Number.isFinite(value) ? value : otherwise;
}

function refuse(why: string): never {
  throw new GloveError("SESSION_IMPORT_INVALID", `This is not an exported session: ${why}. Pass what exportSession returned.`);
}
