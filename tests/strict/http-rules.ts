// The request around the body: method, address, and every header.
import { endsRight, isOwn, leadsTo } from "./hosts.js";
import type { Finding, Host, Sent } from "./types.js";

/** Those that a browser, Node or a proxy writes by itself. */
const itsOwn =
  /^(accept|accept-encoding|accept-language|connection|content-length|content-type|host|user-agent|origin|referer|sec-.*|priority|dnt|pragma|cache-control|transfer-encoding|te)$/;
/** Those of the official SDKs, which their servers take from pages too. */
const sdks = /^(x-stainless-.*|x-goog-api-client|openai-(organization|project)|idempotency-key)$/;

const allowed: Readonly<Record<Host["auth"], readonly string[]>> = {
  bearer: ["authorization"],
  "bearer-or-api-key": ["authorization", "api-key"],
  "x-api-key-or-bearer": [
    "authorization",
    "x-api-key",
    "anthropic-version",
    "anthropic-beta",
    "anthropic-dangerous-direct-browser-access",
  ],
  "x-api-key": ["x-api-key", "anthropic-version", "anthropic-beta", "anthropic-dangerous-direct-browser-access"],
  "x-goog-api-key": ["x-goog-api-key"],
  optional: ["authorization"],
  none: ["authorization"],
};

export const versions = ["2023-06-01", "2026-10-21"];

export function* httpRules(host: Host, sent: Sent, url: URL): Generator<Finding> {
  const { headers } = sent;
  const own = isOwn(host, url);
  const azure = host.id.startsWith("azure") && /^\/openai\/deployments\/[^/]+\/chat\/completions$/.test(url.pathname);
  const right = own
    ? url.pathname.startsWith(host.base) && leadsTo(host, url.pathname.slice(host.base.length))
    : endsRight(host, url.pathname);
  if (!right && !azure && !host.anyPath)
    yield {
      rule: "http.path",
      at: "url",
      says: `Unknown request URL: ${sent.method} ${url.pathname}.`,
      status: 404,
      code: "unknown_url",
    };
  if (sent.method !== "POST")
    yield {
      rule: "http.method",
      at: "method",
      says: `Not allowed to ${sent.method} on ${url.pathname}.`,
      status: 405,
      code: "method_not_supported",
    };
  if (own && url.protocol !== "https:" && !/^(localhost|127\.0\.0\.1)$|\.test$/.test(url.hostname))
    yield { rule: "http.path", at: "url", says: "Use https.", status: 404 };
  yield* query(host, url);
  yield* auth(host, headers);
  const type = headers["content-type"] ?? "";
  if (!/^application\/json(; ?charset=utf-8)?$/i.test(type)) {
    const says = `Unsupported content type: '${type}'. This API method only accepts 'application/json' requests, but you specified the header 'Content-Type: ${type}'.`;
    yield {
      rule: "http.content-type",
      at: "content-type",
      says,
      status: host.api === "anthropic" || host.api === "gemini" ? 400 : 415,
      code: "unsupported_content_type",
    };
  }
  const accept = headers.accept;
  if (accept !== undefined && !/\*\/\*|application\/json|text\/event-stream/.test(accept)) {
    yield { rule: "http.accept", at: "accept", says: `Not acceptable: ${accept}.`, status: 406 };
  }
  for (const name of Object.keys(headers)) {
    if (host.anyPath || itsOwn.test(name) || sdks.test(name) || allowed[host.auth].includes(name) || host.headers?.includes(name))
      continue;
    yield { rule: "http.headers", at: name, says: `The header ${name} is not known; a page could not send it.` };
  }
}

function* query(host: Host, url: URL): Generator<Finding> {
  const asked = Object.fromEntries(url.searchParams);
  if (host.api === "gemini") {
    const streams = url.pathname.endsWith(":streamGenerateContent");
    if (streams && asked.alt !== "sse")
      yield { rule: "http.query", at: "query", says: "A stream comes as one JSON array without alt=sse." };
    if (!streams && asked.alt !== undefined) yield { rule: "http.query", at: "query", says: "alt=sse is for streams." };
    delete asked.alt;
  }
  for (const [key, value] of Object.entries(asked)) {
    if (!host.anyPath && !new RegExp(host.query?.[key] ?? "(?!)").test(value))
      yield { rule: "http.query", at: "query", says: `Unknown query parameter: ${key}.` };
  }
}

function* auth(host: Host, headers: Sent["headers"]): Generator<Finding> {
  const given = headers.authorization;
  if (given !== undefined && !/^Bearer \S+$/.test(given)) yield unauthorized("The header Authorization is `Bearer` and the key.");
  if (host.auth === "bearer" && given === undefined)
    yield unauthorized(
      "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth.",
    );
  if (host.auth === "bearer-or-api-key" && (given === undefined) === (headers["api-key"] === undefined))
    yield unauthorized("Access denied due to invalid subscription key: send it once.");
  if (host.auth === "x-goog-api-key" && !/^\S+$/.test(headers["x-goog-api-key"] ?? "")) {
    yield {
      ...unauthorized(
        "Method doesn't allow unregistered callers. Please use API Key or other form of API consumer identity to call this API.",
      ),
      status: 403,
    };
  }
  if (host.auth !== "x-api-key" && host.auth !== "x-api-key-or-bearer") return;
  if (host.auth === "x-api-key-or-bearer" && given !== undefined) {
    if (headers["x-api-key"] !== undefined) yield { rule: "http.headers", at: "authorization", says: "The key is sent once." };
  } else if (!/^\S+$/.test(headers["x-api-key"] ?? "")) {
    yield unauthorized("x-api-key header is required");
  }
  const version = headers["anthropic-version"];
  if (!versions.includes(version ?? ""))
    yield {
      rule: "http.version",
      at: "anthropic-version",
      says: `anthropic-version: ${version ? "Invalid version" : "header is required"}`,
    };
  if (headers.origin !== undefined && headers["anthropic-dangerous-direct-browser-access"] !== "true") {
    yield {
      rule: "http.browser",
      at: "anthropic-dangerous-direct-browser-access",
      says: "CORS requests must set 'anthropic-dangerous-direct-browser-access' header",
      status: 401,
    };
  }
}

function unauthorized(says: string): Finding {
  return { rule: "http.auth", at: "authorization", says, status: 401, code: "invalid_api_key" };
}
