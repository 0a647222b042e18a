// What the built pages lead to: every file and anchor that one of them names.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

/** All pages of the site, from its root. The demo's own page is the demo's. */
export function pagesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => String(name).replaceAll("\\", "/"))
    .filter(
      (name) => name.endsWith(".html") && !name.startsWith("demo/") && name !== "404.html" && !/^examples\/[\w-]+\//.test(name),
    );
}

const unescaped = (text: string) => text.replaceAll("&amp;", "&").replaceAll("&quot;", '"');

/** "page: target" for each link, script, picture and style sheet that is not there. */
export function deadLinks(folder: string): string[] {
  const anchors = new Map<string, Set<string>>();
  const anchorsOf = (page: string) => {
    const known =
      anchors.get(page) ??
      new Set([...readFileSync(join(folder, page), "utf8").matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id));
    anchors.set(page, known);
    return known;
  };
  return pagesOf(folder).flatMap((page) => {
    const html = readFileSync(join(folder, page), "utf8");
    const targets = [...html.matchAll(/ (?:href|src)="([^"]+)"/g)].map(([, target = ""]) => unescaped(target));
    return [...new Set(targets)]
      .filter((target) => {
        if (/^(https?:|mailto:|data:)/.test(target)) return false;
        const [path = "", anchor] = target.split("#");
        const file = path ? posix.join(posix.dirname(page), path) : page;
        if (!existsSync(join(folder, file))) return true;
        // What the gallery and the demo show is chosen by their scripts.
        if (!anchor || /^(gallery|scenes)\.html$/.test(file)) return false;
        return !anchorsOf(file).has(anchor);
      })
      .map((target) => `${page}: ${target}`);
  });
}
