// Finds a Chromium or Chrome on this machine, installs Debian's where it may, and says how it is started.
import { existsSync } from "node:fs";
import { canInstall, installPackages } from "./debian.mjs";
import { StepFailed } from "./run.mjs";

const places = {
  linux: [
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
    "/usr/bin/google-chrome-stable",
    "/snap/bin/chromium",
  ],
  darwin: ["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", "/Applications/Chromium.app/Contents/MacOS/Chromium"],
  win32: [
    "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
    "C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe",
  ],
};

/** Without a screen, and without pages of the browser's own beside those of a test. */
export const chromiumArguments = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  `--disable-features=${[
    // The lists of the address bar are pages in each window: a quarter of what the tests cost.
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxFullPopup",
    // What Playwright turns off: only the last list of features counts.
    "AimEnabled",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "ThirdPartyStoragePartitioning",
  ]}`,
];

export function findChromium() {
  const named = process.env.GLOVE_CHROME;
  if (named && !existsSync(named)) {
    throw new StepFailed(`GLOVE_CHROME names ${named}, which is not there`, "Give the path of a Chromium or Chrome program.");
  }
  return named || places[process.platform]?.find((path) => existsSync(path));
}

/**
 * Chromium without windows of its own, which loads and runs pages for four fifths of the processor's time. Debian has it as a package beside
 * Chromium's; nothing where it is not. The program itself: the script that starts it from `/usr/bin` does not become it, and would be killed alone.
 */
export async function findShell() {
  const shell = "/usr/lib/chromium/chromium-headless-shell";
  if (!existsSync(shell) && canInstall()) await installPackages(["chromium-headless-shell"]).catch(() => {});
  return existsSync(shell) ? shell : undefined;
}

export async function installChromium() {
  if (!canInstall()) {
    throw new StepFailed(
      "no Chromium or Chrome was found",
      "Install Chrome or Chromium, or set GLOVE_CHROME to the path of its program.",
    );
  }
  await installPackages(["chromium", "chromium-driver"]);
}
