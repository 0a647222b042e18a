// The renderers that are in force: those of the application's tools, by name, as of its latest render.
import { Listeners } from "../hooks/listeners.js";
import { builtInRenderers, type SlotProps } from "../renderers/index.js";
import type { Drawing, ResultProps } from "../slots/drawing.js";
import type { Renderer } from "./mount-renderer.js";

/** Renderers by the name that a slot asks for. */
export type Renderers = Readonly<Record<string, Renderer<SlotProps>>>;

/** What is needed of a tool to draw what it shows. */
export interface DrawnTool {
  readonly name: string;
  render?(props: never): unknown;
  renderResult?(props: never): unknown;
  readonly frame?: "card" | "none";
}

const none: Renderers = {};
const named = (renderers: Renderers, name: string) => (Object.hasOwn(renderers, name) ? renderers[name] : undefined);
const names = (tools: readonly DrawnTool[]) => tools.map((tool) => (tool?.renderResult ? tool.name : "")).join("\n");

/** Followed by what is on the screen, so that a tool's newest renderer draws also what stands there already. */
export class RendererRegistry extends Listeners implements Drawing {
  #tools: readonly DrawnTool[] = [];
  #own: Renderers = none;
  #provided: Renderers = none;
  readonly failed: (error: unknown, name: string) => void;

  constructor(failed: (error: unknown, name: string) => void) {
    super();
    this.failed = failed;
  }

  /** True when other tools than before have a renderer for their results. */
  set(tools: readonly DrawnTool[], own: Renderers = none, provided: Renderers = none): boolean {
    const isAsBefore = tools.length === this.#tools.length && tools.every((tool, at) => tool === this.#tools[at]);
    if (isAsBefore && own === this.#own && provided === this.#provided) return false;
    const before = names(this.#tools);
    [this.#tools, this.#own, this.#provided] = [tools, own, provided];
    this.changed();
    return names(tools) !== before;
  }

  /** The hook's renderer of this name, the tool's, the provider's, a built-in one: in this order. */
  slot(name: string): Renderer<SlotProps> | undefined {
    const tool = this.#tools.find((tool) => tool?.name === name && tool.render);
    const drawn = tool?.render as Renderer<SlotProps> | undefined;
    return named(this.#own, name) ?? drawn ?? named(this.#provided, name) ?? named(builtInRenderers, name);
  }

  /** The hook's or the provider's. */
  output(name: string): Renderer<SlotProps> | undefined {
    return named(this.#own, name) ?? named(this.#provided, name);
  }

  result(name: string): Renderer<ResultProps> | undefined {
    return this.#drawn(name)?.renderResult as Renderer<ResultProps> | undefined;
  }

  isBare(name: string): boolean {
    return this.#drawn(name)?.frame === "none";
  }

  #drawn(name: string): DrawnTool | undefined {
    return this.#tools.find((tool) => tool?.name === name && tool.renderResult);
  }
}
