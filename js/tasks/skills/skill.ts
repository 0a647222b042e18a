// Skills of an agent for tasks, loaded with the first of them: what the core says of them, their tools in a sandbox, and their files beside those of a workspace.

import type { ToolConfig, ToolFiles } from "../../src/ports/tool.js";
import type { JsonSchema } from "../../src/schema/types.js";
import { GloveError, loadPart } from "../../src/values/error.js";
import { fromCore } from "../../src/wasm/core-errors.js";
import type { TaskSkillFiles, TaskSkillParts } from "../../src/wire/task-types.js";
import { core } from "../core.js";
import type { TaskSkill } from "./check.js";

/** Skills that are ready. */
export interface OpenSkills {
  readonly tools: readonly ToolConfig[];
  readonly phases: Readonly<Record<string, readonly string[]>>;
  /** As the core is told of them. */
  readonly forCore: readonly TaskSkillFiles[];
  /** The files of a task as its tools reach them, with those that the skills show. */
  over(files: ToolFiles): ToolFiles;
}

export async function openSkills(skills: readonly TaskSkill[]): Promise<OpenSkills> {
  const tools: ToolConfig[] = [];
  const phases: Record<string, readonly string[]> = {};
  const mounted = new Map<string, string>();
  const forCore = skills.map(({ files, sha256 }) => ({ files, ...(sha256 !== undefined && { sha256 }) }));
  for (const [at, { hosts, credentials }] of skills.entries()) {
    const parts = await partsOf(forCore[at] as TaskSkillFiles);
    for (const [path, text] of parts.files) mounted.set(path, text);
    if (!parts.tools.length) continue;
    const { defineSandboxTool } = await loadPart(import("../../tools/sandbox/define.js"));
    for (const { name, description, inputSchema, code, reads, writes, ...tool } of parts.tools) {
      const mounts = Object.fromEntries([
        ...reads.map((folder) => [folder, "read"] as const),
        ...writes.map((folder) => [folder, "write"] as const),
      ]);
      const jsonSchema = inputSchema as JsonSchema;
      tools.push(defineSandboxTool({ name, description, jsonSchema, code, mounts, hosts, credentials }));
      if (tool.phases) phases[name] = tool.phases;
    }
  }
  return { tools, phases, forCore, over: (files) => withSkills(files, mounted) };
}

async function partsOf(skill: TaskSkillFiles): Promise<TaskSkillParts> {
  const { skillOf } = await core.load();
  try {
    return JSON.parse((skillOf as (skill: string) => string)(JSON.stringify(skill))) as TaskSkillParts;
  } catch (thrown) {
    throw fromCore(thrown);
  }
}

/** What is of skills is only read. */
function withSkills(files: ToolFiles, mounted: ReadonlyMap<string, string>): ToolFiles {
  if (!mounted.size) return files;
  const isOfSkills = (path: string) => path === "skills" || path.startsWith("skills/");
  return {
    async read(path) {
      if (!isOfSkills(path)) return files.read(path);
      const text = mounted.get(path);
      return text === undefined ? undefined : new TextEncoder().encode(text);
    },
    async write(path, content) {
      if (!isOfSkills(path)) return files.write(path, content);
      throw new GloveError("TASK_PATH_READ_ONLY", `\`${path}\` belongs to a skill, whose files are only read.`);
    },
    async list(folder) {
      if (!isOfSkills(folder)) return files.list(folder);
      const below = [...mounted].filter(([path]) => path === folder || path.startsWith(`${folder}/`));
      return below.map(([path, text]) => ({ path, size: new TextEncoder().encode(text).length }));
    },
  };
}
