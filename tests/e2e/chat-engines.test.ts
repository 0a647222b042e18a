// The chat with its list of threads and its attachments, in each engine: what is drawn, kept and scaled there.
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPlaces, type Places } from "../support/engines.js";
import { serveLook } from "../support/look.js";
import type { EnginePage } from "../support/webdriver.js";

let places: Places;
beforeAll(async () => {
  places = await openPlaces();
});
afterAll(() => places.close());

/** What a test does in the page, as text: WebDriver knows no more. */
const helpers = `
  globalThis.until = async (what, done) => {
    for (let at = 0; at < 1000; at++) {
      const found = done();
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error("waited in vain for " + what);
  };
  globalThis.button = (name) => until("the button " + name, () =>
    [...document.querySelectorAll("button")].find((one) => one.textContent.trim() === name || one.getAttribute("aria-label") === name));
  globalThis.seen = (text) => until(text, () => document.querySelector("[role=log]")?.textContent.includes(text));
  globalThis.titles = () => [...document.querySelectorAll("[data-glove-thread] [data-glove-thread-title]")].map((one) => one.textContent);
  globalThis.say = async (text) => {
    const field = await until("the field", () => document.querySelector("textarea"));
    Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value").set.call(field, text);
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.form.requestSubmit();
  };`;

async function begin(page: EnginePage): Promise<void> {
  await page.evaluate(`(async () => {
    ${helpers}
    await until("the page", () => globalThis.look);
    look.open(["Gladly.", "At once.", "Of course."]);
    await until("the list", () => document.querySelector("[data-glove-threads][data-ready]"));
    await until("the composer", () => document.querySelector("textarea"));
  })()`);
}

async function withPage(work: (page: EnginePage) => Promise<void>): Promise<void> {
  // Browsers keep what they store by the address of its server.
  const server = await serveLook({}, "threads-page", true);
  const page = await places.engine.open();
  try {
    await page.goto(server.url);
    await begin(page);
    await work(page);
  } finally {
    await page.close();
    await server.close();
  }
}

test("a conversation is begun, left, found in the list, deleted and brought back", () =>
  withPage(async (page) => {
    const all = await page.evaluate(`(async () => {
      await say("Plan a day");
      await seen("Gladly.");
      (await button("New conversation")).click();
      await until("an empty chat", () => !document.querySelector("[role=log]")?.textContent.includes("Gladly."));
      await say("Write a test");
      await until("both titles", () => titles().length === 2);
      return titles();
    })()`);
    expect(all).toEqual(["Write a test", "Plan a day"]);
    await page.reload();
    await begin(page);
    const after = await page.evaluate(`(async () => {
      await seen("Write a test");
      (await button("Plan a day")).click();
      await seen("Gladly.");
      (await button("Delete: Plan a day")).click();
      await until("one title", () => titles().length === 1);
      (await button("Undo")).click();
      await until("both titles", () => titles().length === 2);
      await seen("Gladly.");
      return titles();
    })()`);
    expect(after).toEqual(["Write a test", "Plan a day"]);
  }));

test("a large picture is scaled, kept over a reload with what was typed, and sent", () =>
  withPage(async (page) => {
    await page.evaluate(`(async () => {
      const canvas = Object.assign(document.createElement("canvas"), { width: 2400, height: 1200 });
      const context = canvas.getContext("2d");
      context.fillStyle = "teal";
      context.fillRect(0, 0, 2400, 1200);
      const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
      const files = new DataTransfer();
      files.items.add(new File([blob], "sea.png", { type: "image/png" }));
      files.items.add(new File(["# Thursday"], "notes.md", { type: "text/markdown" }));
      const input = await until("the button for files", () => document.querySelector("input[type=file]"));
      input.files = files.files;
      input.dispatchEvent(new Event("change", { bubbles: true }));
      await until("both files", () => document.querySelectorAll("[data-glove-attachment][data-state=ready]").length === 2);
      await until("what is kept", () => Object.keys(sessionStorage).some((key) => key.endsWith(":files")));
      const asked = (request) => new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
      for (let kept = 0; kept < 2; ) {
        // Opening it would make it.
        if (!(await indexedDB.databases()).some(({ name }) => name === "glove-wasm-drafts")) continue;
        const database = await asked(indexedDB.open("glove-wasm-drafts", 1));
        const drafts = await asked(database.transaction("files").objectStore("files").getAll());
        database.close();
        kept = drafts.reduce((sum, { files }) => sum + files.length, 0);
      }
    })()`);
    await page.reload();
    await begin(page);
    const sent = await page.evaluate(`(async () => {
      await until("both files", () => document.querySelectorAll("[data-glove-attachment][data-state=ready]").length === 2);
      await say("What is this?");
      await seen("Gladly.");
      const image = await until("the picture", () => document.querySelector("[data-glove-pictures] img"));
      await image.decode();
      const names = [...document.querySelectorAll("[data-glove-files] bdi")].map((one) => one.textContent);
      return { width: image.naturalWidth, height: image.naturalHeight, names };
    })()`);
    expect(sent).toEqual({ width: 1568, height: 784, names: ["notes.md"] });
  }));
