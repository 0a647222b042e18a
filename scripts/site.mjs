// `npm run site`: the site as a folder of files, `site/dist`, and a server of it on localhost; `npm run site -- build` only builds it.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { build } from "./build.mjs";
import { inRoot } from "./lib/project.mjs";
import { isMain, main, step } from "./lib/run.mjs";
import { setup } from "./setup.mjs";

export const siteFolder = inRoot("site", "dist");

/** Builds the site. Needs the package as it is built. */
export async function site(folder = siteFolder) {
  // Here, as it needs packages that set-up installs.
  const { buildSite } = await import("../site/build/index.mjs");
  const { pages } = await step("building the site", "Read the messages above.", () => buildSite(folder));
  console.log(`${pages} pages in ${folder}`);
}

const types = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".md": "text/markdown; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
};

/** The file that an address means; nothing for one that cannot be read. */
function nameOf(url) {
  try {
    const path = decodeURIComponent(new URL(url, "http://localhost").pathname);
    return normalize(path.endsWith("/") ? `${path}index.html` : path);
  } catch {
    return undefined;
  }
}

function serve(port) {
  const server = createServer(async ({ url = "/" }, response) => {
    const name = nameOf(url);
    const file = name && (await readFile(join(siteFolder, name)).catch(() => undefined));
    const body = file ?? (await readFile(join(siteFolder, "404.html")).catch(() => "Not found"));
    const type = file ? (types[extname(name)] ?? "text/plain; charset=utf-8") : types[".html"];
    response.writeHead(file ? 200 : 404, { "content-type": type, "x-content-type-options": "nosniff" }).end(body);
  });
  server.listen(port, "127.0.0.1", () => console.log(`Open http://localhost:${server.address().port}; end it with Ctrl+C.`));
  server.on("error", ({ message }) => {
    console.error(`The site cannot be served: ${message}. Choose another port: npm run site -- --port 8000`);
    process.exitCode = 1;
  });
}

if (isMain(import.meta)) {
  await main(async () => {
    const words = process.argv.slice(2);
    await build(await setup({ site: true }));
    await site();
    if (!words.includes("build")) serve(Number(words[words.indexOf("--port") + 1] || 4321));
  });
}
