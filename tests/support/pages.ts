// Pages of one browser profile over the built package: what one stores, the others find.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "esbuild";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { patience } from "./browser.js";
import { bundled } from "./bundles.js";
import { corePlace, inWorker, withWorker } from "./core-place.js";
import { root } from "./project.js";
import { type Served, type ServeOptions, serve } from "./server.js";
import type { EnginePage } from "./webdriver.js";

export interface Profile {
  readonly context: BrowserContext;
  readonly url: string;
  /** A new tab; `before` runs ahead of everything else in it. */
  open(before?: string): Promise<Page>;
}

/** Opens a fresh profile, and closes it when the work is done. */
export async function withProfile<T>(browser: Browser, server: Served, work: (profile: Profile) => Promise<T>): Promise<T> {
  const context = await browser.newContext();
  context.setDefaultTimeout(patience);
  const open = async (before = "") => {
    const page = await context.newPage();
    await page.addInitScript(`${corePlace} ${before}`);
    await page.goto(server.url);
    return page;
  };
  try {
    return await work({ context, url: server.url, open });
  } finally {
    await context.close();
  }
}

/** `pages` are further ones: path to text; `routes` answer by themselves. */
export async function servePackage(pages: Record<string, string> = {}, routes: ServeOptions["routes"] = {}): Promise<Served> {
  const headers = { "access-control-allow-origin": "*" };
  bundle ??= bundlePackage();
  return serve(root, { headers, pages: { "/": html, ...(await bundle), ...pages }, routes });
}

/** What pages of tests import of the package, below `/pkg`. What is not here is another module than the one in the bundle. */
const entries = [
  "src/index",
  "testing/index",
  "tasks/index",
  "tools/index",
  "remote/index",
  "mcp/index",
  "webmcp/index",
  "ag-ui/index",
];
const inside = ["src/store/indexeddb/connection", "src/wasm/generated/glove_wasm"];

let bundle: Promise<Record<string, string>> | undefined;

/** As applications have it: its 150 files one by one are half of what a page of a test costs. */
function bundlePackage(): Promise<Record<string, string>> {
  const options = {
    entryPoints: [...entries, ...inside].map((name) => join(root, "pkg", `${name}.js`)),
    outbase: join(root, "pkg"),
    outdir: "/pkg",
    splitting: true,
    format: "esm",
    logLevel: "error",
  } as const;
  return inWorker ? bundled({ ...options, plugins: [workerPlugin] }, ["tests/support/core-place.ts"]) : bundled(options);
}

const workerPlugin: Plugin = {
  name: "worker",
  setup({ onLoad }) {
    onLoad({ filter: /session\/client\.js$/ }, async ({ path }) => ({
      contents: withWorker(path, await readFile(path, "utf8")),
    }));
  },
};

/** For modules that a test writes itself. */
const imports = { "glove-wasm": "/pkg/src/index.js" };
export const html = `<!doctype html><link rel=icon href=data:,><script type=importmap>${JSON.stringify({ imports })}</script>`;

const prelude = `
  ${corePlace}
  const glove = await import(new URL("/pkg/src/index.js", document.baseURI));
  const { createEndpointModel, defineAgent, GloveClient, GloveError, IndexedDBStore, SessionDatabase } = glove;
  const { createScriptedModel, storeConformance } = await import(new URL("/pkg/testing/index.js", document.baseURI));
  const { Connection } = await import(new URL("/pkg/src/store/indexeddb/connection.js", document.baseURI));
  const told = (error) => ({ code: error.code, message: error.message });
  const until = (session, fits) => new Promise((resolve, reject) => {
    const look = () => fits(session.getSnapshot()) && (undo(), clearTimeout(timer), resolve(session.getSnapshot()));
    const timer = setTimeout(() => reject(new Error("it never came to this: " + JSON.stringify(session.getSnapshot()))), 30_000);
    const undo = session.subscribe(look);
    look();
  });
  const message = (text, more) => ({ sender: "user", text, ...more });
  const answer = (text, more) => ({ sender: "agent", text, ...more });
  const step = (seq, firstMessage, more) => ({ firstMessage, messages: [], records: [{ seq }], seq, ...more });
  /** Opens the database past the package. */
  const raw = (version, upgrade, name = "glove") => new Promise((resolve, reject) => {
    const request = indexedDB.open(name, version);
    request.onupgradeneeded = () => upgrade?.(request.result);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const rows = async (store, database) => {
    const db = database ?? await raw();
    const request = db.transaction(store).objectStore(store).getAll();
    const all = await new Promise((resolve, reject) => { request.onsuccess = () => resolve(request.result); request.onerror = reject; });
    if (!database) db.close();
    return all;
  };
  const texts = ({ timeline }) => timeline.map((entry) =>
    entry.kind === "tool" ? entry.name + ": " + entry.status + " " + (entry.output ?? "") : entry.kind + ": " + entry.text);
`;

/** The body of an async function with the package and a few helpers at hand, as an expression. Text: a page has no imports. */
export function wrapped(body: string): string {
  return `(async () => { ${prelude} ${body} })()`;
}

/** Runs it in the page. */
export function inPage<T = unknown>(page: EnginePage, body: string): Promise<T> {
  return page.evaluate(wrapped(body)) as Promise<T>;
}
