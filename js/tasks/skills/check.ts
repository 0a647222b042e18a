// What an application says of a skill, checked.
import { check, checkOptions, type Options } from "../../src/values/validate-options.js";
import type { TaskSkillFiles } from "../../src/wire/task-types.js";

/** A skill: a bundle of files, of which `skill.json` says what it is. */
export interface TaskSkill extends TaskSkillFiles {
  /** Hosts that its tools may ask with `fetch`; none by default. */
  readonly hosts?: readonly string[] | undefined;
  /** Credentials that its tools may name in a header of `fetch`, and the hosts that may have them; see `SandboxGrants`. */
  readonly credentials?: Readonly<Record<string, readonly string[]>> | undefined;
}

const skillOptions = {
  files: "object",
  sha256: "text",
  hosts: "list",
  credentials: "object",
} as const satisfies Options<TaskSkill>;

export function checkSkill(skill: TaskSkill): TaskSkill {
  check("A skill", skill, "object");
  checkOptions(skill, skillOptions, { called: (option) => `\`${option}\` of a skill` });
  for (const [path, text] of Object.entries(check("`files` of a skill", skill.files, "object"))) {
    check(`\`files["${path}"]\` of a skill`, text, "text");
  }
  return skill;
}
