// Answers that follow on each other at once: each is shown alone, and none twice.
import { createRemoteModel, type GloveSession } from "glove-wasm";
import { expect, test } from "vitest";
import { reduce } from "../../pkg/src/snapshot/reducer.js";
import { SnapshotStore } from "../../pkg/src/snapshot/snapshot-store.js";
import { scene } from "../support/session.js";

const noUsage = { tokens_in: 0, tokens_out: 0 };
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Every text that streamed, with what stood above it. */
function watch(session: GloveSession) {
  const seen: { readonly text: string; readonly above: string[]; readonly status: string }[] = [];
  session.subscribe(() => {
    const { streamingText: text, timeline, status } = session.getSnapshot();
    seen.push({ text, status, above: timeline.flatMap((entry) => (entry.kind === "agent_text" ? [entry.text] : [])) });
  });
  return seen;
}

const turns = [
  ["First ", "answer."],
  ["Second ", "one ", "here."],
  ["Third ", "and last."],
];
const whole = turns.map((pieces) => pieces.join(""));

function remote() {
  let at = 0;
  return createRemoteModel("own", {
    prompt: () => Promise.reject(new Error("it streams")),
    async *promptStream() {
      const pieces = turns[at++] ?? [];
      for (const text of pieces) {
        await wait(20);
        yield { type: "text_delta" as const, text };
      }
      yield { type: "done" as const, message: { sender: "agent" as const, text: pieces.join("") }, tokens_in: 1, tokens_out: 1 };
    },
  });
}

test("answers to queued messages of a model of the page stream one by one", async () => {
  const { session } = scene([], { createModel: remote });
  await session.start();
  const seen = watch(session);
  await Promise.all(["1", "2", "3"].map((text) => session.sendMessage(text)));
  for (const { text, above } of seen)
    expect(whole[above.length]?.startsWith(text) ?? text === "", `${text} under ${above}`).toBe(true);
  for (const text of whole) expect(seen.some((shown) => shown.text !== "" && text.startsWith(shown.text))).toBe(true);
  expect(seen.at(-1)).toEqual({ text: "", status: "ready", above: whole });
});

test("the answer to an interrupting message does not begin with what it interrupted", async () => {
  const { session } = scene([
    { deltas: ["Half ", "an ", "answer ", "never"], every: 30 },
    { deltas: ["Quite ", "another."], every: 20 },
  ]);
  await session.start();
  const seen = watch(session);
  const first = session.sendMessage("1");
  await wait(75);
  await Promise.all([first, session.sendMessage({ text: "2", whenBusy: "interrupt" })]);
  const after = seen.filter(({ above }) => above.length > 0);
  expect(after.length).toBeGreaterThan(1);
  for (const { text } of after) expect("Quite another.".startsWith(text), text).toBe(true);
});

test("the answer behind one that failed does not begin with it", async () => {
  const { session } = scene([
    { deltas: ["Half "], every: 20, fail: "boom" },
    { deltas: ["Second ", "fine."], every: 20 },
  ]);
  await session.start();
  const seen = watch(session);
  const [first] = await Promise.allSettled([session.sendMessage("1"), session.sendMessage("2")]);
  expect(first.status).toBe("rejected");
  for (const { text } of seen)
    expect(
      ["Half ", "Second fine."].some((answer) => answer.startsWith(text)),
      text,
    ).toBe(true);
});

test("a failure is shown at once with its end, and gives way to a later request that goes well", async () => {
  const { session } = scene([
    { deltas: ["Half "], every: 20, fail: "boom" },
    { deltas: ["Fine."], every: 20 },
  ]);
  await session.start();
  const seen: string[] = [];
  session.subscribe(() => {
    const { status, error, run } = session.getSnapshot();
    seen.push(`${status} ${run.phase} ${error?.message ?? ""}`.trim());
  });
  await expect(session.sendMessage("1")).rejects.toThrow("boom");
  expect(session.getSnapshot()).toMatchObject({ status: "error", error: { message: "boom" } });
  expect(seen.filter((shown) => /^(ready|error)/.test(shown))).toEqual(["error paused boom"]);
  await session.sendMessage("2");
  expect(session.getSnapshot()).toMatchObject({ status: "ready", error: undefined });
});

test("a failure behind which a message waits does not stay when that is answered", async () => {
  const { session } = scene([
    { deltas: ["Half "], every: 20, fail: "boom" },
    { deltas: ["Fi", "ne."], every: 40 },
  ]);
  await session.start();
  const seen = watch(session);
  await Promise.allSettled([session.sendMessage("1"), session.sendMessage("2")]);
  expect(session.getSnapshot()).toMatchObject({ status: "ready", error: undefined });
  expect(seen.filter(({ text }) => text === "Fi").map(({ status }) => status)).toContain("streaming");
});

test("the end of a run leaves what the page has said of itself", () => {
  const [none, asks] = [() => undefined, () => ({})];
  const slots = { strategy: () => "stay" as const, title: none, description: none, asks, live: none };
  const shown = new SnapshotStore("s", "memory", () => {});
  shown.setReducer(reduce, slots);
  const run = { queue: [], questions: [], undoable: [], turns: 0, usage: noUsage, contextTokens: 0, contextLimit: 0 };
  shown.dispatch({ kind: "sent", id: "r", text: "hi", waits: false });
  shown.apply({ kind: "state", phase: "model", request: "r", ...run });
  const error = new Error("no network");
  shown.set({ error });
  shown.apply({ kind: "state", phase: "paused", request: null, ...run });
  shown.apply({ kind: "ended", request: "r", error: null });
  shown.dispatch({ kind: "settled", id: "r", error: undefined });
  shown.publish();
  expect(shown.snapshot).toMatchObject({ run: { phase: "paused" }, error });
});
