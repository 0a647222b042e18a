// Code that changes while it runs: Fast Refresh under Vite's development server keeps the conversation.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { createServer } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, openPage } from "../support/browser.js";
import { makeProject } from "./app.js";
import { say } from "./examples.js";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const tools = `import { defineTool } from "glove-wasm/react";
import { useState } from "react";
import { z } from "zod";
export const ask = defineTool({
  name: "ask",
  description: "",
  inputSchema: z.object({}),
  do: async (_, display) => "first work: " + (await display.pushAndWait({})),
  render: ({ resolve }) => {
    const [text, setText] = useState("");
    return (
      <p>
        first look <input aria-label="Answer" value={text} onChange={(event) => setText(event.target.value)} />
        <button type="button" onClick={() => resolve(text)}>Give</button>
      </p>
    );
  },
  displayStrategy: "hide-on-complete",
});
globalThis.edited = "first work";
`;
const client = (ofTools: string, setting: string) => `import { GloveClient } from "glove-wasm/react";
import { createScriptedModel } from "glove-wasm/testing";
${ofTools}
const answer = ({ messages }) => {
  const result = messages.at(-1).tool_results?.[0].result.data;
  return result ? "I heard " + result : { toolCalls: [{ name: "ask" }] };
};
export const client = new GloveClient({ createModel: () => createScriptedModel(answer), systemPrompt: "", ${setting} });
globalThis.clients = (globalThis.clients ?? 0) + 1;
`;
const app = (ofTools: string, setting: string) => `import { GloveProvider, Render, useGlove } from "glove-wasm/react";
import { client } from "./client.js";
${ofTools}
function Chat() {
  const glove = useGlove({ sessionId: "kept", ${setting} });
  return <Render glove={glove} renderMessage={({ entry }) => <p>first message: {entry.text}</p>} />;
}
export const App = () => <GloveProvider client={client}><Chat /></GloveProvider>;
`;
const files = {
  "index.html": `<!doctype html>
<html lang="en"><head><title>app</title><link rel="icon" href="data:,"></head>
<body><div id="root"></div><script type="module" src="/main.jsx"></script></body></html>
`,
  "vite.config.js": `import react from "@vitejs/plugin-react";\nexport default { plugins: [react()] };\n`,
  "main.jsx": `import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.jsx";
createRoot(document.querySelector("#root")).render(<StrictMode><App /></StrictMode>);
`,
  "tools.jsx": tools,
};
const [imported, given] = [`import { ask } from "./tools.jsx";`, "tools: [ask]"];

/** Where tools are given decides which modules an edit of them makes anew. */
test.each([
  ["to the hook", { "client.js": client("", ""), "app.jsx": app(imported, given) }, 1],
  ["to the client", { "client.js": client(imported, given), "app.jsx": app("", "") }, 3],
])("tools given %s are edited, and the conversation goes on without a reload", async (where, own, clients) => {
  const folder = makeProject(`refresh-${where.slice(7)}`, { ...files, ...own });
  const server = await createServer({ root: folder, logLevel: "error", server: { port: 0, host: "127.0.0.1" } });
  await server.listen();
  const { page, problems } = await openPage(browser, server.resolvedUrls?.local[0] ?? "");
  const edit = (file: string, before: string, after: string) => {
    const path = join(folder, file);
    writeFileSync(path, readFileSync(path, "utf8").replaceAll(before, after));
  };
  try {
    // Vite may load the page anew when it has found what to bundle.
    await page.getByRole("textbox", { name: "Message" }).waitFor();
    await page.waitForLoadState("networkidle");
    await page.evaluate(() => Object.assign(globalThis, { stayed: true }));
    await say(page, "go");
    await page.getByLabel("Answer").fill("typed");
    edit("app.jsx", "first message", "second message");
    await page.getByText("second message: go").waitFor();
    expect(await page.getByLabel("Answer").inputValue()).toBe("typed");
    edit("tools.jsx", "first look", "second look");
    await page.getByText("second look").waitFor();
    // Nobody edits twice in a second; who makes a client at each render does, and is warned.
    await page.waitForTimeout(1100);
    edit("tools.jsx", "first work", "second work");
    await page.waitForFunction(() => (globalThis as { edited?: string }).edited === "second work");
    // React takes the new modules a moment later; what is typed before that may go with the old ones.
    await page.waitForTimeout(1100);
    // A call that runs goes on as it began, the next one as it is written now.
    await give(page, "one");
    await page.getByText("I heard first work: one").waitFor();
    await say(page, "go on");
    await give(page, "two");
    await page.getByText("I heard second work: two").waitFor();
    // Two clients that keep one session open are told of it by then; one that was replaced is not.
    if (clients > 1) await page.waitForTimeout(6500);
    expect(await page.locator("[data-glove-role=error], [role=alert]").count()).toBe(0);
    expect(await page.evaluate(`[stayed, clients]`)).toEqual([true, clients]);
    expect(problems).toEqual([]);
  } finally {
    await page.close();
    await server.close();
  }
});

async function give(page: Page, text: string): Promise<void> {
  await page.getByLabel("Answer").fill(text);
  await page.getByRole("button", { name: "Give" }).click();
}
