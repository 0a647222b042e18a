// With a key in `.env`, a real model answers at /api/chat while you write. Without one, src/script.ts stands in for it.
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createChatHandler } from "glove-wasm/server";
import { defineConfig, loadEnv, type Plugin } from "vite";
import { precache } from "./precache";

const chat = (apiKey: string): Plugin => ({
  name: "chat",
  configureServer: ({ middlewares }) => {
    const handler = createChatHandler({ provider: "anthropic", apiKey });
    middlewares.use("/api/chat", async (incoming, outgoing) => {
      const { method = "GET", headers } = incoming;
      const body = method === "POST" ? { body: Readable.toWeb(incoming) as BodyInit, duplex: "half" } : {};
      const request = new Request("http://localhost/api/chat", { method, headers: headers as Record<string, string>, ...body });
      const response = await handler(request);
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      await pipeline(response.body ?? [], outgoing).catch(() => {});
    });
  },
});

export default defineConfig(({ mode }) => {
  const key = loadEnv(mode, import.meta.dirname, "").ANTHROPIC_API_KEY;
  return {
    base: "./",
    plugins: key ? [chat(key), precache()] : [precache()],
    define: { "import.meta.env.VITE_ENDPOINT": JSON.stringify(key ? "/api/chat" : "") },
  };
});
