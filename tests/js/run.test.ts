// The bare state machine from JavaScript: inputs in, effects out, stored and taken up at any point.
import { init, Run, type RunEffect, type RunInput } from "glove-wasm";
import { beforeAll, expect, test } from "vitest";

beforeAll(() => init());

const settings = {
  tools: [
    { name: "add", undo: true },
    { name: "pay", approval: "always" as const },
  ],
};
const usage = { tokens_in: 1, tokens_out: 1 };
const work = (effects: readonly RunEffect[]) => effects.filter(({ type }) => type !== "event" && type !== "persist");

const ask = (id: string, text: string): RunInput => ({ type: "request", id, message: { sender: "user", text } });
const says = (call: number, text: string): RunInput => ({
  type: "model_finished",
  call,
  reply: { messages: [{ sender: "agent", text }], usage },
});
const calls = (call: number, tool_name: string, id: string, input_args: unknown = {}): RunInput => ({
  type: "model_finished",
  call,
  reply: { messages: [{ sender: "agent", text: "", tool_calls: [{ tool_name, id, input_args }] }], usage },
});
const returns = (call_id: string, data: unknown): RunInput => ({
  type: "tool_finished",
  call_id,
  outcome: { returned: { result: { status: "success", data }, outputs: [] } },
});

test("a whole conversation, restored from its snapshot before each step", () => {
  const steps: [RunInput, unknown[]][] = [
    [ask("r1", "Add 2"), [{ type: "call_model", call: 1 }]],
    [calls(1, "ADD", "c1", { n: 2 }), [{ type: "run_tool", call_id: "c1", tool_name: "add", input: { n: 2 }, attempt: 1 }]],
    [returns("c1", 2), [{ type: "call_model", call: 2 }]],
    [calls(2, "pay", "c2"), [{ type: "check_approval", call_id: "c2", tool_name: "pay", input: {} }]],
    [{ type: "approval_checked", call_id: "c2", verdict: "not_needed" }, [expect.objectContaining({ type: "ask" })]],
    [
      { type: "answered", question: "r1.q5", answer: { deny: { remember: false, reason: "too much" } } },
      [
        { type: "withdraw", id: "r1.q5" },
        { type: "call_model", call: 3 },
      ],
    ],
    [says(3, "Done."), [expect.objectContaining({ type: "finish", request: "r1", outcome: "completed" })]],
    [{ type: "undo", request: "u1", steps: 1 }, [{ type: "run_undo", call_id: "c1", tool_name: "add", input: { n: 2 } }]],
    [{ type: "undo_finished", call_id: "c1" }, [{ type: "finish", request: "u1", outcome: "undone", steps: 1, error: null }]],
  ];
  let run = new Run(settings);
  for (const [at, [input, expected]] of steps.entries()) {
    const snapshot = run.snapshot();
    run.dispose();
    run = Run.restore(snapshot);
    expect(run.snapshot()).toBe(snapshot);
    const effects = run.step(input, at);
    expect(work(effects)).toEqual(expected);
    expect(effects.filter(({ type }) => type === "persist")).toHaveLength(1);
  }
  expect(run.phase).toBe("idle");
  expect(run.messages.map(({ sender, text }) => `${sender}: ${text}`)).toEqual([
    "user: Add 2",
    "agent: ",
    "user: tool results",
    "agent: ",
    "user: tool results",
    "agent: Done.",
    expect.stringMatching(/^user: \[Undo by the user: 1 action was taken back: add\(\{"n":2\}\)/),
  ]);
  expect(run.messages[4]?.tool_results?.[0]?.result).toMatchObject({ status: "error", outcome: "rejected" });
});

test("a restored run says what is outstanding, and goes on", () => {
  const run = new Run(settings);
  run.step(ask("r1", "Hi"));
  const next = Run.restore(run.snapshot());
  expect(next.phase).toBe("model");
  next.step({ type: "recovered" });
  expect(next.outstanding()).toEqual([{ type: "call_model", call: 1 }]);
  expect(next.modelRequest()).toMatchObject([{ sender: "user", text: "Hi" }]);
  expect(work(next.step(says(1, "Hello")))).toMatchObject([{ type: "finish", outcome: "completed" }]);
});

test("what does not fit changes nothing and says so", () => {
  const run = new Run(settings);
  const before = run.snapshot();
  const table: RunInput[] = [
    says(7, "Nobody asked"),
    returns("c9", 1),
    { type: "resumed" },
    { type: "aborted", why: "user" },
    { type: "nonsense" } as unknown as RunInput,
    { type: "request" } as unknown as RunInput,
    ask("", "no id"),
  ];
  for (const input of table) {
    const message = expect.stringMatching(/^[A-Z]/);
    expect(() => run.step(input)).toThrow(expect.objectContaining({ name: "GloveError", code: "OUT_OF_PROTOCOL", message }));
  }
  expect(run.snapshot()).toBe(before);
  for (const broken of ["", "{}", '{"checkpoint":"{}","messages":[]}', '{"checkpoint":7}']) {
    expect(() => Run.restore(broken)).toThrow(expect.objectContaining({ code: "STORE_CORRUPT" }));
  }
  const newer = JSON.stringify({ checkpoint: '{"version":999}', messages: [] });
  expect(() => Run.restore(newer)).toThrow(expect.objectContaining({ code: "STORE_NEWER" }));
});
