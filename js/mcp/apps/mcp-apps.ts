// The apps of a page's MCP servers: what `mcpServer` takes as `apps`, and the renderers that draw them.

import { createElement, type ReactNode } from "react";
import { useGlove, useToolCall } from "../../react/hooks/use-glove.js";
import { Loader } from "../../react/look/loader.js";
import type { WrittenCall } from "../../react/render/types.js";
import type { SlotProps } from "../../react/renderers/props.js";
import type { StreamingCall } from "../../src/snapshot/snapshot.js";
import { GloveError } from "../../src/values/error.js";
import { check, checkOptions, describeValue, type Options } from "../../src/values/validate-options.js";
import { appCaller, appCallIn } from "./app-call.js";
import type { AppCall, AppRound, AppServer, AppSlot, AppsOfPage, McpAppsHost, WrittenApp } from "./host.js";

/** How apps are drawn. */
export interface McpAppsOptions {
  /**
   * Where `mcpAppPage()` of `glove-wasm/server` is served, for a page with a Content-Security-Policy: what a page writes into a frame itself is under
   * its own. Default: no such page.
   */
  readonly page?: string | URL | undefined;
  /** Letters of an app; default 4,000,000. One with more is not drawn. */
  readonly maxLetters?: number | undefined;
  /** Calls that one app may make while it is drawn; default 200. */
  readonly maxCalls?: number | undefined;
}

const appsOptions = { page: "any", maxLetters: "large", maxCalls: "large" } as const satisfies Options<McpAppsOptions>;

const view = /* @__PURE__ */ new Loader(() => import("./app-view.js"));
const AppView = /* @__PURE__ */ view.component("AppView");

/** Reads the conversation for the view, which is loaded later: what it imported of hooks would be a file of its own for every page. */
function AppCard(props: SlotProps & { readonly apps: AppsOfPage }): ReactNode {
  const session = useGlove(({ session }) => session);
  const entry = useToolCall((props.data as AppSlot).call);
  const asks = useGlove(
    ({ approvals, slots }) => approvals.length > 0 || slots.some(({ waits, renderer }) => waits && renderer !== "mcp_app"),
  );
  return createElement(AppView, { ...props, session, entry, asks });
}

/** The app of a call whose arguments the model writes, where nobody is asked before it runs. */
function WrittenCard(props: SlotProps & { readonly apps: McpApps }): ReactNode {
  const session = useGlove(({ session }) => session);
  const { id, name, input } = props.data as StreamingCall;
  const app = session && props.apps.written(session.sessionId, name);
  return app
    ? createElement(AppView, { ...props, data: { ...app, call: id }, session, entry: undefined, asks: true, written: { input } })
    : null;
}

/** What an app has told for the model, at most: those of a session are part of each of its writes. */
const toldLetters = 2_000;

/**
 * Draws apps of MCP servers in the chat: `mcpServer({ …, apps })`, and `<GloveProvider renderers={apps.renderers}>`. Needs
 * `@modelcontextprotocol/ext-apps`.
 */
export function createMcpApps(options: McpAppsOptions = {}): McpApps {
  check("The options of MCP apps", options, "object", "MCP_CONFIG");
  checkOptions(options, appsOptions, { code: "MCP_CONFIG" });
  return new McpApps(options);
}

/** What draws apps, and knows their servers. `createMcpApps` makes it. */
export class McpApps implements McpAppsHost, AppsOfPage {
  /** For `renderers` of a provider or a hook. */
  readonly renderers: Readonly<Record<"mcp_app" | WrittenCall, (props: SlotProps) => ReactNode>>;
  readonly maxLetters: number;
  readonly maxCalls: number;
  readonly page: URL | undefined;
  readonly #servers = new Map<string, (user: string | undefined) => Promise<AppServer>>();
  /** What is told with the next call of the model: by server and session, then by the call that the app shows. */
  readonly #told = new Map<string, Map<string, string>>();
  /** By session, and then by server. */
  readonly #written = new Map<string, Map<string, ReadonlyMap<string, WrittenApp>>>();

  /** @internal */
  constructor({ page, maxLetters = 4_000_000, maxCalls = 200 }: McpAppsOptions) {
    this.page = page === undefined ? undefined : addressOf(page);
    this.maxLetters = maxLetters;
    this.maxCalls = maxCalls;
    this.renderers = {
      mcp_app: (props) => createElement(AppCard, { ...props, apps: this }),
      "a written call": (props) => createElement(WrittenCard, { ...props, apps: this }),
    };
  }

  /** @internal A server of this page. */
  add(name: string, client: (user: string | undefined) => Promise<AppServer>): void {
    this.#servers.set(name, client);
  }

  /** @internal Nothing where this page has made no such server. */
  server(name: string, user: string | undefined): Promise<AppServer> | undefined {
    return this.#servers.get(name)?.(user);
  }

  /** @internal What an app says that it shows; nothing takes it back. */
  tell(server: string, sessionId: string, call: string, text: string): void {
    const key = JSON.stringify([server, sessionId]);
    const told = this.#told.get(key) ?? new Map<string, string>();
    // The last ones are told, by when they spoke.
    told.delete(call);
    this.#told.set(key, told.set(call, text.slice(0, toldLetters)));
  }

  /** @internal */
  write(sessionId: string, server: string, apps: ReadonlyMap<string, WrittenApp>): void {
    const servers = this.#written.get(sessionId) ?? new Map();
    if (apps.size > 0 || servers.has(server)) this.#written.set(sessionId, servers.set(server, apps));
  }

  /** @internal */
  written(sessionId: string, tool: string): WrittenApp | undefined {
    // No two servers of a page have tools of one name.
    return this.#written
      .get(sessionId)
      ?.get(tool.slice(0, tool.indexOf("__")))
      ?.get(tool);
  }

  /** @internal */
  callIn(round: AppRound, server: string): AppCall | undefined {
    const call = appCallIn(round, server);
    return call && { name: call.name, caller: appCaller(server) };
  }

  /** @internal What was told since this page began. */
  told(server: string, sessionId: string): ReadonlyMap<string, string> | undefined {
    return this.#told.get(JSON.stringify([server, sessionId]));
  }
}

function addressOf(page: string | URL): URL {
  try {
    const address = new URL(page, globalThis.location?.href);
    if (/^https?:$/.test(address.protocol)) return address;
  } catch {
    // Said below.
  }
  throw new GloveError("MCP_CONFIG", `\`page\` must be the address of \`mcpAppPage()\`, got ${describeValue(String(page))}.`);
}
