// Which pages of other origins may call.
import type { ChatHandlerConfig } from "./config.js";

/** The headers for a request's origin; none where it is not allowed. */
export function corsHeaders(allowed: ChatHandlerConfig["cors"], request: Request): Record<string, string> {
  if (allowed === undefined) return {};
  const origin = request.headers.get("origin");
  const origins = typeof allowed === "string" ? [allowed] : allowed;
  const any = origins.includes("*");
  if (origin === null || !(any || origins.includes(origin))) return { vary: "origin" };
  return {
    "access-control-allow-origin": any ? "*" : origin,
    "access-control-allow-methods": "GET, POST",
    "access-control-allow-headers": "content-type, authorization, last-event-id, x-glove-answer, x-glove-answer-over",
    "access-control-expose-headers": "retry-after, x-should-retry, x-glove-answer",
    "access-control-max-age": "86400",
    vary: "origin",
  };
}
