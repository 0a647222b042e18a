// After each test: what a provider refused in it, and was not meant to, is its failure.
import { afterEach } from "vitest";
import { refused } from "./stand-in.js";

afterEach(() => {
  const found = refused();
  if (found.length) throw new Error(`A provider would have refused what was sent:\n${[...new Set(found)].join("\n")}`);
});
