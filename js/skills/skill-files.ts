// A skill of an application as the files of an Agent Skill, for other programs to read.
import { defineSkill, type Skill } from "../src/ports/skill.js";
import { GloveError, reasonOf } from "../src/values/error.js";

/**
 * The files of this skill by their paths: a SKILL.md. Its tools are not among them, as they are code of the application; a name of ours
 * is written as the specification wants it (`Send_Mail` is `send-mail`).
 */
export async function skillFiles(skill: Skill): Promise<Record<string, string>> {
  const { name, description, exposeToModel = true } = defineSkill(skill);
  const written = name.toLowerCase().replaceAll("_", "-");
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(written) || written.length > 64)
    throw new GloveError(
      "SKILL_INVALID",
      `The name "${name}" cannot be that of an Agent Skill: a-z, 0-9 and single "-", at most 64.`,
    );
  if (description.length > 1_024)
    throw new GloveError("SKILL_INVALID", `The description of the skill "${name}" has more than 1024 letters.`);
  const lines = ["---", `name: ${written}`, `description: ${JSON.stringify(description)}`];
  if (!exposeToModel) lines.push("disable-model-invocation: true");
  return { "SKILL.md": `${[...lines, "---", "", (await textOf(skill)).trim()].join("\n")}\n` };
}

async function textOf(skill: Skill): Promise<string> {
  if (skill.instructions !== undefined) return skill.instructions;
  try {
    const signal = new AbortController().signal;
    const text: unknown = await skill.load?.({ sessionId: "", userId: undefined, services: undefined, signal });
    if (typeof text === "string") return text;
    throw new Error("its `load` gave no text");
  } catch (cause) {
    const why = reasonOf(cause) || "it threw nothing that says why";
    throw new GloveError("SKILL_FAILED", `The instructions of the skill "${skill.name}" could not be loaded: ${why}.`, { cause });
  }
}
