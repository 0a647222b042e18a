// The tools of a session: their names, which models write in whatever case, and those that components give beside its own. They add up.
import { skillTool } from "../commands/skill-tool.js";
import { GloveError } from "../error.js";
import type { ToolConfig } from "../tools/tool.js";
import { toLooseJson } from "../values/json.js";

export function duplicateName(name: string): GloveError {
  return new GloveError("TOOL_NAME_TAKEN", `Two tools are called "${name}" (case is ignored); rename one of them.`);
}

/** Refuses two of one name, which are compared without regard to case: a call that was approved as one would run the other. */
export function checkNames(tools: readonly ToolConfig[], others: readonly ToolConfig[] = []): void {
  const names = new Set(others.map(({ name }) => name.toLowerCase()));
  for (const tool of tools) {
    // What comes from plain JavaScript may be anything.
    const name: unknown = tool?.name;
    if (typeof name !== "string" || !name.trim()) throw new GloveError("TOOL_NAME_EMPTY", "A tool in `tools` has no `name`.");
    const same = name.toLowerCase();
    if (names.has(same) || same === skillTool) throw duplicateName(name);
    names.add(same);
  }
}

type Tools = readonly ToolConfig[];

interface Given {
  readonly tools: Tools;
  /** Told when there are other tools. */
  readonly changed: () => void;
}

export class GivenTools {
  #own: Tools;
  readonly #given = new Map<object, Given>();
  /** Of components that have gone, for what has begun with them. */
  #left: Tools = [];
  /** All of them. */
  all: Tools;
  /** Why one of them is not among them. */
  refused: GloveError | undefined;

  constructor(own: Tools) {
    checkNames(own);
    this.#own = own;
    this.all = own;
  }

  /** Other tools of its own. What components give stays theirs. */
  own(tools: Tools): void {
    checkNames(tools);
    const given = new Set([...this.#given.values()].flatMap(({ tools }) => tools));
    this.#own = tools.filter((tool) => this.#own.includes(tool) || !given.has(tool));
    this.#together();
  }

  /** In the place of what the same one gave before. */
  give(giver: object, tools: Tools, changed: () => void): void {
    checkNames(tools);
    this.#given.set(giver, { tools, changed });
    this.#together();
  }

  /** It gives nothing more. What it gave is kept until `forget`. */
  leave(giver: object): void {
    this.#left = [...this.#left, ...(this.#given.get(giver)?.tools ?? [])];
    this.#given.delete(giver);
    this.#together();
  }

  forget(): void {
    this.#left = [];
    this.#together();
  }

  #together(): void {
    const all = new Map<string, ToolConfig>();
    this.refused = undefined;
    for (const list of [this.#own, ...[...this.#given.values()].map(({ tools }) => tools)]) {
      for (const tool of list) {
        const name = tool.name.toLowerCase();
        const other = all.get(name);
        // The last one knows what is on the screen now.
        if (!other || isSame(other, tool)) all.set(name, tool);
        else this.refused ??= twoDefinitions(tool.name);
      }
    }
    for (const tool of this.#left) if (!all.has(tool.name.toLowerCase())) all.set(tool.name.toLowerCase(), tool);
    const tools = [...all.values()];
    if (tools.length === this.all.length && tools.every((tool, at) => tool === this.all[at])) return;
    this.all = tools;
    for (const { changed } of [...this.#given.values()]) changed();
  }
}

/** Written in one place: in a component that draws again, in a hook that two of them use, or in a module that was loaded anew. */
function isSame(a: ToolConfig, b: ToolConfig): boolean {
  if (a === b) return true;
  const parts = new Set([...Object.keys(a), ...Object.keys(b)]) as Set<keyof ToolConfig>;
  return [...parts].every((part) => isSamePart(part, a[part], b[part]));
}

function isSamePart(part: string, a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== typeof b || !a || !b) return false;
  // A bound function has a text that says nothing.
  if (typeof a === "function") return String(a) === String(b) && !String(a).includes("[native code]");
  // Those of libraries are made beside the functions, and hold what no JSON shows.
  return typeof a === "object" && (/[a-z]Schema$/.test(part) && part !== "jsonSchema" ? true : toLooseJson(a) === toLooseJson(b));
}

const twoDefinitions = (name: string) =>
  new GloveError(
    "TOOL_NAME_TAKEN",
    `Two different tools are called "${name}": the session has one of its client or of another component already, and goes on with that. Rename one of them, or give both the same definition.`,
  );
