// Which model answers: the endpoint of `npm run demo`, a key that a person brought, a server on localhost.
import type { Browser, Page } from "playwright-core";
import { createServer, type ViteDevServer } from "vite";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { openBrowser, openPage } from "../support/browser.js";
import { root } from "../support/project.js";
import { openProvider, type Provider, speak } from "../support/provider.js";
import { inside, isNotice, press, region, say, shows } from "./kit.js";

let browser: Browser;
let provider: Provider;
let server: ViteDevServer | undefined;
let opened: { page: Page; problems: string[] } | undefined;

beforeAll(async () => {
  [browser, provider] = await Promise.all([openBrowser({ whole: true }), openProvider()]);
});
afterAll(async () => {
  await browser.close();
  await provider.close();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  await opened?.page.context().close();
  await server?.close();
  expect(opened?.problems.filter((problem) => !isNotice(problem))).toEqual([]);
});

/** As `npm run demo` starts it. */
async function openDemo(): Promise<Page> {
  server = await createServer({ configFile: `${root}/demo/vite.config.ts`, logLevel: "warn", server: { port: 0 } });
  await server.listen();
  opened = await openPage(browser, `${server.resolvedUrls?.local[0]}#shop`);
  return opened.page;
}

/** Requests of the page to this host are answered by the provider on localhost. */
async function answers(page: Page, host: string): Promise<void> {
  await page.route(`${host}/**`, async (route) => {
    const request = route.request();
    const headers = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };
    if (request.method() === "OPTIONS") return route.fulfill({ status: 204, headers });
    const { pathname } = new URL(request.url());
    const response = await fetch(provider.url + pathname, {
      method: "POST",
      headers: await request.allHeaders(),
      body: request.postData(),
    });
    return route.fulfill({ body: await response.text(), headers: { ...headers, "content-type": "text/event-stream" } });
  });
}

async function chooseModel(page: Page, option: RegExp): Promise<void> {
  await page.getByRole("button", { name: /^Model/ }).click();
  await page.getByRole("radio", { name: option }).check();
}

test("without a key in the environment there is no endpoint, and the script answers", async () => {
  for (const name of ["OPENROUTER", "ANTHROPIC", "OPENAI", "GEMINI"]) vi.stubEnv(`${name}_API_KEY`, "");
  const page = await openDemo();
  await say(page, "hello");
  await shows(page, "I can show you what we have");
  await page.getByRole("button", { name: "Model: Demo replies (no API key)" }).click();
  expect(await page.getByRole("radio").count()).toBe(3);
});

test("a key in the environment serves an endpoint, and stays on the server", async () => {
  vi.stubEnv("OPENROUTER_API_KEY", "");
  vi.stubEnv("ANTHROPIC_API_KEY", "");
  vi.stubEnv("OPENAI_API_KEY", "sk-from-the-environment");
  const real = fetch;
  vi.stubGlobal("fetch", (url: string, init: RequestInit) => real(url.replace("https://api.openai.com", provider.url), init));
  provider.reply({ body: speak.responses(["From ", "the server."]) });
  const page = await openDemo();
  await chooseModel(page, /^gpt/);
  await press(page, "Use this model");
  await say(page, "hello");
  await shows(page, "From the server.");
  expect(provider.asked.at(-1)?.headers.authorization).toBe("Bearer sk-from-the-environment");
  expect(await page.content()).not.toContain("sk-from-the-environment");
});

test.each([
  ["openai", "https://api.openai.com", "authorization", "Bearer sk-mine", speak.responses],
  ["anthropic", "https://api.anthropic.com", "x-api-key", "sk-mine", speak.anthropic],
] as const)(
  "a person's own key for %s goes to that provider and is kept for the tab only",
  async (id, host, header, value, words) => {
    const page = await openDemo();
    await answers(page, host);
    provider.reply(
      { body: words(["Let me look. "], { id: "call_1", name: "view_cart", args: "{}" }) },
      { body: words(["It is ", "empty."]) },
    );
    await chooseModel(page, /own API key/);
    await page.getByRole("combobox", { name: "Provider" }).selectOption(id);
    await page.getByLabel("Key", { exact: true }).fill("sk-mine");
    await press(page, "Use this model");
    // Not before the warning was read.
    expect(await page.getByRole("dialog").isVisible()).toBe(true);
    await page.getByRole("checkbox").check();
    await press(page, "Use this model");
    await say(page, "What is in my cart?");
    await shows(page, "It is empty.");
    expect(provider.asked.slice(-2).map(({ headers }) => headers[header])).toEqual([value, value]);
    await inside(page, "Requests");
    await region(page, "Requests").getByText("answered").first().waitFor();
    expect(await page.content()).not.toContain("sk-mine");
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain("sk-mine");
    const [other] = await Promise.all([page.context().waitForEvent("page"), inside(page, "Second tab")]);
    await other.getByRole("button", { name: "Model: Demo replies (no API key)" }).waitFor();
  },
);

test("the browser's own model is offered where there is one, downloaded behind a click, and drives the tools", async () => {
  const page = await openDemo();
  await page.addInitScript(giveModel);
  await page.reload();
  await chooseModel(page, /browser's own/);
  await page.getByText("the browser downloads it first").waitFor();
  await press(page, "Use this model");
  await page.getByRole("progressbar").waitFor();
  await page.getByRole("button", { name: "Model: The browser's own model" }).waitFor();
  await say(page, "What is in my cart?");
  await shows(page, "Nothing yet.");
  await inside(page, "Record");
  await region(page, "Record").getByText("view_cart: success").waitFor();
});

/** Headless Chromium has no model; this stands for one. Runs in the page. */
function giveModel(): void {
  const answers = ['{"tool":"view_cart","arguments":{}}', '{"answer":"Nothing yet."}'];
  const create = async ({ monitor }: { monitor(target: EventTarget): void }) => {
    const target = new EventTarget();
    monitor(target);
    for (const loaded of [0.3, 0.7, 1]) {
      await new Promise((resolve) => setTimeout(resolve, 300));
      target.dispatchEvent(new ProgressEvent("downloadprogress", { loaded, total: 1 }));
    }
    return Object.assign(new EventTarget(), {
      promptStreaming: () =>
        new ReadableStream({
          start(controller) {
            controller.enqueue(answers.shift());
            controller.close();
          },
        }),
      contextUsage: 40,
      contextWindow: 4_096,
      destroy() {},
    });
  };
  Object.assign(globalThis, { LanguageModel: { availability: async () => "downloadable", create } });
}

test("a model on this machine needs no key", async () => {
  const page = await openDemo();
  await answers(page, "http://localhost:11434");
  provider.reply({ body: speak.openai(["Hello from ", "next door."]) });
  await chooseModel(page, /on this computer/);
  await page.getByLabel("Model", { exact: true }).fill("llama3.2");
  await press(page, "Use this model");
  await say(page, "hello");
  await shows(page, "Hello from next door.");
  expect(provider.asked.at(-1)).toMatchObject({ path: "/v1/chat/completions", body: { model: "llama3.2" } });
  expect(provider.asked.at(-1)?.headers.authorization).toBeUndefined();
});
