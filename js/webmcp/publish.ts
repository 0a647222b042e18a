// Tools of a session for the browser's agent, and for whatever else reads `document.modelContext`. Each call is a prompt of the conversation: a
// person sees it there, allows it there, and it is in the record.

import { knowCaller, outsideCaller, outsideReason, outsideResult } from "../mcp/tools/outside-call.js";
import { outsideModels } from "../src/ports/plugin.js";
import type { ToolConfig } from "../src/ports/tool.js";
import type { GloveSession } from "../src/session/session.js";
import { toolSchema } from "../src/tools/spec.js";
import { GloveError, reasonOf } from "../src/values/error.js";
import { check, checkOptions, type Options } from "../src/values/validate-options.js";
import { type ModelContext, modelContext } from "./model-context.js";

/** How tools are published. */
export interface PublishOptions {
  /** Takes them back, as the function does that `publishTools` returns. */
  readonly signal?: AbortSignal | undefined;
}

const publishOptions = { signal: "any" } as const satisfies Options<PublishOptions>;

/** The names that are registered by this page, for `pageTools`. */
const names = new Map<string, number>();

export const isPublished = (name: string): boolean => names.has(name);

/**
 * Registers tools of a session at `document.modelContext`, by their names; those that components bring and take (`useTool`) come and go. In a
 * browser without it nothing happens. Returns what takes them back. What a tool asks of a person before it runs is asked in the conversation.
 */
export function publishTools(session: GloveSession, wanted: readonly string[], options: PublishOptions = {}): () => void {
  check("The session", session, "object");
  check("The names of the tools", wanted, "list");
  for (const name of wanted) check("A name of a tool", name, "text");
  checkOptions(options, publishOptions);
  const context = modelContext();
  if (!context || options.signal?.aborted) return () => {};
  const publication = new Publication(session, new Set(wanted), context);
  const end = () => publication.end();
  options.signal?.addEventListener("abort", end, { once: true });
  return end;
}

class Publication {
  readonly #session: GloveSession;
  readonly #wanted: ReadonlySet<string>;
  readonly #context: ModelContext;
  /** What is registered, by name. */
  readonly #offered = new Map<string, { readonly tool: ToolConfig; readonly taken: AbortController }>();
  #isOver = false;

  constructor(session: GloveSession, wanted: ReadonlySet<string>, context: ModelContext) {
    this.#session = session;
    this.#wanted = wanted;
    this.#context = context;
    knowCaller(session, caller);
    // It gives none: it hears of those that others give, a moment before the session has them.
    session.giveTools(this, [], () => queueMicrotask(() => this.#update()));
    this.#update();
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const name of [...this.#offered.keys()]) this.#takeBack(name);
    if (!this.#session.disposed) this.#session.takeTools(this);
  }

  #update(): void {
    if (this.#isOver) return;
    if (this.#session.disposed) {
      this.end();
      return;
    }
    const tools = new Map((this.#session.config.tools ?? []).map((tool) => [tool.name, tool]));
    for (const [name, { tool }] of [...this.#offered]) if (tools.get(name) !== tool) this.#takeBack(name);
    for (const name of this.#wanted) {
      const tool = tools.get(name);
      if (!tool || this.#offered.has(name)) continue;
      this.#offer(tool).catch((error: unknown) => this.#refused(tool, error));
    }
  }

  async #offer(tool: ToolConfig): Promise<void> {
    const { name, title, description } = tool;
    const taken = new AbortController();
    this.#offered.set(name, { tool, taken });
    const inputSchema = await toolSchema(tool);
    // It was taken back meanwhile.
    if (taken.signal.aborted) return;
    names.set(name, (names.get(name) ?? 0) + 1);
    taken.signal.addEventListener("abort", () => forget(name), { once: true });
    await this.#context.registerTool(
      {
        name,
        ...(typeof title === "string" && { title }),
        description,
        inputSchema,
        execute: (input, about) => askFor(this.#session, name, input, about?.signal),
      },
      { signal: taken.signal },
    );
  }

  #refused(tool: ToolConfig, error: unknown): void {
    const offered = this.#offered.get(tool.name);
    // It was taken back while it was being registered.
    if (offered?.tool !== tool || offered.taken.signal.aborted) return;
    // It stays among them, so that it is not tried again with each change.
    forget(tool.name);
    const message = `The tool "${tool.name}" cannot be published: ${reasonOf(error)}`;
    this.#session.report("WEBMCP_REFUSED", new GloveError("WEBMCP_REFUSED", message, { cause: error }));
  }

  #takeBack(name: string): void {
    this.#offered.get(name)?.taken.abort();
    this.#offered.delete(name);
  }
}

function forget(name: string): void {
  const count = (names.get(name) ?? 0) - 1;
  if (count > 0) names.set(name, count);
  else names.delete(name);
}

/** The name of what answers such prompts, among the models of a session. */
const asking = `${outsideModels}webmcp`;

const head = "An agent of the browser runs a tool:";

const caller = outsideCaller(asking, head, "The agent of the browser has the result.");

/** Runs a tool as a prompt of the conversation. What cannot be is told in words: whoever called learns nothing of an exception. */
async function askFor(session: GloveSession, name: string, input: unknown, signal?: AbortSignal): Promise<unknown> {
  try {
    const begin = (id: string) => {
      knowCaller(session, caller);
      return session.trigger({ reason: outsideReason(head, { id, name, input }), id, model: asking, signal });
    };
    const result = await outsideResult(session, begin, signal);
    if (result?.status === "success") return result.data ?? null;
    const details = result?.data;
    return { error: result?.message || `The tool "${name}" did not run.`, ...(details != null && { details }) };
  } catch (error) {
    signal?.throwIfAborted();
    return { error: reasonOf(error) };
  }
}
