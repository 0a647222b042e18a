// examples/vite built by each bundler, as it comes out of the box, and run in Chromium.
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build as esbuild, transform } from "esbuild";
import type { Browser } from "playwright-core";
import { build, createServer } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser } from "../support/browser.js";
import { root } from "../support/project.js";
import { type ServeOptions, serve } from "../support/server.js";
import { direct, expectPageRuns, makeProject, sandboxed } from "./app.js";
import { expectBlocked, inWorker, orderPizza } from "./examples.js";
import { parcel } from "./parcel.js";
import { webpack } from "./webpack.js";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

async function served(folder: string, options: ServeOptions, use: (url: string) => Promise<void>): Promise<void> {
  const server = await serve(folder, options);
  await use(server.url).finally(() => server.close());
}

const policy = (script: string) => ({
  headers: { "content-security-policy": `default-src 'self'; img-src 'self' data:; script-src 'self' ${script}` },
});

const main = "src/main.tsx";
/** examples/vite, with its core in a worker where the address says so. */
const pizza = { [main]: inWorker(`vite/${main}`) };
/** With the core in the page, and in a worker. */
const orderPizzas = async (url: string) => {
  await orderPizza(browser, url);
  await orderPizza(browser, url, true);
};

test("Vite's build runs under a strict policy, and says what is missing from a stricter one", async () => {
  const folder = makeProject("vite", pizza, "vite");
  await build({ root: folder, logLevel: "error" });
  const built = join(folder, "dist");
  await served(built, policy("'wasm-unsafe-eval'"), (url) => orderPizza(browser, url));
  await served(built, policy("'wasm-unsafe-eval'; worker-src blob:"), (url) => orderPizza(browser, url, true));
  await served(built, policy(""), (url) => expectBlocked(browser, url, "add 'wasm-unsafe-eval' to its script-src"));
  await served(built, policy("'wasm-unsafe-eval'"), (url) =>
    expectBlocked(browser, `${url}/?worker`, "allow `worker-src blob:`"),
  );
});

test("Vite's development server", async () => {
  const server = await createServer({
    root: makeProject("vite-dev", pizza, "vite"),
    logLevel: "error",
    server: { port: 0, host: "127.0.0.1" },
  });
  await server.listen();
  try {
    await orderPizzas(server.resolvedUrls?.local[0] ?? "");
  } finally {
    await server.close();
  }
});

const worker = `import { GloveClient, version } from "glove-wasm";
import { createScriptedModel } from "glove-wasm/testing";
const client = new GloveClient({ createModel: () => createScriptedModel(() => version()), systemPrompt: "" });
client.session("s").sendMessage("Which version?").then(({ text }) => postMessage(text));
`;
const starter = `const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
worker.onmessage = ({ data }) => (document.body.textContent = data);
worker.onerror = ({ message }) => console.error(message);
`;
const page = (script: string) => `<!doctype html>
<html lang="en"><head><title>app</title><link rel="icon" href="data:,"></head>
<body><div id="root"></div><script type="module" src="${script}"></script></body></html>
`;

test("a module worker under Vite, built and while it is written", async () => {
  const folder = makeProject("worker", { "index.html": page("/main.js"), "main.js": starter, "worker.js": worker });
  await build({ root: folder, logLevel: "error" });
  await served(join(folder, "dist"), {}, expectPageRuns);
  const server = await createServer({ root: folder, logLevel: "error", server: { port: 0, host: "127.0.0.1" } });
  await server.listen();
  await expectPageRuns(server.resolvedUrls?.local[0] ?? "").finally(() => server.close());
});

test("a module worker under Vite 7 needs the setting that the guide names, and runs with it", async () => {
  const folder = makeProject("worker-7", { "index.html": page("/main.js"), "main.js": starter, "worker.js": worker });
  const entry = createRequire(join(folder, "main.js")).resolve("vite7");
  const vite: { readonly build: typeof build; readonly version: string } = await import(pathToFileURL(entry).href);
  expect(vite.version).toMatch(/^7\./);
  const guide = readFileSync(join(root, "docs/loading.md"), "utf8").replace(/\s+/g, " ");
  const refused = "UMD and IIFE output formats are not supported for code-splitting builds";
  expect(guide).toContain(refused);
  await expect(vite.build({ root: folder, logLevel: "silent" })).rejects.toThrow(refused);
  const setting = `worker: { format: "es" }`;
  expect(guide).toContain(setting);
  writeFileSync(join(folder, "vite.config.js"), `export default { ${setting} };\n`);
  await vite.build({ root: folder, logLevel: "error" });
  await served(join(folder, "dist"), {}, expectPageRuns);
});

test("esbuild", async () => {
  const folder = makeProject("esbuild", { ...pizza, "dist/index.html": styled("main.js") }, "vite");
  const { warnings } = await esbuild({
    absWorkingDir: folder,
    entryPoints: ["src/main.tsx"],
    bundle: true,
    minify: true,
    format: "esm",
    splitting: true,
    outdir: "dist",
  });
  expect(warnings).toEqual([]);
  await served(join(folder, "dist"), {}, orderPizzas);
});

test("webpack", async () => {
  const folder = makeProject(
    "webpack",
    { ...pizza, "package.json": "{}", "dist/index.html": styled("main.js").replace(`type="module"`, "defer") },
    "vite",
  );
  // webpack reads JavaScript; what its users put before it (Babel, swc, ts-loader) is stood in for.
  for (const name of ["main", "tools", "script"]) {
    const source = readFileSync(join(folder, "src", name === "script" ? "script.ts" : `${name}.tsx`), "utf8");
    const { code } = await transform(source.replace(/^import ".*\\.css";$/gm, ""), { loader: "tsx", jsx: "automatic" });
    writeFileSync(join(folder, "src", `${name}.js`), code);
  }
  copyFileSync(join(folder, "src/style.css"), join(folder, "dist/main.css"));
  expect(await webpack(folder, { entry: "./src/main.js" })).toEqual([]);
  await served(join(folder, "dist"), {}, orderPizzas);
}, 300_000);

test("Parcel", async () => {
  const folder = makeProject("parcel", pizza, "vite");
  expect(parcel(folder)).toBe("");
  await served(join(folder, "dist"), {}, orderPizzas);
}, 300_000);

test.each([
  ["what asks a provider from the page is", direct],
  ["the sandbox and its engine are", sandboxed],
])(
  "%s loaded where it is used, with each of them",
  async (_, text) => {
    const asking = {
      "direct.js": text,
      "main.js": `import { answer } from "./direct.js";\nanswer.then((text) => (document.body.textContent = text));\n`,
    };
    const vite = makeProject("vite-direct", { ...asking, "index.html": page("/main.js") });
    await build({ root: vite, logLevel: "error" });
    await served(join(vite, "dist"), {}, expectPageRuns);

    const bundled = makeProject("esbuild-direct", { ...asking, "dist/index.html": page("main.js") });
    await esbuild({
      absWorkingDir: bundled,
      entryPoints: ["main.js"],
      bundle: true,
      format: "esm",
      splitting: true,
      outdir: "dist",
    });
    expect(readdirSync(join(bundled, "dist")).some((file) => /^(direct|engine)-/.test(file))).toBe(true);
    await served(join(bundled, "dist"), {}, expectPageRuns);

    const packed = makeProject("webpack-direct", { ...asking, "package.json": "{}", "dist/index.html": page("main.js") });
    expect(await webpack(packed, { entry: "./main.js" })).toEqual([]);
    await served(join(packed, "dist"), {}, expectPageRuns);
  },
  300_000,
);

const styled = (script: string) => page(script).replace("</head>", `<link rel="stylesheet" href="main.css"></head>`);
