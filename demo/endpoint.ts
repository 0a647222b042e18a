// A chat endpoint beside the page, where a provider's key is in the environment: it stays on this side of the wire.
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { getAvailableProviders, type ProviderId, providers } from "glove-wasm";
import { createChatHandler } from "glove-wasm/server";
import type { Plugin } from "vite";

export interface Found {
  readonly provider: ProviderId;
  readonly model: string;
}

export function foundProvider(): Found | undefined {
  const found = getAvailableProviders().find(({ id, available }) => available && providers[id]?.envVar);
  return found && { provider: found.id, model: process.env.DEMO_MODEL ?? found.defaultModel };
}

/** Says at the start how a model comes in the place of the script. */
export function noEndpoint(): Plugin {
  const keys = getAvailableProviders().flatMap(({ id }) => providers[id]?.envVar ?? []);
  return {
    name: "no-endpoint",
    configureServer({ config }) {
      config.logger.info(`  A script answers. For a model set one of ${keys.slice(0, 4).join(", ")}, or choose in the page.`);
    },
  };
}

export function chatEndpoint({ provider, model }: Found): Plugin {
  const handle = createChatHandler({ provider, model, onError: (error) => console.error(`/api/chat: ${error.message}`) });
  return {
    name: "chat-endpoint",
    configureServer({ middlewares, config }) {
      config.logger.info(`  /api/chat answers with ${model} (${providers[provider]?.envVar})`);
      middlewares.use("/api/chat", (request, response) => void answer(handle, request, response));
    },
  };
}

async function answer(handle: (request: Request) => Promise<Response>, from: IncomingMessage, to: ServerResponse) {
  const left = new AbortController();
  to.on("close", () => left.abort());
  const { method = "GET", headers } = from;
  const body = method === "POST" ? { body: Readable.toWeb(from) as globalThis.ReadableStream, duplex: "half" } : {};
  const url = `http://${headers.host}/api/chat`;
  const request = new Request(url, { method, headers: headers as Record<string, string>, signal: left.signal, ...body });
  const response = await handle(request);
  // Of what was refused unread: a connection that still holds an upload carries no further request.
  if (request.body && !request.bodyUsed) void request.body.pipeTo(new WritableStream()).catch(() => {});
  to.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body)
    Readable.fromWeb(response.body as ReadableStream)
      .on("error", () => to.destroy())
      .pipe(to);
  else to.end();
}
