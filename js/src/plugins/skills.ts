// Skills as plugins: which of them the record has taken up, and what those add to each call of the model. Loaded with the first.

import type { AnyPlugin } from "../ports/plugin.js";
import type { SessionPort } from "../ports/session.js";
import type { Skill } from "../ports/skill.js";
import type { ToolConfig } from "../ports/tool.js";
import { skillTitle, skillTool } from "../tools/skill-tool.js";
import { GloveError, reasonOf } from "../values/error.js";
import type { CoreSession } from "../wasm/core-api.js";
import type { Message } from "../wire/record.js";
import { textOf } from "./skill-text.js";
import { checkNames } from "./slash-names.js";

export class Skills {
  readonly #session: SessionPort;
  readonly #core: () => CoreSession;
  /** The core whose record was read. */
  #of: CoreSession | undefined;
  /** How many messages were read: the record only grows. */
  #read = 0;
  /** Those of them that take up something, or begin a branch. */
  #lines: Line[] = [];
  #takenUp: ReadonlySet<string> = new Set();
  #all: readonly Skill[] = [];
  #plugins: readonly AnyPlugin[] = [];
  /** What was said of skills that are gone is not said again. */
  readonly #reported = new Set<string>();

  constructor(session: SessionPort, core: () => CoreSession) {
    this.#session = session;
    this.#core = core;
  }

  /** One for what can be taken up, and one for each skill: of two that cannot be together only one fails. */
  plugins(skills: readonly Skill[]): readonly AnyPlugin[] {
    if (skills === this.#all) return this.#plugins;
    checkNames(skills);
    this.#all = skills;
    this.#plugins = [this.#offering(), ...skills.map((skill) => this.#inForce(skill))];
    return this.#plugins;
  }

  #offering(): AnyPlugin {
    return {
      id: "glove.skills",
      prepare: async ({ context, tools }) => {
        const gone = [...(await this.#look())].filter((name) => !this.#all.some((skill) => skill.name === name));
        for (const name of gone) {
          context.add(`The skill "${name}" is not available any more. Go on without it.`);
          if (this.#reported.has(name)) continue;
          this.#reported.add(name);
          const message = `The skill "${name}" was taken up in this conversation, and is not one of \`skills\` any more.`;
          this.#session.report("SKILL_UNKNOWN", new GloveError("SKILL_UNKNOWN", message));
        }
        const open = this.#open();
        if (open.length) tools.add(this.#tool(open));
      },
    };
  }

  #inForce(skill: Skill): AnyPlugin {
    return {
      id: `glove.skill.${skill.name}`,
      // Its text has a limit of its own.
      timeoutMs: Number.POSITIVE_INFINITY,
      prepare: async ({ context, tools, signal }) => {
        if (!(await this.#look()).has(skill.name)) return;
        const text = await textOf(skill, this.#session, signal);
        context.add(`The skill "${skill.name}" is in force; "/${skill.name}" in a message means it.\n\n${text}`);
        tools.add(...(skill.tools ?? []));
      },
    };
  }

  #open(): readonly Skill[] {
    return this.#all.filter(({ exposeToModel }) => exposeToModel !== false);
  }

  /** The same in each round, so that what a provider keeps of the tools stays valid. */
  #tool(open: readonly Skill[]): ToolConfig<{ readonly name: string }> {
    const list = open.map(({ name, description }) => `- ${name}: ${description}`).join("\n");
    return {
      name: skillTool,
      description: `Takes up a skill: its instructions, and its tools if it has any, are there from then on. Take one up when a task needs it. The skills:\n${list}`,
      title: skillTitle,
      jsonSchema: {
        type: "object",
        properties: { name: { type: "string", enum: open.map(({ name }) => name) } },
        required: ["name"],
        additionalProperties: false,
      },
      idempotent: true,
      do: async ({ name }, { signal }) => {
        const skill = this.#open().find((one) => one.name === name);
        if (!skill) return { status: "error", data: null, message: `There is no skill "${name}".` };
        try {
          await textOf(skill, this.#session, signal);
        } catch (error) {
          this.#session.report("SKILL_FAILED", error);
          return { status: "error", data: null, message: reasonOf(error) };
        }
        const tools = (skill.tools ?? []).map((tool) => tool.name).join(", ");
        const data = `The skill "${name}" is in force: its instructions stand in the system prompt.${tools && ` Its tools: ${tools}.`}`;
        return { status: "success", data, renderData: { skill: name } };
      },
    };
  }

  /** The names that the record has taken up. What is new in it is told of: one look after another, as several plugins look. */
  #look(): Promise<ReadonlySet<string>> {
    const looked = this.#looking.then(() => this.#lookOnce());
    this.#looking = looked.catch(() => {});
    return looked;
  }
  #looking: Promise<unknown> = Promise.resolve();

  async #lookOnce(): Promise<ReadonlySet<string>> {
    const core = this.#core();
    if (this.#of !== core) {
      this.#of = core;
      this.#read = 0;
      this.#lines = [];
      this.#takenUp = new Set();
    }
    const before = this.#read;
    const messages = JSON.parse(await core.messages(this.#read)) as Message[];
    this.#read += messages.length;
    // What was answered before a reload was told of there.
    const answered = before + messages.findLastIndex(({ sender }) => sender === "agent");
    for (const [at, message] of messages.entries()) {
      const taken = takenUpBy(message);
      const { replaces = 0 } = message;
      if (replaces || taken.length) this.#lines.push({ at: before + at, replaces, taken });
    }
    const inForce = new Set<string>();
    for (const { at, taken } of shown(this.#lines)) {
      for (const { name, by } of taken) {
        const isNew = at >= before && at > answered && !this.#takenUp.has(name) && !inForce.has(name);
        if (isNew) this.#session.tell("skill_taken_up", { name, by });
        inForce.add(name);
      }
    }
    this.#takenUp = inForce;
    return inForce;
  }
}

/** What a line of the record takes up, and how many lines before it are on another branch from there on. */
interface Line {
  readonly at: number;
  readonly replaces: number;
  readonly taken: readonly TakenUp[];
}

interface TakenUp {
  readonly name: string;
  readonly by: "person" | "model";
}

/** Those on the branch that ends the record: no other one is in force. */
function shown(lines: readonly Line[]): readonly Line[] {
  let end = Number.POSITIVE_INFINITY;
  return lines
    .toReversed()
    .filter(({ at, replaces }) => {
      if (at >= end) return false;
      if (replaces) end = at - replaces;
      return true;
    })
    .reverse();
}

/** What a message takes up: that of a person by its names, and one of results by the calls of a model. */
function takenUpBy({ skills, tool_results = [] }: Message): TakenUp[] {
  const named = Array.isArray(skills) ? skills.filter((name) => typeof name === "string") : [];
  const called = tool_results.flatMap(({ tool_name, result }) => {
    const { skill } = (result.renderData ?? {}) as { readonly skill?: unknown };
    // As the model wrote it: tools are found without regard to case.
    return tool_name.toLowerCase() === skillTool && result.status === "success" && typeof skill === "string" ? [skill] : [];
  });
  return [...named.map((name) => ({ name, by: "person" as const })), ...called.map((name) => ({ name, by: "model" as const }))];
}
