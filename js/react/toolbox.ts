"use client";
// The renderers that are in force: those of the application's tools, by name, as of its latest render.
import type { Renderer } from "./mounted.js";
import type { SlotProps } from "./renderers/index.js";

/** Renderers by the name that a slot asks for. */
export type Renderers = Readonly<Record<string, Renderer<SlotProps>>>;

/** What is needed of a tool to draw what it shows. */
export interface DrawnTool {
  readonly name: string;
  render?(props: never): unknown;
  renderResult?(props: never): unknown;
}

export interface ResultProps {
  data: unknown;
  output?: string;
  status: "success" | "error" | "aborted";
}

/** Followed by what is on the screen, so that a tool's newest renderer draws also what stands there already. */
export class Toolbox {
  #tools: readonly DrawnTool[] = [];
  #renderers: Renderers = {};
  readonly #listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  set(tools: readonly DrawnTool[], renderers: Renderers): void {
    if (tools === this.#tools && renderers === this.#renderers) return;
    this.#tools = tools;
    this.#renderers = renderers;
    for (const listener of [...this.#listeners]) listener();
  }

  slot(name: string): Renderer<SlotProps> | undefined {
    const given = Object.hasOwn(this.#renderers, name) ? this.#renderers[name] : undefined;
    return given ?? (this.#tools.find((tool) => tool.name === name && tool.render)?.render as Renderer<SlotProps> | undefined);
  }

  result(name: string): Renderer<ResultProps> | undefined {
    const tool = this.#tools.find((tool) => tool.name === name && tool.renderResult);
    return tool?.renderResult as Renderer<ResultProps> | undefined;
  }
}
