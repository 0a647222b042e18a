// Tools that a component of the page brings and takes away: whether it is there.

import type { ToolConfig } from "../ports/tool.js";

export const presence = new WeakMap<ToolConfig, { here: boolean }>();

/** Its component has gone: it stays for what has begun with it, and no call begins. */
export const hasGone = (tool: ToolConfig): boolean => presence.get(tool)?.here === false;
