// An application of glove-react whose imports alone were changed, in Chromium, against a server that speaks its protocol.
import { cpSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import type { Message } from "glove-wasm";
import { createChatHandler } from "glove-wasm/server";
import { createScriptedModel, type ScriptedCall, type ScriptedTurn } from "glove-wasm/testing";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { openBrowser, openPage } from "../support/browser.js";
import { root } from "../support/project.js";
import { type Served, serve } from "../support/server.js";
import { makeProject } from "./app.js";
import { say } from "./examples.js";

const calls: Record<string, NonNullable<ScriptedTurn["toolCalls"]>> = {
  color: [{ name: "pick_color", input: { colors: ["red", "green"] } }],
  weather: [
    { name: "show_weather", input: { city: "Rome" } },
    { name: "show_weather", input: { city: "London" } },
  ],
  note: [{ name: "pin_note", input: { text: "Milk" } }],
  wipe: [{ name: "wipe" }],
  rate: [{ name: "rate", input: { topic: "lunch" } }],
  plan: [{ name: "glove_update_tasks", input: { todos: [{ content: "Buy", activeForm: "Buying", status: "in_progress" }] } }],
};

function answer({ messages }: ScriptedCall): ScriptedTurn {
  const last = messages.at(-1);
  const results = last?.tool_results?.map(({ result }) => JSON.stringify(result.data ?? result.message));
  if (results) return { deltas: ["I ", "see: ", results.join(", ")], every: 20 };
  const toolCalls = calls[last?.text ?? ""];
  if (last?.text === "long") return { deltas: Array.from({ length: 500 }, (_, n) => `${n} `), every: 20 };
  return toolCalls ? { text: "One moment. ", toolCalls } : { text: `You said ${last?.text}.` };
}

let stored: Message[];
let browser: Browser;
let server: Served;
let page: Page;
let problems: string[];

beforeAll(async () => {
  const folder = makeProject("moved", {
    "dist/index.html": `<!doctype html><html lang="en"><head><title>moved</title><link rel="icon" href="data:,"></head>
<body><div id="root"></div><script type="module" src="main.js"></script></body></html>`,
  });
  cpSync(join(root, "tests/packaging/moved"), folder, { recursive: true });
  const options = { bundle: true, format: "esm", splitting: true, jsx: "automatic", outdir: "dist" } as const;
  await build({ absWorkingDir: folder, entryPoints: ["main.tsx"], ...options });
  const chat = createChatHandler({ createModel: () => createScriptedModel(answer) });
  const messages = async (request: Request) => {
    if (request.method === "POST") stored.push(...((await request.json()) as Message[]));
    return Response.json(stored);
  };
  const routes = { "/api/chat": chat, "/api/messages": messages };
  [browser, server] = await Promise.all([openBrowser(), serve(join(folder, "dist"), { routes })]);
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

const open = async (query = "") => {
  ({ page, problems } = await openPage(browser, `${server.url}/?${query}`));
};
const shows = (text: string) => page.getByText(text, { exact: true }).waitFor();
const press = (name: string) => page.getByRole("button", { name, exact: true }).click();

beforeEach(() => {
  stored = [];
});
afterEach(async () => {
  expect(problems).toEqual([]);
  await page.close();
});

test("text streams, subscribers hear of it, and the store gets both messages", async () => {
  await open();
  await say(page, "hello");
  await shows("Agent: You said hello.");
  await shows("You: hello");
  expect(await page.evaluate("events.slice(0, 2)")).toContain("text_delta You said hello.");
  await expect
    .poll(() => stored.map(({ sender, text }) => `${sender}: ${text}`))
    .toEqual(["user: hello", "agent: You said hello."]);
  expect(await page.locator("section.chat").count()).toBe(1);
});

test("hide-on-complete: a slot waits, is gone when it was answered, and its result is drawn, after a reload too", async () => {
  await open();
  await say(page, "color");
  await page.getByText("pick_color running shown").waitFor();
  await press("green");
  await shows("Picked: green (success)");
  await shows('Agent: I see: "The person picked green."');
  expect(await page.getByRole("button", { name: "green" }).count()).toBe(0);
  await page.reload();
  await shows("Picked: green (success)");
  await say(page, "hello");
  await shows("Agent: You said hello.");
});

test("a rejected slot is a failed call that the model hears of", async () => {
  await open();
  await say(page, "color");
  await press("None");
  await page.getByText("Agent: I see:").waitFor();
  expect(stored.at(2)?.tool_results?.[0]?.result).toMatchObject({ status: "error" });
});

test("hide-on-new: only the latest card of a tool is shown; a raw return value becomes the result", async () => {
  await open();
  await say(page, "weather");
  await shows('Agent: I see: "4 degrees in Rome", "6 degrees in London"');
  await shows("Weather: London, 6°");
  expect(await page.getByText("Weather: Rome").count()).toBe(0);
});

test("stay: a card stays while the conversation goes on", async () => {
  await open();
  await say(page, "note");
  await shows("Pinned: Milk");
  await say(page, "hello");
  await shows("Agent: You said hello.");
  await shows("Pinned: Milk");
});

test("a permission is asked with the built-in question, once", async () => {
  await open();
  await say(page, "wipe");
  await press("Always allow");
  await press("Really everything?");
  await shows('Agent: I see: {"deleted":3}');
  await say(page, "wipe");
  await press("Really everything?");
  await expect.poll(() => page.getByText('Agent: I see: {"deleted":3}').count()).toBe(2);
});

test("a tool without defineTool shows, waits, and draws its result", async () => {
  await open();
  await say(page, "rate");
  await shows("How was lunch?");
  await press("★★");
  await shows("lunch: 2 stars, told as 2");
});

test("the task tool is there, and Stop keeps what was read", async () => {
  await open();
  await say(page, "plan");
  await shows("Buying: in_progress");
  await page.getByText("Agent: I see:").waitFor();
  await say(page, "long");
  await page.getByText("Agent writes: 0 1 2").waitFor();
  await press("Stop");
  await page.getByText("Agent: 0 1 2").waitFor();
  expect(await page.getByRole("button", { name: "Stop" }).count()).toBe(0);
});

test.each(["slots-before", "slots-after", "slots-only"])(
  "%s puts the slots into the application's container",
  async (strategy) => {
    await open(`strategy=${strategy}`);
    await say(page, "color");
    await page.locator("aside").getByRole("button", { name: "red" }).waitFor();
    const order = await page.locator("section.chat").innerHTML();
    const [slots, message] = [order.indexOf("<aside"), order.indexOf("You: color")];
    expect({ "slots-before": slots < message, "slots-after": slots > message, "slots-only": message < 0 }[strategy]).toBe(true);
    await press("red");
  },
);

test("without Render: timeline, slots and results drawn by hand", async () => {
  await open("by-hand");
  await say(page, "color");
  await press("red");
  await shows("Picked: red (success)");
  await page.getByText("agent_text: I see:").waitFor();
});
