// The parts of `npx glove-wasm add`, in an application of their own: they compile under the strictest TypeScript, and are a chat.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { barriers } from "../support/axe.js";
import { openBrowser, openPage } from "../support/browser.js";
import { root } from "../support/project.js";
import { type Served, serve } from "../support/server.js";
import { makeProject } from "./app.js";
import { say } from "./examples.js";

const main = `import { defineTool, GloveClient } from "glove-wasm/react";
import { createScriptedModel } from "glove-wasm/testing";
import { createRoot } from "react-dom/client";
import { z } from "zod";
import { Chat } from "./components/glove/chat";
import "./components/glove/glove.css";
import "./page.css";

const refund = defineTool({
  name: "refund",
  description: "Pays money back.",
  inputSchema: z.object({ order: z.string(), euros: z.number(), note: z.string() }),
  title: "Refund",
  confirm: ({ euros, order }) => \`Refund €\${euros} for \${order}?\`,
  danger: true,
  requireApproval: true,
  async do({ euros }, display) {
    const how = await display.pushAndWait({ message: "How?", options: ["Card", "Voucher"] }, "select");
    return { status: "success", data: \`€\${euros} by \${how}\`, renderData: null };
  },
});

const client = new GloveClient({
  createModel: () =>
    createScriptedModel(({ messages }) => {
      const [done] = messages.at(-1)?.tool_results ?? [];
      if (!done) return { text: "Let me see. ", toolCalls: [{ name: "refund", input: { order: "A-1042", euros: 80, note: "a\\u202eb" } }] };
      return done.result.status === "success" ? \`Paid back: \${String(done.result.data)}.\` : \`Not paid: \${done.result.message ?? ""}\`;
    }),
  systemPrompt: "You help.",
  tools: [refund],
  persistSession: true,
});

const root = document.getElementById("root");
if (root) createRoot(root).render(<Chat client={client} suggestions={["My lamp is broken"]} />);
`;
const html = `<!doctype html>
<html lang="en"><head><title>app</title><link rel="icon" href="data:,"><meta name="viewport" content="width=device-width"></head>
<body><div id="root"></div><script type="module" src="./src/main.tsx"></script></body></html>
`;
const strict = {
  target: "ES2022",
  lib: ["ES2022", "DOM", "DOM.Iterable"],
  module: "ESNext",
  moduleResolution: "bundler",
  jsx: "react-jsx",
  types: ["vite/client"],
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  noImplicitReturns: true,
  verbatimModuleSyntax: true,
};

let browser: Browser;
let server: Served;

beforeAll(async () => {
  const folder = makeProject("parts", {
    "package.json": JSON.stringify({ private: true, type: "module", dependencies: { "glove-wasm": "*" } }),
    "tsconfig.json": JSON.stringify({ compilerOptions: strict, include: ["src"] }),
    "index.html": html,
    "src/main.tsx": main,
    "src/page.css": "body { margin: 0 }",
  });
  // As `npx` finds it.
  execFileSync(process.execPath, [join(folder, "../node_modules/glove-wasm/bin/glove-wasm.mjs"), "add", "chat"], { cwd: folder });
  execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", folder], {
    encoding: "utf8",
    stdio: "pipe",
  });
  await build({ root: folder, configFile: false, logLevel: "error" });
  const policy = "default-src 'self'; img-src 'self' data:; style-src 'self'; script-src 'self' 'wasm-unsafe-eval'";
  server = await serve(join(folder, "dist"), { headers: { "content-security-policy": policy } });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

test("the added parts ask for an approval through a reload, ask back, answer, and keep their threads", async () => {
  const { page, problems } = await openPage(browser, server.url);
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const ask = page.getByRole("form", { name: "Refund €80 for A-1042?" });
  await page.setViewportSize({ width: 1200, height: 800 });
  await button("My lamp is broken").click();
  await ask.waitFor();
  // Every argument, and what would turn a text around as an escape.
  expect((await ask.locator("dd").allTextContents()).join("|")).toBe("A-1042|80|a\\u{202e}b");
  expect(await barriers(page)).toEqual([]);
  await page.reload();
  await ask.getByLabel("Why not? (optional)").fill("Too much");
  await ask.getByRole("button", { name: "Deny" }).click();
  await page.getByText(/Not paid:.*Too much/).waitFor();

  await say(page, "Please");
  await ask.getByRole("button", { name: "Refund", exact: true }).click();
  await page.getByLabel("Voucher").check();
  await button("Answer").click();
  await page.getByText("Paid back: €80 by Voucher.").waitFor();
  expect(await barriers(page)).toEqual([]);

  const threads = page.getByRole("navigation", { name: "Conversations" });
  await threads.getByRole("button", { name: "Rename My lamp is broken" }).click();
  await threads.getByLabel("Title").fill("The lamp");
  await threads.getByLabel("Title").press("Enter");
  await threads.getByRole("button", { name: "The lamp", exact: true }).waitFor();
  await button("New conversation").click();
  await page.getByRole("heading", { name: "What can I do for you?" }).waitFor();
  await threads.getByRole("button", { name: "The lamp", exact: true }).click();
  await page.getByText("Paid back: €80 by Voucher.").waitFor();

  await page.setViewportSize({ width: 360, height: 700 });
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
  expect(problems).toEqual([]);
  await page.close();
});
