// `useTool`: a tool of a component, for as long as it is mounted.
import { useEffect, useRef, useState } from "react";
import type { ToolConfig } from "../../src/ports/tool.js";
import { checkNames } from "../../src/tools/combined-tools.js";
import { checkTool } from "../../src/tools/options.js";
import { useBrowserLayoutEffect } from "../hooks/use-browser-layout-effect.js";
import { usePageParts } from "./page-parts.js";

/** What a component has given. */
interface Given {
  /** Its name and which parts it has: another one is another tool. */
  readonly form: string;
  /** Reads its parts from `latest`. */
  readonly tool: ToolConfig;
  /** As it was last rendered. */
  latest: ToolConfig;
}

/**
 * Gives a tool to the conversations of the nearest provider's client as long as this component is mounted. It may be written inline: a call
 * runs what was rendered last. A call whose component is not there, after a reload say, waits for it until it is stopped.
 */
export function useTool(tool: ToolConfig | null | undefined | false): void {
  const parts = usePageParts("useTool");
  const [component] = useState(() => ({}));
  const given = useRef<Given | undefined>(undefined);
  if (tool) {
    checkNames([tool]);
    checkTool(tool);
  }
  const form = tool ? [tool.name, ...Object.keys(tool)].join() : undefined;
  const newest = useRef(tool);
  useBrowserLayoutEffect(() => {
    newest.current = tool;
    const now = given.current;
    if (!tool || !now || now.form !== form) return;
    const before = now.latest;
    now.latest = tool;
    if (saysOtherwise(before, tool)) parts.giveTool(component, now.tool);
  });
  useEffect(() => {
    if (form === undefined || !newest.current) return;
    given.current = living(form, newest.current);
    parts.giveTool(component, given.current.tool);
    return () => {
      given.current = undefined;
      parts.takeTool(component);
    };
  }, [parts, component, form]);
}

function living(form: string, latest: ToolConfig): Given {
  const given: Given = { form, tool: {} as ToolConfig, latest };
  for (const key of Object.keys(latest) as (keyof ToolConfig)[])
    Object.defineProperty(given.tool, key, { enumerable: true, get: () => given.latest[key] });
  return given;
}

/** The model may have to be told anew. Functions are looked up when they are called. */
function saysOtherwise(before: ToolConfig, now: ToolConfig): boolean {
  const keys = Object.keys(now) as (keyof ToolConfig)[];
  return keys.some(
    (key) => !Object.is(before[key], now[key]) && !(typeof before[key] === "function" && typeof now[key] === "function"),
  );
}
