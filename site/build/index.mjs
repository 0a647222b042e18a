// Builds the site into a folder of files: pages, their Markdown, the search's index, llms.txt, the demo and what runs in frames.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build as vite } from "vite";
import { inRoot } from "../../scripts/lib/project.mjs";
import { bundle, load } from "./bundle.mjs";
import { docPages } from "./docs.mjs";
import { galleryPage, homePage, lostPage, scenesPage } from "./home.mjs";
import { examples, filesOf } from "./places.mjs";

/** Providers that pages may ask, for the frame in which a key of one's own is used. */
const hosts = [
  "https://api.anthropic.com",
  "https://api.openai.com",
  "https://openrouter.ai",
  "https://generativelanguage.googleapis.com",
];

export async function buildSite(out) {
  rmSync(out, { recursive: true, force: true });
  const put = (path, text) => {
    mkdirSync(dirname(join(out, path)), { recursive: true });
    writeFileSync(join(out, path), text);
  };
  const { version } = JSON.parse(readFileSync(inRoot("package.json"), "utf8"));
  const [{ parts }, { options }] = await Promise.all([load("parts.ts"), load("search.ts")]);
  await Promise.all([bundle(out), demo(join(out, "demo"))]);

  const { pages: docs, pictures } = docPages(version);
  const pages = [...docs, galleryPage(version, parts), scenesPage(version)];
  for (const { address, html, markdown, text } of pages) {
    put(address, html);
    put(markdown, text);
  }
  put("index.html", homePage(version, sizes()));
  put("404.html", lostPage(version));
  for (const path of [...pictures, ...examples.flatMap(filesOf)]) {
    mkdirSync(dirname(join(out, path)), { recursive: true });
    cpSync(inRoot(path), join(out, path));
  }

  // Beside docs/index.html, as every page has its Markdown.
  put("docs/index.md", readFileSync(inRoot("docs", "README.md"), "utf8"));
  put("llms.txt", llms(pages));
  put("llms-full.txt", docs.map(({ text }) => text).join("\n\n"));
  await put("assets/search-index.js", `siteIndex=${JSON.stringify(JSON.stringify(await index(pages, options)))};\n`);

  const frame = readFileSync(inRoot("site", "frame", "frame.html"), "utf8");
  for (const [kind, allowed] of [
    ["frame", "'none'"],
    ["keyed", hosts.join(" ")],
  ]) {
    put(`live/${kind}.html`, frame.replace("HOSTS", allowed));
    put(`live/${kind}-tasks.html`, frame.replace("HOSTS", allowed).replace("frame.js", "frame-tasks.js"));
  }
  put("hero/index.html", readFileSync(inRoot("site", "hero", "index.html"), "utf8"));
  // Where a forge serves the folder: names that begin with a line are files, too.
  put(".nojekyll", "");
  return { pages: pages.length + 2 };
}

/** The demo, with addresses that hold in any folder. */
async function demo(outDir) {
  const { NODE_ENV } = process.env;
  process.env.NODE_ENV = "production";
  await vite({
    configFile: inRoot("demo", "vite.config.ts"),
    base: "./",
    logLevel: "error",
    build: { outDir, emptyOutDir: true },
  });
  if (NODE_ENV === undefined) delete process.env.NODE_ENV;
  else process.env.NODE_ENV = NODE_ENV;
  // A model of one's own may be anywhere, also on this machine; everything else is the site's.
  const policy =
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data: blob:; connect-src 'self' https: http://localhost:* http://127.0.0.1:*; worker-src 'self' blob:; base-uri 'none'; form-action 'none'";
  const page = join(outDir, "index.html");
  const html = readFileSync(page, "utf8");
  const placed = html.replace(
    /<meta charset="utf-8" ?\/?>/,
    (meta) => `${meta}\n    <meta http-equiv="Content-Security-Policy" content="${policy}" />`,
  );
  if (placed === html) throw new Error("demo/index.html has no place for a policy.");
  writeFileSync(page, placed);
}

/** What README.md says of a page with Vite, which a test holds. */
function sizes() {
  const [, all, first] = /^\| Vite \| ([^|]+) \| [^|]+ \| ([^|]+) \|/m.exec(readFileSync(inRoot("README.md"), "utf8")) ?? [];
  if (!first) throw new Error("README.md has no row for Vite in its table of sizes.");
  return { all: all.trim(), first: first.trim() };
}

/** The list in the repository, and behind it what that leaves out. */
function llms(pages) {
  const listed = readFileSync(inRoot("llms.txt"), "utf8").trimEnd();
  const known = new Set([...listed.matchAll(/\]\(([^)#]+)\)/g)].map(([, path]) => path));
  const rest = pages.filter(({ markdown }) => !known.has(markdown));
  const line = ({ title, markdown, about }) => `- [${title}](${markdown}): ${about.replace(/\s+/g, " ").slice(0, 160)}`;
  return `${listed}\n\n## Also on this site\n\nEach page has its Markdown beside it: \`docs/tasks.html\` is \`docs/tasks.md\`. All guides in one file: [llms-full.txt](llms-full.txt)\n\n${rest.map(line).join("\n")}\n`;
}

async function index(pages, options) {
  const { default: MiniSearch } = await import("../../tools/site/node_modules/minisearch/dist/es/index.js");
  const search = new MiniSearch({ ...options, storeFields: [...options.storeFields] });
  let id = 0;
  for (const { address, title: page, sections } of pages) {
    for (const { id: anchor, words: title, text } of sections) {
      search.add({ id: id++, page, title, text, address: anchor ? `${address}#${anchor}` : address, start: text.slice(0, 110) });
    }
  }
  return search;
}
