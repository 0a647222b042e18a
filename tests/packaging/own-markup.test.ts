// The chat in own markup of docs/chat-look.md, and the columns and panes of docs/threads.md, built by Vite from the packed package and used.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { blocks } from "../docs/blocks.js";
import { openBrowser, openPage } from "../support/browser.js";
import { root } from "../support/project.js";
import { serve } from "../support/server.js";
import { makeProject } from "./app.js";

const main = `import { defineTool, GloveClient, GloveProvider, useGlove } from "glove-wasm/react";
import { createScriptedModel } from "glove-wasm/testing";
import { createRoot } from "react-dom/client";
import { MyChat } from "./my-chat";
import { SideBySide } from "./side-by-side";
import { App } from "./two-columns";
import "./threads.css";

let answers = 0;
const createModel = () =>
  createScriptedModel(({ messages }) => {
    const { text, tool_results } = messages.at(-1);
    if (tool_results) return { reasoning: "It is known now.", text: "It is " + tool_results[0].result.data + "." };
    if (text.includes("weather")) return { toolCalls: [{ name: "get_weather", input: { city: "Oslo" } }] };
    if (text.includes("long")) return { deltas: Array.from({ length: 2000 }, (_, index) => "piece" + index + " "), every: 50 };
    return "Answer " + ++answers + " to " + text;
  });
const weather = defineTool({
  name: "get_weather",
  description: "The weather in a city.",
  jsonSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  do: ({ city }) => ({ status: "success", data: "sunny in " + city, renderData: "sunny in " + city }),
  renderResult: ({ data }) => <b>{"Drawn: " + data}</b>,
});
const client = new GloveClient({ createModel, systemPrompt: "", tools: [weather], persistSession: true });
const Own = () => <MyChat glove={useGlove()} />;
const shown = {
  "#own": () => <GloveProvider client={client}><Own /></GloveProvider>,
  "#panes": () => <SideBySide client={client} left="one" right="two" />,
  "#columns": () => <App />,
};
createRoot(document.getElementById("root")).render(shown[location.hash]());
`;
const html = `<!doctype html>
<html lang="en"><head><title>app</title><link rel="icon" href="data:,"><meta name="viewport" content="width=device-width"></head>
<body style="margin: 0"><div id="root"></div><script type="module" src="/main.jsx"></script></body></html>
`;

let browser: Browser;
let server: Awaited<ReturnType<typeof serve>>;

beforeAll(async () => {
  const names = ["my-chat.tsx", "side-by-side.tsx", "two-columns.tsx"];
  const code = (name: string) => blocks().find(({ file }) => file.endsWith(`/${name}`))?.code ?? `no block ${name}`;
  const css = /^```css\n([\s\S]*?)^```$/m.exec(readFileSync(join(root, "docs/threads.md"), "utf8"))?.[1] ?? "";
  const folder = makeProject("own-markup", {
    ...Object.fromEntries(names.map((name) => [name, code(name)])),
    "main.jsx": main,
    "threads.css": css,
    "index.html": html,
    "tsconfig.json": JSON.stringify({ compilerOptions: { jsx: "react-jsx" } }),
  });
  await build({ root: folder, configFile: false, logLevel: "error" });
  server = await serve(join(folder, "dist"));
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

const send = async (within: Pick<Page, "getByRole">, text: string) => {
  await within.getByRole("textbox", { name: "Message" }).fill(text);
  await within.getByRole("textbox", { name: "Message" }).press("Enter");
};

test("a chat in own markup sends, shows a call, edits, goes between versions, answers again, queues and stops", async () => {
  const { page, problems } = await openPage(browser, `${server.url}#own`);
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  await page.getByRole("heading", { name: "Hello!" }).waitFor();
  await send(page, "What is the weather?");
  await page.getByText("It is sunny in Oslo.").waitFor();
  await page.getByText("Drawn: sunny in Oslo").waitFor();
  expect(await page.locator('section[data-state="done"]').count()).toBe(1);
  expect(await page.locator("details").filter({ hasText: "It is known now." }).count()).toBe(1);
  expect(await page.locator("time").count()).toBe(2);

  await button("Edit").click();
  await page.getByRole("textbox", { name: "Edit message" }).fill("Something else");
  await button("Save & send").click();
  await page.getByText("Answer 1 to Something else").waitFor();
  await page.getByText("2/2").waitFor();
  await button("Previous version").click();
  await page.getByText("Drawn: sunny in Oslo").waitFor();
  await button("Next version").click();
  await page.getByText("Answer 1 to Something else").waitFor();

  await button("Again").click();
  await page.getByText("Answer 2 to Something else").waitFor();
  expect(await page.getByText("2/2").count()).toBe(2);

  await send(page, "Tell a long story");
  await page.getByText("piece0").waitFor();
  await send(page, "Not this");
  await send(page, "But this");
  await page.locator("p", { hasText: "Not this" }).getByRole("button", { name: "Remove" }).click();
  await page.getByText("Not this").waitFor({ state: "detached" });
  await button("Stop").click();
  await page.getByText("Answer 3 to But this").waitFor();
  await button("Stop").waitFor({ state: "detached" });
  expect(await page.getByText("You stopped this answer.").count()).toBe(1);

  await page.reload();
  await page.getByText("Answer 3 to But this").waitFor();
  expect(await page.getByText("Not this").count()).toBe(0);
  expect(problems).toEqual([]);
  await page.close();
});

test("two panes have conversations and selectors of their own, also after a reload", async () => {
  const { page, problems } = await openPage(browser, `${server.url}#panes`);
  const left = page.locator("section").first();
  const right = page.locator("section").last();
  const label = (count: number) => `${count} messages`;
  await send(left, "from the left");
  await left.getByText("to from the left").waitFor();
  await send(right, "from the right");
  await right.getByText("to from the right").waitFor();
  await send(right, "once more");
  await right.getByText("to once more").waitFor();
  const check = async () => {
    await page
      .getByRole("region", { name: label(2) })
      .getByText("to from the left")
      .waitFor();
    await page
      .getByRole("region", { name: label(4) })
      .getByText("to once more")
      .waitFor();
    expect(await left.getByText("from the right").count()).toBe(0);
    expect(await right.getByText("from the left").count()).toBe(0);
  };
  await check();
  await page.reload();
  await check();
  expect(problems).toEqual([]);
  await page.close();
});

test("the list of threads is a column on a wide screen, and on a phone it opens over the chat", async () => {
  const { page, problems } = await openPage(browser, `${server.url}#columns`);
  const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
  const done = { type: "done", message: { sender: "agent", text: "Fine." }, tokens_in: 1, tokens_out: 1 };
  const body = event({ type: "text_delta", text: "Fine." }) + event(done);
  await page.route("**/api/chat", (route) => route.fulfill({ contentType: "text/event-stream", body }));
  const list = page.getByRole("navigation", { name: "Conversations" });
  await page.setViewportSize({ width: 1200, height: 800 });
  await send(page, "How are you?");
  await list.getByRole("button", { name: "How are you?", exact: true }).waitFor();
  expect(await list.boundingBox()).toMatchObject({ x: 0, y: 0, height: 800 });
  await page.setViewportSize({ width: 390, height: 800 });
  await list.waitFor({ state: "hidden" });
  const composer = await page.getByRole("textbox", { name: "Message" }).boundingBox();
  expect((composer?.y ?? 1e9) + (composer?.height ?? 0)).toBeLessThanOrEqual(800);
  await page.getByRole("button", { name: "Conversations" }).click();
  await list.getByRole("button", { name: "New conversation" }).click();
  await list.waitFor({ state: "hidden" });
  await page.getByRole("article", { name: "You" }).waitFor({ state: "detached" });
  expect(problems).toEqual([]);
  await page.close();
});
