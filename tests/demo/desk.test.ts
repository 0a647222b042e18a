// The operations desk: permission, approval above a limit, undo, and a secret that nobody keeps.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { calls, demo, everythingStored, inside, log, press, ready, region, say, shows } from "./kit.js";

const { open } = demo();
const services = (page: Page) => region(page, "Services");

test("an incident is looked into side by side, and mended once a person has allowed it", async () => {
  const page = await open("desk");
  await press(page, /^What's wrong with checkout/);
  await shows(page, "A restart would free them");
  expect(await calls(page, /^Read the .* logs/).count()).toBe(2);
  await services(page).getByText("degraded").waitFor();
  // What was thought before it is there for who wants to read it.
  const thoughts = log(page).locator("details:not([open])", { hasText: "So the cause is in checkout itself" });
  await thoughts.locator("summary").click();
  await thoughts.waitFor({ state: "detached" });
  await shows(page, "Restart Checkout?");
  await press(page, "Allow once");
  await services(page).getByText("restarting").waitFor();
  await shows(page, "Checkout is healthy again");
  expect(await services(page).getByText("healthy").count()).toBe(4);
  // Allowed once: the next time it is asked again.
  await say(page, "Restart mail");
  await press(page, "Deny");
  await shows(page, "it stays up");
  await calls(page, "Restart Mail").getByText("Declined").waitFor();
});

test("a refund above the limit is approved, one below is not asked about, and both are taken back", async () => {
  const page = await open("desk");
  const paid = (text: string) => region(page, "Desk").getByText(text, { exact: true }).waitFor();
  await say(page, "Refund €20 for order 1043");
  await paid("€20");
  await say(page, "Refund €80 for order 1042");
  await shows(page, "Refunds above €50 need your approval.");
  await press(page, "Allow");
  await paid("€100");
  await ready(page);
  await press(page, "Undo");
  await paid("€20");
  await calls(page, "Refund €80 for order 1042").getByText("Undone").waitFor();
  await say(page, "Undo that");
  await paid("€0");
  // There is nothing left that could be.
  await ready(page);
  expect(await page.getByRole("button", { name: "Undo", exact: true }).count()).toBe(0);
});

test("the reason for a refusal reaches the assistant", async () => {
  const page = await open("desk");
  await say(page, "Scale search to 6");
  await shows(page, "More than 4 replicas need your approval.");
  await press(page, "Say why not");
  await page.getByRole("textbox", { name: "Reason, if you deny" }).fill("Too dear");
  await press(page, "Deny");
  await shows(page, "because you said: “Too dear”");
  await say(page, "Scale search to 4");
  await services(page).getByText("4 replicas").waitFor();
});

test("a secret is not shown again, not stored and not sent", async () => {
  const page = await open("desk");
  const secret = "hunter2-and-more";
  await say(page, "Connect the paging key");
  const field = page.getByRole("textbox", { name: /^The key of your paging service/ });
  expect(await field.getAttribute("type")).toBe("password");
  await field.fill(secret);
  await field.press("Enter");
  await shows(page, "I never saw the key");
  await ready(page);
  for (const tab of ["Requests", "Record", "Journal", "Events"]) {
    await inside(page, tab);
    const shown = await page.locator("body").evaluate((body) => body.textContent);
    expect(shown).not.toContain(secret);
  }
  const kept = await page.evaluate(everythingStored);
  expect(kept).toContain("connect_key");
  expect(kept).not.toContain(secret);
});
