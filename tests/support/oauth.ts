// A strict authorization server, and an MCP server that takes its tokens alone: in this process, or behind real addresses. It can be told to lie.
import { createHash, randomUUID } from "node:crypto";
import { type Fill, mcpSite, type Site } from "./mcp.js";

export interface Grant {
  readonly token: string;
  readonly refresh: string;
  readonly scope: string;
  readonly user: string;
}

export interface OAuthSite {
  readonly url: string;
  readonly issuer: string;
  readonly fetch: typeof fetch;
  readonly site: Site;
  /** What was asked, by method and path. */
  readonly asked: string[];
  /** Whatever had a token of ours in it, and where it went. */
  readonly tokensAt: string[];
  /** What was refused, and why. */
  readonly refused: string[];
  readonly grants: Grant[];
  readonly registered: Record<string, unknown>[];
  /** The person at the sign-in page: gives where the page sends them. */
  consent(address: string | URL, user?: string): URL;
  /** No token is good any more; what makes new ones is, unless it is told. */
  expire(more?: { readonly refresh?: boolean }): void;
  /** Handles a request to one of its addresses. */
  handle(request: Request): Promise<Response>;
}

export interface Lies {
  readonly resource?: string;
  readonly metadata?: Record<string, unknown>;
  readonly protectedMetadata?: Record<string, unknown>;
  /** `WWW-Authenticate` of a refusal. */
  readonly challenge?: string;
  /** What is wrong with the answer that a person is sent back with. */
  readonly returns?: (address: URL) => void;
  /** Before anything is answered. */
  readonly before?: (request: Request) => Response | undefined;
  /** A tool that needs this right beside. */
  readonly scopes?: Readonly<Record<string, string>>;
  /** The server takes no token, however new. */
  readonly never?: boolean;
}

interface Code {
  readonly client: string;
  readonly redirect: string;
  readonly challenge: string;
  readonly resource: string | null;
  readonly scope: string;
  readonly user: string;
}

const json = (body: unknown, status = 200) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", "cache-control": "no-store" } });

export function oauthSite(
  fill: Fill,
  lies: Lies = {},
  base = "https://docs.example",
  issuer = "https://login.example",
): OAuthSite {
  const site = mcpSite(fill);
  const url = `${base}/mcp`;
  const codes = new Map<string, Code>();
  const clients = new Map<string, { redirect_uris: string[] }>();
  let grants: (Grant & { readonly client: string; readonly resource: string | null; live: boolean; used: boolean })[] = [];
  const asked: string[] = [];
  const refused: string[] = [];
  const tokensAt: string[] = [];
  const registered: Record<string, unknown>[] = [];
  const wrong = (why: string, code = "invalid_request") => {
    refused.push(why);
    return json({ error: code, error_description: why }, 400);
  };

  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    response_types_supported: ["code"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    ...lies.metadata,
  };

  function granted({ client, scope, user, resource }: Pick<Code, "client" | "scope" | "user" | "resource">): Response {
    const grant = { token: randomUUID(), refresh: randomUUID(), scope, user, client, resource, live: true, used: false };
    grants.push(grant);
    const { token: access_token, refresh: refresh_token } = grant;
    return json({ access_token, refresh_token, token_type: "Bearer", expires_in: 3600, scope });
  }

  async function token(request: Request): Promise<Response> {
    if (!/^application\/x-www-form-urlencoded/.test(request.headers.get("content-type") ?? "")) return wrong("no form");
    const form = new URLSearchParams(await request.text());
    const client = form.get("client_id") ?? "";
    if (!clients.has(client) && !/^https:/.test(client) && client !== "by-hand") return wrong("unknown client", "invalid_client");
    if (form.get("grant_type") === "refresh_token") {
      const grant = grants.find((one) => one.refresh === form.get("refresh_token"));
      if (!grant || grant.client !== client) return wrong("no such refresh token", "invalid_grant");
      if (grant.resource !== form.get("resource")) return wrong("another resource", "invalid_target");
      if (grant.used) {
        // Somebody has stolen it, or two tabs were not one after the other.
        for (const one of grants) one.live = one.live && one.user !== grant.user;
        return wrong("a refresh token twice", "invalid_grant");
      }
      grant.used = true;
      grant.live = false;
      return granted(grant);
    }
    if (form.get("grant_type") !== "authorization_code") return wrong("unknown grant", "unsupported_grant_type");
    const code = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    if (!code) return wrong("a code twice, or none", "invalid_grant");
    if (code.client !== client) return wrong("the code of another client", "invalid_grant");
    if (code.redirect !== form.get("redirect_uri")) return wrong("another redirect_uri", "invalid_grant");
    if (code.resource !== form.get("resource")) return wrong("another resource", "invalid_target");
    const verifier = form.get("code_verifier") ?? "";
    if (!/^[\w.~-]{43,128}$/.test(verifier)) return wrong("no verifier", "invalid_grant");
    if (createHash("sha256").update(verifier).digest("base64url") !== code.challenge)
      return wrong("another verifier", "invalid_grant");
    return granted(code);
  }

  async function register(request: Request): Promise<Response> {
    const body = (await request.json()) as { redirect_uris?: string[]; token_endpoint_auth_method?: string };
    if (!body.redirect_uris?.every((uri) => URL.canParse(uri) && !new URL(uri).hash)) return wrong("no redirect_uris");
    if (body.token_endpoint_auth_method !== "none") return wrong("no public client");
    const client_id = `client ${clients.size + 1}`;
    clients.set(client_id, { redirect_uris: body.redirect_uris });
    registered.push(body);
    return json({ ...body, client_id, client_id_issued_at: 0 }, 201);
  }

  async function mcp(request: Request): Promise<Response> {
    const grant = grants.find((one) => request.headers.get("authorization") === `Bearer ${one.token}`);
    const usual = `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource/mcp"`;
    if (!grant?.live || lies.never)
      return new Response(null, { status: 401, headers: { "www-authenticate": lies.challenge ?? usual } });
    if (grant.resource !== url) {
      refused.push("the token of another resource");
      return new Response(null, { status: 401, headers: { "www-authenticate": usual } });
    }
    const text = request.method === "POST" ? await request.text() : undefined;
    const { method, params } = JSON.parse(text ?? "{}") as { method?: string; params?: { name?: string } };
    const scope = method === "tools/call" ? lies.scopes?.[params?.name ?? ""] : undefined;
    if (scope && !grant.scope.split(" ").includes(scope)) {
      const challenge = `Bearer error="insufficient_scope", scope="${scope}", resource_metadata="${base}/.well-known/oauth-protected-resource/mcp"`;
      return new Response(null, { status: 403, headers: { "www-authenticate": challenge } });
    }
    const { method: by, headers } = request;
    return site.fetch(request.url, { method: by, headers, ...(text !== undefined && { body: text }) });
  }

  async function handle(request: Request): Promise<Response> {
    const { origin, pathname } = new URL(request.url);
    asked.push(`${request.method} ${origin}${pathname}`);
    const all = [...request.headers.values()].join(" ") + (request.body ? await request.clone().text() : "");
    if (grants.some(({ token, refresh }) => all.includes(token) || all.includes(refresh))) tokensAt.push(origin + pathname);
    const lie = lies.before?.(request);
    if (lie) return lie;
    if (origin === base && pathname === "/mcp") return mcp(request);
    if (origin === base && pathname === "/.well-known/oauth-protected-resource/mcp")
      return json({
        resource: lies.resource ?? url,
        authorization_servers: [issuer],
        scopes_supported: ["read"],
        ...lies.protectedMetadata,
      });
    if (origin === issuer && pathname === "/.well-known/oauth-authorization-server") return json(metadata);
    if (origin === issuer && pathname === "/register") return register(request);
    if (origin === issuer && pathname === "/token") return token(request);
    return new Response("not here", { status: 404 });
  }

  function consent(given: string | URL, user = "ann"): URL {
    const { searchParams: asks } = new URL(given);
    const [client = "", redirect = ""] = [asks.get("client_id"), asks.get("redirect_uri")].map(String);
    const known = clients.get(client)?.redirect_uris ?? [redirect];
    if (!known.includes(redirect)) throw new Error("a redirect_uri that was not registered");
    if (asks.get("response_type") !== "code" || asks.get("code_challenge_method") !== "S256") throw new Error("no PKCE");
    const challenge = asks.get("code_challenge") ?? "";
    if (!/^[\w-]{43}$/.test(challenge)) throw new Error("no challenge");
    if ((asks.get("state") ?? "").length < 30) throw new Error("a state that can be guessed");
    const code = randomUUID();
    codes.set(code, { client, redirect, challenge, resource: asks.get("resource"), scope: asks.get("scope") ?? "", user });
    const back = new URL(redirect);
    back.searchParams.set("code", code);
    back.searchParams.set("state", asks.get("state") ?? "");
    back.searchParams.set("iss", issuer);
    lies.returns?.(back);
    return back;
  }

  return {
    url,
    issuer,
    site,
    asked,
    refused,
    tokensAt,
    registered,
    get grants() {
      return grants;
    },
    consent,
    expire({ refresh = false } = {}) {
      for (const grant of grants) grant.live = false;
      if (refresh) grants = [];
    },
    handle,
    fetch: async (to, init) => {
      const { redirect: _, ...rest } = init ?? {};
      return handle(new Request(to as string | URL, rest));
    },
  };
}
