// What has changed of an answer, as chunks of the AI SDK's message stream. That stream can add and go on, and can take nothing back.
import type { UIMessageChunk } from "ai";
import type { ToolPart, UIMessagePart } from "../react/hooks/messages.js";
import { isCall, outputOf, sourcesOf } from "./ui-messages.js";

type TextPart = Extract<UIMessagePart, { readonly type: "text" | "reasoning" }>;

/** A text as far as it was told. */
interface Told {
  readonly type: TextPart["type"];
  /** Of the stream's part that carries its end. */
  readonly id: string;
  readonly text: string;
  readonly isOpen: boolean;
  readonly hasSources: boolean;
}

const brokeOff = "The answer broke off before this call was written.";

/** Follows one answer: each call gives the chunks that bring what was told of it to its parts of now. `known` was told elsewhere. */
export function createChunks(known: readonly UIMessagePart[] = []): (parts: readonly UIMessagePart[]) => UIMessageChunk[] {
  const calls = new Map<string, ToolPart>();
  const texts = new Map<string, Told>();
  const others = new Set<string>();
  let restarts = 0;

  function ofText({ type, text, state }: TextPart, place: string, sources: UIMessageChunk[]): UIMessageChunk[] {
    const told = texts.get(place);
    const before = told?.text ?? "";
    const wasOpen = told?.isOpen === true;
    // An answer that broke off is written anew from its beginning: as far as it says the same, that stands there already.
    const repeats = told && before.startsWith(text) && (state === "streaming" || before.trimEnd() === text.trimEnd());
    const goesOn = text.startsWith(before);
    const rest = repeats ? "" : text.slice(goesOn ? before.length : 0);
    const begins = !told || !(repeats || (goesOn && wasOpen));
    const id = !begins ? told.id : told ? `${place}.${++restarts}` : place;
    const isOpen = state !== "done" && (begins || wasOpen);
    const hasSources = sources.length > 0 || told?.hasSources === true;
    texts.set(place, { type, id, text: repeats ? before : text, isOpen, hasSources });
    const chunks: UIMessageChunk[] = begins && told && wasOpen ? [{ type: `${type}-end`, id: told.id }] : [];
    if (begins) chunks.push({ type: `${type}-start`, id });
    if (rest !== "") chunks.push({ type: `${type}-delta`, id, delta: rest });
    if (!isOpen && (begins || wasOpen)) chunks.push({ type: `${type}-end`, id });
    return told?.hasSources ? chunks : [...chunks, ...sources];
  }

  /** What was begun and is no longer there: its answer broke off, and another one takes its place. */
  function givenUp(parts: readonly UIMessagePart[]): UIMessageChunk[] {
    const chunks: UIMessageChunk[] = [];
    for (const [place, told] of texts) {
      if (!told.isOpen || parts.some(({ type }, at) => place === `${type}-${at}`)) continue;
      texts.set(place, { ...told, isOpen: false });
      chunks.push({ type: `${told.type}-end`, id: told.id });
    }
    for (const [toolCallId, { state }] of calls) {
      if (state !== "input-streaming" || parts.some((part) => isCall(part) && part.toolCallId === toolCallId)) continue;
      calls.delete(toolCallId);
      chunks.push({ type: "tool-output-error", toolCallId, errorText: brokeOff });
    }
    return chunks;
  }

  const follow = (parts: readonly UIMessagePart[]): UIMessageChunk[] => [
    ...givenUp(parts),
    ...parts.flatMap((part, at): UIMessageChunk[] => {
      const place = `${part.type}-${at}`;
      if (isCall(part)) {
        const chunks = ofCall(calls.get(part.toolCallId), part);
        calls.set(part.toolCallId, part);
        return chunks;
      }
      if (part.type === "text") return ofText(part, place, sourcesOf(part, at));
      if (part.type === "reasoning") return ofText(part, place, []);
      if (others.has(place)) return [];
      others.add(place);
      return part.type === "file" ? [part] : [{ type: part.type, data: part.data }];
    }),
  ];
  follow(known);
  // Another stream told them, and it is over.
  for (const [place, told] of texts) texts.set(place, { ...told, isOpen: false });
  return follow;
}

function ofCall(old: ToolPart | undefined, part: ToolPart): UIMessageChunk[] {
  if (old?.state === part.state) return [];
  const { toolCallId, input, title } = part;
  const called = { toolCallId, toolName: part.type.slice("tool-".length), ...(title !== undefined && { title }) };
  if (part.state === "input-streaming") return [{ type: "tool-input-start", ...called }];
  const isNew = old === undefined || old.state === "input-streaming";
  const chunks: UIMessageChunk[] = isNew ? [{ type: "tool-input-available", ...called, input }] : [];
  switch (part.state) {
    case "approval-requested":
      return [...chunks, { type: "tool-approval-request", approvalId: part.approval.id, toolCallId }];
    case "output-available":
      return [...chunks, { type: "tool-output-available", toolCallId, output: outputOf(part.output) }];
    case "output-denied":
      return [...chunks, { type: "tool-output-denied", toolCallId }];
    case "output-error":
    case "output-aborted":
      return [...chunks, { type: "tool-output-error", toolCallId, errorText: part.errorText }];
    default:
      return chunks;
  }
}
