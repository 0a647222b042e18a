// What is drawn of markdown that is still being written.
import { expect, test } from "vitest";

const { closed } = (await import(
  new URL("../../pkg/react/markdown/blocks.js", import.meta.url).href
)) as typeof import("../../js/react/markdown/blocks.js");

test("a table is drawn when it is sure to be one, and its rows as they come", () => {
  const table = "Here:\n| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 |";
  const shown = new Set<string>();
  for (let end = 1; end <= table.length; end++) shown.add(closed(table.slice(0, end)));
  const whole = table.indexOf("| 1");
  expect([...shown].filter((text) => text.includes("|")).every((text) => text.length >= whole)).toBe(true);
  expect(closed(table)).toBe(table);
  expect(closed("| a |\n| - |\n| 1 |\n")).toBe("| a |\n| - |\n| 1 |\n");
});

test("bars in a text hide nothing", () => {
  expect(closed("a | b")).toBe("a | b");
  expect(closed("| a |\nmore words")).toBe("| a |\nmore words");
});

test("marks that are open are closed, so that words do not change their look", () => {
  expect(closed("a **b")).toBe("a **b**");
  expect(closed("a **b ")).toBe("a **b**");
  expect(closed("a `b")).toBe("a `b`");
  expect(closed("see [the page](https://exa")).toBe("see the page");
});
