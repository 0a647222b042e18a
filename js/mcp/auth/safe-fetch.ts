// The way to authorization servers: by https, with no redirect, within a time, and with an end.

import { GloveError } from "../../src/values/error.js";
import { isSafe } from "../safe-address.js";

type Send = (url: string | URL, init?: RequestInit) => Promise<Response>;

const answerMs = 15_000;
const maxBytes = 256_000;

export function safeFetch(send: Send = (url, init) => globalThis.fetch(url, init)): Send {
  return async (url, init) => {
    const address = new URL(url);
    if (!isSafe(address)) throw authFailed(`it was led to ${address.origin}, where nothing is encrypted`);
    const response = await send(address, { ...init, redirect: "manual", signal: AbortSignal.timeout(answerMs) });
    if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400))
      throw authFailed(`${address.origin} answered with another address`);
    const { status, statusText, headers } = response;
    const empty = status === 204 || status === 205;
    return new Response(empty ? null : await bounded(response, address), { status, statusText, headers });
  };
}

async function bounded({ body }: Response, { origin }: URL): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const reader = body?.getReader();
  for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
    bytes += part.value.length;
    if (bytes > maxBytes) {
      void reader?.cancel().catch(() => {});
      throw authFailed(`${origin} sent more than ${maxBytes} bytes`);
    }
    parts.push(part.value);
  }
  const all = new Uint8Array(bytes);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export function authFailed(why: string, more: { readonly cause?: unknown; readonly retryable?: boolean } = {}): GloveError {
  return new GloveError("MCP_AUTH_FAILED", `The sign-in failed: ${why}.`, more);
}
