// What may be given to the bare run: one example of each form, which the real core reads.
import { init, Run, type RunInput } from "glove-wasm";
import { expect, test } from "vitest";

type Examples = { readonly [T in RunInput["type"]]: readonly Omit<Extract<RunInput, { type: T }>, "type">[] };

const usage = { tokens_in: 3, tokens_out: 1 };
const reply = { messages: [{ sender: "agent" as const, text: "Hi" }], usage, stop_reason: "stop", streamed: true };
const item = { id: "i1", tag: "mail", request: "Wait for it", status: "pending" as const, blocking: true };
const issues = [{ path: ["a", 0], message: "expected a text" }];
const slot = {
  id: "s1",
  renderer: "form",
  input: { of: 1 },
  owner: "c1",
  waits: true,
  created_at: 7,
  status: "pending" as const,
};

const examples: Examples = {
  request: [
    { id: "r1", message: { sender: "user", text: "Hi" }, when_busy: "steer", inbox: [item] },
    { id: "r2", message: { sender: "user", text: "" }, when_busy: "interrupt", regenerate: true },
    { id: "r3", message: { sender: "user", text: "Hi" }, when_busy: "drop" },
    { id: "r4", message: { sender: "user", text: "Hi" }, when_busy: "queue", edits: "m1" },
  ],
  model_finished: [{ call: 1, reply }],
  model_failed: [{ call: 1, error: { kind: "network", message: "The line is dead." }, partial: "Hel" }],
  model_partial: [{ call: 1, text: "Hel" }],
  compacted: [
    { call: 2, reply, carry: { tasks: [{ id: "t", content: "Do", activeForm: "Doing", status: "pending" }], inbox: [item] } },
  ],
  permission_checked: (["not_needed", "granted", "denied", "unset", { invalid: issues }, { failed: "no" }] as const).map(
    (verdict) => ({
      call_id: "c1",
      verdict,
    }),
  ),
  approval_checked: (
    ["not_needed", { needed: { reason: "it costs" } }, "changed", { invalid: issues }, { failed: "no" }] as const
  ).map((verdict) => ({ call_id: "c1", verdict })),
  validated: [
    { call_id: "c1", validated: { input: { a: 1 }, exact: true } },
    { call_id: "c1", validated: { input: { at: "2026-01-01" } } },
  ],
  judged: [{ call_id: "c1", judged: { confirm: "Pay?" } }],
  answered: [
    { question: "q1", answer: { allow: { remember: true } } },
    { question: "q1", answer: { deny: { remember: false, reason: "no" } } },
  ],
  tool_finished: [
    {
      call_id: "c1",
      outcome: {
        returned: {
          result: { status: "success", data: { a: 1 }, renderData: [1] },
          outputs: [{ type: "file", summary: "a list", data: { name: "a.csv" } }],
        },
      },
    },
    { call_id: "c1", outcome: { summing: { result: { status: "success", data: 1 }, outputs: [] } } },
    { call_id: "c1", outcome: { summed: "It is done." } },
    { call_id: "c1", outcome: { summed: null } },
    { call_id: "c1", outcome: { invalid: issues } },
    { call_id: "c1", outcome: "changed" },
    { call_id: "c1", outcome: "timed_out" },
    { call_id: "c1", outcome: { threw: "no" } },
    { call_id: "c1", outcome: { rejected: "not now" } },
  ],
  slot_pushed: [{ call_id: "c1", at: 0, slot, clean: true }],
  slot_settled: ([{ value: { ok: true } }, "withheld", { rejected: "no" }, "removed", "cleared"] as const).map((answer) => ({
    slot: "s1",
    answer,
  })),
  slots_removed: [{ slots: ["s1"] }],
  step_begun: [{ call_id: "c1", key: "0.pay", clean: false }],
  step_done: [
    { call_id: "c1", key: "0.pay", result: { returned: { paid: true } } },
    { call_id: "c1", key: "0.pay", result: { threw: "no" } },
  ],
  unseen_work: [{ call_id: "c1" }],
  went_astray: [{ call_id: "c1" }],
  undo: [{ request: "u1", steps: 2 }],
  switch: [{ request: "s1", message: "m1" }],
  undo_finished: [{ call_id: "c1", error: "it is sold" }],
  queued_cancelled: [{ request: "r2" }],
  queued_moved: [{ request: "r2" }, { request: "r2", before: "r3" }],
  timer_fired: [{ timer: 4 }],
  store_failed: [{ error: { kind: "quota", message: "The disk is full." } }],
  configured: [{ settings: { tools: [{ name: "add", undo: true, idempotent: true, on_interrupted: "ask" }] } }],
  plugins_changed: [{ states: { skills: { ann: { active: ["mail"] } } } }],
  context_set: [{ text: "The cart: tea" }],
  recovered: [{}],
  resumed: [{}],
  aborted: [{ why: "user" }, { why: "host_gone" }],
};

const inputs = Object.entries(examples).flatMap(([type, all]) => all.map((rest) => ({ type, ...rest }) as RunInput));

test("every form of input is read: what does not fit to where the run is, is refused for that", async () => {
  await init();
  for (const input of inputs) {
    const run = new Run();
    try {
      run.step(input);
    } catch (error) {
      expect(error, JSON.stringify(input)).toMatchObject({ code: "OUT_OF_PROTOCOL" });
      expect((error as Error).message, JSON.stringify(input)).not.toContain("cannot be read");
    }
    run.dispose();
  }
});

test("a form that asks is driven by hand: shown, answered, and a step beside it", async () => {
  await init();
  const run = new Run({ tools: [{ name: "form" }] });
  run.step({ type: "request", id: "r1", message: { sender: "user", text: "Ask" } });
  const calls = [{ tool_name: "form", id: "c1", input_args: {} }];
  run.step({ type: "model_finished", call: 1, reply: { messages: [{ sender: "agent", text: "", tool_calls: calls }], usage } });
  run.step({ type: "slot_pushed", call_id: "c1", at: 0, slot, clean: true });
  expect(run.phase).toBe("waiting");
  expect(run.step({ type: "slot_settled", slot: "s1", answer: { value: 7 } })).toContainEqual({
    type: "go_on",
    call_id: "c1",
    key: "s1",
  });
  const again = Run.restore(run.snapshot());
  expect(again.step({ type: "step_begun", call_id: "c1", key: "0.pay", clean: true })).toContainEqual({
    type: "go_on",
    call_id: "c1",
    key: "0.pay",
  });
  again.step({ type: "step_done", call_id: "c1", key: "0.pay", result: { returned: "paid" } });
  again.step({ type: "slots_removed", slots: ["s1"] });
  again.step({
    type: "tool_finished",
    call_id: "c1",
    outcome: { returned: { result: { status: "success", data: 7 }, outputs: [] } },
  });
  expect(again.phase).toBe("model");
});
