// Requests of pages to MCP servers that this handler knows by their names: it adds what only a server may have, and reaches nothing else.

import { GloveError } from "../../src/values/error.js";
import { check, checkOptions, type Options } from "../../src/values/validate-options.js";
import { secretOf } from "../authorize.js";
import { readBody } from "../body.js";
import type { ChatHandlerConfig } from "../config.js";
import { refuse } from "../refuse.js";
import type { McpUpstream } from "./mcp-upstream.js";

const upstreamOptions = { url: "any", headers: "any" } as const satisfies Options<McpUpstream>;

/** Names the server in a request of a page. */
export const mcpHeader = "x-glove-mcp";

const sessionHeader = "mcp-session-id";
/** What else of a page's request concerns its server. */
const passed = /^(accept|content-type|last-event-id|mcp-(protocol-version|method|name|param-.+))$/;
/** The methods of the transport. */
const methods: readonly string[] = ["POST", "GET", "DELETE"];

export class McpForward {
  readonly #config: ChatHandlerConfig;
  readonly #servers: ReadonlyMap<string, McpUpstream & { readonly url: URL }>;
  readonly #secret: () => string;
  #key: Promise<CryptoKey> | undefined;

  constructor(config: ChatHandlerConfig, servers: Readonly<Record<string, McpUpstream>>, key: () => string) {
    this.#config = config;
    // Workers have no randomness before their first request.
    this.#secret = () => secretOf(config, key, crypto.randomUUID() + crypto.randomUUID());
    this.#servers = new Map(Object.entries(servers).map(([name, server]) => [name, { ...server, url: addressOf(name, server) }]));
  }

  /** A page wants one of its servers. */
  static asks(request: Request): boolean {
    return request.headers.has(mcpHeader) && methods.includes(request.method);
  }

  async answer(request: Request, owner: string): Promise<Response> {
    const name = request.headers.get(mcpHeader) ?? "";
    const server = this.#servers.get(name);
    if (!server) refuse(404, "MCP_SERVER_UNKNOWN", "This endpoint knows no MCP server by that name.");
    const headers = new Headers([...request.headers].filter(([header]) => passed.test(header)));
    const session = request.headers.get(sessionHeader);
    if (session !== null) headers.set(sessionHeader, await this.#opened(session, name, owner));
    const { headers: own } = server;
    const added = typeof own === "function" ? await own({ owner, request }) : own;
    for (const [header, value] of new Headers(added)) headers.set(header, value);
    // A missing key is told before anything is asked.
    await this.#signing();
    const { method, signal } = request;
    const body = method === "POST" ? await readBody(request, this.#config.limits) : null;
    const response = await this.#ask(server.url, { method, headers, body, signal, redirect: "manual" });
    return this.#returned(response, name, owner);
  }

  async #ask(url: URL, init: RequestInit): Promise<Response> {
    try {
      return await (this.#config.fetch ?? globalThis.fetch)(url.href, init as never);
    } catch (error) {
      return refuse(502, "MCP_UPSTREAM_FAILED", "The MCP server cannot be reached.", error);
    }
  }

  async #returned({ status, headers, body }: Response, name: string, owner: string): Promise<Response> {
    // It might lead to a place that pages must not reach.
    if (status < 200 || (status >= 300 && status < 400))
      refuse(502, "MCP_UPSTREAM_FAILED", "The MCP server answered with an address.");
    const told = new Headers({ "cache-control": "no-store" });
    const type = headers.get("content-type");
    if (type !== null) told.set("content-type", type);
    const session = headers.get(sessionHeader);
    if (session !== null) told.set(sessionHeader, await this.#sealed(session, name, owner));
    // Who is not signed in there is not the page.
    const shown = status === 401 ? 403 : status;
    return new Response(status === 204 || status === 205 ? null : body, { status: shown, headers: told });
  }

  // ---- sessions of servers belong to who began them ------------------------------------------------------------------

  async #sealed(session: string, name: string, owner: string): Promise<string> {
    const seal = await crypto.subtle.sign("HMAC", await this.#signing(), bytesOf(session, name, owner));
    return `${session}.${Array.from(new Uint8Array(seal), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  }

  async #opened(sealed: string, name: string, owner: string): Promise<string> {
    const at = sealed.lastIndexOf(".");
    const session = sealed.slice(0, Math.max(0, at));
    const seal = Uint8Array.from(sealed.slice(at + 1).match(/[0-9a-f]{2}/g) ?? [], (byte) => Number.parseInt(byte, 16));
    const own = await crypto.subtle.verify("HMAC", await this.#signing(), seal, bytesOf(session, name, owner));
    // The client begins another one then.
    if (!own) refuse(404, "MCP_SESSION_UNKNOWN", "This is no session of yours with the MCP server.");
    return session;
  }

  #signing(): Promise<CryptoKey> {
    this.#key ??= crypto.subtle.importKey(
      "raw",
      new TextEncoder().encode(`mcp ${this.#secret()}`),
      { name: "HMAC", hash: "SHA-256" },
      false,
      ["sign", "verify"],
    );
    return this.#key;
  }
}

const bytesOf = (...parts: readonly string[]) => new TextEncoder().encode(JSON.stringify(parts));

function addressOf(name: string, server: McpUpstream): URL {
  const called = (option: string) => `\`${option}\` of the MCP server "${name}"`;
  check(`The MCP server "${name}"`, server, "object");
  checkOptions(server, upstreamOptions, { called });
  if (URL.canParse(String(server.url)) && /^https?:$/.test(new URL(server.url).protocol)) return new URL(server.url);
  throw new GloveError("CONFIG_INVALID", `${called("url")} must be an address.`);
}
