// The JavaScript tests: in Node, in a browser, and on the packed package.
import { defineConfig } from "vitest/config";

const slow = { testTimeout: 120_000, hookTimeout: 300_000 };

export default defineConfig({
  test: {
    projects: [
      { test: { name: "js", include: ["tests/js/**/*.test.ts"], benchmark: { include: ["tests/bench/**/*.bench.ts"] } } },
      { test: { name: "e2e", include: ["tests/e2e/**/*.test.ts"], ...slow } },
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
