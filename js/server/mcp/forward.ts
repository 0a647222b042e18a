// Requests of pages to MCP servers that this handler knows by their names: it adds what only a server may have, and reaches nothing else.

import { statePrefix } from "../../mcp/auth/state-prefix.js";
import { isSafe } from "../../mcp/safe-address.js";
import { GloveError, loadPart } from "../../src/values/error.js";
import { check, checkOptions, type Options } from "../../src/values/validate-options.js";
import { secretOf } from "../authorize.js";
import { readBody } from "../body.js";
import type { ChatHandlerConfig } from "../config.js";
import { refuse } from "../refuse.js";
import type { McpUpstream, McpUpstreamAuth } from "./mcp-upstream.js";
import type { HandlerSignIn } from "./sign-in.js";

const authOptions = {
  redirectUrl: "any",
  clientName: "text",
  clientMetadataUrl: "text",
  clientId: "text",
  client: "work",
  clientSecret: "text",
  scope: "text",
  store: "object",
  hosts: "list",
} as const satisfies Options<McpUpstreamAuth>;

const upstreamOptions = { url: "any", headers: "any", auth: "object" } as const satisfies Options<McpUpstream>;

/** Names the server in a request of a page. */
export const mcpHeader = "x-glove-mcp";

/** What a page asks about the sign-in of its person. */
const authHeader = "x-glove-mcp-auth";

const sessionHeader = "mcp-session-id";
/** What else of a page's request concerns its server. */
const passed = /^(accept|content-type|last-event-id|mcp-(protocol-version|method|name|param-.+))$/;
/** The methods of the transport. */
const methods: readonly string[] = ["POST", "GET", "DELETE"];

type Known = McpUpstream & { readonly url: URL };

export class McpForward {
  readonly #config: ChatHandlerConfig;
  readonly #servers: ReadonlyMap<string, Known>;
  readonly #signIns = new Map<string, Promise<HandlerSignIn>>();
  readonly #secret: () => string;
  #key: Promise<CryptoKey> | undefined;

  constructor(config: ChatHandlerConfig, servers: Readonly<Record<string, McpUpstream>>, key: () => string) {
    this.#config = config;
    // Workers have no randomness before their first request.
    this.#secret = () => secretOf(config, key, crypto.randomUUID() + crypto.randomUUID());
    this.#servers = new Map(Object.entries(servers).map(([name, server]) => [name, { ...server, url: addressOf(name, server) }]));
    for (const [name, server] of this.#servers) checkAuth(name, server, config);
  }

  /** A page wants one of its servers. */
  static asks(request: Request): boolean {
    return request.headers.has(mcpHeader) && methods.includes(request.method);
  }

  /** Somebody comes back who signs in to one of its servers. */
  returns(request: Request): boolean {
    if (request.method !== "GET" || ![...this.#servers.values()].some(({ auth }) => auth)) return false;
    return new URL(request.url).searchParams.get("state")?.startsWith(statePrefix) ?? false;
  }

  async finish(request: Request, owner: string): Promise<Response> {
    const found = await Promise.all([...this.#servers].map(([name, server]) => this.#signIn(name, server)));
    const { finished } = await loadPart(import("./sign-in.js"));
    return finished(
      found.filter((one) => one !== undefined),
      new URL(request.url).searchParams,
      owner,
    );
  }

  async #signIn(name: string, { auth, url }: Known): Promise<HandlerSignIn | undefined> {
    if (!auth) return undefined;
    const { cors = [], fetch } = this.#config;
    const made =
      this.#signIns.get(name) ??
      loadPart(import("./sign-in.js")).then(
        ({ HandlerSignIn }) =>
          new HandlerSignIn({
            name,
            url,
            auth,
            origins: [cors].flat(),
            fetch: fetch ?? ((to, init) => globalThis.fetch(to, init)),
          }),
      );
    this.#signIns.set(name, made);
    made.catch(() => this.#signIns.delete(name));
    return made;
  }

  async answer(request: Request, owner: string): Promise<Response> {
    const name = request.headers.get(mcpHeader) ?? "";
    const server = this.#servers.get(name);
    if (!server) refuse(404, "MCP_SERVER_UNKNOWN", "This endpoint knows no MCP server by that name.");
    const signIn = await this.#signIn(name, server);
    const about = request.headers.get(authHeader);
    if (about !== null) {
      if (!signIn) refuse(404, "MCP_SERVER_UNKNOWN", "Nobody signs in to this MCP server here: it has no `auth`.");
      if (request.method !== "POST") refuse(405, "METHOD_NOT_ALLOWED", "A sign-in is asked about by POST.");
      return signIn.answer(about, owner, await readBody(request, this.#config.limits));
    }
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
    const ask = () => this.#ask(server.url, { method, headers, body, signal, redirect: "manual" });
    const response = signIn ? await this.#signedIn(signIn, owner, headers, ask) : await ask();
    return this.#returned(response, name, owner);
  }

  /** Asks with the owner's token, and once more with a new one. A request that was refused so was not begun. */
  async #signedIn(signIn: HandlerSignIn, owner: string, headers: Headers, ask: () => Promise<Response>): Promise<Response> {
    for (let again = false; ; again = true) {
      const used = await signIn.token(owner);
      if (used !== undefined) headers.set("authorization", `Bearer ${used}`);
      const response = await ask();
      const isUnknown = response.status === 401;
      if (!isUnknown && response.status !== 403) return response;
      if (isUnknown && !again && (await signIn.renewed(owner, used))) {
        await response.body?.cancel();
        continue;
      }
      if (!(await signIn.refused(owner, used, response))) return response;
      await response.body?.cancel();
      refuse(401, "MCP_SIGNED_OUT", "The MCP server wants the person to sign in.");
    }
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
  checkOptions(server.auth, authOptions, { called: (option) => called(`auth.${option}`) });
  if (URL.canParse(String(server.url)) && /^https?:$/.test(new URL(server.url).protocol)) return new URL(server.url);
  throw new GloveError("CONFIG_INVALID", `${called("url")} must be an address.`);
}

/** Refuses what would give tokens to nobody, or in the clear. */
function checkAuth(name: string, { auth, url }: Known, { owner }: ChatHandlerConfig): void {
  if (!auth) return;
  const wrong = (option: string, must: string) =>
    new GloveError("CONFIG_INVALID", `\`${option}\` of the MCP server "${name}" ${must}.`);
  if (!owner) throw wrong("auth", "needs the handler's `owner`, which tokens are kept by");
  if (!isSafe(url)) throw wrong("url", "must begin with `https:`, or anybody could read its tokens");
  const { redirectUrl, clientMetadataUrl: document } = auth;
  if (typeof auth.client !== "function") throw wrong("auth.client", 'must be `() => import("@modelcontextprotocol/client")`');
  if (!URL.canParse(String(redirectUrl)) || !isSafe(new URL(redirectUrl)))
    throw wrong("auth.redirectUrl", "must be the address of this handler, with `https:`");
  if (document !== undefined && !/^https:\/\/[^/]+\/./.test(document))
    throw wrong("auth.clientMetadataUrl", "must be an address with `https:` and a path");
}
