// The board of a task in Chromium, under a strict policy: what people do in it, in one tab and in two, and what assistive technology finds.
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { barriers } from "../support/axe.js";
import { openBrowser, patience } from "../support/browser.js";
import { serveLook } from "../support/look.js";
import type { Served } from "../support/server.js";
import { common, showing, type TaskScene, taskScenes } from "../support/task-scenes.js";

let browser: Awaited<ReturnType<typeof openBrowser>>;
let server: Served;
beforeAll(async () => {
  [server, browser] = [await serveLook({}, "task-board-page"), await openBrowser()];
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

async function tabs(work: (open: () => Promise<Page>) => Promise<void>, options: BrowserContextOptions = {}) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(Math.min(patience, 20_000));
  try {
    await work(async () => {
      const page = await context.newPage();
      await page.goto(server.url);
      await page.waitForFunction("globalThis.look");
      return page;
    });
  } finally {
    await context.close();
  }
}

async function show(page: Page, scene: TaskScene): Promise<void> {
  await page.evaluate(showing(scene));
  await page.locator("[data-glove-board] h2").waitFor();
}

const says = (page: Page, text: string) => page.locator("[data-glove-standing]", { hasText: text }).waitFor();
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

test("axe finds nothing in any state, in light and dark colours, and nothing is wider than a window of 320 pixels", () =>
  tabs(async (open) => {
    const page = await open();
    for (const scene of taskScenes) {
      await page.reload();
      await page.waitForFunction("globalThis.look");
      await show(page, scene);
      await page.setViewportSize({ width: 320, height: 640 });
      expect([scene, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([scene, 320]);
      await page.setViewportSize({ width: 1280, height: 720 });
      for (const part of await page.locator("[data-glove-board] details").all())
        await part.evaluate((part) => part.setAttribute("open", ""));
      expect([scene, await barriers(page, "main", ["region", "page-has-heading-one"])]).toEqual([scene, []]);
      if (scene !== "done") continue;
      await button(page, "brief.md 201 B").click();
      await page.locator("dialog [data-glove-markdown]").waitFor();
      expect(await barriers(page, "main", ["region", "page-has-heading-one"])).toEqual([]);
    }
  }));

test("a person starts a task, approves its plan, denies a call with a reason, and opens what was made", () =>
  tabs(async (open) => {
    const page = await open();
    await page.evaluate(`(async () => { ${common}
      const agent = at([...answers.slice(0, 3), ({ messages }) => { globalThis.read = JSON.stringify(messages); return "Not written."; }, ...answers.slice(4)],
        { require_plan: true, require_tools: ["fs_write"] });
      look.show({ task: workspace, agent, start: spec });
    })()`);
    await button(page, "Start").click();
    await page.getByText("Allow the plan?").waitFor();
    await says(page, "Waiting for you");
    await button(page, "Allow").click();
    await page.getByText("Write a file?").waitFor();
    await page.getByLabel("Reason for denying (optional)").fill("Not as a table");
    await button(page, "Deny").click();
    await expect.poll(() => page.evaluate("globalThis.read ?? ''")).toContain("Not as a table");
    for (const path of ["progress/artifacts/brief.md", "progress/artifacts/sources.json"]) {
      await page.locator("[data-glove-question]", { hasText: path }).waitFor();
      await button(page, "Allow").click();
    }
    await says(page, "Completed");
    expect(await page.locator("[data-glove-files=large] [data-glove-name]").allInnerTexts()).toEqual([
      "brief.md",
      "sources.json",
    ]);
    await page.getByText("Verification passed", { exact: true }).first().waitFor();
  }));

test("another tab watches the task, decides about it and stops it; the lease stays with the first", () =>
  tabs(async (open) => {
    const [first, second] = [await open(), await open()];
    await first.evaluate(`(async () => { ${common}
      const agent = at([...answers.slice(0, 4), () => new Promise((go) => { globalThis.goOn = () => go("Written."); })], { require_plan: true });
      look.show({ task: "watched", agent, start: spec });
    })()`);
    await second.evaluate(
      `(async () => { ${common} look.show({ task: "watched", agent: at([() => new Promise(() => {})], "automatic") }); })()`,
    );
    await second.getByText("There is no task here yet.").waitFor();
    await button(first, "Start").click();
    await second.getByText("Runs in another tab or program").waitFor();
    expect(await button(second, "Resume").count()).toBe(0);
    await second.getByText("Allow the plan?").waitFor();
    await button(second, "Allow").click();
    await expect.poll(() => first.evaluate("typeof globalThis.goOn")).toBe("function");
    await says(second, "Working · Act");
    await button(second, "Stop").click();
    await first.evaluate("goOn()");
    await says(first, "Stopped");
    await says(second, "Stopped");
    // Whoever goes on deletes the stop of before; the step goes on where it was.
    await button(second, "Resume").click();
    await first.getByText("Runs in another tab or program").waitFor();
    await expect
      .poll(() => second.evaluate(`look.open("watched").then((files) => files.read("progress/STOP")).then(Boolean)`))
      .toBe(false);
  }));

test("a file is opened with the keyboard, edited, and closed with Escape, which gives the focus back", () =>
  tabs(async (open) => {
    const page = await open();
    await show(page, "planned");
    const notes = page.getByRole("button", { name: /^notes\.md/ });
    await notes.focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("gather-1 completed").waitFor();
    await button(page, "Edit").click();
    const editor = dialog.getByRole("textbox");
    await editor.fill("# Notes\n\nKeep it short.\n");
    // The task writes meanwhile: nothing of it is lost without a word.
    await page.evaluate(`look.workspace.write("progress/notes.md", "# Notes\\n\\n- something new\\n")`);
    await page.evaluate(`new BroadcastChannel("glove-task:" + look.workspace.name).postMessage("progress/notes.md")`);
    await page.waitForTimeout(500);
    await button(page, "Save").click();
    await page.getByText("The file has changed meanwhile.").waitFor();
    await button(page, "Save").click();
    await dialog.getByText("Keep it short.").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement.textContent")).toContain("notes.md");
  }));
