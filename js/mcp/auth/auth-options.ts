// What an application gives `createMcpAuth`, and what of it is refused.

import { GloveError } from "../../src/values/error.js";
import { check, checkOptions, describeValue, type Options } from "../../src/values/validate-options.js";
import type { McpStore } from "../types.js";

/** How a person signs in to servers. */
export interface McpAuthOptions {
  /** What authorization servers call the application when they ask the person; default the title of the page. */
  readonly clientName?: string | undefined;
  /**
   * Where they send the person back to: a page of the same origin that makes the same `createMcpAuth`. Default this page, without its query.
   */
  readonly redirectUrl?: string | URL | undefined;
  /** `popup` (default) opens a window; `redirect` leaves the page and comes back. */
  readonly way?: McpSignInWay | undefined;
  /** A client metadata document of the application (`https:`), for servers that take such; others are asked to register it. */
  readonly clientMetadataUrl?: string | undefined;
  /** The application's id, where it was registered by hand. */
  readonly clientId?: string | undefined;
  /** What is asked for; default what the server says. */
  readonly scope?: string | undefined;
  /** Where tokens are kept; default the database `glove-mcp-auth` of the browser, or memory where there is none. */
  readonly store?: McpStore | undefined;
  /** Asks authorization servers; default the `fetch` of the page. */
  readonly fetch?: typeof fetch | undefined;
}

/** In a window, or by leaving the page. */
export type McpSignInWay = "popup" | "redirect";

const authOptions = {
  clientName: "text",
  redirectUrl: "any",
  way: "popup|redirect",
  clientMetadataUrl: "text",
  clientId: "text",
  scope: "text",
  store: "object",
  fetch: "work",
} as const satisfies Options<McpAuthOptions>;

/** Refuses what cannot work, before anybody signs in. */
export function checkAuthOptions(options: McpAuthOptions): void {
  check("The options of `createMcpAuth`", options, "object", "MCP_CONFIG");
  checkOptions(options, authOptions, { code: "MCP_CONFIG" });
  const { redirectUrl: to, clientMetadataUrl: document } = options;
  const { href, origin } = globalThis.location ?? {};
  // A server that draws the page has no address.
  if (to !== undefined && href && !(URL.canParse(to, href) && new URL(to, href).origin === origin))
    throw wrong("redirectUrl", "an address of this page's origin", to);
  if (document !== undefined && !/^https:\/\/[^/]+\/./.test(document))
    throw wrong("clientMetadataUrl", "an address with `https:` and a path", document);
}

const wrong = (option: string, must: string, got: unknown) =>
  new GloveError("MCP_CONFIG", `\`${option}\` must be ${must}, got ${describeValue(String(got))}.`);
