// What is told of models that end: `npm run check -- models` says it, and `npm publish` stops for it.
import { expect, test } from "vitest";
import { endings, noticeDays, providerRows, userTexts } from "../../scripts/lib/model-ends.mjs";

const rows = [
  { id: "one", models: ["new", "old"], ends: { old: "2026-12-01", gone: "2026-06-15", late: "2027-06-01" } },
  { id: "two", models: ["other"] },
];

test("a model is told of from sixty days before its last day on, wherever users read its name", () => {
  const texts = [
    { name: "a.md", text: "Use `new`, never `gone`." },
    { name: "b.ts", text: 'model: "late"; price: "old*"; other: "older" | "an-old"' },
  ];
  expect(endings(rows, texts, "2026-10-01")).toEqual(["a.md: gone ended on 2026-06-15"]);
  expect(endings(rows, texts, "2026-10-02")).toEqual([
    "the table, one: old ends on 2026-12-01, in 60 days",
    "a.md: gone ended on 2026-06-15",
    "b.ts: old ends on 2026-12-01, in 60 days",
  ]);
  expect(endings(rows, texts, "2026-12-02")[0]).toBe("the table, one: old ended on 2026-12-01");
});

test("nothing that users read named a model that was gone or ended soon when the table was last read", () => {
  const table: { readonly date: string; readonly source: string }[] = providerRows();
  for (const { date, source } of table) {
    expect(date).toMatch(/^20\d\d-\d\d-\d\d$/);
    expect(source).not.toBe("");
  }
  expect(endings(table, userTexts(), table.map(({ date }) => date).sort()[0])).toEqual([]);
  expect(noticeDays).toBe(60);
});
