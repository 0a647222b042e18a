// Chromium for rows that need a page: with a profile of its own in `folder`, or in memory.
import { chromiumArguments, findChromium } from "../../scripts/lib/chromium.mjs";

export async function openChromium(folder) {
  const { chromium } = await import("playwright-core");
  const options = { executablePath: findChromium(), args: chromiumArguments };
  return folder ? chromium.launchPersistentContext(folder, options) : chromium.launch(options);
}
