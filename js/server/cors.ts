// Which pages of other origins may call.
import type { ChatHandlerConfig } from "./config.js";
import { refuse } from "./refuse.js";

/** The headers for a request's origin; none where it is not allowed. */
export function corsHeaders(allowed: ChatHandlerConfig["cors"], request: Request): Record<string, string> {
  if (allowed === undefined) return {};
  const origin = request.headers.get("origin");
  const origins = typeof allowed === "string" ? [allowed] : allowed;
  const any = origins.includes("*");
  if (origin === null || !(any || origins.includes(origin))) return { vary: "origin" };
  return {
    "access-control-allow-origin": any ? "*" : origin,
    "access-control-allow-methods": "GET, POST, DELETE",
    "access-control-allow-headers": `content-type, authorization, last-event-id, x-glove-answer, x-glove-answer-over${ofMcp(request)}`,
    "access-control-expose-headers": "retry-after, x-should-retry, x-glove-answer, mcp-session-id",
    "access-control-max-age": "86400",
    vary: "origin",
  };
}

/** What a page says to an MCP server that a chat handler reaches for it. */
function ofMcp(request: Request): string {
  const asked = request.headers.get("access-control-request-headers") ?? "";
  const named = asked.split(",").map((name) => name.trim().toLowerCase());
  return named
    .filter((name) => /^(accept|x-glove-mcp(-auth)?|mcp-[a-z0-9-]+)$/.test(name))
    .map((name) => `, ${name}`)
    .join("");
}

/**
 * A browser sends some requests to anybody without asking, with what it keeps for that site, and says whose page wants them. Who signs in with
 * a header has said it in the page itself, and what is no browser says nothing.
 */
export function checkOrigin(config: Pick<ChatHandlerConfig, "authorize" | "cors">, request: Request): void {
  const { headers, method, url } = request;
  if (method === "GET" || headers.has("authorization")) return;
  if ("access-control-allow-origin" in corsHeaders(config.cors, request)) return;
  const site = headers.get("sec-fetch-site");
  const origin = headers.get("origin");
  // Behind a proxy the address may be another one than the page's, which `authorize` has to know.
  const own =
    site === null
      ? origin === null || config.authorize !== undefined || sameHost(origin, url)
      : /^(same-origin|none)$/.test(site);
  if (!own) refuse(403, "FORBIDDEN", "Pages of other origins may not change anything here.");
}

function sameHost(origin: string, url: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === new URL(url).host;
}
