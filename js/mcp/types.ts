// What an application is told of an MCP server, and what it may keep of it.

import type { JsonSchema } from "../src/schema/types.js";
import type { Maybe } from "../src/timing/sync-or-promise.js";
import type { GloveError } from "../src/values/error.js";

/** What a server says of what its tool does. These are its own words. */
export interface McpHints {
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  readonly openWorld: boolean;
}

/** A tool of a server. */
export interface McpToolInfo {
  /** The `name` of the server, as the application calls it. */
  readonly server: string;
  /** What models call it: `docs__search`. */
  readonly name: string;
  /** What the server calls it: `search`. */
  readonly tool: string;
  readonly title?: string | undefined;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema | undefined;
  readonly hints: McpHints;
  /** The resource of the app that shows its calls: `ui://map/app.html`. */
  readonly app?: string | undefined;
  /** Who may call it, as the server says: the model, its own apps. */
  readonly callers: readonly ("model" | "app")[];
  /** Changes with anything that the server says of it. */
  readonly fingerprint: string;
}

/** A prompt of a server. */
export interface McpPromptInfo {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required: boolean }[];
}

/** A resource of a server, or a template of addresses of resources. */
export interface McpResourceInfo {
  readonly uri: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly description: string;
  readonly type?: string | undefined;
  /** `uri` has parts to fill in: `file:///{path}`. */
  readonly template: boolean;
}

/** What a resource holds: text, or bytes as base64. */
export interface McpResourceContent {
  readonly uri: string;
  readonly type?: string | undefined;
  readonly text?: string | undefined;
  readonly base64?: string | undefined;
}

/** How the connection to a server is. */
export type McpStatus =
  | { readonly state: "idle" | "connecting" }
  | {
      readonly state: "ready";
      /** The version of the protocol: `2026-07-28`. */
      readonly protocol: string;
      readonly server: { readonly name: string; readonly version: string };
    }
  /** `signed-out`: the server wants to know who asks, or wants more rights than it was given. */
  | { readonly state: "failed" | "signed-out"; readonly error: GloveError };

/** What a server writes into its log. */
export interface McpLog {
  readonly level: string;
  readonly logger?: string | undefined;
  readonly data: unknown;
}

/** A folder or an address that a server may work in. */
export interface McpRoot {
  readonly uri: string;
  readonly name?: string | undefined;
}

/** Keeps texts by their keys, over sessions and reloads. */
export interface McpStore {
  get(key: string): Maybe<string | undefined>;
  set(key: string, value: string): Maybe<unknown>;
  delete(key: string): Maybe<unknown>;
}

/** What a session knows of a server. */
export interface McpState {
  /** The tools that its model has found. */
  readonly found: readonly string[];
  /** Its model was offered to ask for a sign-in, and a call of that may wait. */
  readonly signIn?: true | undefined;
  /** What apps have told for the model, by the id of the call that they show. */
  readonly told?: Readonly<Record<string, string>> | undefined;
}
