// Servers of the Model Context Protocol for tests, made with the official package, and sessions that use them.
import { InMemoryTransport } from "@modelcontextprotocol/client";
import { createMcpHandler, McpServer as Server, type ServerOptions } from "@modelcontextprotocol/server";
import type { GloveClientConfig } from "glove-wasm";
import { type McpServer, type McpServerOptions, type McpStore, mcpServer } from "glove-wasm/mcp";
import type { ScriptedAnswer } from "glove-wasm/testing";
import { type Scene, scene } from "./session.js";

export type Fill = (server: Server) => void;

/** What was asked of a server over HTTP. */
export interface Asked {
  readonly method: string;
  readonly params: Record<string, unknown>;
}

export interface Site {
  readonly url: string;
  readonly fetch: typeof fetch;
  readonly asked: Asked[];
  calls(): Asked[];
  /** What stands between a page and it. */
  between: ((asked: Asked, send: () => Promise<Response>) => Promise<Response>) | undefined;
  readonly handler: ReturnType<typeof createMcpHandler>;
}

/** A server of 2026-07-28, and of the versions before where it is asked so. */
export function mcpSite(fill: Fill, options: ServerOptions = {}): Site {
  const handler = createMcpHandler(() => filled(fill, options), { legacy: "stateless" });
  const asked: Asked[] = [];
  const site: Site = {
    url: "https://docs.example/mcp",
    asked,
    between: undefined,
    handler,
    calls: () => asked.filter(({ method }) => method === "tools/call"),
    fetch: async (url, init) => {
      const { method = "", params = {} } = JSON.parse(String(init?.body ?? "{}")) as Partial<Asked>;
      const one = { method, params };
      if (method) asked.push(one);
      const send = () => handler.fetch(new Request(url as string, init));
      return site.between ? site.between(one, send) : send();
    },
  };
  return site;
}

/** A server before 2026-07-28, in this process: how it may be connected to, again and again. */
export function olderServer(fill: Fill, options: ServerOptions = {}) {
  const servers: Server[] = [];
  const transport = async () => {
    const [here, there] = InMemoryTransport.createLinkedPair();
    const server = filled(fill, options);
    servers.push(server);
    await server.connect(there as never);
    return here;
  };
  return { transport, servers };
}

function filled(fill: Fill, options: ServerOptions): Server {
  const server = new Server({ name: "docs-server", version: "1.2.3" }, options);
  fill(server);
  return server;
}

/** A store of lists and of what was allowed, which outlives pages. */
export function mcpStore(): McpStore & { readonly rows: Map<string, string> } {
  const rows = new Map<string, string>();
  return {
    rows,
    get: (key) => rows.get(key),
    set: (key, value) => void rows.set(key, value),
    delete: (key) => void rows.delete(key),
  };
}

/** A session whose model has the tools of a server called `docs`. */
export function mcpScene(
  script: readonly ScriptedAnswer[],
  options: Partial<McpServerOptions>,
  config: Partial<GloveClientConfig> = {},
): Scene & { readonly server: McpServer } {
  const server = mcpServer({ name: "docs", ...options });
  return { ...scene(script, { ...config, plugins: [server, ...(config.plugins ?? [])] }), server };
}

export const call = (name: string, input: unknown, id = "c1"): ScriptedAnswer => ({ toolCalls: [{ name, input, id }] });
