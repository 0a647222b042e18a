// Finds Firefox and WebKit on this machine, and installs Debian's where it may. Tests in them are skipped where there are none.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { canInstall, installPackages } from "./debian.mjs";

/** What each needs: the variable that names it, and where it usually is. */
const programs = {
  firefox: { GLOVE_FIREFOX: ["/usr/bin/firefox-esr", "/usr/bin/firefox", "/Applications/Firefox.app/Contents/MacOS/firefox"] },
  webkit: {
    GLOVE_WEBKIT_DRIVER: ["/usr/bin/WebKitWebDriver"],
    GLOVE_WEBKIT: miniBrowsers(),
    GLOVE_XVFB: ["/usr/bin/Xvfb"],
  },
};
const packages = { firefox: ["firefox-esr"], webkit: ["webkit2gtk-driver", "xvfb"] };

export const engines = Object.keys(programs);

/** The paths of an engine's programs by their variables; nothing when one is missing. */
export function findEngine(name) {
  const found = Object.entries(programs[name]).map(([variable, usual]) => [
    variable,
    process.env[variable] ?? usual.find((path) => existsSync(path)),
  ]);
  return found.every(([, path]) => path && existsSync(path)) ? Object.fromEntries(found) : undefined;
}

export async function installEngine(name) {
  if (!canInstall()) return;
  await installPackages(packages[name]);
  programs.webkit.GLOVE_WEBKIT = miniBrowsers();
}

/** WebKitGTK's own browser lies in a folder with its version in the name. */
function miniBrowsers() {
  const libraries = ["/usr/lib", "/usr/libexec"].filter(existsSync);
  const folders = libraries.flatMap((folder) => [folder, ...inside(folder, /-linux-gnu$/)]);
  return folders.flatMap((folder) => inside(folder, /^webkit(2gtk|gtk)-/)).map((folder) => join(folder, "MiniBrowser"));
}

function inside(folder, name) {
  return readdirSync(folder)
    .filter((entry) => name.test(entry))
    .map((entry) => join(folder, entry));
}
