// The endpoint of the frame: a script answers, or the provider whose key a person brought. Code asks `/api/chat` as it would in an app.
import type { ProviderId } from "glove-wasm";
import { createChatHandler } from "glove-wasm/server";
import { scripted } from "../../demo/network/script.js";
import { assistantOf, routes } from "./assistants.js";

export function model(page: string, key: { provider: string; apiKey: string } | undefined): void {
  const real = globalThis.fetch.bind(globalThis);
  const answer = scripted(assistantOf(page));
  const handler =
    key &&
    createChatHandler({
      provider: key.provider as ProviderId,
      apiKey: key.apiKey,
      // The person at the page is who brought the key.
      providerMessages: "all",
      fetch(url, init) {
        const headers = new Headers(init.headers);
        // Anthropic answers pages only where they say that they know what they do with a key.
        if (url.startsWith("https://api.anthropic.com/")) headers.set("anthropic-dangerous-direct-browser-access", "true");
        return real(url, { ...init, headers });
      },
    });
  globalThis.fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input), "https://app.invalid/");
    const local = !url.hostname.includes(".") || url.hostname === "app.invalid" || url.hostname === "localhost";
    if (!local) return real(input, init);
    if (url.pathname === "/api/chat") {
      const { signal, ...rest } = init ?? {};
      return handler
        ? handler(new Request("https://app.invalid/api/chat", { ...rest, signal: signal ?? null }))
        : answer(url.href, init as never);
    }
    return routes[url.pathname]?.(url) ?? new Response("This page has no such route.", { status: 404 });
  };
}
