// What an application gives `mcpServer`, and what of it is refused.

import type { AuthProvider, OAuthClientProvider, Transport } from "@modelcontextprotocol/client";
import type { ModelAdapter } from "../src/ports/model.js";
import type { ApprovalRule } from "../src/ports/tool.js";
import type { Maybe } from "../src/timing/sync-or-promise.js";
import { GloveError } from "../src/values/error.js";
import { check, checkOptions, describeValue, type Options } from "../src/values/validate-options.js";
import type { McpAppsHost } from "./apps/host.js";
import { McpAuth } from "./auth/mcp-auth.js";
import { isSafe } from "./safe-address.js";
import type { McpLog, McpRoot, McpStore, McpToolInfo } from "./types.js";

/** What is taken of a server that sends without end. */
export interface McpLimits {
  /** Tools that the model gets at once, of this server; default 64. Where there are more, it searches among them. */
  readonly tools: number;
  /** Letters of a description; default 16,000. A tool with a longer one is left out, since nobody could read what they allow. */
  readonly descriptionLetters: number;
  /** Letters of the schemas of a tool; default 64,000. */
  readonly schemaLetters: number;
  /** Letters of a list with all of its pages; default 4,000,000. What comes behind is left out. */
  readonly listLetters: number;
  /** Pages of a list; default 64. */
  readonly listPages: number;
  /** Bytes of a result; default 8,000,000. */
  readonly resultBytes: number;
  /** How often a call may ask before it has a result; default 10. */
  readonly rounds: number;
}

/** A server of the Model Context Protocol, and what it may do. */
export interface McpServerOptions {
  /** Names its tools (`name__tool`): a letter, then at most 31 of `a-z`, `0-9` and `-`. */
  readonly name: string;
  /** Where it is, by Streamable HTTP. */
  readonly url?: string | URL | undefined;
  /**
   * A chat handler that reaches it for this page: `createChatHandler({ mcp: { docs: { url } } })` knows it by its `name`. Where a server does not
   * allow the page's origin, and where its token must not be in a page.
   */
  readonly via?: string | URL | undefined;
  /** Another way to it: `InMemoryTransport`, stdio. Called for each connection. */
  readonly transport?: ((about: { readonly signal: AbortSignal }) => Maybe<Transport>) | undefined;
  /** Sent with each request; a function is called for each. */
  readonly headers?: HeadersInit | (() => Maybe<HeadersInit>) | undefined;
  /** Has people sign in (`createMcpAuth`), or gives tokens as the official client takes it. */
  readonly auth?: McpAuth | AuthProvider | OAuthClientProvider | undefined;
  /** What requests are made with, in the place of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /**
   * What its hints may decide. `ask` (default): each tool needs a permission, and those that destroy need an approval each time.
   * `hints`, for a server that you trust: tools that only read need none, and may be run again after a crash if they say so. A function
   * decides by the tool.
   */
  readonly approvals?: "ask" | "hints" | ((tool: McpToolInfo, input: unknown) => Maybe<boolean | ApprovalRule>) | undefined;
  /**
   * `ask` (default): a person sees what the server says of a tool before its first call, and again when that has changed. `allow`: for
   * servers of your own.
   */
  readonly firstUse?: "ask" | "allow" | undefined;
  /** Which tools the model gets, by the names that the server has for them; default all. */
  readonly tools?: readonly string[] | ((tool: McpToolInfo) => boolean) | undefined;
  /** Whether the model can read its resources, by a tool `name__read_resource`; default `true`. */
  readonly resources?: boolean | undefined;
  /** Draws its apps in the cards of their calls: what `createMcpApps` of `glove-wasm/mcp/apps` gives. Without it they are not drawn. */
  readonly apps?: McpAppsHost | undefined;
  /** What it may ask for while a call runs. */
  readonly allow?: McpAllowed | undefined;
  /** Its `instructions` are given to the model, as the server's words; default `false`. */
  readonly instructions?: boolean | undefined;
  /** A call is given up after so long a silence; default 60,000. Progress is none, and neither is waiting for a person. */
  readonly timeoutMs?: number | undefined;
  /** A call is given up after so long; default 600,000. */
  readonly maxTotalMs?: number | undefined;
  /** How much the server may list and send. */
  readonly limits?: Partial<McpLimits> | undefined;
  /** The run pauses when the server cannot be reached and nothing is known of its tools; default `false`. */
  readonly required?: boolean | undefined;
  /** Where lists and what was allowed are kept; default the database `glove-mcp` of the browser, or memory where there is none. */
  readonly store?: McpStore | undefined;
  /** Told what the server writes into its log. */
  readonly onLog?: ((entry: McpLog) => unknown) | undefined;
}

/** What a server may ask for while a call runs. */
export interface McpAllowed {
  /** Questions to the person; default `true`. */
  readonly questions?: boolean | undefined;
  /** Addresses that the person is asked to open; default `true`. */
  readonly links?: boolean | undefined;
  /** Folders and addresses that it may work in; default none. */
  readonly roots?: readonly McpRoot[] | undefined;
  /**
   * Gives the model that it may ask (`sampling/createMessage`); default none. A person allows what is sent to it and what the server gets, each time.
   */
  readonly sampling?: McpSampling | undefined;
}

/** Gives a model for one request of a server: `() => createEndpointModel("/api/chat")`. */
export type McpSampling = (wish: McpSamplingWish) => Maybe<ModelAdapter>;

/** What a server wishes of the model. What of it holds is decided by whoever gives the model. */
export interface McpSamplingWish {
  /** The `name` of the server, as the application calls it. */
  readonly server: string;
  /** The most that the answer may have. */
  readonly maxTokens: number;
  readonly temperature?: number | undefined;
  readonly stopSequences: readonly string[];
  /** Names of models, or parts of such, the best first. */
  readonly models: readonly string[];
  /** Where the server offers tools: whether the model may call one, must, or must not. An answer that does otherwise is not given. */
  readonly toolChoice?: "auto" | "required" | "none" | undefined;
}

const limitOptions = {
  tools: "large",
  descriptionLetters: "large",
  schemaLetters: "large",
  listLetters: "large",
  listPages: "large",
  resultBytes: "large",
  rounds: "large",
} as const satisfies Options<McpLimits>;

const allowOptions = { questions: "flag", links: "flag", roots: "list", sampling: "work" } as const satisfies Options<McpAllowed>;

const serverOptions = {
  name: "text",
  url: "any",
  via: "any",
  transport: "work",
  headers: "any",
  auth: "object",
  fetch: "work",
  approvals: "any",
  firstUse: "ask|allow",
  tools: "any",
  resources: "flag",
  apps: "object",
  allow: allowOptions,
  instructions: "flag",
  timeoutMs: "large",
  maxTotalMs: "large",
  limits: limitOptions,
  required: "flag",
  store: "object",
  onLog: "work",
} as const satisfies Options<McpServerOptions>;

const usualLimits: McpLimits = {
  tools: 64,
  descriptionLetters: 16_000,
  schemaLetters: 64_000,
  listLetters: 4_000_000,
  listPages: 64,
  resultBytes: 8_000_000,
  rounds: 10,
};

/** The options with what stands for those that are left out. */
export interface McpSettings extends Omit<McpServerOptions, "url" | "via" | "limits"> {
  /** Its own, or that of the chat handler. */
  readonly url: URL | undefined;
  readonly isVia: boolean;
  readonly limits: McpLimits;
}

/** Refuses what cannot work, before anything is connected. */
export function settingsOf(options: McpServerOptions): McpSettings {
  check("The options of an MCP server", options, "object", "MCP_CONFIG");
  checkOptions(options, serverOptions, { code: "MCP_CONFIG" });
  const { name, url, via, transport, auth, approvals = "ask", tools, limits = {} } = options;
  if (!/^[a-z][a-z0-9-]{0,31}$/.test(name ?? ""))
    throw wrong(`\`name\` must be a letter and at most 31 of a-z, 0-9 and "-", got ${describeValue(name)}.`);
  const ways = [url, via, transport].filter((way) => way !== undefined);
  if (ways.length !== 1) throw wrong(`The MCP server "${name}" needs one of \`url\`, \`via\` and \`transport\`.`);
  if (auth instanceof McpAuth && transport !== undefined)
    throw wrong(`\`auth\` of the MCP server "${name}" signs people in to an \`url\`, or by a chat handler (\`via\`).`);
  if (typeof approvals !== "function" && approvals !== "ask" && approvals !== "hints")
    throw wrong(`\`approvals\` must be "ask", "hints" or a function, got ${describeValue(approvals)}.`);
  if (tools !== undefined && typeof tools !== "function" && !Array.isArray(tools))
    throw wrong(`\`tools\` must be an array of names or a function, got ${describeValue(tools)}.`);
  const given = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
  const address = url ?? via;
  const { via: _, ...rest } = options;
  const to = address === undefined ? undefined : addressOf(address);
  if (auth instanceof McpAuth && url !== undefined && to && !isSafe(to))
    throw wrong(`\`url\` of the MCP server "${name}" must begin with \`https:\`, or anybody could read its tokens.`);
  return { ...rest, url: to, isVia: via !== undefined, limits: { ...usualLimits, ...given } };
}

function addressOf(url: string | URL): URL {
  try {
    const address = new URL(url, globalThis.location?.href);
    if (/^https?:$/.test(address.protocol)) return address;
  } catch {
    // Said below.
  }
  throw wrong(`\`url\` must be the address of an MCP server, got ${describeValue(String(url))}.`);
}

const wrong = (message: string) => new GloveError("MCP_CONFIG", message);
