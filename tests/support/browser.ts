// A headless Chromium with a fresh profile, and pages that report what goes wrong in them.
import { type Browser, chromium, type Page } from "playwright-core";

export function openBrowser(): Promise<Browser> {
  const executablePath = process.env.GLOVE_CHROME ?? "/usr/bin/chromium";
  return chromium.launch({
    executablePath,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/** Opens a page; `problems` fills with its console errors and uncaught exceptions. */
export async function openPage(browser: Browser, url: string): Promise<{ page: Page; problems: string[] }> {
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  await page.goto(url);
  return { page, problems };
}
