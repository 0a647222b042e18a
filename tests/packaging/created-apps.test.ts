// Apps of `npm create glove-wasm`, built and started as their README says, and asked in Chromium or by HTTP.
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openBrowser, openPage } from "../support/browser.js";
import { isLong } from "../support/long.js";
import { strictEvents } from "../support/strict-client.js";
import { appsFolder, create, linkTools, packCreate, program, type Running, run, start } from "./created.js";
import { say } from "./examples.js";

let packed = "";
let apps = "";
let browser: Browser;
const running: Running[] = [];
beforeAll(async () => {
  packed = packCreate();
  linkTools();
  apps = appsFolder();
  browser = await openBrowser();
});
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
});
afterAll(async () => {
  await browser?.close();
  if (packed) rmSync(dirname(packed), { recursive: true, force: true });
});

function make(name: string, ...flags: string[]): string {
  expect(create(packed, [name, ...flags, "--yes"], apps)).toMatchObject({ code: 0 });
  return join(apps, name);
}

async function started(app: string, args: readonly string[], env?: Record<string, string>): Promise<Running> {
  const server = await start(app, args, env);
  running.push(server);
  return server;
}

/** Asks for a book, borrows one with an approval, and finds all of it after a reload. */
async function borrow(url: string): Promise<void> {
  const { page, problems } = await openPage(browser, url);
  await page.getByRole("button", { name: "A book about the sea" }).click();
  await page.getByText("Which one would you like?").waitFor();
  await page.getByText("by Virginia Woolf").waitFor();
  await say(page, "The Waves");
  await page.getByRole("form", { name: "Borrow The Waves?" }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: "Borrow", exact: true }).click();
  await page.getByText("Enjoy it!").waitFor();
  // The conversation is in the list at the side.
  await page.locator("#threads").getByText("A book about the sea").waitFor();
  expect(problems).toEqual([]);
  await page.close();
}

const approvals = isLong ? [true, false] : [true];

test("Vite with a script is built, and lends a book in the page", async () => {
  const app = make("vite-scripted", "--template", "vite");
  run(app, program("vite"), ["build", "--logLevel", "error"]);
  const server = await started(app, [program("vite"), "preview", "--port", "PORT", "--host", "127.0.0.1"]);
  await borrow(server.url);
}, 300_000);

const key = "AIza0123456789abcdefghijklmnop";
/** Stands in for the provider in the process of the server: what was asked of it is told on standard output. */
const provider = `const parts = [{ choices: [{ delta: { content: "Good day from the provider." } }] }, { choices: [{ delta: {}, finish_reason: "stop" }] }];
const sse = parts.map((part) => "data: " + JSON.stringify(part) + "\\n\\n").join("") + "data: [DONE]\\n\\n";
globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  console.log("ASKED " + request.url + " " + request.headers.get("authorization"));
  return new Response(sse, { headers: { "content-type": "text/event-stream" } });
};
`;
const asked = `ASKED https://generativelanguage.googleapis.com/v1beta/openai/chat/completions Bearer ${key}`;

const textsIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, "latin1"));

test("Vite with a provider asks it through its server, written and built, and the page holds no key", async () => {
  const app = make("vite-gemini", "--template", "vite", "--provider", "gemini", "--no-threads");
  // As the README says: the key is in .env.
  const env = readFileSync(join(app, ".env.example"), "utf8").replace("GEMINI_API_KEY=", `GEMINI_API_KEY=${key}`);
  writeFileSync(join(app, ".env"), env.replace(/^PORT=.*$/m, ""));
  writeFileSync(join(app, "provider.mjs"), provider);
  const stand = { NODE_OPTIONS: `--import=${pathToFileURL(join(app, "provider.mjs"))}` };
  const { scripts } = JSON.parse(readFileSync(join(app, "package.json"), "utf8"));
  for (const command of scripts.build.split(" && ")) {
    const [name, ...args] = command.split(" ");
    expect(name).toBe("vite");
    run(app, program("vite"), [...args, "--logLevel", "error"]);
  }
  expect(textsIn(join(app, "dist")).filter((text) => text.includes(key))).toEqual([]);
  expect(textsIn(join(app, "dist/page")).filter((text) => text.includes(`GEMINI_API_KEY=`))).toEqual([]);

  const built = await started(app, scripts.start.split(" ").slice(1), stand);
  await ask(built.url);
  expect(built.said()).toContain(asked);
  await refusals(built.url);
  expect((await fetch(`${built.url}/..%2fserver/index.js`)).status).toBe(404);
  expect((await fetch(`${built.url}/../server/index.js`)).status).toBe(404);

  const written = await started(app, [program("vite"), "--port", "PORT", "--host", "127.0.0.1", "--strictPort"], stand);
  await ask(written.url);
  expect(written.said()).toContain(asked);
}, 300_000);

async function ask(url: string): Promise<void> {
  const { page, problems } = await openPage(browser, url);
  await say(page, "Good day");
  await page.getByText("Good day from the provider.").waitFor();
  expect(problems).toEqual([]);
  await page.close();
}

/** What is no request of a page gets an answer, and leaves the server running. */
async function refusals(url: string): Promise<void> {
  const post = (body: string, type = "application/json") =>
    fetch(`${url}/api/chat`, { method: "POST", headers: { "content-type": type }, body });
  expect((await post("{")).status).toBe(400);
  expect((await post("{}", "text/plain")).status).toBe(415);
  expect((await fetch(`${url}/api/chat`, { method: "DELETE" })).status).toBe(405);
  expect((await fetch(`${url}//`)).status).toBe(404);
  expect((await fetch(`${url}/none`)).status).toBe(404);
}

test.each(approvals)(
  "Next with a script is built, and answers by its route; with approvals: %s",
  async (approves) => {
    const app = make(`next-${approves}`, "--template", "next", ...(approves ? [] : ["--no-approvals"]));
    run(app, program("next"), ["build"]);
    const server = await started(app, [program("next"), "start", "--port", "PORT", "--hostname", "127.0.0.1"]);
    expect(await (await fetch(server.url)).text()).toContain('placeholder="Type a message"');
    if (approves) await borrow(server.url);
  },
  600_000,
);

test("a server answers with its tools, and lets the pages in that it knows", async () => {
  const app = make("server-scripted", "--template", "server");
  const server = await started(app, [program("tsx"), "src/server.ts"]);
  const endpoint = `${server.url}/api/chat`;
  const headers = { "content-type": "application/json", origin: "http://localhost:5173" };
  const listed = await fetch(endpoint, { headers });
  expect(listed.headers.get("access-control-allow-origin")).toBe("http://localhost:5173");
  const { tools } = await listed.json();
  expect(tools.map(({ name }: { name: string }) => name)).toEqual(["find_books", "borrow_book"]);

  const body = JSON.stringify({ systemPrompt: "", messages: [{ sender: "user", text: "A book about the sea" }] });
  const answered = await fetch(endpoint, { method: "POST", headers, body });
  const call = (await strictEvents(answered)).at(-1).message.tool_calls[0];
  expect(call).toMatchObject({ tool_name: "find_books" });
  const stranger = await fetch(endpoint, { headers: { origin: "https://stranger.example" } });
  expect(stranger.headers.get("access-control-allow-origin")).toBeNull();
  await refusals(server.url);
});

test("a server whose key is missing says so in its console, and to the page only that it is not set up", async () => {
  const app = make("server-openai", "--template", "server", "--provider", "openai", "--no-approvals");
  const server = await started(app, [program("tsx"), "src/server.ts"]);
  const body = JSON.stringify({ systemPrompt: "", messages: [{ sender: "user", text: "hi" }] });
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${server.url}/api/chat`, { method: "POST", headers, body });
  expect([response.status, await response.json()]).toMatchObject([500, { error: { code: "MODEL_CONFIG" } }]);
  expect(server.said()).toContain("OPENAI_API_KEY");
});
