// examples/next, built by Next (`npm test -- long`: by both of its bundlers): rendered on the server, hydrated, answered by its routes.
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openBrowser, openPage } from "../support/browser.js";
import { isLong } from "../support/long.js";
import { packageVersion } from "../support/project.js";
import { strictEvents } from "../support/strict-client.js";
import { direct, makeProject, sandboxed } from "./app.js";
import { inWorker } from "./examples.js";

const policy =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; worker-src 'self' blob:";
const config = `export default {
  headers: async () => [{ source: "/:path*", headers: [{ key: "content-security-policy", value: ${JSON.stringify(policy)} }] }],
};
`;
const edgeRoute = `import { createChatHandler } from "glove-wasm/server";
import { createScriptedModel } from "glove-wasm/testing";
export const runtime = "edge";
export const POST = createChatHandler({ createModel: () => createScriptedModel(["From the edge."]) });
`;
const directPage = `"use client";
import { useEffect, useState } from "react";
export default function Page() {
  const [text, setText] = useState("");
  useEffect(() => void import("./direct.js").then(({ answer }) => answer).then(setText), []);
  return <output>{text}</output>;
}
`;
const pages = {
  "app/direct/direct.js": direct,
  "app/direct/page.jsx": directPage,
  "app/sandbox/direct.js": sandboxed,
  "app/sandbox/page.jsx": directPage,
  "app/chat.tsx": inWorker("next/app/chat.tsx"),
};
/** Tells of each module that the server compiles. Small ones are Node's own. */
const spy = `const compile = (name, Real) => {
  WebAssembly[name] = new Proxy(Real, {
    construct: (target, [bytes]) => (told(bytes), new target(bytes)),
    apply: (target, self, [bytes]) => (told(bytes), Reflect.apply(target, self, [bytes])),
  });
};
const told = ({ byteLength }) => byteLength > 100_000 && console.log("COMPILED");
for (const name of ["Module", "compile"]) compile(name, WebAssembly[name]);
`;

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

/** Next's own first; webpack has tests without Next too. */
const bundlers = isLong ? ["turbopack", "webpack"] : ["turbopack"];

describe.each(bundlers)("Next with %s", (bundler) => {
  let server: Next;
  beforeAll(async () => {
    const files = { ...pages, "next.config.mjs": config, "app/api/edge/route.ts": edgeRoute, "spy.mjs": spy };
    const folder = makeProject(`next-${bundler}`, files, "next");
    const built = next(folder, ["build", `--${bundler}`]);
    expect(await built.over, built.said()).toBe(0);
    // Next misses the cache of earlier builds, and warns of any route in its edge runtime.
    const warnings = built
      .said()
      .split("\n")
      .filter((line) => /warn|error|⚠/i.test(line) && !/build cache|edge runtime/i.test(line));
    expect(warnings).toEqual([]);
    server = await start(folder);
  }, 600_000);
  afterAll(async () => {
    server?.child.kill();
    await server?.over;
  });

  test("the page is rendered on the server, without starting the core", async () => {
    const html = await (await fetch(server.url)).text();
    expect(html).toContain("<h1>Help desk</h1>");
    expect(html).toContain('placeholder="Type a message"');
    expect(server.said()).not.toContain("COMPILED");
  });

  test.each(["", "/?worker"])(
    "%s hydrates, streams an answer, and keeps its form and its ticket through reloads",
    async (path) => {
      const { page, problems } = await openPage(browser, server.url + path);
      await page.getByRole("textbox", { name: "Message" }).fill("The printer");
      await page.keyboard.press("Enter");
      await page.getByText("I have written that down.").waitFor();
      await page.getByLabel("Summary").waitFor();
      await page.reload();
      await page.getByLabel("Summary").fill("The printer burns");
      await page.getByRole("button", { name: "File the ticket" }).click();
      await page.getByText("Somebody will look at it today.").waitFor();
      await page.reload();
      await page.getByText("Ticket: The printer burns").waitFor();
      expect(page.workers().length).toBe(path ? 1 : 0);
      expect(problems).toEqual([]);
      expect(server.said()).toContain("COMPILED");
      await page.close();
    },
  );

  test.each(["direct", "sandbox"])("what only one page uses is loaded by that page: %s", async (name) => {
    const { page, problems } = await openPage(browser, `${server.url}/${name}`);
    await page.getByRole("status").getByText(packageVersion).waitFor();
    expect(problems).toEqual([]);
    await page.close();
  });

  test("a page whose policy forbids WebAssembly says so", async () => {
    const page = await browser.newPage();
    const said: string[] = [];
    page.on("console", (message) => said.push(message.text()));
    await page.route("**/*", async (route) => {
      const response = await route.fetch();
      const headers = { ...response.headers(), "content-security-policy": policy.replace("'wasm-unsafe-eval'", "") };
      await route.fulfill({ response, headers });
    });
    await page.goto(server.url);
    await page.getByRole("textbox", { name: "Message" }).fill("The printer");
    await page.keyboard.press("Enter");
    await expect.poll(() => said.join("\n")).toContain("add 'wasm-unsafe-eval' to its script-src");
    // Files that are on their way belong to nobody when the page is closed.
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.close();
  });

  test("a route in the edge runtime answers too", async () => {
    const body = JSON.stringify({ systemPrompt: "", messages: [{ sender: "user", text: "hi" }] });
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${server.url}/api/edge`, { method: "POST", headers, body });
    expect([response.status, (await strictEvents(response)).at(-1)]).toMatchObject([
      200,
      { message: { text: "From the edge." } },
    ]);
  });
});

test.each(bundlers)(
  "Next while it is written, with %s: the page hydrates and answers without a word in the console",
  async (bundler) => {
    const folder = makeProject(`next-dev-${bundler}`, pages, "next");
    const server = await start(folder, "dev", [`--${bundler}`]);
    try {
      // A page is compiled when it is first asked for, which takes as long as it takes.
      for (const path of ["", "/direct"]) expect((await fetch(server.url + path)).status, server.said()).toBe(200);
      for (const path of ["", "/?worker"]) {
        const { page, problems } = await openPage(browser, server.url + path);
        // The HTML of the server is there before React is.
        await page.waitForFunction(
          'Object.keys(document.querySelector("textarea") ?? {}).some((key) => key.startsWith("__react"))',
        );
        await page.getByRole("textbox", { name: "Message" }).fill("The printer");
        await page.keyboard.press("Enter");
        await page.getByText("I have written that down.").waitFor();
        await page.reload();
        await page.getByLabel("Summary").waitFor();
        expect(page.workers().length).toBe(path ? 1 : 0);
        await page.goto(`${server.url}/direct`);
        await page.getByRole("status").getByText(packageVersion).waitFor();
        expect(problems).toEqual([]);
        await page.close();
      }
    } finally {
      server.child.kill();
      await server.over;
    }
  },
  300_000,
);

interface Running {
  readonly child: ChildProcess;
  /** Its exit code. */
  readonly over: Promise<number | null>;
  said(): string;
}

interface Next extends Running {
  readonly url: string;
}

function next(folder: string, args: string[], more: Record<string, string> = {}): Running {
  const { NODE_ENV: _, ANTHROPIC_API_KEY: __, ...env } = process.env;
  const own = { NEXT_TELEMETRY_DISABLED: "1", NO_COLOR: "1", CI: "1" };
  const program = join(folder, "..", "..", "node_modules/next/dist/bin/next");
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: { ...env, ...own, ...more },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
  const over = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { child, over, said: () => said };
}

async function start(folder: string, command = "start", more: string[] = []): Promise<Next> {
  const spying = command === "start" ? { NODE_OPTIONS: `--import=${pathToFileURL(join(folder, "spy.mjs"))}` } : {};
  const running = next(folder, [command, "--port", "0", "--hostname", "127.0.0.1", ...more], spying);
  let exited = false;
  void running.over.then(() => (exited = true));
  const url = await vi.waitFor(
    () => {
      if (exited) throw new Error(`it ended: ${running.said()}`);
      const found = /Ready/.test(running.said()) && /http:\/\/127\.0\.0\.1:\d+/.exec(running.said())?.[0];
      return found || Promise.reject(new Error(`it is not ready: ${running.said()}`));
    },
    { timeout: 60_000 },
  );
  return { ...running, url };
}
