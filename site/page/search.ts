// The search: its index is a file that is loaded when somebody looks for something.
import MiniSearch, { type Options } from "minisearch";

export interface Section {
  readonly id: number;
  readonly page: string;
  readonly title: string;
  readonly text: string;
}

/** How the index is made, and how it is read. */
export const options: Options<Section> = {
  fields: ["title", "page", "text"],
  storeFields: ["title", "page", "address", "start"],
  searchOptions: {
    boost: { title: 4, page: 3 },
    prefix: (term) => term.length > 2,
    fuzzy: (term) => (term.length > 5 ? 0.15 : false),
    combineWith: "AND",
  },
};

declare global {
  var siteIndex: string | undefined;
}

let index: Promise<MiniSearch<Section>> | undefined;
let dialog: HTMLDialogElement | undefined;

function loadIndex(root: string): Promise<MiniSearch<Section>> {
  index ??= new Promise((resolve, reject) => {
    // A script, so that it is found in a folder that no server serves, too.
    const script = document.createElement("script");
    script.src = `${root === "/" ? "" : root}/assets/search-index.js`;
    script.onload = () => resolve(MiniSearch.loadJSON(globalThis.siteIndex ?? "", options));
    script.onerror = () => {
      index = undefined;
      reject(new Error("The index of the search could not be loaded."));
    };
    document.head.append(script);
  });
  return index;
}

export function openSearch(root: string): void {
  dialog ??= build(root);
  if (!dialog.open) dialog.showModal();
  dialog.querySelector("input")?.select();
}

function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function build(root: string): HTMLDialogElement {
  const input = element("input", {
    type: "search",
    placeholder: "Search the guides",
    "aria-label": "Search the guides",
    role: "combobox",
    "aria-controls": "found",
    "aria-expanded": "false",
    "aria-autocomplete": "list",
    autocomplete: "off",
    spellcheck: "false",
  });
  const list = element("ul", { id: "found", role: "listbox", "aria-label": "Found" });
  const status = element("p", { role: "status", class: "search-status" }, "Type a word, such as approval.");
  const box = element("dialog", { class: "search", "aria-label": "Search" }, input, list, status);
  let at = 0;
  const choose = (next: number) => {
    const options = [...list.querySelectorAll("li")];
    at = options.length ? (next + options.length) % options.length : 0;
    for (const [index, option] of options.entries()) option.setAttribute("aria-selected", String(index === at));
    const chosen = options[at];
    chosen?.scrollIntoView({ block: "nearest" });
    if (chosen) input.setAttribute("aria-activedescendant", chosen.id);
    else input.removeAttribute("aria-activedescendant");
  };
  const show = async () => {
    const words = input.value.trim();
    try {
      const found = (await loadIndex(root)).search(words).slice(0, 12);
      if (words !== input.value.trim()) return;
      list.replaceChildren(
        ...found.map(({ title, page, address, start }, index) =>
          element(
            "li",
            { role: "option", id: `found-${index}` },
            element(
              "a",
              { href: `${root === "/" ? "" : root}/${address}`, tabindex: "-1" },
              element("strong", {}, title),
              ...(page === title ? [] : [element("small", {}, page)]),
              element("span", {}, start),
            ),
          ),
        ),
      );
      input.setAttribute("aria-expanded", String(found.length > 0));
      status.textContent = !words ? "Type a word, such as approval." : found.length ? "" : `Nothing is found for “${words}”.`;
      choose(0);
    } catch (error) {
      status.textContent = error instanceof Error ? error.message : String(error);
    }
  };
  input.addEventListener("input", () => void show());
  input.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      choose(at + step);
    }
    // A field for searches would only be emptied.
    if (event.key === "Escape") {
      event.preventDefault();
      box.close();
    }
    if (event.key === "Enter") {
      event.preventDefault();
      list.querySelectorAll("a")[at]?.click();
    }
  });
  box.addEventListener("click", ({ target }) => {
    // Beside it, or on a link of this page.
    if (target === box || (target instanceof Element && target.closest("a"))) box.close();
  });
  document.body.append(box);
  void loadIndex(root).catch(() => {});
  return box;
}
