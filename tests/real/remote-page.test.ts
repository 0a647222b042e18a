// A page in Chromium whose conversation runs on `glove serve`.
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { build } from "esbuild";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser } from "../support/browser.js";
import { buildGlove, type GloveServer, startGlove, token } from "../support/glove-server.js";
import { root } from "../support/project.js";

let glove: GloveServer;
let browser: Browser;
let site: Server;

const css = readFileSync(`${root}/js/react/style.css`, "utf8");
const html = `<!doctype html><link rel=icon href=data:,><style>${css}</style><body><script type=module src=page.js></script>`;

beforeAll(async () => {
  buildGlove();
  const options = { bundle: true, splitting: true, format: "esm", jsx: "automatic", write: false, outdir: "/" } as const;
  const define = { "process.env.NODE_ENV": '"production"' };
  const { outputFiles } = await build({ ...options, define, entryPoints: { page: `${root}/tests/support/remote-page.tsx` } });
  const files = new Map(outputFiles.map(({ path, text }) => [path, text]));
  [glove, browser] = await Promise.all([startGlove(), openBrowser()]);
  // One name for the page and for the server behind it.
  site = createServer((asked, answer) => {
    const { pathname } = new URL(asked.url ?? "/", "http://localhost");
    if (!pathname.startsWith("/api/")) {
      const script = files.get(pathname);
      answer.writeHead(200, { "content-type": script === undefined ? "text/html" : "text/javascript" }).end(script ?? html);
      return;
    }
    const { method = "GET", headers, url } = asked;
    const onward = request(`${glove.url}${url}`, { method, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(answer);
      answered.on("error", () => answer.destroy());
    });
    onward.on("error", () => answer.destroy());
    answer.on("close", () => onward.destroy());
    asked.pipe(onward);
  });
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
}, 600_000);

afterAll(async () => {
  await browser?.close();
  site?.closeAllConnections();
  site?.close();
  await glove?.close();
});

test("a chat whose run is on the server asks for permission, survives a reload and a lost network, and loads no wasm file", async () => {
  const context = await browser.newContext({ viewport: { width: 800, height: 700 } });
  const page = await context.newPage();
  const loaded: string[] = [];
  page.on("request", (request) => loaded.push(request.url()));
  const url = `http://localhost:${(site.address() as AddressInfo).port}/?token=${token}`;
  await page.goto(url);
  const box = page.getByRole("textbox");
  await box.fill("run sleep 2; echo from the server | tee -a page.txt");
  await box.press("Enter");
  const allow = page.getByRole("button", { name: /allow|yes/i }).first();
  await allow.waitFor();
  await page.reload();
  await allow.click();
  const told = () => page.locator("[data-glove-role=agent]").last().textContent();
  glove.cut();
  await page.waitForTimeout(500);
  glove.mend();
  await expect.poll(told, { timeout: 30_000 }).toContain("from the server");
  expect(readFileSync(join(glove.folder, "page.txt"), "utf8")).toBe("from the server\n");
  await page.reload();
  await expect.poll(told, { timeout: 30_000 }).toContain("from the server");
  const picture = process.env.GLOVE_PICTURES;
  if (picture && existsSync(picture)) await page.screenshot({ path: join(picture, "remote.png") });
  expect(loaded.some((text) => text.includes(".wasm") && text.startsWith("http"))).toBe(false);
  await context.close();
});
