// One line for each call of a tool.
import type { ToolStatusRenderProps } from "glove-wasm/react";
import { useScene } from "../scenes.js";

const words = { running: "…", pending: "waits", success: "done", error: "not done", aborted: "stopped" } as const;
const own: Readonly<Record<string, string>> = {
  glove_update_tasks: "Updating the tasks",
  undo_last_action: "Taking back the last action",
};

export function ToolStatus({ entry }: ToolStatusRenderProps) {
  const { labels } = useScene();
  const { name, status, durationMs } = entry;
  return (
    <p className="tool" data-status={status}>
      <span>{labels[name] ?? own[name] ?? name}</span>
      <span className="tool-end">
        {words[status]}
        {durationMs !== undefined && status === "success" && `, ${durationMs} ms`}
      </span>
    </p>
  );
}
