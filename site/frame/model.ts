// The endpoint of the frame: a script answers, or the provider whose key a person brought. Code asks `/api/chat` as it would in an app.
import { createAdapter, type ProviderId } from "glove-wasm";
import { createChatHandler } from "glove-wasm/server";
import { scripted } from "../../demo/network/script.js";
import { assistantOf, routes } from "./assistants.js";

export function model(page: string, key: { provider: string; apiKey: string } | undefined): void {
  const real = globalThis.fetch.bind(globalThis);
  const answer = scripted(assistantOf(page));
  const handler =
    key &&
    createChatHandler({
      createModel: () =>
        createAdapter({
          provider: key.provider as ProviderId,
          apiKey: key.apiKey,
          fetch: real,
          dangerouslyAllowBrowser: true,
        }),
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
