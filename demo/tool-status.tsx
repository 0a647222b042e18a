// One line for each call of a tool.
import type { ToolStatusRenderProps } from "glove-wasm/react";
import { labels } from "./shop/tools.js";

const words = { running: "…", pending: "waits", success: "done", error: "not done", aborted: "stopped" } as const;

export function ToolStatus({ entry }: ToolStatusRenderProps) {
  const { name, status, durationMs } = entry;
  return (
    <p className="tool" data-status={status}>
      <span>{labels[name] ?? name}</span>
      <span className="tool-end">
        {words[status]}
        {durationMs !== undefined && status === "success" && `, ${durationMs} ms`}
      </span>
    </p>
  );
}
