// Tools of other scripts of the page, for the model of a session.

import { usualStore } from "../mcp/store.js";
import { type ToolPort, toolOf } from "../mcp/tools/tool.js";
import { type ServerTool, type ToolList, toolListOf } from "../mcp/tools/tool-list.js";
import { Trust } from "../mcp/tools/trust.js";
import type { McpStore, McpToolInfo } from "../mcp/types.js";
import type { Plugin, PluginRound } from "../src/ports/plugin.js";
import type { ApprovalRule, ToolConfig } from "../src/ports/tool.js";
import type { Maybe } from "../src/timing/sync-or-promise.js";
import { withinTime } from "../src/timing/time-limit.js";
import { GloveError } from "../src/values/error.js";
import { check, checkOptions, describeValue, type Options } from "../src/values/validate-options.js";
import { callPageTool } from "./call.js";
import { modelContext, type RegisteredTool } from "./model-context.js";
import { isPublished } from "./publish.js";

/** What the model gets of the page's tools. */
export interface PageToolsOptions {
  /** Stands before the names of the tools (`page__search`): a letter, then at most 31 of `a-z`, `0-9` and `-`; default `page`. */
  readonly name?: string | undefined;
  /** Which tools the model gets, by their names in the page; default all. */
  readonly tools?: readonly string[] | ((tool: McpToolInfo) => boolean) | undefined;
  /**
   * What the page's own hints may decide. `ask` (default): each tool needs a permission, and those with consequences an approval each time.
   * `hints`, for scripts that you trust: tools that only read need none. A function decides by the tool.
   */
  readonly approvals?: "ask" | "hints" | ((tool: McpToolInfo, input: unknown) => Maybe<boolean | ApprovalRule>) | undefined;
  /** `ask` (default): a person sees what the page says of a tool before its first call, and again when that has changed. */
  readonly firstUse?: "ask" | "allow" | undefined;
  /** A call is given up after so long; default 600,000. */
  readonly timeoutMs?: number | undefined;
  /** Where it is kept what was allowed; default the database `glove-mcp` of the browser. */
  readonly store?: McpStore | undefined;
}

const options = {
  name: "text",
  tools: "any",
  approvals: "any",
  firstUse: "ask|allow",
  timeoutMs: "large",
  store: "object",
} as const satisfies Options<PageToolsOptions>;

/** What is taken of a page that registers without end. */
export const limits = { descriptionLetters: 16_000, schemaLetters: 64_000, tools: 64, resultLetters: 8_000_000 };

/** So long a call of the model waits for the list. */
const listMs = 3_000;

/**
 * The tools that other scripts have registered at `document.modelContext`, for a session: `plugins: [pageTools()]`. In a browser without it
 * there are none. Tools of frames are not among them, and neither is what `publishTools` has registered.
 */
export function pageTools(given: PageToolsOptions = {}): Plugin {
  check("The options of `pageTools`", given, "object", "MCP_CONFIG");
  checkOptions(given, options, { code: "MCP_CONFIG" });
  const { name = "page", approvals = "ask", tools } = given;
  if (!/^[a-z][a-z0-9-]{0,31}$/.test(name))
    throw wrong(`\`name\` must be a letter and at most 31 of a-z, 0-9 and "-", got ${describeValue(name)}.`);
  if (typeof approvals !== "function" && approvals !== "ask" && approvals !== "hints")
    throw wrong(`\`approvals\` must be "ask", "hints" or a function, got ${describeValue(approvals)}.`);
  if (tools !== undefined && typeof tools !== "function" && !Array.isArray(tools))
    throw wrong(`\`tools\` must be an array of names or a function, got ${describeValue(tools)}.`);
  return new PageTools({ ...given, name });
}

const wrong = (message: string) => new GloveError("MCP_CONFIG", message);

/** The words of the list, and of what a person is asked. */
const whose = "Another script of this page";

class PageTools implements Plugin {
  readonly id: string;
  readonly #settings: PageToolsOptions & { readonly name: string };
  readonly #trust: Trust;
  /** The same tool is the same object, so that nothing is made of it anew. */
  #made = new Map<string, ToolConfig>();
  readonly #reported = new Set<string>();

  constructor(settings: PageToolsOptions & { readonly name: string }) {
    this.id = `glove.webmcp ${settings.name}`;
    this.#settings = settings;
    this.#trust = new Trust(settings.store ?? usualStore(), Promise.resolve(`page ${globalThis.location?.origin}`));
  }

  async prepare(round: PluginRound): Promise<void> {
    const context = modelContext();
    if (!context?.getTools || !context.executeTool) return;
    const list = await withinTime(listMs, round.signal, async () => this.#listOf(await registered(), this.#settings.tools));
    this.#report(round, list.refused);
    const taken = new Set(round.tools.names.map((own) => own.toLowerCase()));
    const free = list.tools.filter(({ info }) => !taken.has(info.name.toLowerCase()));
    if (free.length > limits.tools)
      this.#report(round, [`${free.length - limits.tools} tools more than ${limits.tools} (\`tools\` chooses among them)`]);
    const made = new Map<string, ToolConfig>();
    for (const tool of free.slice(0, limits.tools)) {
      const [key, config] = await this.#config(tool, round.conversation.userId);
      made.set(key, config);
    }
    this.#made = made;
    round.tools.add(...made.values());
  }

  #listOf(all: readonly RegisteredTool[], tools: PageToolsOptions["tools"]): Promise<ToolList> {
    return toolListOf(all.map(inWordsOfMcp), { name: this.#settings.name, limits: { ...usual, ...limits }, tools });
  }

  async #config({ info }: ServerTool, user: string | undefined): Promise<[string, ToolConfig]> {
    const { firstUse, approvals, name, timeoutMs } = this.#settings;
    const allowed = firstUse === "allow" ? undefined : await this.#trust.allowed(user, info.tool);
    const seen = firstUse === "allow" || allowed?.fingerprint === info.fingerprint;
    const key = JSON.stringify([info.name, info.fingerprint, allowed?.fingerprint, user, seen]);
    const call: ToolPort["call"] = (input, display, allow) =>
      callPageTool(info, input, display, { allow, now: () => this.#now(info), timeoutMs: timeoutMs ?? 600_000 });
    const port: ToolPort = { settings: { name, approvals, firstUse }, whose, trust: this.#trust, user, parallel: false, call };
    return [key, this.#made.get(key) ?? toolOf(info, seen ? undefined : allowed, port, seen)];
  }

  /** What the page has by that name now, if it still says the same of it. */
  async #now({ tool, fingerprint }: McpToolInfo): Promise<RegisteredTool | "changed" | undefined> {
    const all = await registered();
    const found = (await this.#listOf(all, undefined)).tools.find(({ info }) => info.tool === tool);
    if (!found) return undefined;
    return found.info.fingerprint === fingerprint ? all.find(({ name }) => name === tool) : "changed";
  }

  #report(round: PluginRound, faults: readonly string[]): void {
    const message = `Tools of the page that cannot be used: ${faults.slice(0, 10).join("; ")}.`;
    if (faults.length === 0 || this.#reported.has(message) || this.#reported.size > 99) return;
    this.#reported.add(message);
    round.report(new GloveError("MCP_TOOL_REFUSED", message));
  }
}

const usual = { listLetters: 4_000_000, listPages: 1, resultBytes: limits.resultLetters, rounds: 1 };

/** All that others have registered in this window. */
async function registered(): Promise<readonly RegisteredTool[]> {
  const tools = (await modelContext()?.getTools?.()) ?? [];
  return tools.filter(({ name, window: place = window }) => place === window && !isPublished(name));
}

function inWordsOfMcp(tool: RegisteredTool): object {
  const { name, title, description } = tool;
  const { readOnlyHint, consequentialHint: destructiveHint } = tool.annotations ?? {};
  return {
    name,
    ...(title && { title }),
    description,
    inputSchema: schemaOf(tool),
    annotations: { readOnlyHint, destructiveHint },
  };
}

/** A tool without one takes anything. */
function schemaOf({ inputSchema }: RegisteredTool): unknown {
  try {
    const schema: unknown = typeof inputSchema === "string" ? JSON.parse(inputSchema || "{}") : inputSchema;
    return { type: "object", ...(schema as object | undefined) };
  } catch {
    // It is refused as no object.
    return undefined;
  }
}
