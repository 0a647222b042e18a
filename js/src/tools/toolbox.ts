// The tools of a session by name, and the way to what runs them.

import type { ToolConfig } from "../ports/tool.js";
import type { SlotContext } from "../snapshot/state.js";
import { after, type Maybe } from "../timing/sync-or-promise.js";
import { loadPart } from "../values/error.js";
import { omitUndefined } from "../values/omit-undefined.js";
import type { PageTool } from "../wire/core-types.js";
import { hasGone, said, yielding } from "./combined-tools.js";
import type { CallContext, ToolHost, ToolRunner } from "./runner.js";
import { skillTitle, skillTool } from "./skill-tool.js";

/** Names are compared without regard to case, as models write them. */
export class Toolbox implements ToolHost {
  #tools: readonly ToolConfig[] = [];
  /** What plugins add for the next call of the model. */
  added: readonly ToolConfig[] = [];
  #runner: ToolRunner | undefined;
  readonly #context: CallContext;

  constructor(context: CallContext) {
    this.#context = context;
  }

  /** Takes the place of all tools before. */
  replace(tools: readonly ToolConfig[]): void {
    this.#tools = [...tools];
    this.#context.changed?.();
  }

  find(name: string): ToolConfig | undefined {
    const tools = this.#all();
    const exact = tools.find((tool) => tool.name === name);
    return exact ?? tools.find((tool) => tool.name.toLowerCase() === name.toLowerCase());
  }

  /** What a call does, if its tool says so. `input` is as the model wrote it, and nobody has checked it yet. */
  title(name: string, input: unknown): string | undefined {
    return said((this.find(name) ?? this.#later(name))?.title, input);
  }

  /**
   * How a question about a call looks: its sentence, what its button is named by, whether what it allows is dangerous, and whether it could run
   * here. It decides nothing. A title that is made of the arguments, which a model writes, names no button.
   */
  asks(name: string, input: unknown): ReturnType<SlotContext["asks"]> {
    const tool = this.find(name);
    const confirm = said(tool?.confirm, input);
    const act = typeof tool?.title === "string" ? tool.title : undefined;
    const isUnknown = !(tool ?? this.#later(name));
    const away = tool ? hasGone(tool) : isUnknown && this.#context.hasAll?.();
    return omitUndefined({
      confirm,
      act,
      danger: tool?.danger || undefined,
      away: away || undefined,
      unknown: isUnknown || undefined,
    });
  }

  /** What a skill adds with the next call of the model. */
  #later(name: string): Pick<ToolConfig, "title"> | undefined {
    if (name === skillTool) return { title: skillTitle };
    return this.#context.skillTools?.().find((tool) => tool.name === name);
  }

  /** The core calls no tool before: what runs them is there when it does. At once, unless something has to be loaded. */
  specs(): Maybe<PageTool[]> {
    const own = this.#own().filter((tool) => !hasGone(tool));
    const { added } = this;
    if (!own.length && !added.length) return [];
    return after(this.#runs(), (runner) => runner.specs(own, added));
  }

  #all(): readonly ToolConfig[] {
    return [...this.#own(), ...this.added];
  }

  /** Without those in whose place a plugin's stands. */
  #own(): readonly ToolConfig[] {
    const isTaken = ({ name }: ToolConfig) => this.added.some((one) => one.name.toLowerCase() === name.toLowerCase());
    return this.#tools.filter((tool) => !(yielding.has(tool) && isTaken(tool)));
  }

  permissionOf: ToolHost["permissionOf"] = async (...call) => (await this.#runs()).permissionOf(...call);
  approval: ToolHost["approval"] = async (...call) => (await this.#runs()).approval(...call);
  run: ToolHost["run"] = async (...call) => (await this.#runs()).run(...call);
  undo: ToolHost["undo"] = async (...call) => (await this.#runs()).undo(...call);

  /** Nothing more is done with this call. */
  ended(id: string): void {
    this.#runner?.ended(id);
  }

  #runs(): Maybe<ToolRunner> {
    if (this.#runner) return this.#runner;
    return loadPart(import("./runner.js")).then(({ ToolRunner }) => {
      this.#runner ??= new ToolRunner(
        this.#context,
        (name) => this.find(name),
        (tool) => this.added.includes(tool),
      );
      return this.#runner;
    });
  }
}
