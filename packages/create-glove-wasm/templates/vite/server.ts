// Serves the built page and its endpoint: `npm run build`, then `npm start`.
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, relative } from "node:path";
import { chat } from "./chat.ts";

const folder = join(import.meta.dirname, "..", "page");
const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
};

// What was built and nothing else: no path leads out of the folder.
const files = new Map<string, string>();
for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  if (entry.isFile()) files.set(`/${relative(folder, path).replaceAll("\\", "/")}`, path);
}

const server = createServer(async (request, response) => {
  const [path = "/"] = (request.url ?? "/").split("?");
  if (path === "/api/chat") return chat(request, response);
  const file = files.get(path === "/" ? "/index.html" : path);
  const body = file && (await readFile(file).catch(() => undefined));
  if (!file || !body) return response.writeHead(404).end();
  // The names of assets change with their content.
  const kept = path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache";
  const type = types[extname(file)] ?? "application/octet-stream";
  response.writeHead(200, { "content-type": type, "cache-control": kept }).end(body);
});

const port = Number(process.env.PORT || 3000);
server.listen(port, () => console.log(`http://localhost:${port}`));
