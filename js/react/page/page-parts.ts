// What the components of a page give to the conversations of their client while they are mounted: tools, state and instructions.
import { useContext } from "react";
import { definePlugin } from "../../src/ports/plugin.js";
import type { ToolConfig } from "../../src/ports/tool.js";
import type { GloveClient } from "../../src/session/client.js";
import type { GloveSession } from "../../src/session/session.js";
import { presence } from "../../src/tools/combined-tools.js";
import { asError, codeOf, GloveError } from "../../src/values/error.js";
import { isInside } from "../../src/values/ids.js";
import { GloveContext } from "../hooks/glove-context.js";
import { contextOf, type Instructions, type Readable } from "./context.js";

/** What is wrong with it breaks no page, and no session that opens. */
function give(session: GloveSession, component: object, tool: ToolConfig): void {
  try {
    session.giveTools(component, [tool], () => {});
  } catch (thrown) {
    const error = asError(thrown);
    session.report(codeOf(error), error);
  }
}

export class PageParts {
  readonly #client: GloveClient;
  /** By their components. */
  readonly #tools = new Map<object, ToolConfig>();
  readonly #readables = new Set<Readable>();
  readonly #instructions = new Set<Instructions>();
  /** What is wrong with them and was told. */
  #told: ReadonlySet<string> = new Set();
  #hasShown = false;
  #hasContext = false;

  constructor(client: GloveClient) {
    this.#client = client;
    client.onSession(({ session }) => {
      if (isInside(session.sessionId)) return;
      if (this.#hasContext) session.givePlugin(this.#plugin);
      for (const [component, tool] of this.#tools) give(session, component, tool);
    });
  }

  /** In the place of what this component gave before. */
  giveTool(component: object, tool: ToolConfig): void {
    presence.set(tool, { here: true, component });
    this.#tools.set(component, tool);
    this.#each((session) => give(session, component, tool));
  }

  takeTool(component: object): void {
    const tool = this.#tools.get(component);
    if (!tool) return;
    presence.set(tool, { here: false, component });
    this.#tools.delete(component);
    this.#each((session) => session.takeTools(component));
  }

  show(readable: Readable): () => void {
    return this.#with(this.#readables, readable);
  }

  instruct(instructions: Instructions): () => void {
    return this.#with(this.#instructions, instructions);
  }

  #with<T>(all: Set<T>, part: T): () => void {
    all.add(part);
    if (!this.#hasContext) {
      this.#hasContext = true;
      this.#each((session) => session.givePlugin(this.#plugin));
    }
    return () => void all.delete(part);
  }

  /** All that the model is told before a call, as it is then. */
  readonly #plugin = definePlugin({
    id: "glove.page",
    prepare: ({ context, report }) => {
      const { instructions, state, problems } = contextOf([...this.#instructions], [...this.#readables]);
      for (const text of instructions) context.add(text);
      this.#hasShown ||= this.#readables.size > 0;
      // After a reload what was told before holds until there is something newer.
      if (this.#hasShown) context.show?.(state);
      for (const [about, error] of problems) if (!this.#told.has(about)) report(error);
      this.#told = new Set(problems.keys());
    },
  });

  #each(act: (session: GloveSession) => void): void {
    this.#client.onSession(({ session }) => isInside(session.sessionId) || act(session))();
  }
}

const known = new WeakMap<GloveClient, PageParts>();

/** Those of the nearest provider's client. */
export function usePageParts(hook: string): PageParts {
  const client = useContext(GloveContext)?.client;
  if (!client) throw new GloveError("CLIENT_CONFIG", `${hook} requires a GloveProvider`);
  const parts = known.get(client) ?? new PageParts(client);
  known.set(client, parts);
  return parts;
}
