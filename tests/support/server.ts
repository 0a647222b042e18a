// Serves a folder on localhost, with further headers and pages where a test needs them.
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { inWorker, withWorker } from "./core-place.js";

const types: Record<string, string> = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

export interface Served {
  url: string;
  /** Breaks off every connection. */
  cut(): void;
  close(): Promise<void>;
}

export interface ServeOptions {
  headers?: Record<string, string>;
  /** Pages that are no files: path to HTML, or to what the name of the path says. */
  pages?: Record<string, string>;
  /** What answers by itself: path to a Fetch API handler. */
  routes?: Record<string, (request: Request) => Promise<Response>>;
}

export async function serve(folder: string, { headers = {}, pages = {}, routes = {} }: ServeOptions = {}): Promise<Served> {
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    const path = url.pathname;
    const route = routes[path];
    if (route) return answer(route, url, request, response);
    const name = path.endsWith("/") ? `${path}index.html` : path;
    const type = types[extname(name)] ?? "application/octet-stream";
    try {
      const file = pages[path] ?? (await readFile(join(folder, normalize(name))));
      const body = inWorker && type === "text/javascript" ? withWorker(path, `${file}`) : file;
      response
        .writeHead(200, {
          "content-type": path in pages && !types[extname(name)] ? "text/html; charset=utf-8" : type,
          ...headers,
        })
        .end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    cut: () => server.closeAllConnections(),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Node's request as the Fetch API's, and the response back. A client that leaves ends the handler's work. */
async function answer(
  route: (request: Request) => Promise<Response>,
  url: URL,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const { method = "GET", headers } = incoming;
  const gone = new AbortController();
  outgoing.on("close", () => gone.abort());
  const body = method === "POST" ? { body: Readable.toWeb(incoming) as BodyInit, duplex: "half" } : {};
  const request = new Request(url, { method, headers: headers as Record<string, string>, signal: gone.signal, ...body });
  const response = await route(request);
  // Of what was refused unread: a connection that still holds an upload carries no further request.
  if (request.body && !request.bodyUsed) void request.body.pipeTo(new WritableStream()).catch(() => {});
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  await pipeline(response.body ?? [], outgoing).catch(() => {});
}
