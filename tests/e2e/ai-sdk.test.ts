// The AI SDK's own `useChat` on our client, and assistant-ui on that, in Chromium: what it draws, asks and stops, and what is there after a reload.
import { build } from "esbuild";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { openBrowser, patience } from "../support/browser.js";
import { root } from "../support/project.js";
import { serve } from "../support/server.js";

const html =
  "<!doctype html><html lang=en><title>A chat</title><link rel=icon href=data:,><body><main></main><script type=module src=/page.js></script>";

async function bundle(page: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [`${root}/tests/support/${page}.tsx`],
    bundle: true,
    format: "esm",
    jsx: "automatic",
    minify: true,
    write: false,
    define: { "process.env.NODE_ENV": '"production"' },
  });
  return outputFiles[0]?.text ?? "";
}

const say = async (page: Page, text: string) => {
  await page.getByLabel("Say").fill(text);
  await page.getByLabel("Say").press("Enter");
};
const call = (page: Page, state: string) => page.locator(`section[data-state=${state}]`);
const status = (page: Page, is: string) => page.getByRole("heading", { name: is, exact: true }).waitFor();

test("a chat of the AI SDK pays once, asks again after a reload, and is stopped and answered again", async () => {
  const asked: string[] = [];
  let works = true;
  const pay = async (request: Request) => {
    asked.push(request.headers.get("idempotency-key") ?? "");
    return new Response("", { status: works ? 200 : 503 });
  };
  const site = await serve("", { pages: { "/": html, "/page.js": await bundle("ai-sdk-page") }, routes: { "/pay": pay } });
  const browser = await openBrowser();
  try {
    const context = await browser.newContext();
    context.setDefaultTimeout(patience);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    await page.goto(site.url);

    await say(page, "Pay 5");
    await page.getByText("It is paid.").waitFor();
    await status(page, "ready");
    expect(await call(page, "output-available").locator("output").innerText()).toBe('{"paid":5}');
    expect(await page.locator("code").innerText()).toContain('"euros":5');
    expect(asked).toHaveLength(1);

    // What is asked waits over a reload, and is answered once.
    await say(page, "Pay 500");
    await call(page, "approval-requested").waitFor();
    expect(asked).toHaveLength(1);
    await page.reload();
    await call(page, "approval-requested").waitFor();
    expect(await page.getByText("It is paid.").count()).toBe(1);
    await page.getByRole("button", { name: "Yes" }).click();
    await page.getByText("It is paid.").nth(1).waitFor();
    await status(page, "ready");
    expect(new Set(asked).size).toBe(2);
    expect(asked).toHaveLength(2);

    await say(page, "Pay 900");
    await page.getByRole("button", { name: "No" }).click();
    await call(page, "output-denied").waitFor();
    await page.getByText("It is not paid.").waitFor();
    expect(asked).toHaveLength(2);

    works = false;
    await say(page, "Pay 7");
    await call(page, "output-error").waitFor();
    expect(await page.getByRole("alert").innerText()).toContain("The bank answers 503.");
    await page.getByText("It is not paid.").nth(1).waitFor();
    await status(page, "ready");

    await say(page, "Wait");
    await status(page, "submitted");
    await page.getByRole("button", { name: "Stop" }).click();
    await status(page, "ready");
    await say(page, "Hello");
    await page.getByText("You said Hello").waitFor();
    await status(page, "ready");
    await page.getByRole("button", { name: "Again" }).click();
    await page.getByText("You said Hello").waitFor();
    await status(page, "ready");
    expect(await page.getByText("You said Hello").count()).toBe(1);

    // An answer that a reload breaks off is given again, and stands there once.
    await say(page, "Count");
    await page.getByText("5, ").waitFor();
    await page.reload();
    await page.getByText("12, ").waitFor();
    await status(page, "ready");
    const numbers = Array.from({ length: 12 }, (_, nth) => `${nth + 1},`).join(" ");
    expect((await page.locator("article").last().innerText()).trim()).toBe(numbers);

    // All of it is there again, in the same states.
    const drawn = () => page.locator("section").evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset["state"]));
    const before = await drawn();
    expect(before).toEqual(["output-available", "output-available", "output-denied", "output-error"]);
    await page.reload();
    await page.getByText("You said Hello").waitFor();
    expect(await drawn()).toEqual(before);
    expect(problems).toEqual([]);
  } finally {
    await browser.close();
    await site.close();
  }
});

test("a chat of assistant-ui asks, stops, edits and answers again, and is the same after a reload", async () => {
  const asked: string[] = [];
  const pay = async (request: Request) => {
    asked.push(request.headers.get("idempotency-key") ?? "");
    return new Response("");
  };
  const pages = { "/": html, "/page.js": await bundle("assistant-ui-page") };
  const site = await serve("", { pages, routes: { "/pay": pay } });
  const browser = await openBrowser();
  try {
    const context = await browser.newContext();
    context.setDefaultTimeout(patience);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    await page.goto(site.url);

    await say(page, "Pay 5");
    await page.getByText("It is paid.").waitFor();
    await status(page, "ready");
    expect(await call(page, "complete").locator("output").innerText()).toBe('{"paid":5}');

    await say(page, "Pay 500");
    await page.getByRole("button", { name: "Yes" }).waitFor();
    expect(asked).toHaveLength(1);
    await page.reload();
    await page.getByRole("button", { name: "Yes" }).click();
    await page.getByText("It is paid.").nth(1).waitFor();
    await status(page, "ready");
    expect([asked.length, new Set(asked).size]).toEqual([2, 2]);

    await say(page, "Pay 900");
    await page.getByRole("button", { name: "No" }).click();
    await page.getByText("It is not paid.").waitFor();
    await status(page, "ready");
    expect(asked).toHaveLength(2);

    await say(page, "Wait");
    await page.getByRole("button", { name: "Stop" }).click();
    await status(page, "ready");
    await say(page, "Hello");
    await page.getByText("You said Hello.").waitFor();
    await status(page, "ready");
    await page.getByRole("button", { name: "Again" }).last().click();
    await status(page, "ready");
    await page.getByText("You said Hello.").waitFor();

    await page.getByRole("button", { name: "Edit" }).last().click();
    await page.getByRole("textbox", { name: "Edit" }).fill("Bye");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("You said Bye.").waitFor();
    await status(page, "ready");
    expect(await page.getByText("You said Hello.").count()).toBe(0);

    // The first one has nothing before it.
    await page.getByRole("button", { name: "Edit" }).first().click();
    await page.getByRole("textbox", { name: "Edit" }).fill("Anew");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("You said Anew.").waitFor();
    await status(page, "ready");
    const texts = () => page.locator("article").evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
    const before = await texts();
    expect(before).toEqual(["user", "assistant"]);
    await page.reload();
    await page.getByText("You said Anew.").waitFor();
    expect(await texts()).toEqual(before);
    expect([asked.length, problems]).toEqual([2, []]);
  } finally {
    await browser.close();
    await site.close();
  }
});
