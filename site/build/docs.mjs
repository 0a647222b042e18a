// The pages that are written in Markdown, and those of the examples.
import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { inRoot } from "../../scripts/lib/project.mjs";
import { menuOf, page, pathFrom } from "./layout.mjs";
import { liveBlock, liveData } from "./live.mjs";
import { coloured, escaped, rendered } from "./markdown.mjs";
import { addressOf, examples, filesOf, menu, written } from "./places.mjs";

/** Gives every page: its address, HTML and Markdown, and what the search finds of it. */
export function docPages(version) {
  const all = written();
  const groups = menu();
  const order = groups.flatMap(({ links }) => links);
  const known = new Set([...all.map(({ file }) => file), ...examples.map((name) => `examples/${name}`)]);
  const pictures = new Set();

  /** Where a link of a page leads on the site; nothing for what is only in the repository. */
  const link = (file, target) => {
    const [path, anchor = ""] = target.split("#");
    const to = posix.join(posix.dirname(file), path).replace(/\/$/, "");
    const from = pathFrom(addressOf(file));
    const found = known.has(to) ? addressOf(to) : undefined;
    if (found) return from(anchor ? `${found}#${anchor}` : found);
    if (/^docs\/(films|pictures|plots)\/[\w-]+\.(webp|svg)$/.test(to)) {
      pictures.add(to);
      return from(to);
    }
  };

  const pages = all.map((source) => {
    const { file, text } = source;
    const address = addressOf(file);
    const made = rendered(source, { link, live: (block) => liveBlock(file, block) });
    const data = liveData(file, made.blocks);
    const at = order.findIndex((one) => one.file === file);
    const toc = made.headings.filter(({ depth }) => depth === 2 || depth === 3);
    const contents =
      toc.length > 1
        ? `<nav class="toc" aria-label="On this page"><p>On this page</p><ul>${toc.map(({ id, words, depth }) => `<li class="depth-${depth}"><a href="#${id}">${escaped(words)}</a></li>`).join("")}</ul></nav>`
        : "";
    const markdown = file;
    const tools = `<p class="page-tools"><a href="${pathFrom(address)(markdown)}">View as Markdown</a><button type="button" class="link copy-page" data-markdown="${pathFrom(address)(markdown)}" hidden>Copy page</button></p>`;
    const body = `<div class="doc"><article class="words">\n${tools}${made.html}${turns(order, at, address)}</article>${contents}</div>${data}`;
    const html = page({
      address,
      title: `${made.title} · glove-wasm`,
      about: made.first.slice(0, 200),
      body,
      kind: "docs",
      markdown,
      version,
      menu: menuOf(groups, file, address, addressOf),
      scripts: data ? ["assets/live.js"] : [],
    });
    return { file, address, html, markdown, text, title: made.title, about: made.first, sections: made.sections };
  });
  return { pages: [...pages, ...examples.map((name) => examplePage(name, { groups, link, version, order }))], pictures };
}

function turns(order, at, address) {
  if (at < 0) return "";
  const path = pathFrom(address);
  const to = (step, word, kind) => {
    const target = order[at + step];
    return target
      ? `<a class="${kind}" href="${path(addressOf(target.file))}"><small>${word}</small>${escaped(target.word)}</a>`
      : "<span></span>";
  };
  return `<nav class="turns" aria-label="Next pages">${to(-1, "Before", "before")}${to(1, "Next", "next")}</nav>`;
}

/** An example: its README, and each of its files. */
function examplePage(name, { groups, version, order }) {
  const file = `examples/${name}`;
  const address = `${file}.html`;
  const path = pathFrom(address);
  const files = filesOf(name);
  const readme = readFileSync(inRoot(file, "README.md"), "utf8");
  const made = rendered({ file: `${file}/README.md`, text: readme }, { link: () => undefined, live: () => undefined });
  const shown = files.filter((one) => !one.endsWith("README.md"));
  const code = shown
    .map((one) => {
      const text = readFileSync(inRoot(one), "utf8");
      const short = one.slice(file.length + 1);
      return `<h2 id="${short.replace(/\W/g, "-")}"><a class="anchor" href="#${short.replace(/\W/g, "-")}">${escaped(short)}</a></h2><div class="code" data-file="${escaped(short)}"><div class="code-bar"><a class="file" href="${path(one)}">${escaped(short)}</a><button type="button" class="copy" hidden>Copy</button></div><pre tabindex="0"><code>${coloured(text, one.split(".").at(-1))}</code></pre></div>`;
    })
    .join("\n");
  const at = order.findIndex((one) => one.file === file);
  const markdown = `${file}.md`;
  const text = `${readme}\n${shown.map((one) => `\n## ${one.slice(file.length + 1)}\n\n\`\`\`\`${one.split(".").at(-1)}\n${readFileSync(inRoot(one), "utf8").trimEnd()}\n\`\`\`\``).join("\n")}\n`;
  const tools = `<p class="page-tools"><a href="${path(markdown)}">View as Markdown</a><button type="button" class="link copy-page" data-markdown="${path(markdown)}" hidden>Copy page</button></p>`;
  const title = made.title || `Example: ${name}`;
  const html = page({
    address,
    title: `${title} · glove-wasm`,
    about: made.first.slice(0, 200),
    body: `<div class="doc"><article class="words">${tools}${made.html}${code}${turns(order, at, address)}</article></div>`,
    kind: "docs",
    markdown,
    version,
    menu: menuOf(groups, file, address, addressOf),
  });
  return { file, address, html, markdown, text, title, about: made.first, sections: made.sections };
}
