// Skills of an agent for tasks: what the core says of them, their tools in a sandbox, and their files beside those of a workspace.
import { GloveError, late } from "../../src/error.js";
import type { JsonSchema } from "../../src/tools/schema-types.js";
import type { ToolConfig, ToolFiles } from "../../src/tools/tool.js";
import { check, checkOptions, type Options } from "../../src/values/validate-options.js";
import { fromCore } from "../../src/wasm/core-errors.js";
import type { TaskSkillFiles, TaskSkillParts } from "../../src/wire/task-types.js";
import { core } from "../core.js";

/** A skill: a bundle of files, of which `skill.json` says what it is. */
export interface TaskSkill extends TaskSkillFiles {
  /** Hosts that its tools may ask with `fetch`; none by default. */
  readonly hosts?: readonly string[] | undefined;
}

const skillOptions = { files: "object", sha256: "text", hosts: "list" } as const satisfies Options<TaskSkill>;

export function checkSkill(skill: TaskSkill): TaskSkill {
  check("A skill", skill, "object");
  checkOptions(skill, skillOptions, { called: (option) => `\`${option}\` of a skill` });
  for (const [path, text] of Object.entries(check("`files` of a skill", skill.files, "object"))) {
    check(`\`files["${path}"]\` of a skill`, text, "text");
  }
  return skill;
}

/** Skills that are ready. */
export interface OpenSkills {
  readonly tools: readonly ToolConfig[];
  readonly phases: Readonly<Record<string, readonly string[]>>;
  /** As the core is told of them. */
  readonly forCore: readonly TaskSkillFiles[];
  /** What they show, by the path in the workspace. */
  readonly files: ReadonlyMap<string, string>;
}

export async function openSkills(skills: readonly TaskSkill[]): Promise<OpenSkills> {
  const tools: ToolConfig[] = [];
  const phases: Record<string, readonly string[]> = {};
  const shown = new Map<string, string>();
  const forCore = skills.map(({ files, sha256 }) => ({ files, ...(sha256 !== undefined && { sha256 }) }));
  for (const [at, { hosts = [] }] of skills.entries()) {
    const parts = await partsOf(forCore[at] as TaskSkillFiles);
    for (const [path, text] of parts.files) shown.set(path, text);
    if (!parts.tools.length) continue;
    const { defineSandboxTool } = await late(import("../../tools/sandbox/define.js"));
    for (const { name, description, inputSchema, code, reads, writes, ...tool } of parts.tools) {
      const mounts = Object.fromEntries([
        ...reads.map((folder) => [folder, "read"] as const),
        ...writes.map((folder) => [folder, "write"] as const),
      ]);
      tools.push(defineSandboxTool({ name, description, jsonSchema: inputSchema as JsonSchema, code, mounts, hosts }));
      if (tool.phases) phases[name] = tool.phases;
    }
  }
  return { tools, phases, forCore, files: shown };
}

async function partsOf(skill: TaskSkillFiles): Promise<TaskSkillParts> {
  const { skillOf } = await core.load();
  try {
    return JSON.parse((skillOf as (skill: string) => string)(JSON.stringify(skill))) as TaskSkillParts;
  } catch (thrown) {
    throw fromCore(thrown);
  }
}

/** The files of a task as its tools reach them, with those of its skills, which are only read. */
export function withSkills(files: ToolFiles, shown: ReadonlyMap<string, string>): ToolFiles {
  if (!shown.size) return files;
  const isOfSkills = (path: string) => path === "skills" || path.startsWith("skills/");
  return {
    async read(path) {
      if (!isOfSkills(path)) return files.read(path);
      const text = shown.get(path);
      return text === undefined ? undefined : new TextEncoder().encode(text);
    },
    async write(path, content) {
      if (!isOfSkills(path)) return files.write(path, content);
      throw new GloveError("TASK_PATH_READ_ONLY", `\`${path}\` belongs to a skill, whose files are only read.`);
    },
    async list(folder) {
      if (!isOfSkills(folder)) return files.list(folder);
      const below = [...shown].filter(([path]) => path === folder || path.startsWith(`${folder}/`));
      return below.map(([path, text]) => ({ path, size: new TextEncoder().encode(text).length }));
    },
  };
}
