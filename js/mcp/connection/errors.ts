// What went wrong with a server, as errors of ours, and whether a call may have run.

import { GloveError, reasonOf } from "../../src/values/error.js";
import type * as Sdk from "./sdk.js";

export type SdkModule = typeof Sdk;

/** What went wrong, for an application. */
export function errorOf(sdk: SdkModule, server: string, cause: unknown): GloveError {
  if (cause instanceof GloveError) return cause;
  const named = `The MCP server "${server}"`;
  const error = (code: string, message: string, more: { status?: number; retryable?: boolean } = {}) =>
    new GloveError(code, message, { cause, ...more });
  const status = statusOf(sdk, cause);
  if (status === 401 || sdk.UnauthorizedError.isInstance(cause))
    return error("MCP_SIGNED_OUT", `${named} wants to know who asks: give it \`auth\`, or \`headers\`.`, { status: 401 });
  if (status === 403 || sdk.InsufficientScopeError.isInstance(cause))
    return error("MCP_FORBIDDEN", `${named} does not allow this to whoever is signed in.`, { status: 403 });
  if (status !== undefined && status < 500)
    return error("MCP_UNREACHABLE", `${named} answered with the status ${status}: check its \`url\`.`, { status });
  if (status !== undefined)
    return error("MCP_UNREACHABLE", `${named} answered with the status ${status}.`, { status, retryable: true });
  if (sdk.ProtocolError.isInstance(cause)) return error("MCP_REFUSED", `${named} refused: ${shortened(reasonOf(cause))}`);
  if (isTimeout(sdk, cause)) return error("MCP_TIMEOUT", `${named} did not answer in time.`, { retryable: true });
  if (isLost(sdk, cause))
    return error("MCP_UNREACHABLE", `${named} cannot be reached, or does not let this page reach it (CORS).`, {
      retryable: true,
    });
  return error("MCP_PROTOCOL", `${named} sent something that is no answer: ${shortened(reasonOf(cause))}`);
}

/** The status of an HTTP answer. */
export function statusOf(sdk: SdkModule, cause: unknown): number | undefined {
  return sdk.SdkHttpError.isInstance(cause) && cause.status >= 400 ? cause.status : undefined;
}

function isTimeout(sdk: SdkModule, cause: unknown): boolean {
  return sdk.SdkError.isInstance(cause) && cause.code === sdk.SdkErrorCode.RequestTimeout;
}

function isLost(sdk: SdkModule, cause: unknown): boolean {
  if (cause instanceof TypeError) return true;
  const { SendFailed, ConnectionClosed, NotConnected, EraNegotiationFailed, AlreadyConnected } = sdk.SdkErrorCode;
  const lost: readonly string[] = [SendFailed, ConnectionClosed, NotConnected, EraNegotiationFailed, AlreadyConnected];
  return (sdk.SdkError.isInstance(cause) && lost.includes(cause.code)) || isNotConnected(sdk, cause);
}

/** The client has sent nothing. A server may say these words too. */
export function isNotConnected(sdk: SdkModule, cause: unknown): boolean {
  if (sdk.SdkError.isInstance(cause)) return cause.code === sdk.SdkErrorCode.NotConnected;
  return !sdk.ProtocolError.isInstance(cause) && reasonOf(cause) === "Not connected";
}

/** The protocol says 404. Many servers say 400, after the example of the older official package, and that may mean anything else. */
export function knowsNoSession(sdk: SdkModule, cause: unknown): boolean {
  const status = statusOf(sdk, cause);
  if (status !== 400) return status === 404;
  const { text = "" } = Object((cause as { readonly data?: unknown }).data) as { readonly text?: unknown };
  return /mcp-session-id|session (?:id|not found|expired|terminated)|(?:no|unknown|invalid) (?:valid )?session|not initialized/i.test(
    `${reasonOf(cause)} ${text}`,
  );
}

/** With these a server says that it took nothing. Others may come from behind it, when its work is done. */
const refusals: readonly number[] = [401, 403, 404, 405, 406, 413, 415];

/** Whether the server has certainly not begun with what it was asked. */
export function neverSent(sdk: SdkModule, cause: unknown): boolean {
  const status = statusOf(sdk, cause);
  if (status !== undefined) return refusals.includes(status);
  // The tokens for it could not be made.
  if (cause instanceof GloveError && cause.code === "MCP_AUTH_FAILED") return true;
  if (sdk.UnauthorizedError.isInstance(cause) || sdk.InsufficientScopeError.isInstance(cause)) return true;
  if (isNotConnected(sdk, cause)) return true;
  // Node says why it could not connect, browsers do not.
  for (let inner = cause, depth = 0; depth < 4 && inner instanceof Error; inner = inner.cause, depth++) {
    if (/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/.test(String((inner as { code?: unknown }).code))) return true;
  }
  return false;
}

/** What a server says may be of any length. */
export function shortened(text: string, most = 500): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
