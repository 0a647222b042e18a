// The sizes that README and docs/ name are those of the build and of size-budget.json.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { numberAt } from "../../scripts/lib/instructions.mjs";
import { root } from "../support/project.js";

const read = (file: string) => readFileSync(join(root, file), "utf8");
const budget: Record<string, { brotli: number }> = JSON.parse(read("size-budget.json"));
const wasm = readFileSync(join(root, "pkg/glove_wasm_bg.wasm"));

/** The budget of a part in kB; several parts of a page add up. */
function kB(...names: string[]): number {
  const sizes = names.map((name) => budget[name]?.brotli ?? Number.NaN);
  return sizes.reduce((sum, size) => sum + size, 0) / 1000;
}

const whole = kB("page");
const first = kB("- before it draws");
const asText = kB("- wasm file, as text");

/** In each text, a `#` stands for the number that is told, beside what it should be. */
const told: [file: string, text: string, ...kilobytes: number[]][] = [
  ["docs/performance.md", "The wasm file alone is # of its # kB", asText, whole],
  ["docs/performance.md", "says what its # kB of code are", codeOf(wasm) / 1000],
  ["docs/performance.md", "Without the wasm file the page is # kB", whole - asText],
  ["docs/performance.md", "a goal of 98 kB leaves # kB for it", 98 - (whole - asText)],
  ["docs/performance.md", "| loaded before the page draws, without React, what this page uses | # kB |", first],
  ["docs/performance.md", "| loaded until the session is open | # kB |", whole],
  ["docs/performance.md", "What a page loads only when it uses it is not in these # kB", whole],
  [
    "docs/performance.md",
    "the look of `<Render>` #, markdown #, asking providers from the page #, tasks #, the engine of sandboxed code #.",
    ...["the look of <Render>", "markdown", "asking providers from the page", "tasks", "the engine of sandboxed code"].map(
      (name) => kB(`later: ${name}`),
    ),
  ],
  ["docs/architecture.md", "The wasm file of # kB compresses to # kB with brotli", wasm.length / 1000, kB("wasm")],
  ["docs/architecture.md", "with brotli and # kB with gzip", gzipSync(wasm, { level: 9 }).length / 1000],
  ["docs/architecture.md", "its packed text to # and", asText],
  ["docs/loading.md", "The core is # kB", whole - first],
  ["docs/other-frameworks.md", "A page loads # kB** (brotli) before it draws", kB("a page of 'glove-wasm/vue' before it draws")],
  ["docs/mcp.md", "A page that imports it loads # kB at once", kB("everything of 'glove-wasm/mcp'")],
  [
    "docs/mcp.md",
    "# kB of this package, # kB of the official",
    kB("later: servers of MCP"),
    kB("later: the official client of MCP"),
  ],
  ["docs/mcp.md", "Apps are # kB more at once", kB("a page with 'glove-wasm/mcp/apps' before it draws") - first],
  [
    "docs/mcp.md",
    "# kB of `@modelcontextprotocol/ext-apps` and # kB that draw it",
    kB("later: the official bridge to apps of MCP"),
    kB("later: drawing apps of MCP"),
  ],
  ["docs/a2ui.md", "A page that uses it loads # kB more", kB("a page with 'glove-wasm/a2ui' before it draws") - first],
  ["docs/mcp.md", "The first sign-in loads # kB", kB("later: signing in to servers of MCP")],
  ["docs/mcp.md", "the first question of a server # kB", kB("later: drawing what servers of MCP ask")],
  [
    "README.md",
    "| a finished chat (brotli) | # kB with loop",
    finishedChat("in all, until its markdown is drawn and the page is idle"),
  ],
  ["README.md", "store, look and markdown; # kB before it draws |", finishedChat("what draws and takes a message")],
  ["README.md", "it is # kB more (brotli)", kB("later: the look of <Render>")],
];

test.each(told)("%s tells sizes of today: %s", (file, text, ...kilobytes) => {
  const pattern = text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replaceAll("#", "(\\d+)");
  const [, ...found] = new RegExp(pattern).exec(read(file).replace(/\s+/g, " ")) ?? [];
  expect(found.map(Number).length, `${file} says “${text}”`).toBe(kilobytes.length);
  for (const [at, size] of kilobytes.entries()) {
    // A budget is a little above what is measured, and what is told is rounded.
    expect(Math.abs(Number(found[at]) - size), `${file}: ${text}: ${size} kB`).toBeLessThanOrEqual(Math.max(1, size / 100));
  }
});

/** What the benchmark measured of a finished chat. */
function finishedChat(part: string): number {
  const [, size] = new RegExp(`^\\| ${part} \\| ([\\d.]+)`, "m").exec(read("docs/performance.md")) ?? [];
  return Number(size);
}

test("the parts of the wasm file add up to all of it, and to what travels", () => {
  const rows = [...read("docs/performance.md").matchAll(/^\| (?:`|the border|data beside).*\| (\d+) \| (\d+) \|$/gm)];
  const sum = (column: number) => rows.reduce((all, row) => all + Number(row[column]), 0);
  expect(rows).toHaveLength(7);
  expect(Math.abs(sum(1) / (wasm.length / 1000) - 1), `${sum(1)} kB of code and data`).toBeLessThan(0.02);
  expect(Math.abs(sum(2) / asText - 1), `${sum(2)} kB as it travels`).toBeLessThan(0.02);
});

/** The bytes of its section of code. */
function codeOf(bytes: Buffer): number {
  for (let at = 8; at < bytes.length; ) {
    const { value, end } = numberAt(bytes, at + 1);
    if (bytes[at] === 10) return value;
    at = end + value;
  }
  throw new Error("the wasm file has no code");
}
