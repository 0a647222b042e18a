// The events of a run, in the order that AG-UI asks for: what is open is closed before something else begins.

import type { GloveSnapshot } from "../../src/snapshot/snapshot.js";
import type { ToolResultData, Usage } from "../../src/wire/record.js";
import { nextAnswerId, resultId } from "./shown-messages.js";

export type Write = (event: { readonly type: string } & Readonly<Record<string, unknown>>) => void;

export class RunEvents {
  readonly #write: Write;
  readonly #timeline: () => GloveSnapshot["timeline"];
  #open: { readonly kind: "text" | "reasoning"; readonly id: string } | undefined;
  /** Spans of reasoning, of which one answer may have several. */
  #thoughts = 0;
  /** All ids that were told. */
  readonly told = new Set<string>();
  readonly #usage = { inputTokens: 0, outputTokens: 0 };

  constructor(write: Write, timeline: () => GloveSnapshot["timeline"]) {
    this.#write = write;
    this.#timeline = timeline;
  }

  get usage(): readonly object[] {
    return this.#usage.inputTokens + this.#usage.outputTokens > 0 ? [this.#usage] : [];
  }

  /** An event of the session. */
  record(type: string, data: unknown): void {
    const { text = "" } = (data ?? {}) as { readonly text?: string };
    if (type === "text_delta") this.#say("text", text);
    else if (type === "reasoning_delta") this.#say("reasoning", text);
    else if (type === "model_response_complete") this.close();
    else if (type === "tool_use") this.#call(data as { readonly id: string; readonly name: string; readonly input: unknown });
    else if (type === "token_consumption") {
      const { consumption } = data as { readonly consumption: Usage };
      this.#usage.inputTokens += consumption.tokens_in;
      this.#usage.outputTokens += consumption.tokens_out;
    }
  }

  /** What a tool gave, other than those of the client. */
  result(call: string, { status, data, message }: ToolResultData): void {
    this.close();
    const given = typeof data === "string" ? data : JSON.stringify(data ?? null);
    const content = status === "success" || data != null ? given : (message ?? status);
    this.told.add(resultId(call));
    this.#write({ type: "TOOL_CALL_RESULT", messageId: resultId(call), toolCallId: call, role: "tool", content });
  }

  #say(kind: "text" | "reasoning", delta: string): void {
    if (delta === "") return;
    if (this.#open?.kind !== kind) this.#begin(kind);
    const type = kind === "text" ? "TEXT_MESSAGE_CONTENT" : "REASONING_MESSAGE_CONTENT";
    this.#write({ type, messageId: this.#open?.id, delta });
  }

  #begin(kind: "text" | "reasoning"): void {
    this.close();
    const answer = nextAnswerId(this.#timeline());
    const id = kind === "text" ? answer : `${answer}:reasoning-${++this.#thoughts}`;
    this.#open = { kind, id };
    this.told.add(id);
    if (kind === "text") {
      this.#write({ type: "TEXT_MESSAGE_START", messageId: id, role: "assistant" });
      return;
    }
    this.#write({ type: "REASONING_START", messageId: id });
    this.#write({ type: "REASONING_MESSAGE_START", messageId: id, role: "reasoning" });
  }

  #call({ id, name, input }: { readonly id: string; readonly name: string; readonly input: unknown }): void {
    this.close();
    this.told.add(id);
    this.#write({ type: "TOOL_CALL_START", toolCallId: id, toolCallName: name });
    this.#write({
      type: "TOOL_CALL_ARGS",
      toolCallId: id,
      delta: typeof input === "string" ? input : JSON.stringify(input ?? {}),
    });
    this.#write({ type: "TOOL_CALL_END", toolCallId: id });
  }

  close(): void {
    const open = this.#open;
    this.#open = undefined;
    if (open?.kind === "text") this.#write({ type: "TEXT_MESSAGE_END", messageId: open.id });
    if (open?.kind !== "reasoning") return;
    this.#write({ type: "REASONING_MESSAGE_END", messageId: open.id });
    this.#write({ type: "REASONING_END", messageId: open.id });
  }
}
