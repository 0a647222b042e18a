// The golden sessions in Node. `npx vitest run --project js tests/js/golden.test.ts -u` writes what is expected anew.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { play } from "../golden/play.js";
import { goldenFolder, goldenNames } from "../support/golden.js";

test.each(goldenNames)("%s", async (name) => {
  const log = await play(JSON.parse(readFileSync(`${goldenFolder}/${name}.json`, "utf8")));
  await expect(log).toMatchFileSnapshot(`${goldenFolder}/${name}.log`);
});
