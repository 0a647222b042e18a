// The JavaScript tests: in Node, in a browser, and on the packed package.
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const react = {
  include: ["tests/js/react/**/*.test.tsx"],
  environment: "jsdom",
  setupFiles: ["tests/support/wait-limits.ts", "tests/strict/setup.ts", "tests/js/react/setup.ts"],
  testTimeout: 30_000,
};
/** What one React does otherwise than another: effects, stores, waiting, errors and hydration. */
const ofEachReact = [
  "broken",
  "panes",
  "provider",
  "render",
  "selectors",
  "server",
  "sessions",
  "shared",
  "suspense",
  "thread-list",
  "threads",
  "use-glove",
  "widget",
].map((name) => `tests/js/react/${name}.test.tsx`);
const folder18 = fileURLToPath(new URL("tests/react-18/node_modules", import.meta.url));
const react18 = [
  { find: /^(react|react-dom)(?=\/|$)/, replacement: `${folder18}/$1` },
  { find: /^@testing-library\/react$/, replacement: "@testing-library/react/dist/@testing-library/react.esm.js" },
];
const siteTool = (path: string) => fileURLToPath(new URL(`tools/site/node_modules/${path}`, import.meta.url));
/** The tests that run in other browsers than Chromium too. */
const everywhere = ["indexeddb", "golden", "faults", "durability-cost", "chat-engines", "worker"].map(
  (name) => `tests/e2e/${name}.test.ts`,
);
/** The tests that run with the core in a worker too; `GLOVE_WORKER=1` runs all of them so. */
const inWorker = ["golden", "all-settles", "traps", "branches", "survival", "session-list"].map(
  (name) => `tests/e2e/${name}.test.ts`,
);
/** Waits have time, and what providers of tests refused fails the test. */
const setupFiles = ["tests/support/wait-limits.ts", "tests/strict/setup.ts"];
/** A browser on a busy machine: CI tries a test that failed once more, and its report says which needed that. */
const slow = {
  setupFiles,
  testTimeout: 120_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 30_000 } },
  retry: process.env.CI ? 1 : 0,
};
/** What measures times runs when everything else is done, one file at a time. */
const timed = ["decoding-cost", "durability-cost", "look-cost"].map((name) => `tests/e2e/${name}.test.ts`);
const alone = { maxWorkers: 1, sequence: { groupOrder: 1 } };

export default defineConfig({
  test: {
    // Tests of servers wait for a part of their time, so no core is kept free for vitest itself. `npm test` says where there are more.
    maxWorkers: Number(process.env.TEST_WORKERS ?? availableParallelism()),
    projects: [
      { test: { name: "js", include: ["tests/{js,docs,strict}/**/*.test.ts"], setupFiles, testTimeout: 30_000 } },
      { test: { name: "js-react", ...react, env: { GLOVE_REACT: "19" } } },
      // The oldest React that is supported.
      {
        test: {
          name: "js-react-18",
          ...react,
          include: ofEachReact,
          env: { GLOVE_REACT: "18" },
          server: { deps: { inline: [/@testing-library\/react/] } },
        },
        resolve: { alias: react18 },
      },
      { test: { name: "e2e", include: ["tests/e2e/**/*.test.ts"], exclude: timed, ...slow } },
      { test: { name: "e2e-worker", include: inWorker, env: { GLOVE_WORKER: "1" }, ...slow } },
      { test: { name: "e2e-timed", include: timed, ...slow, ...alone } },
      // The demo, built from the packed tarball.
      { test: { name: "e2e-demo", include: ["tests/demo/**/*.test.ts"], globalSetup: ["tests/demo/site.ts"], ...slow } },
      // The site, built from the docs.
      {
        test: { name: "e2e-site", include: ["tests/site/**/*.test.ts"], globalSetup: ["tests/site/site.ts"], ...slow },
        resolve: { alias: [{ find: /^minisearch$/, replacement: siteTool("minisearch/dist/es/index.js") }] },
      },
      ...["firefox", "webkit"].map((engine) => ({
        test: { name: `engines-${engine}`, include: everywhere, env: { GLOVE_ENGINE: engine }, ...slow },
      })),
      { test: { name: "real", include: ["tests/real/**/*.test.ts"], ...slow } },
      {
        test: {
          name: "packaging",
          include: ["tests/packaging/**/*.test.ts"],
          globalSetup: ["tests/packaging/pack.ts"],
          ...slow,
        },
      },
    ],
  },
});
