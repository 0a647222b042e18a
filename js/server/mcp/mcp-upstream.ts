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
}
