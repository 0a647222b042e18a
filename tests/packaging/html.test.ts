// examples/html: no bundler at all, and a server of Node's own.
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, openPage } from "../support/browser.js";
import { makeApp } from "./app.js";
import { say } from "./examples.js";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

test("a plain HTML page streams an answer, asks, and keeps both through a reload", async () => {
  const folder = makeApp("html", {}, "html");
  const { ANTHROPIC_API_KEY: _, ...env } = process.env;
  const server = spawn(process.execPath, ["server.mjs"], {
    cwd: folder,
    env: { ...env, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [url] = (await once(server.stdout, "data")) as [Buffer];
  try {
    const { page, problems } = await openPage(browser, String(url).trim());
    await say(page, "Let us play");
    await page.getByText("I have thought of a number.").waitFor();
    await page.getByRole("button", { name: "5" }).click();
    await page.getByText("Higher!").waitFor();
    await page.reload();
    await page.getByRole("button", { name: "7" }).click();
    await page.getByText("Well done!").waitFor();
    await page.reload();
    await page.getByText("Your guess: 7").waitFor();
    expect(problems).toEqual([]);
  } finally {
    server.kill();
  }
});
