// The golden sessions in a browser: the logs are those of Node and of the native library, to the byte.
import { readFileSync } from "node:fs";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inWorker } from "../support/core-place.js";
import { openPlaces, type Places } from "../support/engines.js";
import { goldenFolder, goldenNames } from "../support/golden.js";
import { root } from "../support/project.js";

let places: Places;
let logs: Record<string, string>;

beforeAll(async () => {
  const entryPoints = [`${root}/tests/golden/play.ts`];
  const { outputFiles } = await build({ entryPoints, bundle: true, format: "esm", external: ["glove-wasm"], write: false });
  places = await openPlaces({ "/play.js": outputFiles[0]?.text ?? "" });
  const sessions = goldenNames.map((name) => [name, JSON.parse(readFileSync(`${goldenFolder}/${name}.json`, "utf8"))]);
  logs = await places.at(async ({ open }) => {
    const page = await open();
    return (await page.evaluate(`(async () => {
      // The message that is played while a page is idle takes ids too.
      globalThis.requestIdleCallback = undefined;
      const { play } = await import("/play.js");
      const logs = {};
      const sessions = ${JSON.stringify(sessions)};
      const inWorker = ${inWorker ? "inCore" : "undefined"};
      // A worker that starts takes ids too.
      if (inWorker) await play(sessions[0][1], inWorker);
      for (const [name, session] of sessions) logs[name] = await play(session, inWorker);
      return logs;
    })()`)) as Record<string, string>;
  });
});
afterAll(() => places.close());

test.each(goldenNames)("%s", (name) => {
  expect(logs[name]).toBe(readFileSync(`${goldenFolder}/${name}.log`, "utf8"));
});
