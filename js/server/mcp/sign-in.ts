// People sign in to an MCP server through a chat handler, by OAuth. Tokens are kept by owner, and no page gets one.

import { type Application, begun, exchanged, failure, keepWanted, refreshed } from "../../mcp/auth/oauth.js";
import { type Flow, locked, type Owner, ownerOf, Rows } from "../../mcp/auth/rows.js";
import { authFailed } from "../../mcp/auth/safe-fetch.js";
import type { SdkModule } from "../../mcp/connection/errors.js";
import { usualStore } from "../../mcp/store.js";
import type { Fetch } from "../../src/relay/http.js";
import { GloveError } from "../../src/values/error.js";
import { allowedUrl } from "../../tools/web/hosts.js";
import { refuse } from "../refuse.js";
import type { McpUpstreamAuth } from "./mcp-upstream.js";

/** Where people sign in, and how. */
export interface SignInSite {
  readonly name: string;
  readonly url: URL;
  readonly auth: McpUpstreamAuth;
  /** Origins whose pages may call, beside that of the handler: a person may be sent back to them. */
  readonly origins: readonly string[];
  readonly fetch: Fetch;
}

const notBegun = "This sign-in was not begun here, or too long ago. Go back, and sign in again.";

async function loaded(client: McpUpstreamAuth["client"]): Promise<SdkModule> {
  try {
    return (await client()) as SdkModule;
  } catch (cause) {
    const message = 'Install "@modelcontextprotocol/client", which a chat handler signs people in to servers of MCP with.';
    throw new GloveError("MCP_CLIENT_MISSING", message, { cause });
  }
}

export class HandlerSignIn {
  readonly #site: SignInSite;
  readonly #application: Application;
  readonly #redirectUrl: URL;

  constructor(site: SignInSite) {
    this.#site = site;
    const { auth, url, fetch } = site;
    const { client, redirectUrl, store = usualStore("glove-mcp-auth"), hosts = ["*"], ...options } = auth;
    this.#redirectUrl = new URL(redirectUrl);
    const reached = [...hosts, url.origin];
    const send = async (to: string | URL, init: RequestInit = {}) => fetch(reachable(new URL(to), reached).href, init);
    this.#application = {
      options: { ...options, fetch: send as typeof globalThis.fetch },
      rows: new Rows(store),
      loadSdk: () => loaded(client),
    };
  }

  #owner(owner: string): Promise<Owner> {
    // What is kept for nobody would be everybody's.
    if (owner === "") refuse(401, "UNAUTHORIZED", "Sign in to use this endpoint.");
    return ownerOf(this.#site.url, owner);
  }

  // ---- what the server is asked with ---------------------------------------------------------------------------------

  async token(owner: string): Promise<string | undefined> {
    return (await this.#application.rows.kept(await this.#owner(owner)))?.tokens.access_token;
  }

  /** Whether there is another token than `used`, which the server did not take. */
  async renewed(owner: string, used: string | undefined): Promise<boolean> {
    const of = await this.#owner(owner);
    try {
      return await locked(JSON.stringify(of), () => refreshed(this.#application, of, used));
    } catch (cause) {
      const { code, message } = failure(cause);
      // The server has begun with nothing, which the page reads by this status.
      return refuse(401, code, message, cause);
    }
  }

  /** The server wants somebody to sign in, or one who has to have more rights. `false` where it refuses for another reason. */
  async refused(owner: string, used: string | undefined, response: Response): Promise<boolean> {
    const { extractWWWAuthenticateParams } = await this.#application.loadSdk();
    const { resourceMetadataUrl, scope, error } = extractWWWAuthenticateParams(response);
    const more = response.status === 403;
    if (more && error !== "insufficient_scope") return false;
    const wanted = { metadata: resourceMetadataUrl?.href, scope };
    await keepWanted(this.#application.rows, await this.#owner(owner), used, wanted, more);
    return true;
  }

  // ---- what a page asks ----------------------------------------------------------------------------------------------

  async answer(what: string, owner: string, body: string): Promise<Response> {
    const of = await this.#owner(owner);
    if (what === "state") return told(await this.#state(of));
    if (what === "out") return told(await this.#signOut(of));
    if (what === "begin") return told({ address: (await this.#begin(of, read(body))).href });
    return refuse(400, "MCP_AUTH_FAILED", "The header `x-glove-mcp-auth` must be `state`, `begin` or `out`.");
  }

  async #state(owner: Owner): Promise<object> {
    const { rows } = this.#application;
    const [kept, wanted, failed] = await Promise.all([rows.kept(owner), rows.wanted(owner), rows.failure(owner)]);
    if (failed) return { state: "failed", ...failed };
    return { state: kept && !wanted ? "signed-in" : "signed-out" };
  }

  async #signOut(owner: Owner): Promise<object> {
    const { rows } = this.#application;
    await locked(JSON.stringify(owner), async () => {
      await rows.keep(owner, undefined);
      await rows.want(owner, undefined);
      await rows.fail(owner, undefined);
    });
    return { state: "signed-out" };
  }

  async #begin(owner: Owner, given: { readonly from?: unknown; readonly way?: unknown }): Promise<URL> {
    const { rows } = this.#application;
    const { name, url } = this.#site;
    try {
      await rows.fail(owner, undefined);
      const flow = {
        ...{ owner, server: name, url: url.href, redirectUrl: this.#redirectUrl.href },
        way: given.way === "redirect" ? ("redirect" as const) : ("popup" as const),
        from: this.#mayComeBack(given.from),
      };
      const address = await begun(this.#application, flow, await rows.wanted(owner));
      await rows.only(flow, address.searchParams.get("state") ?? "");
      return address;
    } catch (cause) {
      const { code, message } = failure(cause);
      return refuse(502, code, message, cause);
    }
  }

  /** A page that may call; nothing for any other. */
  #mayComeBack(from: unknown): string {
    if (typeof from !== "string" || !URL.canParse(from)) return "";
    const { origin } = new URL(from);
    return [this.#redirectUrl.origin, ...this.#site.origins].includes(origin) ? from : "";
  }

  // ---- a person who is back ------------------------------------------------------------------------------------------

  /** Nothing where it was not begun with this server. */
  async finish(said: URLSearchParams, owner: string): Promise<Response | undefined> {
    const { rows } = this.#application;
    const state = said.get("state") ?? "";
    const of = await this.#owner(owner);
    const begun = await rows.flow(state);
    if (begun?.url !== this.#site.url.href) return undefined;
    // Whoever leads others here would get what they sign in to.
    if (JSON.stringify(begun.owner) !== JSON.stringify(of)) refuse(403, "FORBIDDEN", "Somebody else has begun this sign-in.");
    const flow = await rows.take(state);
    if (!flow) return undefined;
    return came(flow, await this.#exchange(flow, said));
  }

  async #exchange(flow: Flow, said: URLSearchParams): Promise<boolean> {
    const { rows } = this.#application;
    const { owner } = flow;
    try {
      await locked(JSON.stringify(owner), () => exchanged(this.#application, flow, said));
      return true;
    } catch (cause) {
      const { code, message } = failure(cause);
      await rows.fail(owner, { code, message });
      return false;
    }
  }
}

/** Of the servers where people sign in, the one where this was begun. */
export async function finished(signIns: readonly HandlerSignIn[], said: URLSearchParams, owner: string): Promise<Response> {
  for (const signIn of signIns) {
    const response = await signIn.finish(said, owner);
    if (response) return response;
  }
  return refuse(400, "MCP_AUTH_FAILED", notBegun);
}

/** A server that lies about its authorization server leads nowhere that it must not reach. */
function reachable(url: URL, hosts: readonly string[]): URL {
  try {
    return allowedUrl(url.href, hosts);
  } catch {
    throw authFailed(`it leads to ${url.origin}, which \`hosts\` of \`auth\` does not allow`);
  }
}

function read(body: string): { readonly from?: unknown; readonly way?: unknown } {
  try {
    return Object(JSON.parse(body));
  } catch {
    return refuse(400, "BODY_NOT_JSON", "The request body is not valid JSON.");
  }
}

const told = (body: object) => Response.json(body, { headers: { "cache-control": "no-store" } });

/** The window closes; where the page was left, it is shown again. */
function came({ way, from }: Flow, isSignedIn: boolean): Response {
  const headers = { "cache-control": "no-store", "referrer-policy": "no-referrer" };
  if (way === "redirect" && from) return new Response(null, { status: 303, headers: { ...headers, location: from } });
  const words = isSignedIn ? "You are signed in." : "The sign-in failed. The conversation says why.";
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Sign in</title><p>${words} You can close this window.</p><script>close()</script></html>`;
  return new Response(html, {
    headers: {
      ...headers,
      "content-type": "text/html; charset=utf-8",
      "content-security-policy":
        "default-src 'none'; frame-ancestors 'none'; script-src 'sha256-GFdus4tIg4GNX0lWNkkH/vMcNIl1NG7q7TWRqw2H0bM='",
      "x-content-type-options": "nosniff",
    },
  });
}
