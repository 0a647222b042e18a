// A page that is shown before what runs its conversation has come, and whose network is gone then.
import type { BrowserContext, Page, Route } from "playwright-core";
import { expect, test } from "vitest";
import { demo, log, press, say, shows } from "./kit.js";

const { open } = demo();

/** What a page asks for after it is drawn, each by the name of its file: what opens a session, the core, the database, what runs tools. */
type Part = "session-chunk" | "inline-file" | "runner";

/** Does that with each request for a part. Gives the undo. */
async function stand(context: BrowserContext, part: Part, how: (route: Route) => unknown): Promise<() => Promise<void>> {
  const file = new RegExp(`/${part}-[^/]*\\.js$`);
  await context.route(file, how);
  return () => context.unroute(file);
}

const told = (page: Page) => page.getByRole("main").getByRole("alert").getByText("A part of this page could not be loaded");
const queued = (page: Page) => page.locator("[data-glove-queued]", { hasText: "What is in my cart?" });

async function isAnsweredOnce(page: Page): Promise<void> {
  await shows(page, "Your cart is empty");
  await expect.poll(() => queued(page).count()).toBe(0);
  expect(await log(page).getByText("What is in my cart?").count()).toBe(1);
  expect(await log(page).getByText("Your cart is empty").count()).toBe(1);
  expect(await page.getByRole("main").getByRole("alert").count()).toBe(0);
  expect(await page.getByRole("textbox", { name: "Message" }).inputValue()).toBe("");
}

test.each(["session-chunk", "inline-file"] as const)(
  "what is sent to a page that cannot load `%s` is answered once in the next page",
  async (part) => {
    let come = async () => {};
    const page = await open("shop", {}, async (context) => {
      come = await stand(context, part, (route) => route.abort());
    });
    await say(page, "What is in my cart?");
    await told(page).waitFor();
    await queued(page).waitFor();
    await come();
    await page.reload();
    await isAnsweredOnce(page);
  },
);

test.each(["session-chunk", "runner"] as const)(
  "a page whose network is gone while `%s` is on its way goes on by itself when it is back",
  async (part) => {
    const held: Route[] = [];
    let come = async () => {};
    const page = await open("shop", {}, async (context) => {
      come = await stand(context, part, (route) => void held.push(route));
    });
    await say(page, "What is in my cart?");
    await expect.poll(() => held.length, { message: `the page asks for ${part}` }).toBeGreaterThan(0);
    await page.context().setOffline(true);
    const abort = () => Promise.all(held.splice(0).map((route) => route.abort("internetdisconnected")));
    await abort();
    await come();
    // The page may have asked for it once more meanwhile.
    await abort();
    await told(page).waitFor();
    await page.context().setOffline(false);
    await isAnsweredOnce(page);
  },
);

test("where a part does not come in the same page, another try is the next page", async () => {
  let come = async () => {};
  const page = await open("shop", {}, async (context) => {
    come = await stand(context, "session-chunk", (route) => route.abort());
  });
  await say(page, "What is in my cart?");
  await told(page).waitFor();
  await press(page, "Try again");
  await page.getByRole("button", { name: "Reload the page" }).waitFor();
  await come();
  await press(page, "Reload the page");
  await isAnsweredOnce(page);
});
