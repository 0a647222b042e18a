// The page around the scenes: conversations, the inspector, layouts, and people with a screen reader or weak eyes.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { barriers } from "../support/axe.js";
import { demo, inside, log, press, ready, region, type Scene, say, shows, thread } from "./kit.js";

const { open } = demo();
const scenes: readonly Scene[] = ["assistant", "shop", "trip", "desk"];

test("each scene has its own conversations, and keeps them", async () => {
  const page = await open("shop");
  await say(page, "Show me the lights");
  await shows(page, "Here are 2 products");
  await press(page, "New conversation");
  await say(page, "hello");
  await shows(page, "I can show you what we have");
  await page.getByRole("link", { name: "Desk" }).click();
  await page.getByRole("heading", { name: "Run an operations desk" }).waitFor();
  await say(page, "hello");
  await shows(page, "I watch four services");
  await page.getByRole("link", { name: "Shop" }).click();
  await shows(page, "I can show you what we have");
  await thread(page, "Show me the lights").click();
  await shows(page, "Here are 2 products");
  await page.reload();
  await shows(page, "Here are 2 products");
  expect(await log(page).getByText("I can show you what we have").count()).toBe(0);
});

test("a conversation is renamed, and deleted with everything of it", async () => {
  const page = await open("shop");
  await say(page, "hello");
  await shows(page, "I can show you what we have");
  await thread(page, "hello").press("F2");
  await page.getByRole("textbox", { name: "Title" }).fill("My office");
  await page.keyboard.press("Enter");
  await thread(page, "My office").waitFor();
  await page.reload();
  await thread(page, "My office").press("Delete");
  await page.getByRole("heading", { name: "Furnish a small office" }).waitFor();
  await page.getByText("Deleted: My office").waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Furnish a small office" }).waitFor();
  expect(await thread(page, "My office").count()).toBe(0);
});

test("the inspector shows requests, the record, the journal and the events as they come", async () => {
  const page = await open("shop");
  await say(page, "What is in my basket?");
  await shows(page, "Your cart is empty");
  await ready(page);
  await inside(page, "Requests");
  const requests = region(page, "Requests").locator(".requests > li");
  expect(await requests.count()).toBe(2);
  await requests.first().locator("summary").first().click();
  await requests.first().getByText("You help people to furnish a small office").first().waitFor();
  await requests.first().getByText("view_cart: success").waitFor();
  await inside(page, "Record");
  await region(page, "Record").getByText("view_cart: success").click();
  await region(page, "Record").getByText('"tool_results"').waitFor();
  await inside(page, "Journal");
  // That the tool is about to run is on the disk before it runs.
  await region(page, "Journal").getByText("strict").first().waitFor();
  await inside(page, "Events");
  const events = region(page, "Events");
  await events.getByText(/^text_delta × /).waitFor();
  await events.getByText("request_finished").waitFor();
  await inside(page, "Overview");
  await page.getByRole("img", { name: /^Tokens per turn: 2 shown/ }).waitFor();
  await page.getByRole("img", { name: /^Time per step: 3 shown/ }).waitFor();
  await region(page, "Storage").getByText("In the browser's database").waitFor();
});

test("a long conversation is summarised for the model before it gets too long", async () => {
  const page = await open("shop");
  const context = page.getByText(/^[\d,]+ of 8,000 tokens$/);
  const words = "that I have thought about all day ".repeat(200);
  for (let round = 0; round < 6; round++) {
    await say(page, `What is in my cart ${words}?`);
    await page.waitForFunction((n) => document.querySelectorAll("[data-glove-role=agent]").length > n, round);
    await ready(page);
  }
  await page.getByText("Earlier messages were summarised").first().waitFor();
  const tokens = Number((await context.innerText()).split(" ")[0]?.replace(",", ""));
  expect(tokens).toBeLessThan(8_000);
  // The record keeps every word.
  await inside(page, "Record");
  expect(await region(page, "Record").locator(".gist", { hasText: "What is in my cart" }).count()).toBe(6);
});

const sizes = [
  [1400, 900],
  [800, 1000],
  [360, 640],
] as const;

test.each(scenes)(
  "%s: nothing lies beyond the edge of any screen, or keeps people with a screen reader or weak eyes out",
  async (scene) => {
    const page = await open(scene);
    await fill(page, scene);
    for (const [width, height] of sizes) {
      await page.setViewportSize({ width, height });
      await fitsInto(page, width, height);
    }
    await page.keyboard.press("Escape");
    await page.setViewportSize({ width: 1600, height: 900 });
    expect(await barriersEverywhere(page)).toEqual([]);
  },
);

/** What lies in the page, and in each of its panels, is within the window; the chat beside or above a panel stays to be read. */
async function fitsInto(page: Page, width: number, height: number): Promise<void> {
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
  const beyond = await page.evaluate(outside);
  expect(beyond).toEqual([]);
  if (width < 1000) {
    const field = await page.getByRole("textbox", { name: "Message" }).boundingBox();
    expect(field && field.y + field.height).toBeLessThanOrEqual(height);
    for (const view of ["Cart", "Plan", "Board", "Inspector"]) {
      const button = page.getByRole("button", { name: view, exact: true });
      if ((await button.count()) === 0) continue;
      // Its panel is beside the chat, or below it on a phone, and the end of the conversation stays to be read.
      await button.click();
      expect(await button.getAttribute("aria-pressed")).toBe("true");
      const panel = await page.locator(".side:not([hidden]), .inside:not([hidden])").boundingBox();
      const room = await log(page).locator("xpath=ancestor-or-self::*[@data-glove-scroller]").boundingBox();
      if (!panel || !room) throw new Error(`${view} hides itself or the chat`);
      expect(room.height).toBeGreaterThan(80);
      if (width < 700) {
        expect(panel.height).toBe(height / 2);
        expect(room.y + room.height).toBeLessThanOrEqual(panel.y);
      } else {
        expect(panel.width).toBe(320);
        expect(room.x + room.width).toBeLessThanOrEqual(panel.x);
      }
      expect(await page.evaluate(outside)).toEqual([]);
      await button.click();
      expect(await button.getAttribute("aria-pressed")).toBe("false");
      expect(await page.locator(".side:not([hidden]), .inside:not([hidden])").count()).toBe(0);
    }
    // The conversations are beside the chat where there is room, and otherwise a drawer; so are the scenes, or a menu.
    if (width < 700) {
      await page.getByRole("button", { name: /choose a scene$/ }).click();
      await page.getByRole("link", { name: /^Trip/ }).waitFor();
      expect(await page.evaluate(outside)).toEqual([]);
      await page.keyboard.press("Escape");
      await press(page, "Conversations");
    }
    await page.getByRole("link", { name: "Trip" }).waitFor();
    await page.getByRole("complementary").getByText("glove-wasm").waitFor();
    expect(await page.evaluate(outside)).toEqual([]);
  }
}

/** What axe finds in the page, its inspector and its dialogs, on a wide screen and on a phone. */
async function barriersEverywhere(page: Page): Promise<string[]> {
  const problems: string[] = [];
  const look = async (what: string) => {
    for (const problem of await barriers(page)) problems.push(`${what}, ${problem}`);
  };
  await look("overview");
  await inside(page, "Requests");
  await look("requests");
  await page.getByRole("button", { name: /^Model/ }).click();
  await page.getByRole("radio", { name: /own API key/ }).check();
  await look("models");
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.setViewportSize({ width: 360, height: 640 });
  await look("phone, inside");
  await press(page, "Inspector");
  await look("phone");
  await press(page, "Conversations");
  await look("phone, conversations");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /choose a scene$/ }).click();
  await look("phone, scenes");
  return problems;
}

test("a scene is played with the keyboard alone, and what has the focus is always marked", async () => {
  const page = await open("desk");
  const services = region(page, "Services");
  await tabTo(page, /^What's wrong with checkout/);
  await page.keyboard.press("Enter");
  // The question takes the focus, and no button of it.
  await page.waitForFunction(() => document.activeElement?.matches("[data-glove-question]"));
  await tabTo(page, "Allow once");
  await page.keyboard.press("Enter");
  await shows(page, "Checkout is healthy again");
  await tabTo(page, "Message");
  await page.keyboard.type("Scale search to 6");
  await page.keyboard.press("Enter");
  await shows(page, "More than 4 replicas");
  await tabTo(page, "Allow");
  await page.keyboard.press("Enter");
  await services.getByText("6 replicas").waitFor();
  await ready(page);
  await tabTo(page, "Undo");
  await page.keyboard.press("Space");
  await services.getByText("3 replicas").waitFor();
  await tabTo(page, "Trip");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Plan a few days away" }).waitFor();
});

/** Presses Tab until what has this name has the focus. Each stop on the way shows where one is. */
async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const wanted = page.locator(":focus").and(page.getByRole("button", { name, exact: true }));
  const others = [page.getByRole("textbox", { name: String(name), exact: true }), page.getByRole("link", { name, exact: true })];
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press("Tab");
    expect(await page.evaluate(unmarked)).toBeUndefined();
    for (const one of [wanted, ...others.map((other) => page.locator(":focus").and(other))]) if (await one.count()) return;
  }
  throw new Error(`Tab does not lead to ${name}`);
}

/** What has the focus, and no outline around it. Runs in the page. */
function unmarked(): string | undefined {
  const { activeElement } = document;
  if (!activeElement || activeElement === document.body) return undefined;
  // What draws nothing itself is marked by the element beside it, and the field of the composer by the border around it.
  const outlined = [activeElement, activeElement.nextElementSibling].some(
    (element) => element && getComputedStyle(element).outlineStyle !== "none",
  );
  const composer = activeElement.matches("textarea") ? activeElement.closest("form[data-glove-role=input]") : null;
  const probe = composer?.appendChild(document.createElement("i"));
  if (probe) probe.style.color = "var(--_link)";
  const bordered = composer && probe && getComputedStyle(composer).borderTopColor === getComputedStyle(probe).color;
  probe?.remove();
  const marked = outlined || bordered;
  return marked ? undefined : activeElement.outerHTML.slice(0, 120);
}

/** Brings a scene to where much of it is on the screen, and something waits. */
async function fill(page: Page, scene: Scene): Promise<void> {
  if (scene === "assistant") {
    await say(page, "Compare databases in a table");
    await ready(page);
    await say(page, "Chart my steps");
    await shows(page, "The best day was Sat");
    await say(page, "Email the notes to Ada");
    await page.getByRole("button", { name: "Allow once" }).waitFor();
  } else if (scene === "shop") {
    await say(page, "Show me the desks");
    await shows(page, "Here are 2 products");
    await say(page, "Add two task chairs and check out");
    // Until the question stands there, a suggestion has this name, too.
    await shows(page, "need your approval");
    await press(page, "Check out");
    await page.getByLabel("Name", { exact: true }).waitFor();
  } else if (scene === "trip") {
    await say(page, "Two days in Lisbon");
    await press(page, "Plan my trip");
    await shows(page, "Your trip to Lisbon");
    await say(page, "One day in Oslo");
    await page.getByRole("form", { name: "Preferences" }).waitFor();
  } else {
    await say(page, "Refund €20 for order 1043");
    await shows(page, "Refunded €20");
    await say(page, "Restart checkout");
    await page.getByRole("button", { name: "Allow once" }).waitFor();
  }
}

/** What lies beyond the left or right edge without a box of its own that scrolls. Runs in the page. */
function outside(): string[] {
  const scrolls = (element: Element | null): boolean =>
    element !== null && (/auto|scroll|hidden/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
  return [...document.querySelectorAll("body *")]
    .filter((element) => {
      const { left, right, width } = element.getBoundingClientRect();
      return width > 0 && (left < -1 || right > innerWidth + 1) && !scrolls(element.parentElement);
    })
    .map(({ outerHTML }) => outerHTML.slice(0, 120));
}
