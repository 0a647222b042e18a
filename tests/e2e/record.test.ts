// What is in a conversation beside text and calls, as a person sees it in Chromium: widgets, files, and prompts that nobody wrote, live
// and after reloads.
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, patience } from "../support/browser.js";
import { serveLook } from "../support/look.js";
import type { Served } from "../support/server.js";

let browser: Awaited<ReturnType<typeof openBrowser>>;
let server: Served;
beforeAll(async () => {
  [server, browser] = [await serveLook({}, "record-page"), await openBrowser()];
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

async function open(work: (page: Page, problems: string[]) => Promise<void>): Promise<void> {
  const context = await browser.newContext();
  context.setDefaultTimeout(patience);
  try {
    const page = await context.newPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    await page.goto(server.url);
    await work(page, problems);
  } finally {
    await context.close();
  }
}

const say = async (page: Page, text: string) => {
  await page.getByRole("textbox", { name: "Message", exact: true }).fill(text);
  await page.keyboard.press("Enter");
};
/** The prompts in short; their files stay in the page. */
const short = (page: Page) =>
  page.evaluate(`client.session("s").prompts().then((prompts) => prompts.map(({ input, reason, userId, state, outputs }) =>
    [input ?? reason, userId, state, outputs.map(({ type }) => type).join(" ")]))`) as Promise<string[][]>;

test("a widget, one without a renderer and a file are there behind their call, also after a reload, and the file comes out whole", () =>
  open(async (page, problems) => {
    await say(page, "How is the weather?");
    for (const times of ["live", "after a reload"]) {
      await page.getByText("It rains in Oslo.").waitFor();
      await page.getByRole("region", { name: "Forecast for Oslo" }).waitFor();
      expect(await page.getByRole("meter").count(), times).toBe(3);
      expect(await page.locator("[data-glove-renderer=wind]").innerText()).toMatch(/Wind[\s\S]*12[\s\S]*west/);
      const order = await page
        .locator("[data-glove-role=tool], [data-glove-output], [data-glove-role=agent]")
        .evaluateAll((all) => all.map((one) => one.getAttribute("data-glove-renderer") ?? one.getAttribute("data-glove-role")));
      expect(order).toEqual(["tool", "forecast", "wind", "file", "agent"]);
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: /week\.csv/ }).click(),
      ]);
      expect(download.suggestedFilename()).toBe("week.csv");
      expect(await readFile(await download.path(), "utf8")).toBe("mon;3\ntue;0\n");
      expect(await short(page)).toEqual([["How is the weather?", "ann", "completed", "tool widget widget file text"]]);
      if (times === "live") await page.reload();
    }
    expect(problems).toEqual([]);
  }));

test("a reminder waits for its approval over a reload, and the prompt that a timer begins shows its answer alone", () =>
  open(async (page, problems) => {
    await say(page, "Remind me to take an umbrella");
    await page.getByRole("button", { name: "Allow" }).waitFor();
    expect(await short(page)).toEqual([["Remind me to take an umbrella", "ann", "waiting_for_approval", "tool"]]);
    await page.reload();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByText("I will remind you.").waitFor();
    await page.evaluate(`client.sessions().then(([{ id }]) => {
      setTimeout(() => client.trigger(id, { reason: "the reminder of five o'clock is due" }), 10);
    })`);
    await page.getByText("Your reminder: take an umbrella.").waitFor();
    await page.reload();
    await page.getByText("Your reminder: take an umbrella.").waitFor();
    expect(await page.locator("[data-glove-role=user]").count()).toBe(1);
    expect(await short(page)).toEqual([
      ["Remind me to take an umbrella", "ann", "completed", "tool text"],
      ["the reminder of five o'clock is due", "ann", "completed", "text"],
    ]);
    expect(problems).toEqual([]);
  }));

test("a payment of up to 100 is made at once, and a larger one waits for its approval over a reload", () =>
  open(async (page, problems) => {
    await say(page, "Pay 100");
    await page.getByText("Done: paid 100.").waitFor();
    await say(page, "Pay 101");
    await page.getByText("Paying 101 needs approval.").waitFor();
    await page.reload();
    await page.getByText("Paying 101 needs approval.").waitFor();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByText("Done: paid 101.").waitFor();
    const expected = ["100", "101"].map((euros) => [`Pay ${euros}`, "ann", "completed", "tool text"]);
    expect(await short(page)).toEqual(expected);
    expect(problems).toEqual([]);
  }));

test("a skill that is taken up in mid-conversation is there in the next round, over a reload in the middle of its call, and in the next prompt", () =>
  open(async (page, problems) => {
    await say(page, "Pay 1");
    await page.getByText("Done: paid 1.").waitFor();
    await say(page, "Mail Ann");
    await page.getByRole("button", { name: "Allow" }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByText("The mail is sent.").waitFor();
    await page.reload();
    await say(page, "Mail Ann");
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByText("The mail is sent.").nth(1).waitFor();
    const [, first, second] = await short(page);
    expect(first).toEqual(["Mail Ann", "ann", "completed", "tool tool text"]);
    expect(second).toEqual(["Mail Ann", "ann", "completed", "tool text"]);
    expect(problems).toEqual([]);
  }));

test("two agents work in their cards, one asks in its own, also after a reload, and both answers reach the one that called them", () =>
  open(async (page, problems) => {
    await say(page, "Research");
    const clerk = page.getByRole("region", { name: "clerk" });
    await clerk.getByRole("button", { name: "Allow" }).waitFor();
    await page.getByRole("region", { name: "scout" }).getByText("It is all there.").waitFor();
    await page.reload();
    await clerk.getByRole("button", { name: "Allow" }).click();
    await page.getByText("Report: It is all there. It is signed.").waitFor();
    await page.reload();
    await clerk.getByText("It is signed.").waitFor();
    expect(await clerk.evaluate((card) => card.clientHeight < innerHeight / 2)).toBe(true);
    expect(await clerk.getByRole("button", { name: "Regenerate" }).count()).toBe(0);
    expect(await page.getByRole("textbox", { name: "Message", exact: true }).count()).toBe(1);
    expect(await page.evaluate("client.sessions().then((all) => all.map(({ id }) => id))")).toEqual(["s"]);
    expect(problems).toEqual([]);
  }));

test("a second tab shows the widget and the file too, as they come and when it opens later", () =>
  open(async (page, problems) => {
    const context = page.context();
    const follow = async () => {
      const tab = await context.newPage();
      await tab.goto(page.url());
      return tab;
    };
    await say(page, "Remind me");
    await page.getByRole("button", { name: "Allow" }).waitFor();
    const early = await follow();
    await early.getByRole("button", { name: "Allow" }).click();
    await early.getByText("I will remind you.").waitFor();
    await say(early, "How is the weather?");
    for (const tab of [page, early, await follow()]) {
      await tab.getByText("It rains in Oslo.").waitFor();
      await tab.getByRole("region", { name: "Forecast for Oslo" }).waitFor();
      await tab.getByRole("button", { name: /week\.csv/ }).waitFor();
    }
    expect(problems).toEqual([]);
  }));

test("a file of ten megabytes is kept, comes out whole after a reload, and one over the limit is an error that the chat goes on from", () =>
  open(async (page, problems) => {
    await say(page, "large");
    await page.getByRole("button", { name: /large\.bin/ }).waitFor();
    await page.reload();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: /large\.bin/ }).click(),
    ]);
    const bytes = await readFile(await download.path());
    expect([bytes.length, bytes.every((byte) => byte === 7)]).toEqual([10_000_000, true]);
    await say(page, "too large");
    await page.locator("[data-glove-role=tool][data-state=failed]").waitFor();
    await expect
      .poll(async () => (await short(page)).map(([, , state, types]) => [state, types]))
      .toEqual([
        ["completed", "tool file text"],
        ["completed", "tool text"],
      ]);
    expect(problems.filter((problem) => !problem.includes("at most 16777216 are kept"))).toEqual([]);
  }));
