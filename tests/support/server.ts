// Serves a folder on localhost, with further headers and pages where a test needs them.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";

const types: Record<string, string> = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

export interface Served {
  url: string;
  close(): Promise<void>;
}

export interface ServeOptions {
  headers?: Record<string, string>;
  /** Pages that are no files: path to HTML, or to what the name of the path says. */
  pages?: Record<string, string>;
}

export async function serve(folder: string, { headers = {}, pages = {} }: ServeOptions = {}): Promise<Served> {
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    const name = path.endsWith("/") ? `${path}index.html` : path;
    const type = types[extname(name)] ?? "application/octet-stream";
    try {
      const body = pages[path] ?? (await readFile(join(folder, normalize(name))));
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
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
