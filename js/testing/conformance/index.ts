// The conformance kit: whether a store does what sessions rely on.
import type { StoreAdapter } from "../../src/exports.js";
import type { Maybe } from "../../src/timing/sync-or-promise.js";
import { check } from "../../src/values/validate-options.js";
import { extraCases } from "./extras.js";
import type { Bench, Case } from "./kit.js";
import { messageCases, tokenCases } from "./messages.js";
import { runCases } from "./run.js";
import { sessionCases } from "./session.js";
import { tabCases } from "./tabs.js";

/** The store under test. */
export interface ConformanceSubject {
  /** A store for a session that was never used before; each call gets another id. */
  make(sessionId: string): Maybe<StoreAdapter>;
  /** A second store over what the first one has stored, as a page gets it after a reload. */
  reopen?(sessionId: string, store: StoreAdapter): Maybe<StoreAdapter>;
  /** Called after each case. */
  dispose?(store: StoreAdapter): Maybe<unknown>;
  /** How `addTokens` may be called; `both` unless given. */
  readonly tokens?: "object" | "number" | "both";
}

/** One case: a name, and a function that throws where the store does not keep to it. */
export interface ConformanceCase {
  readonly name: string;
  /** Rejects when the store does something else. `skipped` when the store lacks the optional methods that it is about. */
  run(): Promise<"passed" | "skipped">;
}

/** `describe` and `it` of vitest, jest or node:test. */
export interface ConformanceRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, run: () => Promise<void>): unknown;
}

/**
 * The cases that any store has to pass. With a runner they are registered as tests; without one, run them yourself. Cases about
 * optional methods that a store does not have count as passed.
 */
export function storeConformance(
  subject: ConformanceSubject | ConformanceSubject["make"],
  runner?: ConformanceRunner,
): readonly ConformanceCase[] {
  const given = typeof subject === "function" ? { make: subject } : subject;
  check("`make`", given?.make, "work");
  if (runner) check("`runner.it`", runner.it, "work");
  const style = given.tokens ?? "both";
  const all = [...messageCases, ...tokenCases(style), ...extraCases, ...runCases, ...tabCases, ...sessionCases(style)];
  const cases = all.map((one) => ({ name: one.name, run: () => runCase(one, given) }));
  runner?.describe("store conformance", () => {
    for (const { name, run } of cases) {
      runner.it(name, async () => {
        await run();
      });
    }
  });
  return cases;
}

let made = 0;

async function runCase(one: Case, { make, reopen, dispose }: ConformanceSubject): Promise<"passed" | "skipped"> {
  const stores: [id: string, store: StoreAdapter][] = [];
  const bench: Bench = {
    async make() {
      const id = `conformance-${Date.now().toString(36)}-${made++}`;
      const store = await make(id);
      stores.push([id, store]);
      return store;
    },
    async reopen(store) {
      const id = stores.find(([, known]) => known === store)?.[0];
      if (!reopen || id === undefined) return store;
      const again = await reopen(id, store);
      stores.push([id, again]);
      return again;
    },
  };
  try {
    const store = await bench.make();
    if (one.needs?.some((method) => !store[method])) return "skipped";
    await one.run(store, bench);
    return "passed";
  } finally {
    for (const [, store] of stores) await dispose?.(store);
  }
}
