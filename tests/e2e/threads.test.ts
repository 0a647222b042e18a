// The list of threads in Chromium: in two tabs, with runs that go on, with a thousand sessions, and by keyboard alone.
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { barriers } from "../support/axe.js";
import { openBrowser, patience } from "../support/browser.js";
import { serveLook } from "../support/look.js";
import type { Served } from "../support/server.js";
import { kill } from "../support/tabs.js";

let browser: Awaited<ReturnType<typeof openBrowser>>;
let server: Served;
beforeAll(async () => {
  [server, browser] = [await serveLook({}, "threads-page"), await openBrowser()];
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

const tools = `[
  { name: "rm", description: "", jsonSchema: { type: "object" }, requiresPermission: true, do: () => "gone" },
  { name: "wait", description: "", jsonSchema: { type: "object" }, do: () => new Promise((done) => { globalThis.goOn = done; }) },
]`;

async function tabs<T>(work: (open: (options?: Options) => Promise<Page>, context: BrowserContext) => Promise<T>, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1000, height: 700 }, ...options });
  context.setDefaultTimeout(patience);
  try {
    return await work(async ({ script = `["Gladly."]`, more = "{}", before = "" } = {}) => {
      const page = await context.newPage();
      if (before) await page.addInitScript(before);
      await page.goto(server.url);
      await page.waitForFunction("globalThis.look");
      await page.evaluate(`look.open(${script}, { tools: ${tools} }, ${more}), 0`);
      await page.locator("[data-glove-threads][data-ready]").waitFor();
      return page;
    }, context);
  } finally {
    await context.close();
  }
}

interface Options {
  readonly script?: string;
  readonly more?: string;
  readonly before?: string;
}

const titles = (page: Page) => page.locator("[data-glove-thread]").allInnerTexts();
const expectTitles = (page: Page, wanted: readonly string[]) =>
  expect.poll(async () => (await titles(page)).map((title) => title.split("\n")[0])).toEqual(wanted);
const item = (page: Page, title: string) =>
  page.locator("[data-glove-thread-item]").filter({ has: page.getByText(title, { exact: true }) });
const press = async (page: Page, title: string, action: string) => {
  await item(page, title).hover();
  await item(page, title).getByRole("button", { name: action }).click();
};
const say = async (page: Page, text: string) => {
  await page.getByRole("textbox", { name: "Message", exact: true }).fill(text);
  await page.keyboard.press("Enter");
};
const send = (page: Page, id: string, text: string) =>
  page.evaluate(`client.session(${JSON.stringify(id)}).sendMessage(${JSON.stringify(text)}).then(() => {})`);
const stored = (page: Page) => page.evaluate(`client.sessions().then((all) => all.map(({ title }) => title).sort())`);

test("what one tab does is in the list of the other: new threads, marks, names, the archive, deleting and undo", () =>
  tabs(async (open) => {
    const first = await open({ script: `[{ toolCalls: [{ name: "wait" }] }, { toolCalls: [{ name: "rm" }] }, "Done."]` });
    const second = await open();
    await say(first, "Clean up");
    await expectTitles(second, ["Clean up"]);
    await second.locator("[data-glove-thread-mark=running]").waitFor();
    await expect.poll(() => first.evaluate("typeof globalThis.goOn")).toBe("function");
    await first.evaluate("globalThis.goOn()");
    await second.locator("[data-glove-thread-mark=waiting]").waitFor();
    await first.getByRole("button", { name: /Allow once/ }).click();
    await second.locator("[data-glove-thread-mark]").waitFor({ state: "detached" });

    await press(second, "Clean up", "Rename");
    await second.keyboard.type("Mine");
    await second.keyboard.press("Enter");
    await expectTitles(first, ["Mine"]);
    await press(second, "Mine", "Archive");
    await first.getByText("Archived 1").click();
    await press(first, "Mine", "Unarchive");
    await first.locator("summary", { hasText: "Archived" }).waitFor({ state: "detached" });
    await expectTitles(second, ["Mine"]);

    // The thread that is shown gives way to a new one, and comes back with it.
    await press(first, "Mine", "Delete");
    await first.getByText("What can I do for you?").waitFor();
    await expectTitles(second, []);
    await second.getByRole("button", { name: "Undo" }).waitFor();
    await first.getByRole("button", { name: "Undo" }).click();
    await first.locator("[data-glove-message]", { hasText: "Done." }).waitFor();
    await expectTitles(second, ["Mine"]);
    await press(second, "Mine", "Delete");
    await first.getByRole("button", { name: "Undo" }).click();
    await expectTitles(second, ["Mine"]);
    expect(await stored(second)).toEqual(["Mine"]);
  }));

test.each(["Rename", "Archive", "Delete"])(
  "what `%s` did is shown again by a page that is loaded again as soon as it shows it",
  (action) =>
    tabs(async (open) => {
      // The page ends in the task in which it shows it: what is not stored by then is lost.
      const before = `{
      const { transaction } = IDBDatabase.prototype;
      const begun = [];
      IDBDatabase.prototype.transaction = function (...args) {
        begun.push(transaction.apply(this, args));
        return begun.at(-1);
      };
      globalThis.endNow = () => {
        IDBDatabase.prototype.transaction = () => { throw new Error("The page has ended."); };
        for (const one of begun) try { one.abort(); } catch {}
        location.reload();
      };
    }`;
      const page = await open({ before });
      await say(page, "Clean up");
      await expectTitles(page, ["Clean up"]);
      await page.locator("[data-glove-message]", { hasText: "Gladly." }).waitFor();
      await page.evaluate(`new MutationObserver(() => {
      const field = document.querySelector("[data-glove-threads] input");
      const row = [...document.querySelectorAll("[data-glove-thread]")].some((row) => row.textContent === "Clean up" && !row.closest("details"));
      if (!field && !row) endNow();
    }).observe(document.body, { subtree: true, childList: true, characterData: true })`);
      const again = page.waitForEvent("load");
      await press(page, "Clean up", action);
      if (action === "Rename") {
        await page.keyboard.type("Mine");
        await page.keyboard.press("Enter");
      }
      await again;
      await page.waitForFunction("globalThis.look");
      await page.evaluate(`look.open([], {}, { listOnly: true }), 0`);
      await page.locator("[data-glove-threads][data-ready]").waitFor();
      const title = action === "Rename" ? "Mine" : "Clean up";
      expect(await page.locator("[data-glove-thread]").allTextContents()).toEqual(action === "Delete" ? [] : [title]);
      expect(await page.locator("details [data-glove-thread]").count()).toBe(action === "Archive" ? 1 : 0);
    }),
);

test("a thread that is deleted while another tab runs it goes on until its time is over, and is gone in both then", () =>
  tabs(async (open) => {
    const first = await open({ script: `[{ toolCalls: [{ name: "wait" }] }, "Done."]` });
    const second = await open();
    await say(first, "Work");
    await second.locator("[data-glove-thread-mark=running]").waitFor();
    await press(second, "Work", "Delete");
    await expectTitles(first, []);
    await expect.poll(() => first.evaluate("typeof globalThis.goOn")).toBe("function");
    await first.evaluate("globalThis.goOn()");
    await first.locator("[data-glove-message]", { hasText: "Done." }).waitFor();
    await second.mouse.move(600, 300);
    // Both wait for the end of the ten seconds.
    await first.getByText(/was deleted/).waitFor({ timeout: 20_000 });
    await expect.poll(() => second.evaluate("client.exportSession('x').catch((error) => error.code)")).toBe("SESSION_UNKNOWN");
    expect(await stored(second)).toEqual([]);
    const rows = await second.evaluate(`new Promise((resolve) => {
      const opening = indexedDB.open("glove");
      opening.onsuccess = () => {
        const counting = opening.result.transaction("messages").objectStore("messages").count();
        counting.onsuccess = () => resolve(counting.result);
      };
    })`);
    expect(rows).toBe(0);
  }));

test("a tab that goes before the time to undo is over loses nothing, and the next one finishes it", () =>
  tabs(async (open) => {
    const first = await open();
    await say(first, "One");
    await item(first, "One").waitFor();
    await press(first, "One", "Delete");
    await first.getByRole("button", { name: "Undo" }).waitFor();
    await first.close();
    const second = await open();
    await second.getByRole("button", { name: "Undo" }).click();
    await expectTitles(second, ["One"]);
    await press(second, "One", "Delete");
    await second.getByRole("button", { name: "Undo" }).waitFor();
    await second.close();
    // As if it had come a minute later.
    const later = "const now = Date.now.bind(Date); Date.now = () => now() + 60_000;";
    const third = await open({ before: later });
    expect(await third.getByRole("button", { name: "Undo" }).count()).toBe(0);
    await expect
      .poll(
        () =>
          third.evaluate(`new Promise((resolve) => {
        const opening = indexedDB.open("glove");
        opening.onsuccess = () => {
          const counting = opening.result.transaction("sessions").objectStore("sessions").count();
          counting.onsuccess = () => resolve(counting.result);
        };
      })`),
        { timeout: patience / 3 },
      )
      .toBe(0);
  }));

test("a run whose tab crashed goes on no more, and its thread says that it does when it is opened", () =>
  tabs(async (open, context) => {
    const first = await open({ script: `[{ toolCalls: [{ name: "wait" }] }]` });
    // It does not take the thread over.
    const second = await open({ more: "{ listOnly: true }" });
    await say(first, "Work");
    await second.locator("[data-glove-thread-mark=running]").waitFor();
    await kill(first, { context } as Parameters<typeof kill>[1]);
    await second.getByTitle("Was interrupted: open it to go on").waitFor();
    await expectTitles(second, ["Work"]);
    expect(await second.getByRole("button", { name: "Work Was interrupted: open it to go on" }).count()).toBe(1);
  }));

/** Counts what is read of the database, and whether the core is started. */
const counting = `
  globalThis.reads = { getAll: 0, get: 0, other: 0 };
  globalThis.compiled = 0;
  for (const name of ["getAll", "get", "getAllKeys"]) {
    const read = IDBObjectStore.prototype[name];
    IDBObjectStore.prototype[name] = function (...args) {
      reads[this.name !== "sessions" ? "other" : name === "getAllKeys" ? "keys" : name]++;
      return read.apply(this, args);
    };
  }
  for (const name of ["compile", "compileStreaming", "instantiate", "instantiateStreaming"]) {
    const start = WebAssembly[name];
    WebAssembly[name] = (...args) => (compiled++, start.apply(WebAssembly, args));
  }
`;

const thousand = `new Promise((resolve) => {
  const opening = indexedDB.open("glove");
  opening.onsuccess = () => {
    const { result } = opening;
    const writing = result.transaction("sessions", "readwrite");
    for (let at = 0; at < 1000; at++) {
      const id = "s" + at, time = Date.now() - at * 3_600_000;
      writing.objectStore("sessions").put({ id, count: 2, seq: 0, turns: 1, tokens: { tokens_in: 1, tokens_out: 1 }, created: time, updated: time,
        order: time, first: "Conversation " + at, unfinished: false, records: false, write: "w" }, id);
    }
    writing.oncomplete = () => resolve(result.close());
  };
})`;

test("a thousand sessions are listed by one read and without the core, and a change reads one row", () =>
  tabs(async (open) => {
    const writer = await open();
    await say(writer, "First");
    await item(writer, "First").waitFor();
    await writer.evaluate(thousand);
    const page = await open({ more: "{ listOnly: true }", before: counting });
    await page.locator("[data-glove-more]").waitFor({ state: "attached" });
    expect(await page.evaluate("[reads.getAll, reads.get, reads.other, compiled]")).toEqual([1, 0, 0, 0]);
    expect(await page.locator("[data-glove-thread]").count()).toBeLessThanOrEqual(120);
    const before = (await page.evaluate("look.commits()")) as number;
    await send(writer, "fresh", "Another");
    await expect.poll(async () => (await titles(page))[0]).toBe("Another");
    await expect.poll(() => page.evaluate("reads.get")).toBeGreaterThan(0);
    const [all, some, other, compiled, after] = (await page.evaluate(
      "[reads.getAll, reads.get, reads.other, compiled, look.commits()]",
    )) as number[];
    expect([all, other, compiled]).toEqual([1, 0, 0]);
    expect(some).toBeLessThanOrEqual(6);
    expect((after ?? 0) - before).toBeLessThanOrEqual(6);
    await page.getByRole("searchbox").fill("conversation 999");
    await expectTitles(page, ["Conversation 999"]);
    await page.getByRole("searchbox").fill("");
    await page.locator("[data-glove-more]").scrollIntoViewIfNeeded();
    await expect.poll(() => page.locator("[data-glove-thread]").count()).toBeGreaterThanOrEqual(120);
  }));

test("the list is used by keyboard alone", () =>
  tabs(async (open) => {
    const page = await open();
    for (const text of ["One", "Two", "Three"]) await send(page, text, text);
    await expectTitles(page, ["Three", "Two", "One"]);
    const focused = () => page.evaluate("document.activeElement.innerText || document.activeElement.value");
    await page.getByRole("button", { name: "New conversation" }).focus();
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Three");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    expect(await focused()).toBe("One");
    await page.keyboard.press("Enter");
    await page.locator("[data-glove-message]", { hasText: "Gladly." }).waitFor();
    expect(await item(page, "One").getByRole("button").first().getAttribute("aria-current")).toBe("true");
    await page.keyboard.press("Home");
    await page.keyboard.press("F2");
    expect(await focused()).toBe("Three");
    await page.keyboard.type("Third");
    await page.keyboard.press("Escape");
    await expectTitles(page, ["Three", "Two", "One"]);
    await expect.poll(focused).toBe("Three");
    await page.keyboard.press("F2");
    await page.keyboard.type("Third");
    await page.keyboard.press("Enter");
    await expectTitles(page, ["Third", "Two", "One"]);
    await expect.poll(focused).toBe("Third");
    await page.keyboard.press("Delete");
    await expectTitles(page, ["Two", "One"]);
    expect(await focused()).toBe("Two");
    await page.getByRole("button", { name: "Undo" }).focus();
    await page.keyboard.press("Enter");
    await expectTitles(page, ["Third", "Two", "One"]);
  }));

test("axe finds nothing in the list, whatever is in it", () =>
  tabs(async (open) => {
    const page = await open({ script: `[{ toolCalls: [{ name: "rm" }] }, "Done."]` });
    const check = async () => expect(await barriers(page, ".threads", ["region"])).toEqual([]);
    await check();
    await page.evaluate(thousand);
    await page.evaluate(`client.session("w").sendMessage("Ask me").catch(() => {}), 0`);
    await page.locator("[data-glove-thread-mark=waiting]").waitFor();
    await page.reload();
    await page.waitForFunction("globalThis.look");
    await page.evaluate(`look.open([], { tools: ${tools} }), 0`);
    await page.locator("[data-glove-thread-mark=waiting]").waitFor();
    for (const [title, action] of [
      ["Conversation 1", "Archive"],
      ["Conversation 2", "Delete"],
      ["Conversation 3", "Rename"],
    ] as const)
      await press(page, title, action);
    await page.locator("[data-glove-threads-archived]").evaluate((part) => part.setAttribute("open", ""));
    await check();
  }));
