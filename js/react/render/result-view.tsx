// What a finished call shows, drawn by its tool's `renderResult`.
import { memo, type ReactNode, useSyncExternalStore } from "react";
import type { ToolEntry } from "../../src/snapshot/snapshot.js";
import { mount } from "./mount-renderer.js";
import type { Toolbox } from "./renderer-registry.js";

export const ResultView = memo(function ResultView({ entry, toolbox }: { entry: ToolEntry; toolbox: Toolbox }): ReactNode {
  const find = () => toolbox.result(entry.name);
  const renderer = useSyncExternalStore(toolbox.subscribe, find, find);
  const { renderData, output, status } = entry;
  if (!renderer || status === "running" || status === "pending") return null;
  const props = { data: renderData, status, ...(output === undefined ? {} : { output }) };
  return mount(renderer, props, { name: entry.name, failed: toolbox.failed, of: entry });
});
