// An answer as HTML for the clipboard, so that other programs paste it with its formatting.
import { Marked } from "marked";
import { safeLink } from "./safe-url.js";

const signs: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string) => text.replace(/[&<>"]/g, (sign) => signs[sign] ?? sign);

function link(href: string, words: string): string {
  const to = safeLink(href);
  return to === undefined ? words : `<a href="${escaped(to)}">${words}</a>`;
}

const writer = /* @__PURE__ */ new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    // What a model writes as HTML is shown as text, and so it is copied.
    html: ({ text }) => escaped(text),
    // What stands between two tags is taken for HTML too.
    text(token) {
      return "tokens" in token && token.tokens ? this.parser.parseInline(token.tokens) : escaped(token.text);
    },
    // Whoever pastes it would load it.
    image: ({ href, text }) => link(href, escaped(text || href)),
    link({ href, tokens }) {
      return link(href, this.parser.parseInline(tokens));
    },
    checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
  },
});

export const htmlOf = (markdown: string): string => writer.parse(markdown, { async: false });
