// What a finished call shows, drawn by its tool's `renderResult`.
import { memo, type ReactNode, useSyncExternalStore } from "react";
import type { ToolEntry } from "../../src/snapshot/snapshot.js";
import { Coming } from "../outputs/coming.js";
import { mountRenderer } from "../render/mount-renderer.js";
import type { Drawing } from "./drawing.js";

export const ResultView = memo(function ResultView({ entry, registry }: { entry: ToolEntry; registry: Drawing }): ReactNode {
  const find = () => registry.result(entry.name);
  const renderer = useSyncExternalStore(registry.subscribe, find, find);
  const isBare = () => registry.isBare(entry.name);
  const bare = useSyncExternalStore(registry.subscribe, isBare, isBare);
  const { renderData, output, status } = entry;
  if (!renderer || status === "running" || status === "pending") return null;
  const props = { data: renderData, status, ...(output === undefined ? {} : { output }) };
  return (
    <>
      <Coming>{mountRenderer(renderer, props, { name: entry.name, failed: registry.failed, of: entry })}</Coming>
      {bare && <i hidden data-glove-bare="" />}
    </>
  );
});
