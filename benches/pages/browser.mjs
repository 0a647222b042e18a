// Chromium for rows that need a page: with a profile of its own in `folder`, or in memory.
import { findChromium } from "../../scripts/lib/chromium.mjs";

export async function openChromium(folder) {
  const { chromium } = await import("playwright-core");
  const options = {
    executablePath: findChromium(),
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  };
  return folder ? chromium.launchPersistentContext(folder, options) : chromium.launch(options);
}
