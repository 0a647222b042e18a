// The guides are short, are listed, and carry small pictures.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../support/project.js";
import { pages } from "./blocks.js";

const guides = pages.filter((page) => page.startsWith("docs/guides/"));
const read = (page: string) => readFileSync(join(root, page), "utf8");

test("no guide has more than 600 words, with its code", () => {
  expect(guides.length).toBeGreaterThan(15);
  const words = guides.map((page) => [page, read(page).split(/\s+/).length - 1] as const);
  expect(words.filter(([, count]) => count > 600)).toEqual([]);
});

test("README.md has no more than 120 lines", () => {
  expect(read("README.md").trimEnd().split("\n").length).toBeLessThanOrEqual(120);
});

test("the index of the guides and llms.txt list every guide, and the index every page for users", () => {
  const lists = (page: string) => [...read(page).matchAll(/\]\(([^)#]+\.md)/g)].map(([, target = ""]) => target);
  const index = lists("docs/README.md").map((target) => `docs/${target}`);
  expect(guides.filter((page) => !index.includes(page))).toEqual([]);
  expect(guides.filter((page) => !lists("llms.txt").includes(page))).toEqual([]);
  const forUsers = pages.filter((page) => !/^README|docs\/(README|architecture|decisions)\.md$/.test(page));
  expect(forUsers.filter((page) => !index.includes(page))).toEqual([]);
});

test("each guide shows something", () => {
  expect(guides.filter((page) => !/!\[.+\]\(\.\.\/(films|pictures)\/.+\)/.test(read(page)))).toEqual([]);
});

const text = pages.map(read).join("\n");
const filesIn = (folder: string) => readdirSync(join(root, "docs", folder));
const sizeOf = (folder: string, name: string) => statSync(join(root, "docs", folder, name)).size;

test("each picture is on a page, or stands for a film, and has no more than 60 kB", () => {
  const films = filesIn("films");
  for (const name of filesIn("pictures")) {
    if (!films.includes(name)) expect(text, `no page shows ${name}`).toContain(`pictures/${name}`);
    expect(sizeOf("pictures", name), name).toBeLessThanOrEqual(60_000);
  }
});

test("each film is on a page, moves for ten seconds at most, has no more than 1 MB, and a picture that stands for it", () => {
  for (const name of filesIn("films")) {
    expect(text, `no page shows ${name}`).toContain(`films/${name}`);
    expect(filesIn("pictures")).toContain(name);
    expect(sizeOf("films", name), name).toBeLessThanOrEqual(1_000_000);
    const delays = delaysOf(readFileSync(join(root, "docs", "films", name)));
    expect(delays.length, name).toBeGreaterThan(20);
    // Each is rounded.
    expect(
      delays.reduce((sum, delay) => sum + delay, 0),
      name,
    ).toBeLessThanOrEqual(10_200);
  }
});

/** How long each frame of an animated WebP is shown, in milliseconds. */
function delaysOf(bytes: Buffer): number[] {
  const delays: number[] = [];
  for (let at = 12; at + 8 <= bytes.length; ) {
    const length = bytes.readUInt32LE(at + 4);
    if (bytes.toString("latin1", at, at + 4) === "ANMF") delays.push(bytes.readUIntLE(at + 20, 3));
    at += 8 + length + (length % 2);
  }
  return delays;
}

test("the columns of threads are laid out by one text: that of the guide, of its page in depth, and of what the create command writes", () => {
  const plain = (css: string) =>
    css
      .replace(/\/\*.*?\*\//gs, "")
      .replace(/\s+/g, " ")
      .replace(/; }/g, " }")
      .trim();
  const template = read("packages/create-glove-wasm/templates/page/style.css");
  const written = plain(/@if threads \*\/(.*?)\/\* @else/s.exec(template)?.[1] ?? "");
  expect(written).toContain(".app > header > button");
  const inPage = (page: string) => plain(/```css\n(.*?\.app > header.*?)```/s.exec(read(page))?.[1] ?? "");
  expect(inPage("docs/guides/threads.md")).toBe(`body { margin: 0 } ${written}`);
  expect(inPage("docs/threads.md")).toBe(written);
});
