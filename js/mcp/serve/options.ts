// What an application gives `createMcpHandler`, and what of it is refused.

import type { ChatHandlerConfig } from "../../server/config.js";
import type { ToolConfig } from "../../src/ports/tool.js";
import type { Schema } from "../../src/schema/types.js";
import type { GloveClient } from "../../src/session/client.js";
import { GloveError } from "../../src/values/error.js";
import { check, checkOptions, type Options } from "../../src/values/validate-options.js";

/** A tool of the client's, and what clients of MCP are told of it besides. */
export interface OfferedTool {
  /** Which of the client's tools. */
  readonly name: string;
  /** What its results are. Clients get this and nothing more of them, as structured content and as a text. */
  readonly outputSchema?: Schema | undefined;
  /** It changes nothing. */
  readonly readOnly?: boolean | undefined;
  /** It reaches beyond the application: the web, say. */
  readonly openWorld?: boolean | undefined;
}

/** The application's agent, as a tool: clients say something to it, and get its answer. */
export interface OfferedAgent {
  /** What clients call it: letters, digits, `_` and `-`. */
  readonly name: string;
  /** What it is good for, and when to ask it. */
  readonly description: string;
  /** Its name for people. */
  readonly title?: string | undefined;
}

/** How much one request may bring, and how much a caller may have at once. */
export interface McpHandlerLimits {
  /** Bytes of a request; default 4,194,304. */
  readonly bodyBytes?: number | undefined;
  /** Letters of a result; default 1,000,000. Of a longer one clients are told that it is missing. */
  readonly resultLetters?: number | undefined;
  /** Calls of one owner that run at once; default 16. Without `owner` all callers are one. */
  readonly calls?: number | undefined;
  /** Tools on a page of the list; default 100. */
  readonly pageTools?: number | undefined;
}

/** The options of a handler; those that a chat handler has too mean the same. */
export interface McpHandlerOptions
  extends Pick<ChatHandlerConfig, "authorize" | "authorizeMs" | "owner" | "cors" | "heartbeatMs"> {
  /** Whose tools and sessions they are. Each call of a tool is a session of it, in its store, and so is each conversation with `agent`. */
  readonly client: GloveClient;
  /** Which of its tools clients get. */
  readonly tools?: readonly (string | OfferedTool)[] | undefined;
  /** A tool that has the client's own model answer, with all of the client's tools. */
  readonly agent?: OfferedAgent | undefined;
  /** What the server is called. */
  readonly name: string;
  /** Its version; default `"1.0.0"`. */
  readonly version?: string | undefined;
  /** Its name for people. */
  readonly title?: string | undefined;
  /** What it is for, for the models of clients. */
  readonly instructions?: string | undefined;
  /**
   * What open questions are signed with, the same on all servers of an application: a random text of 32 letters or more. Without it only this
   * process knows its questions again.
   */
  readonly secret?: string | undefined;
  /** So long a question may be answered, in milliseconds; default an hour. */
  readonly questionMs?: number | undefined;
  /** A call is stopped after working for so long in one request; default 120,000. Waiting for a person does not count. */
  readonly timeoutMs?: number | undefined;
  /** What is too much. */
  readonly limits?: McpHandlerLimits | undefined;
  /** Told of every request that was refused, and of what a tool threw. */
  readonly onError?: ((error: GloveError, request: Request) => unknown) | undefined;
}

const limitOptions = {
  bodyBytes: "whole",
  resultLetters: "large",
  calls: "count",
  pageTools: "whole",
} as const satisfies Options<McpHandlerLimits>;

const options = {
  client: "object",
  tools: "list",
  agent: { name: "text", description: "text", title: "text" } satisfies Options<OfferedAgent>,
  name: "text",
  version: "text",
  title: "text",
  instructions: "text",
  secret: "text",
  questionMs: "whole",
  timeoutMs: "whole",
  limits: limitOptions,
  authorize: "work",
  authorizeMs: "large",
  owner: "work",
  cors: "any",
  heartbeatMs: "large",
  onError: "work",
} as const satisfies Options<McpHandlerOptions>;

const offerOptions = {
  name: "text",
  outputSchema: "any",
  readOnly: "flag",
  openWorld: "flag",
} as const satisfies Options<OfferedTool>;

export const defaults = {
  bodyBytes: 4_194_304,
  resultLetters: 1_000_000,
  calls: 16,
  pageTools: 100,
  questionMs: 3_600_000,
  timeoutMs: 120_000,
} as const;

/** A tool, and what is told of it. */
export interface Chosen {
  readonly tool: ToolConfig;
  readonly offer: OfferedTool;
}

/** The tools that clients get. */
export function checkHandler(given: McpHandlerOptions): readonly Chosen[] {
  check("The options", given, "object");
  checkOptions(given, options);
  if (typeof given.client?.session !== "function") throw invalid("createMcpHandler requires a `client`: a GloveClient.");
  if (!given.name) throw invalid("createMcpHandler requires a `name`.");
  const { tools = [], agent } = given;
  if (!given.tools && !agent)
    throw invalid("createMcpHandler requires `tools`, the names of those that clients get, or `agent`.");
  if (agent && !/^[\w-]{1,64}$/.test(agent.name ?? ""))
    throw invalid("`agent` requires a `name` of letters, digits, `_` and `-`.");
  if (agent && !agent.description?.trim())
    throw invalid("`agent` requires a `description`, by which clients know when to ask it.");
  const { bodyBytes = 1, pageTools = 1 } = given.limits ?? {};
  if (!bodyBytes || !pageTools) throw invalid("`limits.bodyBytes` and `limits.pageTools` must be 1 or more.");
  if (given.questionMs === 0 || given.timeoutMs === 0) throw invalid("`questionMs` and `timeoutMs` must be 1 or more.");
  if (given.secret !== undefined && new TextEncoder().encode(given.secret).length < 32)
    throw invalid("`secret` must have 32 letters or more.");
  const offers = tools.map((one) => (typeof one === "string" ? { name: one } : one));
  const names = new Set<string>(agent && [agent.name]);
  return offers.map((offer) => {
    check("A tool of `tools`", offer, "object");
    checkOptions(offer, offerOptions, { called: (option) => `\`${option}\` of a tool of \`tools\`` });
    const tool = given.client.tools?.find(({ name }) => name === offer.name);
    if (!tool) throw invalid(`The client has no tool "${offer.name}".`);
    if (names.has(offer.name)) throw invalid(`The tool "${offer.name}" is there twice.`);
    names.add(offer.name);
    if (!String(tool.description ?? "").trim())
      throw invalid(`The tool "${offer.name}" has no \`description\`, and clients would not know what it does.`);
    return { tool, offer };
  });
}

const invalid = (message: string) => new GloveError("CONFIG_INVALID", message);
