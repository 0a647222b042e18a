// What an application writes as a skill: text and tools that a conversation takes up when they are needed.

import type { Maybe } from "../timing/sync-or-promise.js";
import { GloveError } from "../values/error.js";
import { checkName } from "../values/names.js";
import { check, checkOptions, type Options } from "../values/validate-options.js";
import type { ToolConfig } from "./tool.js";

/** What `load` of a skill gets. */
export interface SkillContext {
  readonly sessionId: string;
  readonly userId: string | undefined;
  /** The `services` of the client. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever the application gave.
  readonly services: any;
  /** Fires when it is not waited for any more. */
  readonly signal: AbortSignal;
}

/** Text and tools that a model or a person takes up in a conversation, and that stay in force there. */
export interface Skill<N extends string = string> {
  /** Letters, digits, `_` and `-`: `/name` in a message takes it up. */
  readonly name: N;
  /** One sentence about what it is good for: all that a model reads of a skill that is not in force. */
  readonly description: string;
  /** What the model reads once it is in force. */
  readonly instructions?: string | undefined;
  /** Gives the instructions: called when the skill is taken up, and again after a reload. Give either `load` or `instructions`. */
  load?(about: SkillContext): Maybe<string>;
  /** What the model has once it is in force. */
  readonly tools?: readonly ToolConfig[] | undefined;
  /** Whether a model may take it up by itself; default `true`. A person may in any case. */
  readonly exposeToModel?: boolean | undefined;
  /** How long `load` may take; default 10,000. */
  readonly timeoutMs?: number | undefined;
}

const skillOptions = () =>
  ({
    name: "text",
    description: "text",
    instructions: "text",
    load: "work",
    tools: "list",
    exposeToModel: "flag",
    timeoutMs: "large",
  }) satisfies Options<Skill>;

/** A skill, checked. */
export function defineSkill<const N extends string>(skill: Skill<N>): Skill<N> {
  check("A skill", skill, "object", "SKILL_INVALID");
  checkName("a skill", skill.name, "SKILL_INVALID");
  const called = (option: string) => `\`${option}\` of the skill "${skill.name}"`;
  checkOptions(skill, skillOptions(), { called, code: "SKILL_INVALID" });
  check(called("description"), skill.description, "text", "SKILL_INVALID");
  if ((skill.instructions === undefined) === (skill.load === undefined))
    throw new GloveError("SKILL_INVALID", `The skill "${skill.name}" needs either \`instructions\` or \`load\`.`);
  return skill;
}
