// What a bare run asks for: one example of each effect and of each end, from the real core, as a TypeScript file. The compiler holds
// it against the types (`npm run check -- types`).
import { init, Run, type RunEffect, type RunInput, type RunSettings } from "glove-wasm";
import { expect, test } from "vitest";

const usage = { tokens_in: 1, tokens_out: 1 };
const ask = (id: string): RunInput => ({ type: "request", id, message: { sender: "user", text: id } });
const says = (call: number, text = "Hi"): RunInput => ({
  type: "model_finished",
  call,
  reply: { messages: [{ sender: "agent", text }], usage, stop_reason: "stop", streamed: true },
});
const calls = (call: number, tool_name: string): RunInput => ({
  type: "model_finished",
  call,
  reply: { messages: [{ sender: "agent", text: "", tool_calls: [{ tool_name, id: "c1", input_args: {} }] }], usage },
});
const returned: RunInput = {
  type: "tool_finished",
  call_id: "c1",
  outcome: { returned: { result: { status: "success", data: 1 }, outputs: [] } },
};
const slot = { id: "s1", renderer: "form", input: 1, owner: "c1", waits: true, created_at: 0, status: "pending" } as const;
const read = { id: "i1", tag: "mail", request: "Wait", response: "Here", status: "resolved" } as const;
const stop: RunInput = { type: "aborted", why: "user" };

const lives: readonly (readonly [RunSettings, ...RunInput[]])[] = [
  // A question about a permission, its answer, and an undo.
  [
    { tools: [{ name: "rm", permission: "always", undo: true }] },
    { type: "request", id: "r1", message: { sender: "user", text: "Hi" }, inbox: [read] },
    calls(1, "rm"),
    { type: "permission_checked", call_id: "c1", verdict: "unset" },
    { type: "answered", question: "the last", answer: { allow: { remember: true } } },
    returned,
    says(2),
    { type: "undo", request: "u1", steps: 1 },
    { type: "undo_finished", call_id: "c1", error: "it is sold" },
  ],
  [{ tools: [{ name: "pay", approval: "always" }] }, ask("r1"), calls(1, "pay"), stop],
  [
    { tools: [{ name: "form" }] },
    ask("r1"),
    calls(1, "form"),
    { type: "slot_pushed", call_id: "c1", at: 0, slot, clean: true },
    { type: "slot_settled", slot: "s1", answer: { value: 7 } },
    stop,
  ],
  [
    { tools: [{ name: "get", idempotent: true, retries: 1 }] },
    ask("r1"),
    calls(1, "get"),
    { type: "tool_finished", call_id: "c1", outcome: { threw: "no" } },
  ],
  [{ compaction: { every_turns: 1 } }, ask("r1"), says(1), ask("r2"), ask("r3"), ask("r4")],
  [{}, ask("r1"), { type: "request", id: "r2", message: { sender: "user", text: "Hi" }, when_busy: "drop" }, stop],
  [{}, ask("r1"), { type: "model_failed", call: 1, error: { kind: "network", message: "The line is dead." }, partial: "" }],
  [{}, ask("r1"), { type: "store_failed", error: { kind: "quota", message: "The disk is full." } }],
  [{ budgets: { turns: 1 } }, ask("r1"), calls(1, "none")],
  [{}, ask("r1"), says(1), { type: "switch", request: "s1", message: "r1.m1" }],
];

const head = `// What a run asks for, one example of each form. Written by tests/js/run-effects.test.ts; do not edit.
import type { RunEffect } from "glove-wasm";
import type { Whole } from "../types/full.js";

`;

test("the types of effects say what the core asks for", async () => {
  await init();
  const seen = new Map<string, RunEffect>();
  for (const [settings, ...inputs] of lives) {
    const run = new Run(settings);
    let question = "";
    for (const input of inputs) {
      for (const effect of run.step(input.type === "answered" ? { ...input, question } : input, 0)) {
        if (effect.type === "ask") question = effect.id;
        const form = effect.type === "finish" ? `finish ${effect.outcome}` : effect.type;
        if (!seen.has(form)) seen.set(form, effect);
      }
    }
    run.dispose();
  }
  const list = (name: string, words: readonly unknown[], of: string) =>
    `export const ${name} = ${JSON.stringify(words)} as const;\nexport const ${name}IsWhole: Whole<${of}, typeof ${name}> = true;\n`;
  const all = [...seen.values()];
  const ends = all.flatMap((effect) => (effect.type === "finish" ? [effect.outcome] : []));
  const text = [
    `${head}export const effects = [`,
    ...all.map((effect) => `  ${JSON.stringify(effect)},`),
    "] satisfies readonly RunEffect[];\n",
    list("types", [...new Set(all.map(({ type }) => type))], `RunEffect["type"]`),
    list("outcomes", ends, `Extract<RunEffect, { type: "finish" }>["outcome"]`),
  ].join("\n");
  await expect(text).toMatchFileSnapshot("../fixtures/run-effects.ts");
});
