// Calls of sandboxed tools outside of a session.
import { readFileSync } from "node:fs";
import type { ToolConfig, ToolDisplay } from "glove-wasm";

export interface SandboxOutcome {
  readonly status: string;
  readonly data: unknown;
  readonly message?: string;
}

/** What a call of the tool gives, with the files of a task or without. */
export async function callTool(tool: ToolConfig, input: unknown, display: Partial<ToolDisplay> = {}): Promise<SandboxOutcome> {
  return (await tool.do(input, display as ToolDisplay)) as SandboxOutcome;
}

/** Every way out that the code of a sandbox could try; each gives what it found, and none may find anything. Native tests try them too. */
export const escapes = JSON.parse(
  readFileSync(new URL("../fixtures/sandbox-escapes.json", import.meta.url), "utf8"),
) as readonly string[];

/** What each of them may give: nothing, or only names of the engine's own. */
export const harmless = /^(undefined|function|0)$/;
