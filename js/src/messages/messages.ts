// The timeline as messages with parts, in the words that React developers know. Messages that did not change stay the same.

import type { Partly } from "../schema/types.js";
import type { Approval, GloveSnapshot, ShownEntry, ToolEntry } from "../snapshot/snapshot.js";
import type { Source as AnswerSource, SideOutput } from "../wire/record.js";
import type { MessageBranches } from "../wire/run-types.js";

/** What was said. It streams while it is being written. */
export interface TextPart {
  readonly type: "text";
  readonly text: string;
  readonly state: "streaming" | "done";
  /** Where an answer says that it comes from, where the model tells. */
  readonly sources?: readonly AnswerSource[];
}

/** What a model thought before it answered, where it tells. */
export interface ReasoningPart {
  readonly type: "reasoning";
  readonly text: string;
  readonly state: "streaming" | "done";
}

/** An image or a document. */
export interface FilePart {
  readonly type: "file";
  readonly mediaType: string;
  readonly url: string;
}

/** What the call before it showed beside its result. */
export interface OutputPart {
  readonly type: "data-output";
  readonly data: SideOutput;
}

/** Older messages were summarised for the model here. */
export interface CompactionPart {
  readonly type: "data-compaction";
  readonly data: { readonly text: string };
}

interface ToolPartBase<Name extends string = string, Input = unknown, RenderData = unknown> {
  readonly type: `tool-${Name}`;
  readonly toolCallId: string;
  readonly input: Input;
  /** What the call does, in the words of the tool's `title`. */
  readonly title?: string;
  /** What the tool gave for the screen. */
  readonly renderData?: RenderData;
}

/** The model writes the arguments: `input` is what there is of them, `at` the place that is being written (a JSON Pointer). */
interface WritingPart<Name extends string, Input, RenderData> extends ToolPartBase<Name, Partly<Input> | undefined, RenderData> {
  readonly state: "input-streaming";
  readonly at: string | undefined;
}

interface CalledPart<Name extends string, Input, RenderData> extends ToolPartBase<Name, Input, RenderData> {
  readonly state: "input-available";
}

interface AskedPart<Name extends string, Input, RenderData> extends ToolPartBase<Name, Input, RenderData> {
  readonly state: "approval-requested";
  readonly approval: { readonly id: string; readonly reason?: string };
}

interface DonePart<Name extends string, Input, RenderData> extends ToolPartBase<Name, Input, RenderData> {
  readonly state: "output-available";
  readonly output: string;
}

interface FailedPart<Name extends string, RenderData> extends ToolPartBase<Name, unknown, RenderData> {
  readonly state: "output-error" | "output-denied" | "output-aborted";
  readonly errorText: string;
}

/** A call with this name, input and data for the screen. */
export type TypedToolPart<Name extends string, Input, RenderData> =
  | WritingPart<Name, Input, RenderData>
  | CalledPart<Name, Input, RenderData>
  | AskedPart<Name, Input, RenderData>
  | DonePart<Name, Input, RenderData>
  | FailedPart<Name, RenderData>;

/** A call of any tool. */
type ToolPart = TypedToolPart<string, unknown, unknown>;
type MessagePart = TextPart | ReasoningPart | FilePart | ToolPart | OutputPart | CompactionPart;

/** A message of any session; `UIMessage` is the same with the tools of a client. */
export interface ShownMessage {
  readonly id: string;
  readonly role: "user" | "assistant";
  readonly parts: readonly MessagePart[];
  readonly branches?: MessageBranches;
}

/** What it is made of. */
export type MessageSource = Pick<GloveSnapshot, "timeline" | "approvals" | Streaming>;
type Streaming = "streamingText" | "streamingReasoning" | "streamingCalls";

/** A message and the entries it stands for. */
interface Group {
  readonly start: number;
  readonly entries: readonly ShownEntry[];
  readonly message: ShownMessage;
}

/** Follows one session: each call builds anew only the messages whose entries or approvals changed. */
export function createMessages(): (source: MessageSource) => ShownMessage[] {
  let seen: MessageSource | undefined;
  let groups: Group[] = [];
  let settled: ShownMessage[] = [];
  let shown: ShownMessage[] = [];
  return (source) => {
    const { timeline, streamingText, streamingReasoning, streamingCalls, approvals } = source;
    if (timeline !== seen?.timeline || approvals !== seen.approvals) {
      groups = group(timeline, approvals, groups, approvals !== seen?.approvals);
      settled = groups.map(({ message }) => message);
    } else if (
      streamingText === seen.streamingText &&
      streamingReasoning === seen.streamingReasoning &&
      streamingCalls === seen.streamingCalls
    ) {
      return shown;
    }
    seen = { timeline, streamingText, streamingReasoning, streamingCalls, approvals };
    shown = withStreaming(settled, seen);
    return shown;
  };
}

function group(
  timeline: readonly ShownEntry[],
  approvals: readonly Approval[],
  before: Group[],
  approvalsChanged: boolean,
): Group[] {
  const groups: Group[] = [];
  for (let start = 0; start < timeline.length; ) {
    const end = endOf(timeline, start);
    const old = before[groups.length];
    const kept = old && isSame(old, timeline, start, end) && !(approvalsChanged && old.message.parts.some(isOpen));
    groups.push(kept ? old : build(timeline.slice(start, end), start, groups.at(-1), approvals));
    start = end;
  }
  return groups;
}

// A message of the user stands alone; all that follows up to the next one is one answer.
function endOf(timeline: readonly ShownEntry[], start: number): number {
  let end = start + 1;
  if (timeline[start]?.kind === "user") return end;
  while (end < timeline.length && timeline[end]?.kind !== "user") end++;
  return end;
}

function isSame(old: Group, timeline: readonly ShownEntry[], start: number, end: number): boolean {
  return (
    old.start === start &&
    old.entries.length === end - start &&
    old.entries.every((entry, index) => entry === timeline[start + index])
  );
}

const isOpen = (part: MessagePart) =>
  "state" in part && (part.state === "input-available" || part.state === "approval-requested");

function build(entries: ShownEntry[], start: number, previous: Group | undefined, approvals: readonly Approval[]): Group {
  const [first] = entries;
  if (first?.kind === "user") {
    const text: MessagePart[] = first.text === "" ? [] : [{ type: "text", text: first.text, state: "done" }];
    const parts = [...text, ...(first.images ?? []).map(file)];
    const message: ShownMessage = { id: first.id, role: "user", parts, ...branchesOf(entries) };
    return { start, entries, message };
  }
  const parts = entries.flatMap((entry): MessagePart[] => {
    if (entry.kind === "compaction") return [{ type: "data-compaction", data: { text: entry.text } }];
    const thought = entry.kind === "user" ? undefined : entry.reasoning;
    const before: MessagePart[] = thought ? [{ type: "reasoning", text: thought, state: "done" }] : [];
    if (entry.kind === "tool") return [...before, tool(entry, approvals), ...(entry.outputs ?? []).map(output)];
    const { text, sources } = entry.kind === "user" ? { text: entry.text } : entry;
    return text === "" ? before : [...before, { type: "text", text, state: "done", ...(sources && { sources }) }];
  });
  return { start, entries, message: { id: answerTo(previous?.message), role: "assistant", parts, ...branchesOf(entries) } };
}

/** Where several places of an answer have others, the last one's. */
function branchesOf(entries: readonly ShownEntry[]): Pick<ShownMessage, "branches"> {
  const branches = entries.findLast((entry) => entry.branches)?.branches;
  return branches ? { branches } : {};
}

// An answer is named after its question: so it has its id from its first letter on, before it is stored.
const answerTo = (question: ShownMessage | undefined) => `${question?.id ?? "start"}:answer`;

function withStreaming(
  settled: ShownMessage[],
  { streamingReasoning: thought, streamingText: text, streamingCalls: calls }: MessageSource,
): ShownMessage[] {
  const parts: MessagePart[] = [];
  if (thought !== "")
    parts.push({ type: "reasoning", text: thought, state: text === "" && calls.length === 0 ? "streaming" : "done" });
  if (text !== "") parts.push({ type: "text", text, state: calls.length === 0 ? "streaming" : "done" });
  for (const { id, name, input, at } of calls)
    parts.push({ type: `tool-${name}`, toolCallId: id, input, state: "input-streaming", at });
  if (parts.length === 0) return settled;
  const last = settled.at(-1);
  if (last?.role !== "assistant") return [...settled, { id: answerTo(last), role: "assistant", parts }];
  return [...settled.slice(0, -1), { ...last, parts: [...last.parts, ...parts] }];
}

function file(url: string): FilePart {
  const mediaType = /^data:([^;,]+)/.exec(url)?.[1] ?? "image/*";
  return { type: "file", mediaType, url };
}

const output = (data: SideOutput): OutputPart => ({ type: "data-output", data });

function tool(entry: ToolEntry, approvals: readonly Approval[]): ToolPart {
  const base: ToolPartBase = {
    type: `tool-${entry.name}`,
    toolCallId: entry.id,
    input: entry.input,
    ...(entry.title !== undefined && { title: entry.title }),
    ...(entry.renderData === undefined ? {} : { renderData: entry.renderData }),
  };
  const text = entry.output ?? "";
  switch (entry.status) {
    case "running":
    case "pending": {
      const approval = approvals.find(({ toolCallId }) => toolCallId === entry.id);
      if (!approval) return { ...base, state: "input-available" };
      const reason = approval.reason === undefined ? {} : { reason: approval.reason };
      return { ...base, state: "approval-requested", approval: { id: approval.id, ...reason } };
    }
    case "success":
      return { ...base, state: "output-available", output: text };
    case "error":
      return { ...base, state: isDenial(entry.outcome) ? "output-denied" : "output-error", errorText: text };
    case "aborted":
      return { ...base, state: "output-aborted", errorText: text };
  }
}

const isDenial = (outcome: string | undefined) => outcome === "denied" || outcome === "rejected";
