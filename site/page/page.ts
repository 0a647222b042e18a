// What every page does: the choice of light and dark, the menu of phones, copying, and the search.
import { openSearch } from "./search.js";

const all = <E extends Element = HTMLElement>(selector: string) => document.querySelectorAll<E>(selector);
const one = (selector: string) => document.querySelector<HTMLElement>(selector);

for (const button of all("[hidden]:is(.theme-button, .search-button, .menu-button, .copy, .copy-page)")) button.hidden = false;

const isDark = () => {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
};
one(".theme-button")?.addEventListener("click", () => {
  const theme = isDark() ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem("site-theme", theme);
  } catch {}
  dispatchEvent(new CustomEvent("site-theme", { detail: theme }));
});

const menuButton = one(".menu-button");
const menu = one("#menu");
const showMenu = (open: boolean) => {
  document.body.toggleAttribute("data-menu", open);
  menuButton?.setAttribute("aria-expanded", String(open));
};
menuButton?.addEventListener("click", () => showMenu(!document.body.hasAttribute("data-menu")));
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && document.body.hasAttribute("data-menu")) {
    showMenu(false);
    menuButton?.focus();
  }
});
// The link of this page is in sight, wherever the list is long.
const current = menu?.querySelector<HTMLElement>("[aria-current]");
if (menu && current && current.offsetTop > menu.clientHeight - 80) menu.scrollTop = current.offsetTop - menu.clientHeight / 2;

async function copy(button: HTMLElement, text: string | Promise<string>): Promise<void> {
  const word = button.textContent;
  let said = "Copied";
  try {
    await navigator.clipboard.writeText(await text);
  } catch {
    said = "Not copied";
  }
  button.textContent = said;
  setTimeout(() => {
    button.textContent = word;
  }, 1_500);
}
addEventListener("click", (event) => {
  const { target } = event;
  if (!(target instanceof HTMLElement)) return;
  const film = target.closest<HTMLAnchorElement>(".film");
  if (film && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault();
    play(film);
  }
  if (target.matches(".copy")) {
    const box = target.closest(".code, .install");
    const code = box?.querySelector("textarea")?.value ?? box?.querySelector("code")?.textContent ?? "";
    void copy(target, code);
  }
  if (target.matches(".copy-page") && target.dataset.markdown)
    void copy(
      target,
      fetch(target.dataset.markdown).then((answer) => answer.text()),
    );
});

/** Puts a film in the place of its picture, from its beginning, or the picture back. */
function play(film: HTMLAnchorElement): void {
  const image = film.querySelector("img");
  if (!image) return;
  const plays = film.toggleAttribute("data-plays");
  film.title = plays ? "Stop the film" : "Play the film";
  film.dataset.still ??= image.src;
  image.src = plays ? film.href : film.dataset.still;
}

const search = () => openSearch(document.body.dataset.root ?? ".");
one(".search-button")?.addEventListener("click", search);
addEventListener("keydown", (event) => {
  const writes = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
  const asked =
    (event.key === "/" && !writes && !event.ctrlKey && !event.metaKey) || (event.key === "k" && (event.ctrlKey || event.metaKey));
  if (!asked) return;
  event.preventDefault();
  search();
});

// The heading that is read is marked in the list beside the page.
const toc = new Map([...all<HTMLAnchorElement>(".toc a")].map((link) => [link.hash.slice(1), link]));
if (toc.size > 0) {
  const seen = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        for (const link of toc.values()) link.removeAttribute("aria-current");
        toc.get(target.id)?.setAttribute("aria-current", "true");
      }
    },
    { rootMargin: "-80px 0px -70% 0px" },
  );
  for (const id of toc.keys()) {
    const heading = document.getElementById(id);
    if (heading) seen.observe(heading);
  }
}
