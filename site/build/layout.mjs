// What stands around every page: the head with its policy, the bar, the menu, and the foot.
import { posix } from "node:path";
import { escaped } from "./markdown.mjs";

/** Nothing but files of the site itself: no inline script, no inline style, no other host. `docs/security.md` recommends it. */
export const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'";

export const mark =
  '<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><path d="M9 22V12a7 7 0 0 1 14 0v10M9 22h14"/></svg>';

const icon = (path) => `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${path}</svg>`;
const icons = {
  search: icon('<circle cx="11" cy="11" r="6.5"/><path d="m16 16 4.5 4.5"/>'),
  menu: icon('<path d="M4 7h16M4 12h16M4 17h16"/>'),
  theme: icon('<circle cx="12" cy="12" r="8"/><path class="half" d="M12 4a8 8 0 0 1 0 16z"/>'),
};

const sections = [
  { name: "Guides", address: "docs/index.html", holds: /^(docs\/(?!reference)|examples|readme)/ },
  { name: "Gallery", address: "gallery.html", holds: /^gallery/ },
  { name: "Demo", address: "scenes.html", holds: /^scenes/ },
  { name: "API", address: "docs/reference/index.html", holds: /^docs\/reference/ },
];

/** A path from a page at `address` to a file of the site. */
export const pathFrom = (address) => (target) => {
  const [path, anchor] = target.split("#");
  const to = posix.relative(posix.dirname(address), path) || posix.basename(path);
  return anchor ? `${to}#${anchor}` : to;
};

/** A whole page. `address` is where it stands, `markdown` where its text is. */
export function page({ address, title, about, body, kind, markdown, version, scripts = [], menu = "", absolute = false }) {
  const path = absolute ? (target) => `/${target}` : pathFrom(address);
  const links = sections
    .map(
      ({ name, address: to, holds }) => `<a href="${path(to)}"${holds.test(address) ? ' aria-current="true"' : ""}>${name}</a>`,
    )
    .join("");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta http-equiv="Content-Security-Policy" content="${policy}" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
<title>${escaped(title)}</title>
<meta name="description" content="${escaped(about)}" />
<meta property="og:title" content="${escaped(title)}" />
<meta property="og:description" content="${escaped(about)}" />
<link rel="icon" href="${path("assets/icon.svg")}" type="image/svg+xml" />
<link rel="preload" href="${path("assets/inter.woff2")}" as="font" type="font/woff2" crossorigin />
<link rel="stylesheet" href="${path("assets/site.css")}" />
${markdown ? `<link rel="alternate" type="text/markdown" href="${path(markdown)}" />\n` : ""}<script src="${path("assets/theme.js")}"></script>
<script src="${path("assets/page.js")}" defer></script>
${scripts.map((script) => `<script src="${path(script)}" defer></script>\n`).join("")}</head>
<body class="${kind}" data-root="${absolute ? "/" : posix.relative(posix.dirname(address), ".") || "."}">
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<div class="top-in">
${menu ? `<button type="button" class="plain menu-button" aria-label="Menu" aria-expanded="false" aria-controls="menu" hidden>${icons.menu}</button>` : ""}
<a class="brand" href="${path("index.html")}">${mark}<span>glove-wasm</span></a>
<a class="version" href="${path("docs/versions.html")}" title="What a version promises">v${version}</a>
<nav class="sections" aria-label="Site">${links}</nav>
<div class="top-end">
<button type="button" class="search-button" aria-haspopup="dialog" hidden>${icons.search}<span>Search</span><kbd>/</kbd></button>
<button type="button" class="plain theme-button" aria-label="Light or dark" hidden>${icons.theme}</button>
</div>
</div>
</header>
${menu}
<main id="content" tabindex="-1">
${body}
</main>
<footer class="foot"><div class="foot-in">
<p>${mark} <span>glove-wasm ${version} · MIT or Apache-2.0</span></p>
<nav aria-label="More"><a href="${path("llms.txt")}">llms.txt</a><a href="${path("docs/security.html")}">Security</a><a href="${path("docs/versions.html")}">Versions</a><a href="${path("CHANGELOG.html")}">Changes</a><a href="${path("THIRD-PARTY.html")}">Licences of others</a><a href="${path("assets/licences.txt")}">of this site</a><a href="https://docs.rs/glove-wasm">rustdoc</a></nav>
</div></footer>
</body>
</html>
`;
}

/** The menu beside a page of the docs; the group that the page is in is open. */
export function menuOf(groups, file, address, addressOf) {
  const path = pathFrom(address);
  const group = ({ title, links }, at) => {
    const here = links.some((link) => link.file === file);
    const items = links
      .map(
        (link) =>
          `<li><a href="${path(addressOf(link.file))}"${link.file === file ? ' aria-current="page"' : ""}>${escaped(link.word)}</a></li>`,
      )
      .join("");
    return `<details${here || at < 2 ? " open" : ""}><summary>${escaped(title)}</summary><ul>${items}</ul></details>`;
  };
  return `<nav class="menu" id="menu" aria-label="Guides">${groups.map(group).join("\n")}</nav>`;
}
