// The folder of files: nothing leads nowhere, everything has its Markdown, and the search finds what is asked for.
import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import MiniSearch from "minisearch";
import { expect, inject, test } from "vitest";
import { options } from "../../site/page/search.js";
import { pages as docs } from "../docs/blocks.js";
import { deadLinks, pagesOf } from "./links.js";

const folder = inject("docsSite");
const read = (path: string) => readFileSync(join(folder, path), "utf8");
const pages = pagesOf(folder).filter((page) => !/^(live|hero)\//.test(page));

test("every page of the docs is there, and no link is dead", () => {
  const missing = docs.filter(
    (page) =>
      !existsSync(
        join(folder, page === "README.md" ? "readme.html" : page.replace(/README\.md$/, "index.md").replace(/\.md$/, ".html")),
      ),
  );
  expect(missing).toEqual([]);
  expect(pages.length).toBeGreaterThan(docs.length);
  expect(deadLinks(folder)).toEqual([]);
});

test("each page names its Markdown, and llms.txt lists all of it", () => {
  const list = read("llms.txt");
  const listed = new Set([...list.matchAll(/\]\(([^)#]+)\)/g)].map(([, path = ""]) => path));
  for (const page of pages) {
    const [, link = ""] = /<link rel="alternate" type="text\/markdown" href="([^"]+)"/.exec(read(page)) ?? [];
    const markdown = posix.join(posix.dirname(page), link);
    expect(existsSync(join(folder, markdown)) && link.endsWith(".md"), page).toBe(true);
    expect(read(markdown).length, page).toBeGreaterThan(100);
    expect([...listed], page).toContain(markdown);
  }
  for (const path of listed) expect(existsSync(join(folder, path)), path).toBe(true);
});

test("no page has an inline script or style, and each has the strict policy", () => {
  for (const page of pagesOf(folder)) {
    const html = read(page);
    expect(html.includes(`content="default-src 'none'; script-src 'self'`), page).toBe(true);
    const [, found] = /(<script(?![^>]* src=)|<style|<[^>]* style="|<[^>]* on\w+=")/i.exec(html) ?? [];
    expect(found, page).toBeUndefined();
  }
  expect(read("demo/index.html")).toContain("script-src 'self' 'wasm-unsafe-eval'");
  expect(read("live/frame.html")).toContain("connect-src 'none'");
});

test("the search finds the page that a word is about", () => {
  const [, json = ""] = /^siteIndex=(".*");\n$/.exec(read("assets/search-index.js")) ?? [];
  const index = MiniSearch.loadJSON(JSON.parse(json) as string, options);
  const first = (words: string) =>
    index
      .search(words)
      .slice(0, 5)
      .map(({ address }) => String(address).split("#")[0]);
  expect(first("approval")).toContain("docs/questions-to-a-person.html");
  expect(first("approve what runs")[0]).toBe("docs/guides/approve-what-runs.html");
  expect(first("MODEL_NOT_FOUND")).toContain("docs/errors.html");
  expect(first("aproval").length).toBeGreaterThan(0);
  expect(first("qqqxyz")).toEqual([]);
});
