// Finds a Chromium or Chrome on this machine, and installs Debian's where it may.
import { existsSync, readFileSync } from "node:fs";
import { run, StepFailed } from "./run.mjs";

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

export function findChromium() {
  const named = process.env.GLOVE_CHROME;
  if (named && !existsSync(named)) {
    throw new StepFailed(`GLOVE_CHROME names ${named}, which is not there`, "Give the path of a Chromium or Chrome program.");
  }
  return named || places[process.platform]?.find((path) => existsSync(path));
}

export async function installChromium() {
  if (!canInstall()) {
    throw new StepFailed(
      "no Chromium or Chrome was found",
      "Install Chrome or Chromium, or set GLOVE_CHROME to the path of its program.",
    );
  }
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  await run("apt-get", ["update", "-qq"], { env });
  await run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "chromium", "chromium-driver"], { env });
}

function canInstall() {
  if (process.getuid?.() !== 0 || !existsSync("/etc/os-release")) return false;
  return /^ID=debian$/m.test(readFileSync("/etc/os-release", "utf8"));
}
