// Pages whose host's name was made to lead to this machine (DNS rebinding): to a browser they are of the server's own origin.

import type { ChatHandlerConfig } from "../../server/config.js";
import { corsHeaders } from "../../server/cors.js";
import { refuse } from "../../server/refuse.js";

/** What no such name can be: numbers, and what browsers keep for this machine. */
const own = /^(\[[0-9a-f:.]+\]|\d{1,3}(\.\d{1,3}){3}|([a-z0-9-]+\.)*localhost)$/;

/**
 * Where nobody signs in, the page of a named host that came in the clear is refused: with TLS, and with the cookies of a sign-in, the name of
 * somebody else is of no use.
 */
export function checkRebound(config: Pick<ChatHandlerConfig, "authorize" | "cors">, request: Request): void {
  const origin = request.headers.get("origin");
  if (origin === null || config.authorize || !URL.canParse(origin)) return;
  const { protocol, hostname } = new URL(origin);
  if (protocol !== "http:" || own.test(hostname) || "access-control-allow-origin" in corsHeaders(config.cors, request)) return;
  refuse(403, "FORBIDDEN", "This server has no `authorize`, and answers no page of a named host that came without TLS (`cors`).");
}
