// Markdown to HTML: headings with the anchors that links in the docs expect, links between pages, code with colours, pictures with sizes.
import { existsSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import highlighter from "highlight.js/lib/common";
import { Marked } from "marked";
import { inRoot } from "../../scripts/lib/project.mjs";

export const escaped = (text) =>
  text.replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]);

const languages = {
  ts: "typescript",
  tsx: "typescript",
  js: "javascript",
  mjs: "javascript",
  sh: "bash",
  html: "xml",
  rs: "rust",
  toml: "ini",
};

/** What stands over code without a file. */
const labels = {
  sh: "Terminal",
  http: "HTTP",
  ts: "TypeScript",
  tsx: "TypeScript",
  js: "JavaScript",
  css: "CSS",
  json: "JSON",
  html: "HTML",
  rust: "Rust",
  toml: "TOML",
  nginx: "nginx",
};

export function coloured(code, name) {
  const language = languages[name] ?? name;
  return highlighter.getLanguage(language) ? highlighter.highlight(code, { language }).value : escaped(code);
}

/** As the forge makes them, so that the anchors in the docs hold in both places. */
function slugger() {
  const seen = new Map();
  return (text) => {
    const slug = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, "")
      .replace(/\s/g, "-");
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count ? `${slug}-${count}` : slug;
  };
}

const plain = (tokens) =>
  tokens
    .map((token) => (token.tokens ? plain(token.tokens) : (token.text ?? token.raw)))
    .join("")
    .replace(/&(amp|lt|gt|quot|#39);/g, (_, name) => ({ amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" })[name]);

/**
 * A page: its HTML, title, headings, and the sections that the search finds. `link(file, target)` gives where a link leads, or nothing;
 * `live` says which blocks of code run in the page.
 */
export function rendered({ file, text }, { link, live }) {
  const slug = slugger();
  const headings = [];
  const blocks = [];
  let title = "";
  let first = "";
  let pictures = 0;
  const renderer = {
    heading({ tokens, depth }) {
      const words = plain(tokens);
      const id = slug(words);
      const html = this.parser.parseInline(tokens);
      if (depth === 1 && !title) {
        title = words;
        return `<h1 id="${id}">${html}</h1>\n`;
      }
      headings.push({ id, words, depth });
      return `<h${depth} id="${id}"><a class="anchor" href="#${id}">${html}</a></h${depth}>\n`;
    },
    paragraph({ tokens }) {
      if (!first) first = plain(tokens).replace(/\s+/g, " ");
      return false;
    },
    link({ href, tokens }) {
      const words = this.parser.parseInline(tokens);
      const address = /^(https?:|mailto:|#)/.test(href) ? href : link(file, href);
      return address ? `<a href="${escaped(address)}">${words}</a>` : words;
    },
    image({ href, text: alt }) {
      const from = posix.join(posix.dirname(file), href);
      const size = existsSync(inRoot(from)) ? sizeOf(readFileSync(inRoot(from))) : undefined;
      const sizes = size ? ` width="${size.width}" height="${size.height}"` : "";
      // Of the first one something is seen at once.
      const later = pictures++ > 0 ? ' loading="lazy"' : "";
      const picture = (to) =>
        `<img src="${escaped(link(file, to) ?? to)}" alt="${escaped(alt)}"${sizes}${later} decoding="async" />`;
      if (!from.startsWith("docs/films/")) return picture(href);
      // A film moves when somebody asks for it, and until then its picture is there.
      const film = escaped(link(file, href) ?? href);
      return `<a class="film" href="${film}" title="Play the film">${picture(href.replace("films/", "pictures/"))}</a>`;
    },
    code({ text: code, lang = "" }) {
      const [language = "", ...info] = lang.split(/[ ,]/);
      const name = info.find((word) => word.includes("."));
      const runs = live({ language, info, name, code });
      blocks.push({ language, info, name, code, runs });
      const label = name ?? (runs ? "run.ts" : labels[language]);
      const kind = name ? "file" : "kind";
      const head = label ? `<span class="${kind}">${escaped(label)}</span>` : "<span></span>";
      const data = `${name ? ` data-file="${escaped(name)}"` : ""}${runs ? ` data-live="${runs}"` : ""} data-language="${escaped(language)}"`;
      return `<div class="code"${data}><div class="code-bar">${head}<button type="button" class="copy" hidden>Copy</button></div><pre tabindex="0"><code>${coloured(code, language)}</code></pre></div>\n`;
    },
    table(token) {
      const row = (cells, tag) =>
        `<tr>${cells.map(({ tokens, align }) => `<${tag}${align ? ` class="${align}"` : ""}>${this.parser.parseInline(tokens)}</${tag}>`).join("")}</tr>`;
      // A column without words above it is described by its first.
      const head = row(token.header, "th").replaceAll("<th></th>", "<td></td>");
      return `<div class="table" tabindex="0" role="region" aria-label="Table"><table><thead>${head}</thead><tbody>${token.rows.map((cells) => row(cells, "td")).join("")}</tbody></table></div>\n`;
    },
    // Comments for tools are the only HTML in the docs.
    html: ({ text: html }) => (html.startsWith("<!--") ? "" : escaped(html)),
  };
  const html = new Marked({ gfm: true, renderer }).parse(text);
  return { html, title, first, headings, blocks, sections: sectionsOf(text, headings, title) };
}

/** The text below each heading, for the search. */
function sectionsOf(text, headings, title) {
  const found = [{ id: "", words: title, text: "" }];
  const below = headings.filter(({ depth }) => depth > 1)[Symbol.iterator]();
  for (const token of new Marked({ gfm: true }).lexer(text)) {
    if (token.type === "heading" && token.depth > 1) {
      const { id, words } = below.next().value;
      found.push({ id, words, text: "" });
    } else if (token.type !== "heading" && token.type !== "space") {
      found.at(-1).text += `${token.type === "code" ? token.text : token.raw} `;
    }
  }
  const clean = (raw) =>
    raw
      .replace(/!\[[^\]]*\]\([^)]*\)/g, " ")
      .replace(/\]\([^)]*\)/g, "]")
      .replace(/[`*|[\]#>]|---+/g, " ")
      .replace(/\s+/g, " ")
      .trim();
  return found.map((section) => ({ ...section, text: clean(section.text) }));
}

/** The size of a WebP picture, or an SVG with a view box. */
function sizeOf(bytes) {
  if (bytes.toString("latin1", 0, 4) !== "RIFF") {
    const [, width, height] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(bytes.toString("utf8", 0, 400)) ?? [];
    return width ? { width, height } : undefined;
  }
  const form = bytes.toString("latin1", 12, 16);
  if (form === "VP8X") return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (form === "VP8 ") return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  const bits = bytes.readUInt32LE(21);
  return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
}
