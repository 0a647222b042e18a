// Which pages the site has, where each stands, and in which order people read them: `docs/README.md` says that.
import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { inRoot } from "../../scripts/lib/project.mjs";

const ofFolder = (folder) =>
  readdirSync(inRoot(folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name}`);

/** What stands at the root and belongs to readers. */
const atRoot = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "THIRD-PARTY.md"];

export const examples = readdirSync(inRoot("examples"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** The files of an example that people read, from the root of the repository. */
export function filesOf(example) {
  const folder = `examples/${example}`;
  return readdirSync(inRoot(folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => posix.join(folder, parentPath.slice(inRoot(folder).length).replaceAll("\\", "/"), name))
    .filter((path) => !/node_modules|\/dist\/|\.next|\/target\/|Cargo\.lock|next-env/.test(path))
    .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
}

const rank = (path) => (path.endsWith("README.md") ? 0 : /\.(tsx?|rs|js|mjs|html|css)$/.test(path) ? 1 : 2);

/** Every page that is written in Markdown: its file, from the root of the repository, and its text. */
export function written() {
  return [...atRoot, ...["docs", "docs/guides", "docs/reference"].flatMap(ofFolder)].map((file) => ({
    file,
    text: readFileSync(inRoot(file), "utf8"),
  }));
}

/** The address of a page, from the root of the site. */
export function addressOf(file) {
  if (file === "README.md") return "readme.html";
  if (file.startsWith("examples/")) return `${file}.html`;
  return file.replace(/README\.md$/, "index.md").replace(/\.md$/, ".html");
}

/** Headings and words of the list, as they are said in a menu. */
const short = { "What do you want to do?": "What you want to do", "Do you come from another library?": "From another library" };
const words = {
  "with Next": "Start with Next",
  "on a plain page": "Start on a plain page",
  "a new app made by a command": "A new app by command",
  glove: "Move from glove",
  useChat: "Move from useChat",
  "assistant-ui": "Move from assistant-ui",
  ChatKit: "Move from ChatKit",
};

/** The menu: groups of links, as `docs/README.md` has them. */
export function menu() {
  const text = readFileSync(inRoot("docs", "README.md"), "utf8");
  const groups = [];
  const seen = new Set();
  let named = "";
  for (const line of text.split("\n")) {
    // "In depth" has groups of its own, each begun by a bold word.
    named = /^(?:## |\*\*)(.+?)(?:\*\*|$)/.exec(line)?.[1] ?? named;
    for (const [, word, target] of line.matchAll(/\[([^\]]+)\]\(([^)#]+)\)/g)) {
      const file = posix.join("docs", target);
      if (seen.has(file) || !/^(docs|examples)\//.test(file)) continue;
      seen.add(file);
      const group =
        groups.find(({ title }) => title === (short[named] ?? named)) ??
        groups[groups.push({ title: short[named] ?? named, links: [] }) - 1];
      group.links.push({ file, word: words[word] ?? word });
    }
  }
  const options = {
    title: "Options of an entry",
    links: ofFolder("docs/reference").flatMap((file) => {
      const word = /^# Options of `(.+)`/.exec(readFileSync(inRoot(file), "utf8"))?.[1];
      return word ? [{ file, word }] : [];
    }),
  };
  const others = {
    title: "Project",
    links: [
      { file: "docs/architecture.md", word: "Architecture" },
      { file: "docs/decisions.md", word: "Decisions" },
      { file: "CHANGELOG.md", word: "Changes" },
      { file: "CONTRIBUTING.md", word: "Contributing" },
      { file: "SECURITY.md", word: "Report a weakness" },
    ],
  };
  return [...groups, options, others];
}
