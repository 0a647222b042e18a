// The page "A Next app with approvals and threads": its files, built by Next beside a model that answers from a script.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, openPage } from "../support/browser.js";
import { root } from "../support/project.js";
import { makeProject } from "./app.js";
import { program, type Running, run, start } from "./created.js";

const guide = readFileSync(join(root, "docs/guides/next-approvals-and-threads.md"), "utf8");
const files = Object.fromEntries(
  [...guide.matchAll(/^```tsx? (app\/\S+)\n([\s\S]*?)^```$/gm)].map(([, file = "", text = ""]) => [file, text]),
);
const threads = readFileSync(join(root, "docs/guides/threads.md"), "utf8");
const style = /^```css\n([\s\S]*?)^```$/m.exec(threads)?.[1] ?? "";
const route = `import { createChatHandler } from "glove-wasm/server";
import { createScriptedModel, type ScriptedCall } from "glove-wasm/testing";
const answer = ({ messages }: ScriptedCall) => {
  const last = messages.at(-1);
  if (last?.tool_results) return "Anything else?";
  if (!last?.text.startsWith("Refund")) return { toolCalls: [{ name: "order_status", input: { order: "A-1" } }] };
  return { toolCalls: [{ name: "refund", input: { order: "A-1", euros: 80 } }] };
};
export const POST = createChatHandler({ createModel: () => createScriptedModel(answer) });
`;

let server: Running | undefined;
beforeAll(async () => {
  const folder = makeProject("next-guide", { ...files, "app/api/chat/route.ts": route, "app/style.css": style }, "next");
  run(folder, program("next"), ["build"]);
  server = await start(folder, [program("next"), "start", "--port", "PORT", "--hostname", "127.0.0.1"]);
}, 300_000);
afterAll(() => server?.stop());

test("the card has no frame of ours, a refund is paid once, and the address leads from thread to thread and back", async () => {
  expect(Object.keys(files).sort()).toEqual(["app/api/refunds/route.ts", "app/chat.tsx", "app/page.tsx", "app/tools.tsx"]);
  const url = server?.url ?? "";
  const browser = await openBrowser();
  const { page, problems } = await openPage(browser, url);
  await page.getByRole("button", { name: "Where is A-1?" }).click();
  await page.getByText("Anything else?").waitFor();
  const card = page.locator("article.rounded-xl");
  expect(await card.evaluate((one) => getComputedStyle(one.closest("[data-glove-shows]") as Element).borderTopWidth)).toBe("0px");

  await page.getByRole("button", { name: "New conversation" }).click();
  await page.waitForURL(/\/\?thread=.+/);
  await page.getByRole("button", { name: "Refund €80 for A-1" }).click();
  await page.getByRole("form", { name: "Refund €80 for order A-1?" }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: "Refund", exact: true }).click();
  await page.getByText("Anything else?").waitFor();
  await page.getByRole("button", { name: /^Where is A-1\?/ }).click();
  await card.waitFor();
  await page.goBack();
  await card.waitFor({ state: "detached" });
  await page.goForward();
  await card.waitFor();
  expect(problems).toEqual([]);

  const pay = (headers: Record<string, string>) =>
    fetch(`${url}/api/refunds`, { method: "POST", headers, body: JSON.stringify({ order: "A-1", euros: 80 }) });
  expect((await pay({})).status).toBe(400);
  expect(await (await pay({ "idempotency-key": "k" })).json()).toEqual({ paid: 80 });
  await browser.close();
}, 120_000);
