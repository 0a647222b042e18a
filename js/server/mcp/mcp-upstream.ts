// An MCP server that a chat handler reaches for pages.

import type { Maybe } from "../../src/timing/sync-or-promise.js";

/** An MCP server that pages reach through a chat handler. */
export interface McpUpstream {
  readonly url: string | URL;
  /** Sent with each request: a token of the application, or of who calls. */
  readonly headers?:
    | HeadersInit
    | ((about: { readonly owner: string; readonly request: Request }) => Maybe<HeadersInit>)
    | undefined;
  /** Has people sign in by OAuth, here: their tokens stay with this handler. */
  readonly auth?: McpUpstreamAuth | undefined;
}

/** Where tokens are kept: texts by their keys. */
export interface McpTokenStore {
  get(key: string): Maybe<string | undefined>;
  set(key: string, value: string): Maybe<unknown>;
  delete(key: string): Maybe<unknown>;
}

/** How people sign in to a server through a chat handler. Each `owner` has tokens of their own. */
export interface McpUpstreamAuth {
  /** The official client, where a bundler finds it: `() => import("@modelcontextprotocol/client")`. */
  readonly client: () => Promise<object>;
  /** The address of this handler as browsers reach it: authorization servers send people back to it. */
  readonly redirectUrl: string | URL;
  /** What authorization servers call the application when they ask the person; default `glove-wasm`. */
  readonly clientName?: string | undefined;
  /** A client metadata document of the application (`https:`), for servers that take such; others are asked to register it. */
  readonly clientMetadataUrl?: string | undefined;
  /** The application's id, where it was registered by hand, and its secret, if it has one. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** What is asked for; default what the server says. */
  readonly scope?: string | undefined;
  /** Where tokens are kept; default the memory of this process. Where several processes answer, they need the same. */
  readonly store?: McpTokenStore | undefined;
  /**
   * Where authorization servers may be, beside the server's own origin, as the `hosts` of tools; default `["*"]`, which is every public host, and
   * no address of this machine or its network.
   */
  readonly hosts?: readonly string[] | undefined;
}
