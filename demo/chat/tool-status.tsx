// One line for each call of a tool: what it does, how it ended, and how long it took.
import { type ToolEntry, type ToolStatusRenderProps, useGlove } from "glove-wasm/react";

const words = { running: "…", pending: "waits for you", success: "done", error: "not done", aborted: "stopped" } as const;

/** Why a call came to no result of its own. */
const reasons: Readonly<Record<string, string>> = {
  denied: "not allowed",
  rejected: "turned down",
  failed: "failed",
  interrupted: "interrupted",
  not_run: "not run",
};

export function ToolStatus({ entry }: ToolStatusRenderProps) {
  const waits = useGlove(({ slots }) =>
    slots.some(({ toolCallId, waits, status }) => toolCallId === entry.id && waits && status === "pending"),
  );
  // Tasks have a list of their own beside the conversation.
  if (entry.name === "glove_update_tasks") return null;
  return (
    <p className="tool" data-status={waits ? "pending" : entry.status}>
      <span>{entry.title ?? (entry.name === "undo_last_action" ? "Take back the last action" : entry.name)}</span>
      <span className="tool-end">{waits ? words.pending : endOf(entry)}</span>
    </p>
  );
}

function endOf({ status, outcome = "", undone, durationMs }: ToolEntry): string {
  if (undone) return "taken back";
  const end = reasons[outcome] ?? words[status];
  return status === "success" && durationMs !== undefined ? `${end}, ${timeOf(durationMs)}` : end;
}

const timeOf = (ms: number) => (ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`);
