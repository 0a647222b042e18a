// How many files a page has asked for when its first request leaves, and how many of them one after the other: what each bundler makes of
// the package.
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build as esbuild } from "esbuild";
import type { Browser, Route } from "playwright-core";
import { build as vite } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser } from "../support/browser.js";
import { serve } from "../support/server.js";
import { makeProject } from "./app.js";
import { webpack } from "./webpack.js";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

/** A page with one tool, which sends a message as soon as it has drawn. */
const main = `
  import { createElement, useEffect } from "react";
  import { createRoot } from "react-dom/client";
  import { defineTool, GloveClient, GloveProvider, useGlove } from "glove-wasm/react";
  import * as z from "zod";
  const weather = defineTool({ name: "weather", description: "The weather.", inputSchema: z.object({ city: z.string() }), do: async () => "Sun" });
  const ahead = !location.search;
  const client = new GloveClient({ endpoint: "/api/chat", systemPrompt: "You help.", tools: [weather], ahead });
  function Chat() {
    const { sendMessage } = useGlove();
    useEffect(() => void sendMessage("Hi"), [sendMessage]);
    return null;
  }
  createRoot(document.getElementById("root")).render(createElement(GloveProvider, { client }, createElement(Chat)));
`;
const html = (script: string) => `<!doctype html>
<html lang="en"><head><title>app</title><link rel="icon" href="data:,"></head>
<body><div id="root"></div><script type="module" src="${script}"></script></body></html>
`;

/** So long nothing more is asked for: what the page waits for has to come. */
const quietMs = 1_500;

/** What is asked for until a request leaves, in its waves: those of a wave come together, when the page waits for nothing else. */
async function waves(folder: string, query = ""): Promise<string[][]> {
  let hasLeft = false;
  const chat = async () => {
    hasLeft = true;
    return new Response("", { status: 503 });
  };
  const server = await serve(folder, { routes: { "/api/chat": chat } });
  const page = await browser.newPage();
  const asked: string[][] = [];
  try {
    const held: Route[] = [];
    let last = Date.now();
    await page.route(/\.js$/, (route) => {
      last = Date.now();
      held.push(route);
    });
    const opened = page.goto(`${server.url}/${query}`);
    for (;;) {
      await expect.poll(() => hasLeft || (held.length > 0 && Date.now() - last > quietMs), { timeout: 60_000 }).toBe(true);
      if (hasLeft) break;
      const wave = held.splice(0);
      asked.push(wave.map((route) => new URL(route.request().url()).pathname.slice(1)));
      await Promise.all(wave.map((route) => route.continue()));
    }
    await opened;
    return asked;
  } finally {
    await page.close();
    await server.close();
  }
}

/** Builds the page into `dist/`. */
const bundlers: Record<string, (folder: string) => Promise<unknown>> = {
  Vite: (folder) => vite({ root: folder, logLevel: "error" }),
  webpack: (folder) => webpack(folder, { entry: "./main.js" }),
  esbuild: (folder) =>
    esbuild({
      absWorkingDir: folder,
      entryPoints: ["main.js"],
      ...{ bundle: true, splitting: true, minify: true, format: "esm", outdir: "dist" },
      define: { "process.env.NODE_ENV": '"production"' },
    }),
};

/**
 * The page's own file is enough for the first request. esbuild puts what that shares with those that are loaded later beside it: what the package
 * has for both, the same for React, and its own helpers for modules of the old kind. Where the request waits for the core, all that it needs comes
 * at once: what opens a session and stores it, the core, what runs tools.
 */
test.each([
  ["Vite", { files: 1, waves: 1 }],
  ["webpack", { files: 1, waves: 1 }],
  ["esbuild", { files: 4, waves: 2 }],
])(
  "the first request of a page with a tool leaves %s's own files, and one that waits for the core takes three more, asked for at once",
  async (name, own) => {
    const folder = makeProject(`waves-${name.toLowerCase()}`, {
      "package.json": "{}",
      "index.html": html("/main.js"),
      "main.js": main,
    });
    await bundlers[name]?.(folder);
    const dist = join(folder, "dist");
    if (name !== "Vite") writeFileSync(join(dist, "index.html"), html("main.js"));
    const late = { files: own.files + 3, waves: own.waves + 1 };
    for (const [query, most] of [
      ["", own],
      ["?late", late],
    ] as const) {
      const asked = await waves(dist, query);
      const told = JSON.stringify(asked.map((wave) => wave.map((file) => `${file} ${statSync(join(dist, file)).size}`)));
      expect(asked.flat().length, told).toBeLessThanOrEqual(most.files);
      expect(asked.length, told).toBeLessThanOrEqual(most.waves);
      if (process.env.GLOVE_WAVES) console.log(name, query, told);
    }
    expect(readdirSync(dist, { recursive: true }).some((file) => /\.js$/.test(String(file)))).toBe(true);
  },
  300_000,
);
