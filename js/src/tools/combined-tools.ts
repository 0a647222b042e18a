// The tools of a session: their names, which models write in whatever case, and those that components give beside its own. They add up.

import type { ToolConfig } from "../ports/tool.js";
import { GloveError } from "../values/error.js";
import { copy, toLooseJson } from "../values/json.js";
import { skillTool } from "./skill-tool.js";

export function duplicateName(name: string): GloveError {
  return new GloveError("TOOL_NAME_TAKEN", `Two tools are called "${name}" (case is ignored); rename one of them.`);
}

/** Refuses a tool without a name. What comes from plain JavaScript may be anything. */
export function nameOf(tool: ToolConfig): string {
  const name: unknown = tool?.name;
  if (typeof name !== "string" || !name.trim()) throw new GloveError("TOOL_NAME_EMPTY", "A tool in `tools` has no `name`.");
  return name;
}

/** Tools from outside, in whose place another one of the same name stands, whoever brings that. */
export const yielding = new WeakSet<ToolConfig>();

/** Refuses two of one name, which are compared without regard to case: a call that was approved as one would run the other. */
export function checkNames(tools: readonly ToolConfig[], others: readonly ToolConfig[] = []): void {
  const names = new Set(others.map(({ name }) => name.toLowerCase()));
  for (const tool of tools) {
    const name = nameOf(tool);
    const same = name.toLowerCase();
    if ((names.has(same) && !yielding.has(tool)) || same === skillTool) throw duplicateName(name);
    names.add(same);
  }
}

/** Of tools that a component brings and takes away (`useTool`): whether it is there, and which component it is. */
export const presence = new WeakMap<ToolConfig, { readonly here: boolean; readonly component: object }>();

/** Its component has gone: it stays for what has begun with it, and no call begins. */
export const hasGone = (tool: ToolConfig): boolean => presence.get(tool)?.here === false;

type Tools = readonly ToolConfig[];

interface ComponentTools {
  readonly tools: Tools;
  /** Told when there are other tools. */
  readonly changed: () => void;
}

export class CombinedTools {
  #own: Tools;
  readonly #byComponent = new Map<object, ComponentTools>();
  /** What held of components that have gone, for what has begun with it. */
  #released: Tools = [];
  /** All of them. */
  all: Tools;
  /** Why one of them is not among them: the same as long as it is the same one. */
  refused: GloveError | undefined;
  #refusal: { readonly tool: ToolConfig; readonly other: ToolConfig } | undefined;
  /** What plugins have added. */
  readonly #added: () => Tools;

  constructor(own: Tools, added: () => Tools = () => []) {
    checkNames(own);
    this.#own = own;
    this.#added = added;
    this.all = own;
  }

  /** Other tools of its own. What components give stays theirs. */
  own(tools: Tools): void {
    checkNames(tools, this.#added());
    const fromComponents = new Set([...this.#byComponent.values()].flatMap(({ tools }) => tools));
    this.#own = tools.filter((tool) => this.#own.includes(tool) || !fromComponents.has(tool));
    this.#together();
  }

  /** In the place of what the same one gave before. */
  give(component: object, tools: Tools, changed: () => void): void {
    checkNames(tools);
    this.#byComponent.set(component, { tools, changed });
    this.#together();
  }

  /** It gives nothing more. What it gave is kept until `forget`. */
  leave(component: object): void {
    const inForce = this.#byComponent.get(component)?.tools.filter((tool) => this.all.includes(tool)) ?? [];
    const names = new Set(inForce.map(({ name }) => name.toLowerCase()));
    this.#released = [...this.#released.filter(({ name }) => !names.has(name.toLowerCase())), ...inForce];
    this.#byComponent.delete(component);
    this.#together();
  }

  forget(): void {
    this.#released = [];
    this.#together();
  }

  #together(): void {
    const all = new Map<string, ToolConfig>();
    const released = new Map(this.#released.map((tool) => [tool.name.toLowerCase(), tool]));
    const added = new Map(this.#added().map((tool) => [tool.name.toLowerCase(), tool]));
    const refusals: { readonly tool: ToolConfig; readonly other: ToolConfig }[] = [];
    for (const list of [this.#own, ...[...this.#byComponent.values()].map(({ tools }) => tools)]) {
      for (const tool of list) {
        const name = tool.name.toLowerCase();
        const [before, other] = [released.get(name), all.get(name) ?? added.get(name)];
        // A call of the one that has gone may have been approved: another one waits until it is over.
        if (before && !hasGone(before) && !isSame(before, tool)) all.set(name, before);
        // The last one knows what is on the screen now.
        else if (!other || isSame(other, tool)) all.set(name, tool);
        else refusals.push({ tool, other });
      }
    }
    const refusal = refusals[0];
    if (refusal?.tool !== this.#refusal?.tool || refusal?.other !== this.#refusal?.other)
      this.refused = refusal && twoDefinitions(refusal.tool.name);
    this.#refusal = refusal;
    for (const [name, tool] of released) if (!all.has(name)) all.set(name, tool);
    const tools = [...all.values()];
    if (tools.length === this.all.length && tools.every((tool, at) => tool === this.all[at])) return;
    this.all = tools;
    for (const { changed } of [...this.#byComponent.values()]) changed();
  }
}

/**
 * Does the same, whoever gives it: in a list that two hooks use, or a copy of its tool. Functions of one text may do different things,
 * as they hold different values.
 */
function isSame(a: ToolConfig, b: ToolConfig): boolean {
  if (a === b) return true;
  const parts = new Set([...Object.keys(a), ...Object.keys(b)]) as Set<keyof ToolConfig>;
  return [...parts].every((part) => isSamePart(part, a[part], b[part]));
}

function isSamePart(part: string, a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== typeof b || !a || !b) return false;
  // How it is drawn is written anew with each render.
  if (typeof a === "function") return /^render/.test(part) && String(a) === String(b);
  // Those of libraries are made beside the functions, and hold what no JSON shows.
  return typeof a === "object" && (/[a-z]Schema$/.test(part) && part !== "jsonSchema" ? true : toLooseJson(a) === toLooseJson(b));
}

const twoDefinitions = (name: string) =>
  new GloveError(
    "TOOL_NAME_TAKEN",
    `Two different tools are called "${name}": the session has one of its client or of another component already, and goes on with that. If they are meant as one, their functions have to be the same: write \`defineTool\` outside of the component or hook, or in a \`useMemo\` of a component around both, and give that to each. If not, rename one of them.`,
  );

/** A text of a tool's about a call. */
export function said(text: ToolConfig["title"], input: unknown): string | undefined {
  try {
    const words: unknown = typeof text === "function" ? text(copy({ input }).input) : text;
    // "Weather in undefined": the model has left out what the text is made of.
    return typeof words === "string" && words !== "" && !/\bundefined\b/.test(words) ? words : undefined;
  } catch {
    // Arguments of another form than it expects.
    return undefined;
  }
}
