// The packed package in an application built, and served while it is written, by Vite.
import { build, createServer } from "vite";
import { test } from "vitest";
import { expectPageRuns, expectRunsInBrowser, html, makeApp, script } from "./app.js";

test("an application built with Vite runs in the browser", async () => {
  const folder = makeApp("vite-build", { "index.html": html, "main.js": script });
  await build({ root: folder, configFile: false, logLevel: "warn" });
  await expectRunsInBrowser(`${folder}/dist`);
});

test("an application runs from Vite's development server", async () => {
  const folder = makeApp("vite-dev", { "index.html": html, "main.js": script });
  const server = await createServer({
    root: folder,
    configFile: false,
    logLevel: "warn",
    server: { port: 0, host: "127.0.0.1" },
  });
  await server.listen();
  try {
    await expectPageRuns(server.resolvedUrls?.local[0] ?? "");
  } finally {
    await server.close();
  }
});
