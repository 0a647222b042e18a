// The reference of options is written from the types: it is that of today, and a sentence describes each of them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folder, optionPages } from "../../scripts/lib/option-pages.mjs";

test("the pages of options are those of the types, and each option has a sentence", { timeout: 120_000 }, () => {
  const { pages, silent } = optionPages();
  expect(silent, "write a comment above each of these").toEqual([]);
  const remedy = "run `npm run options`, and read the diff of docs/reference";
  expect([...pages.keys()].sort(), remedy).toEqual(readdirSync(folder).sort());
  for (const [name, text] of pages)
    expect(readFileSync(join(folder, name), "utf8") === text, `${name} is not current: ${remedy}`).toBe(true);

  const rows = [...pages.values()].join("\n").match(/^\| `/gm) ?? [];
  expect(rows.length).toBeGreaterThan(300);
  // Types, inherited options, defaults and sentences are there.
  expect(pages.get("server.md")).toContain(
    "| `model?` | `string` | the provider's default model | The model's id; default: the provider's default model. |",
  );
  expect(pages.get("server.md")).toMatch(/^\| `authorizeMs\?` \| `number` \| 30,000 \| /m);
  expect(pages.get("glove-wasm.md")).toMatch(/^## CreateAdapterOptions\n[\s\S]*?^\| `temperature\?` \| `number` \| /m);
});
