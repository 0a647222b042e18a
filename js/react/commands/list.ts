// What a message can call by `/name` in a conversation, for lists that a person chooses from.
import type { SessionConfig } from "../../src/ports/session-config.js";

/** A skill or a hook, as a list shows it. */
export interface Command {
  /** Without its `/`. */
  readonly name: string;
  readonly description: string;
  readonly kind: "skill" | "hook";
}

const none: readonly Command[] = [];
const known = new WeakMap<object, readonly Command[]>();

/** The same list as long as the settings are the same. */
export function commandsOf(config: SessionConfig | undefined): readonly Command[] {
  const { skills = [], hooks = [] } = config ?? {};
  if (!config || skills.length + hooks.length === 0) return none;
  let commands = known.get(config);
  if (!commands) {
    const all = [
      ...hooks.map(({ name, description }): Command => ({ name, description, kind: "hook" })),
      ...skills.map(({ name, description }): Command => ({ name, description, kind: "skill" })),
    ];
    // What is no hook or skill is refused when a message is sent.
    commands = all.filter(({ name }) => typeof name === "string");
    known.set(config, commands);
  }
  return commands;
}
