// Every target and every situation: what is sent there is what its vendor takes.
import { readFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { judge } from "./judge.js";
import { byAdapter, byHandler } from "./matrix/capture.js";
import { lived, lives } from "./matrix/live.js";
import { situations } from "./matrix/situations.js";
import { targets } from "./matrix/targets.js";

// Here all that is sent is kept, and judged behind.
vi.unmock("glove-wasm");
vi.unmock("glove-wasm/server");

beforeEach(() => {
  for (const name of ["warn", "error"] as const) vi.spyOn(console, name).mockImplementation(() => {});
});
afterEach(() => void vi.restoreAllMocks());

interface Violation {
  readonly target: string;
  readonly situation: string;
  readonly rule: string;
  readonly at: string;
  readonly says: string;
}

/** What is known to be refused, with the reason why it is sent nevertheless. */
const known: readonly Partial<Violation & { readonly why: string }>[] = JSON.parse(
  readFileSync(new URL("matrix/known.json", import.meta.url), "utf8"),
);
const isKnown = (violation: Violation) =>
  known.some(({ why: _, ...row }) =>
    Object.entries(row).every(([key, value]) => new RegExp(`^(${value})$`).test(violation[key as keyof Violation])),
  );

function table(violations: readonly Violation[]): string {
  const rules = new Map<string, Violation[]>();
  for (const one of violations) rules.set(one.rule, [...(rules.get(one.rule) ?? []), one]);
  const lines = [...rules].map(([rule, all]) => {
    const of = new Set(all.map(({ target }) => target));
    const [first] = all;
    return `${String(all.length).padStart(6)}  ${rule.padEnd(28)} ${of.size} targets, as ${first?.target}: ${first?.situation}: ${first?.at}: ${first?.says}`;
  });
  return lines.sort().reverse().join("\n");
}

async function run(capture: typeof byHandler, every: number): Promise<{ requests: number; violations: Violation[] }> {
  const violations: Violation[] = [];
  let requests = 0;
  for (const [at, target] of targets.entries()) {
    for (const [index, situation] of situations.entries()) {
      // A handler streams always, so what is not streamed is asked for by the adapter alone.
      const alone = situation.options?.stream === false;
      if (every === 1 ? alone : !alone && (at + index) % every) continue;
      for (const sent of await capture(target, situation)) {
        requests += 1;
        for (const { rule, at, says } of judge(sent, target.host))
          violations.push({ target: target.name, situation: situation.name, rule, at, says });
      }
    }
  }
  return { requests, violations };
}

test("there is enough to judge", () => {
  expect(targets.length).toBeGreaterThanOrEqual(30);
  expect(situations.length).toBeGreaterThanOrEqual(100);
  expect(new Set(situations.map(({ name }) => name)).size).toBe(situations.length);
});

test.each([
  ["a chat handler", byHandler, 1],
  ["an adapter and a session", byAdapter, 7],
] as const)(
  "what %s sends is what each vendor takes",
  async (name, capture, every) => {
    const since = performance.now();
    const { requests, violations } = await run(capture, every);
    console.log(
      `${name}: ${requests} requests in ${((performance.now() - since) / 1000).toFixed(1)} s, ${violations.length} violations\n${table(violations)}`,
    );
    if (process.env.GLOVE_VIOLATIONS) writeFileSync(`${process.env.GLOVE_VIOLATIONS}.${every}.json`, JSON.stringify(violations));
    expect(violations.filter((violation) => !isKnown(violation))).toEqual([]);
  },
  300_000,
);

test("conversations that go on are what each vendor takes", async () => {
  const since = performance.now();
  const violations: Violation[] = [];
  let requests = 0;
  for (const target of targets) {
    for (const life of lives) {
      const all = await lived(target, life);
      if (!all.length)
        violations.push({
          target: target.name,
          situation: life.name,
          rule: "matrix.nothing-sent",
          at: "",
          says: "Nothing was sent.",
        });
      requests += all.length;
      for (const sent of all) {
        for (const { rule, at, says } of judge(sent, target.host))
          violations.push({ target: target.name, situation: life.name, rule, at, says });
      }
    }
  }
  console.log(
    `lived: ${requests} requests in ${((performance.now() - since) / 1000).toFixed(1)} s, ${violations.length} violations\n${table(violations)}`,
  );
  if (process.env.GLOVE_VIOLATIONS) writeFileSync(`${process.env.GLOVE_VIOLATIONS}.live.json`, JSON.stringify(violations));
  expect(violations.filter((violation) => !isKnown(violation))).toEqual([]);
}, 300_000);
