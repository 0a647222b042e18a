// The plain assistant: what somebody expects from any chat, and what only this one does.
import { expect, test } from "vitest";
import { calls, demo, log, press, ready, say, shows, thread } from "./kit.js";

const { open } = demo();

test("an answer is markdown as it streams: code with colours, a table, a list", async () => {
  const page = await open("assistant");
  await press(page, /^Explain closures with code/);
  await log(page).locator("pre code span").first().waitFor();
  await ready(page);
  expect(await log(page).getByRole("listitem").count()).toBe(3);
  await say(page, "Compare databases in a table");
  await log(page).getByRole("table").getByRole("cell", { name: "one at a time" }).waitFor();
  await log(page).getByRole("link", { name: "its own advice" }).waitFor();
});

test("another answer and an edited message are versions that one can go back to", async () => {
  const page = await open("assistant");
  await say(page, "Write a poem");
  await shows(page, "The tide comes in");
  await ready(page);
  await press(page, "Answer again");
  await shows(page, "The kettle hums");
  await ready(page);
  await log(page).getByText("2/2").waitFor();
  await log(page).getByRole("button", { name: "Previous version" }).click();
  await shows(page, "The tide comes in");
  await log(page).getByText("Write a poem").hover();
  await press(page, "Edit");
  await page.getByRole("textbox", { name: "Edit message" }).fill("Compare databases");
  await page.keyboard.press("Enter");
  await shows(page, "its own advice");
  expect(await log(page).getByText("The tide comes in").count()).toBe(0);
  await ready(page);
  await page.reload();
  await shows(page, "its own advice");
});

test("thoughts and sources are folded below what they belong to, and open where they are", async () => {
  const page = await open("assistant");
  await say(page, "Compare databases in a table");
  await shows(page, /^Sources/);
  await ready(page);
  const thought = log(page).locator("details", { hasText: "Three candidates, and what tells them apart" });
  expect(await thought.getAttribute("open")).toBeNull();
  await thought.getByText(/^Thought/).click();
  expect(await thought.getAttribute("open")).not.toBeNull();
  const source = log(page).getByRole("link", { name: "PostgreSQL tutorial" });
  expect(await source.isVisible()).toBe(false);
  await log(page).getByText("Sources · 3").click();
  await source.waitFor();
  expect(await source.getAttribute("href")).toBe("https://www.postgresql.org/docs/current/tutorial.html");
  expect(await source.getAttribute("rel")).toContain("noopener");
  await page.reload();
  await log(page).getByText("Sources · 3").click();
  await source.waitFor();
});

test("an answer and its code are copied, and its time is told where the pointer is", async () => {
  const page = await open("assistant", { permissions: ["clipboard-read", "clipboard-write"] });
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await say(page, "Explain closures");
  await shows(page, "A closure does not copy the variable");
  await ready(page);
  const code = log(page).locator("[data-glove-code]");
  await code.getByRole("button", { name: "Copy" }).click();
  await code.getByRole("button", { name: "Copied" }).waitFor();
  expect(await copied()).toMatch(/^function counter[^`]*102\n?$/);
  const answer = log(page).locator("[data-glove-message=agent]").last();
  const tools = answer.locator("[data-glove-tools]");
  await tools.getByRole("button", { name: "Copy" }).click();
  await tools.getByRole("button", { name: "Copied" }).waitFor();
  expect(await copied()).toMatch(/^A \*\*closure\*\*[\s\S]*surprises people and one with `let` does not\.$/);
  const asked = log(page).locator("[data-glove-message=user]").first();
  const time = asked.getByRole("time");
  const opacity = () => time.evaluate((element) => getComputedStyle(element).opacity);
  await page.mouse.move(5, 5);
  await expect.poll(opacity).toBe("0");
  await asked.hover();
  await expect.poll(opacity).toBe("1");
  expect(await time.innerText()).toMatch(/\d:\d\d/);
});

test("two tools run side by side and draw cards, whose markup keeps its own look", async () => {
  const page = await open("assistant");
  await press(page, /^What is the weather in Lisbon and Oslo/);
  await page.waitForFunction(() => document.querySelectorAll("[data-glove-role=tool][data-state=running]").length === 2);
  await page.getByRole("region", { name: "Weather in Oslo" }).getByText("9 °C").waitFor();
  // What the cards do not say.
  await shows(page, "Lisbon is 15° warmer. Take a raincoat for Oslo.");
  expect(await calls(page, "Weather in").count()).toBe(2);
  const list = page.getByRole("region", { name: "Weather in Oslo" }).locator("dl");
  expect(await list.evaluate((element) => getComputedStyle(element).backgroundColor)).toBe("rgba(0, 0, 0, 0)");
  await page.reload();
  await page.getByRole("region", { name: "Weather in Oslo" }).getByText("9 °C").waitFor();
});

test("an email is sent only when it was allowed, and a refused one stays as a card", async () => {
  const page = await open("assistant");
  await say(page, "Email the notes to Ada");
  await shows(page, "Send an email to Ada?");
  await press(page, "Deny");
  await shows(page, "nothing was sent");
  await calls(page, "Send an email to Ada").getByText("Declined").waitFor();
  await say(page, "Email the notes to Grace");
  await press(page, "Allow once");
  await shows(page, "The email to Grace is on its way");
});

test("a question survives a reload, and so does the answer to the one before it", async () => {
  const page = await open("assistant");
  await say(page, "Book a table");
  await page.getByRole("radio", { name: "20:00" }).check();
  await press(page, "Answer");
  await page.getByRole("textbox", { name: "Anything the restaurant should know?" }).waitFor();
  await page.reload();
  await page.getByRole("textbox", { name: "Anything the restaurant should know?" }).fill("By the window");
  await press(page, "Answer");
  await shows(page, "A table for two is booked for 20:00, with the note “By the window”.");
});

test("files are sent with a message, and are shown again after a reload", async () => {
  const page = await open("assistant");
  const chooser = page.waitForEvent("filechooser");
  await press(page, "Attach files");
  await (await chooser).setFiles([
    { name: "notes.md", mimeType: "text/markdown", buffer: Buffer.from("# Thursday\nWe ship.") },
    { name: "plan.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.4\n%%EOF") },
  ]);
  await page.getByRole("button", { name: "Remove plan.pdf" }).waitFor();
  await say(page, "What is in these?");
  await shows(page, "2 files arrived:");
  await shows(page, "We ship.");
  await page.reload();
  await log(page).locator("[data-glove-files]").getByText("plan.pdf").waitFor();
});

test("what is sent meanwhile waits for its turn, and can be taken out", async () => {
  const page = await open("assistant");
  await say(page, "Explain closures");
  await say(page, "Write a poem");
  await say(page, "Chart my steps");
  await page.locator("[data-glove-queued]").nth(1).waitFor();
  await page.getByRole("button", { name: "Remove" }).first().click();
  await shows(page, "The best day was Sat");
  expect(await log(page).getByText("Write a poem").count()).toBe(0);
});

test("an error says what to do in plain words, and trying again goes on", async () => {
  const page = await open("assistant");
  await say(page, "Fail once");
  const alert = page.getByRole("alert");
  await alert.getByText("The connection broke in the middle of the answer.").waitFor();
  await press(page, "Try again");
  await shows(page, "This time it worked");
  expect(await alert.count()).toBe(0);
  expect(await log(page).getByText("Fail once").count()).toBe(1);
});

test("the list leads from one conversation to the other, and a deleted one comes back", async () => {
  const page = await open("assistant");
  await say(page, "Write a poem");
  await ready(page);
  await press(page, "New conversation");
  await say(page, "Chart my steps");
  await shows(page, "The best day was Sat");
  await thread(page, "Write a poem").click();
  await shows(page, "The tide comes in");
  await thread(page, "Write a poem").press("Delete");
  await page.getByText("What can I do for you?").waitFor();
  expect(await thread(page, "Write a poem").count()).toBe(0);
  await press(page, "Undo");
  await shows(page, "The tide comes in");
});
