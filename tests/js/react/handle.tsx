// A handle made by hand, as an application may make one: for what `<Render>` draws of it.
import type { GloveHandle, ShownEntry, ShownSlot } from "glove-wasm/react";
import { vi } from "vitest";

export function handle(parts: Partial<GloveHandle> = {}): GloveHandle {
  return {
    timeline: [],
    streamingText: "",
    busy: false,
    slots: [],
    sendMessage: vi.fn(),
    abort: vi.fn(),
    renderSlot: (slot) => <p key={slot.id}>{`slot ${slot.id}`}</p>,
    renderToolResult: (entry) => (entry.renderData === undefined ? null : <p>{`result ${entry.id}`}</p>),
    resolveSlot: vi.fn(),
    rejectSlot: vi.fn(),
    ...parts,
  };
}

export const user = (id: string, text = id): ShownEntry => ({ kind: "user", id, text });
export const agent = (id: string, text = id, more: { readonly reasoning?: string } = {}): ShownEntry => ({
  kind: "agent_text",
  id,
  text,
  ...more,
});
export const tool = (id: string, parts: Partial<Extract<ShownEntry, { kind: "tool" }>> = {}): ShownEntry => ({
  kind: "tool",
  id,
  name: "look",
  input: {},
  status: "running",
  ...parts,
});

export function slot(id: string, parts: Partial<ShownSlot> = {}): ShownSlot {
  return {
    id,
    renderer: "look",
    input: {},
    toolName: "look",
    toolCallId: "",
    createdAt: 1,
    waits: true,
    displayStrategy: "stay",
    status: "pending",
    ...parts,
  };
}
