// The names of tools, which models write in whatever case.
import { skillTool } from "../commands/skill-tool.js";
import { GloveError } from "../error.js";
import type { ToolConfig } from "../tools/tool.js";

export function duplicateName(name: string): GloveError {
  return new GloveError("TOOL_NAME_TAKEN", `Two tools are called "${name}" (case is ignored); rename one of them.`);
}

/** Refuses two of one name, which are compared without regard to case: a call that was approved as one would run the other. */
export function checkNames(tools: readonly ToolConfig[], others: readonly ToolConfig[] = []): void {
  const names = new Set(others.map(({ name }) => name.toLowerCase()));
  for (const tool of tools) {
    // What comes from plain JavaScript may be anything.
    const name: unknown = tool?.name;
    if (typeof name !== "string" || !name.trim()) throw new GloveError("TOOL_NAME_EMPTY", "A tool in `tools` has no `name`.");
    const same = name.toLowerCase();
    if (names.has(same) || same === skillTool) throw duplicateName(name);
    names.add(same);
  }
}
