// What a session shows, as a function of what happened: without a core, a page or a clock.
import { expect, test } from "vitest";
import type { SnapshotEvent } from "../../pkg/src/snapshot/events.js";
import { reduce } from "../../pkg/src/snapshot/reducer.js";
import type { ShownEntry } from "../../pkg/src/snapshot/snapshot.js";
import { emptyState, type SessionState, snapshotOf } from "../../pkg/src/snapshot/state.js";
import { ReplayState } from "../../pkg/src/tabs/latest-state.js";
import type { CoreError, CoreEvent } from "../../pkg/src/wire/core-types.js";
import type { CoreEntry, CoreSlot } from "../../pkg/src/wire/run-types.js";

type CoreState = Extract<CoreEvent, { kind: "state" }>;

const context = {
  strategy: (renderer: string) => (renderer === "card" ? ("hide-on-new" as const) : ("stay" as const)),
  description: () => undefined,
  asks: () => ({}),
  title: (tool: string) => (tool === "pay" ? "Pay the bill" : undefined),
  live: () => undefined,
};

/** A value that cannot be changed, nor anything in it. */
function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) frozen(part);
  }
  return value;
}

const empty = frozen(emptyState("s", "memory"));
const step = (state: SessionState, event: SnapshotEvent) => frozen(reduce(state, frozen(event), context));
const after = (...events: SnapshotEvent[]) => events.reduce(step, empty);
const shown = (...events: SnapshotEvent[]) => snapshotOf(after(...events));

const run = (phase: CoreState["phase"], request: string | null, more: Partial<CoreState> = {}): CoreState => ({
  kind: "state",
  phase,
  request,
  queue: [],
  questions: [],
  undoable: [],
  turns: 0,
  usage: { tokens_in: 0, tokens_out: 0 },
  contextTokens: 0,
  contextLimit: 0,
  ...more,
});
const said = (at: number, ...entries: ShownEntry[]): CoreEvent => ({
  kind: "timeline",
  len: at + entries.length,
  set: [[at, entries as readonly CoreEntry[]]],
});
const user = (id: string): ShownEntry => ({ kind: "user", id: `${id}.m1`, text: id });
const agent = (id: string, text: string): ShownEntry => ({ kind: "agent_text", id: `${id}.m2`, text });
const told = (type: string, data: object = {}): CoreEvent => ({ kind: "event", request: null, type, data });
const text = (piece: string) => told("text_delta", { text: piece });
const slot = (id: string, more: Partial<CoreSlot> = {}): CoreSlot => ({
  id,
  renderer: "form",
  input: 1,
  waits: true,
  created_at: 0,
  status: "pending",
  ...more,
});
const slots = (...stack: CoreSlot[]): CoreEvent => ({ kind: "slots", slots: stack });
const sent = (id: string, waits = false): Extract<SnapshotEvent, { kind: "sent" }> => ({ kind: "sent", id, text: id, waits });
const settled = (id: string, error?: Error): SnapshotEvent => ({ kind: "settled", id, error });
const boom = new Error("boom");
/** The core says how a request ended. */
const ended = (request: string, error: CoreError | null = null): CoreEvent => ({ kind: "ended", request, error });
const refused = { code: "MODEL_RATE_LIMIT", message: "slow down", model: { status: 429, retry_after_ms: 9, transient: true } };
const failure = { code: "MODEL_RATE_LIMIT", message: "slow down", status: 429, retryAfter: 9, retryable: true };

/** An entry that its request has failed at. */
const failed = (at: number, entry: ShownEntry): CoreEvent => said(at, { ...entry, error: refused } as unknown as ShownEntry);

const begun = [sent("a"), said(0, user("a")), run("model", "a")] as const;

test("a message says that the model cannot read its files when the provider takes none of their kind", () => {
  const file = (id: string, type: string): ShownEntry => ({
    ...(user(id) as Extract<ShownEntry, { kind: "user" }>),
    files: [{ name: "a", type, size: 1 }],
  });
  const picture: ShownEntry = { kind: "user", id: "c.m1", text: "c", images: ["data:image/svg+xml;base64,PA=="] };
  const left = (note: string, code = "MEDIA_LEFT_OUT") => told("model_notice", { code, message: `${note} was left out: \`m\`.` });
  const marks = (...events: SnapshotEvent[]) =>
    shown(...events).timeline.map((entry) => (entry.kind === "user" ? entry.leftOut === true : undefined));
  const record = said(0, file("a", "application/pdf"), file("b", "image/png"), picture);
  const pdf = left("[Document attachment: application/pdf]");
  expect(marks(record, pdf)).toEqual([true, false, false]);
  expect(marks(record, pdf, left("[Image attachment: image/svg+xml]"))).toEqual([true, false, true]);
  // A session is told once, and messages come later.
  expect(marks(record, pdf, said(3, file("d", "application/pdf")))).toEqual([true, false, false, true]);
  // One that is broken says nothing of the others, and what a tool returns nothing of a person's.
  const broken = told("model_notice", {
    code: "MEDIA_LEFT_OUT",
    message:
      "[Document attachment: application/pdf] was left out of the request and replaced by this note: its data is not base64.",
  });
  const two = said(0, file("a", "application/pdf"), file("b", "application/pdf"));
  const found: SnapshotEvent = { kind: "broken", ids: ["a.m1", undefined] };
  expect(marks(two, broken, said(2, file("c", "application/pdf")))).toEqual([false, false, false]);
  expect(marks(two, broken, found, said(2, file("c", "application/pdf")))).toEqual([true, false, false]);
  expect(marks(record, broken)).toEqual([false, false, false]);
  expect(marks(record, left("[Image attachment: image/png] of a tool's result"))).toEqual([false, false, false]);
  // Another model may take them; the one from before still does not.
  const [a, b] = [{}, {}];
  const other: SnapshotEvent = { kind: "model", before: a, now: b };
  const again: SnapshotEvent = { kind: "model", before: b, now: a };
  const later = [said(3, file("d", "application/pdf")), said(4, file("e", "application/pdf"))] as const;
  expect(marks(record, pdf, other, later[0], again, later[1])).toEqual([true, false, false, false, true]);
  expect(marks(record, left("[Document attachment]"), left("[Document attachment: application/pdf]", "OTHER"))).toEqual([
    false,
    false,
    false,
  ]);
});

test.each<[string, SnapshotEvent[], object]>([
  ["nothing has happened", [], { status: "ready", busy: false, queue: [], timeline: [] }],
  ["a message was sent", [sent("a")], { status: "submitted", busy: true, queue: [] }],
  ["a message waits for the core", [sent("a", true)], { queue: [{ id: "a", text: "a" }] }],
  [
    "what is served or queued is sent again",
    [...begun, run("waiting", "a", { queue: [{ id: "b", text: "b", files: 0 }] }), sent("a", true), sent("b", true)],
    { busy: true, queue: [{ id: "b", text: "b" }] },
  ],
  [
    "it has files, on its way and in the core",
    [...begun, { ...sent("c", true), files: 1 }, run("model", "a", { queue: [{ id: "b", text: "b", files: 2 }] })],
    {
      queue: [
        { id: "b", text: "b", files: 2 },
        { id: "c", text: "c", files: 1 },
      ],
    },
  ],
  [
    "the core was given it, and has not begun",
    [sent("a", true), { kind: "delivered", id: "a" }],
    { busy: true, queue: [{ id: "a", text: "a" }] },
  ],
  ["the core was given it while it serves another", [...begun, sent("b", true), { kind: "delivered", id: "b" }], { queue: [] }],
  [
    "the core takes its time with it",
    [sent("a"), { kind: "delivered", id: "a" }, { kind: "slow", id: "a" }],
    { queue: [{ id: "a", text: "a" }] },
  ],
  ["the core answers it", [sent("a", true), run("model", "a")], { status: "submitted", queue: [], run: { phase: "model" } }],
  [
    "it stands in the core's queue",
    [...begun, sent("b", true), run("model", "a", { queue: [{ id: "b", text: "b", files: 0 }] })],
    { queue: [{ id: "b", text: "b" }] },
  ],
  [
    "the session could not be opened for it",
    [sent("a"), { kind: "undelivered", id: "a", text: "a" }, settled("a", boom)],
    { status: "error", error: boom, queue: [{ id: "a", text: "a" }] },
  ],
  [
    "what was kept is offered again",
    [sent("a"), { kind: "undelivered", id: "a", text: "a" }, settled("a", boom), sent("a")],
    { status: "submitted", error: undefined, queue: [] },
  ],
  [
    "what was kept is taken back",
    [
      { kind: "undelivered", id: "a", text: "a" },
      { kind: "dropped", id: "a" },
    ],
    { queue: [] },
  ],
  ["the first piece came", [...begun, text("Hel")], { status: "streaming", streamingText: "Hel" }],
  [
    "the answer is whole",
    [...begun, text("Hello"), told("model_response"), said(1, agent("a", "Hello")), run("idle", null), settled("a")],
    { status: "ready", streamingText: "", timeline: [user("a"), agent("a", "Hello")] },
  ],
  ["a blank piece is no text", [...begun, text("\n")], { status: "streaming", streamingText: "" }],
  [
    "a request has failed",
    [...begun, run("paused", "a"), ended("a", refused), settled("a")],
    { status: "error", error: failure, run: { phase: "paused" } },
  ],
  [
    "a later request goes well",
    [...begun, run("paused", "a"), ended("a", refused), run("model", "b"), run("idle", null), ended("b")],
    { status: "ready", error: undefined },
  ],
  [
    "a request has failed and the next one is answered",
    [...begun, failed(0, user("a")), run("model", "b"), ended("a", refused)],
    { error: undefined, timeline: [{ ...user("a"), error: failure }] },
  ],
  [
    "a request of which nothing is shown has failed and the next one is answered",
    [...begun, run("model", "b"), ended("a", refused)],
    { error: failure, timeline: [user("a")] },
  ],
  ["a message is marked no more when it is answered", [failed(0, user("a")), said(0, user("a"))], { timeline: [user("a")] }],
  [
    "the model is asked again later",
    [...begun, told("model_retry", { code: "MODEL_RATE_LIMIT", wait_ms: 9, until: 12_345 })],
    { waiting: { code: "MODEL_RATE_LIMIT", until: 12_345 } },
  ],
  [
    "who runs the session is another one, and nothing is known of a wait there",
    [...begun, told("model_retry", { code: "MODEL_RATE_LIMIT", wait_ms: 9, until: 12_345 }), { kind: "renewed" }],
    { waiting: undefined },
  ],
  ["a run of another page has failed", [run("model", "a"), run("paused", "a"), ended("a", refused)], { error: failure }],
  [
    "a run goes on behind an error that ends nothing",
    [run("model", "a"), told("error", { code: "COMPACTION_FAILED", message: "boom" }), run("paused", "a")],
    { error: undefined },
  ],
  [
    "the core was lost in a run",
    [...begun, slots(slot("s")), { kind: "lost", error: boom, over: false }],
    { busy: false, error: boom, run: { phase: "interrupted" }, slots: [] },
  ],
  ["the core was lost at rest", [{ kind: "lost", error: boom, over: false }], { error: undefined, run: { phase: "idle" } }],
  ["the session is not stored any more", [{ kind: "lost", error: boom, over: true }], { error: boom, run: { phase: "idle" } }],
  [
    "tasks changed",
    [told("tool_use_result", { tool_name: "glove_update_tasks", result: { data: { tasks: [1] } } })],
    { tasks: [1] },
  ],
  [
    "a text that an earlier page had shown is written anew",
    [said(0, { kind: "agent_text", id: "a.partial", text: "Hal" }), text("He")],
    { timeline: [], streamingText: "He" },
  ],
])("when %s", (_, events, part) => {
  expect(shown(...events)).toMatchObject(part);
});

test("the answers of a model of the page are shown one by one, and one that fails is not part of the next", () => {
  const piece = (call: number, text: string): SnapshotEvent => ({ kind: "piece", of: "text", text, call });
  const two = after(
    ...begun,
    { kind: "modelCalled", call: 1 },
    piece(1, "One"),
    { kind: "modelCalled", call: 2 },
    piece(2, "Two"),
  );
  expect(snapshotOf(two).streamingText).toBe("One");
  expect(snapshotOf(step(two, told("model_response"))).streamingText).toBe("Two");
  const failed = step(step(two, { kind: "failed", call: 1 }), run("model", "b"));
  expect(snapshotOf(failed).streamingText).toBe("Two");
  expect(snapshotOf(step(step(two, told("model_response")), piece(1, "late"))).streamingText).toBe("Two");
});

test("a slot keeps what it shows, says why an answer was refused until it is settled, and gives its place to a newer card", () => {
  const call: ShownEntry = { kind: "tool", id: "c", name: "order", input: {}, status: "running" };
  const card = (id: string) => slot(id, { renderer: "card", owner: "c" });
  const first = after(said(0, call), slots(card("1"), slot("q", { input: { toolName: "pay", toolInput: {} } })));
  const [one, question] = first.base.slots;
  expect([one?.toolName, question?.input]).toEqual(["order", { toolName: "pay", toolInput: {}, title: "Pay the bill" }]);
  const refused = step(first, { kind: "refused", slot: "q", error: "no", issues: [] });
  expect(refused.base.slots).toEqual([one, { ...question, error: "no", issues: [] }]);
  const next = step(refused, slots(card("1"), slot("q"), card("2")));
  expect(next.base.slots.map(({ id, replaced, error }) => [id, replaced, error])).toEqual([
    ["1", true, undefined],
    ["q", undefined, "no"],
    ["2", undefined, undefined],
  ]);
  const answered = step(next, slots(card("1"), slot("q", { status: "resolved", answer: 7 })));
  expect(answered.base.slots[0]).toBe(next.base.slots[0]);
  expect(answered.base.slots[1]).toEqual({ ...question, status: "resolved", answer: 7 });
});

/** The same numbers for the same seed. */
function chance(seed: number) {
  let at = seed;
  return (below: number) => {
    at = (Math.imul(at, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((at / 2 ** 32) * below);
  };
}

/** What a core may tell of some requests, one after the other. */
function conversation(seed: number): CoreEvent[] {
  const below = chance(seed);
  const events: CoreEvent[] = [];
  let length = 0;
  const entry = (...entries: ShownEntry[]) => {
    events.push(said(length, ...entries));
    length += entries.length;
  };
  const request = (id: string) => {
    entry(user(id));
    events.push(run("model", id, { queue: below(2) ? [{ id: `${id}+`, text: "next", files: 0 }] : [] }));
    for (let pieces = below(6); pieces > 0; pieces--)
      events.push(below(3) ? text(`${pieces} `) : told("reasoning_delta", { text: "?" }));
    const call = `${id}.c`;
    if (below(2)) {
      events.push({
        kind: "input",
        id: call,
        name: "pay",
        patches: [
          ["", "=", {}],
          ["/list", "=", []],
        ],
      });
      for (let at = 0; at < below(5); at++)
        events.push({ kind: "input", id: call, name: "pay", patches: [[`/list/${at}`, "!", at]] });
      const tool: ShownEntry = { kind: "tool", id: call, name: "pay", input: {}, status: "running" };
      events.push(told("model_response"));
      entry(tool);
      events.push(
        run("waiting", id, { questions: [{ id: "q", kind: "approval", call_id: call, tool_name: "pay", asked_at: 0 }] }),
      );
      events.push(slots(slot(`${id}.s`, { owner: call, renderer: below(2) ? "card" : "form" })));
      events.push(
        run("tools", id),
        said(length - 1, { ...tool, status: "success", output: "paid" }),
        slots(),
        run("model", id),
        text("Paid."),
      );
    }
    if (below(5) === 0) return events.push(run("paused", id), ended(id, refused));
    events.push(told("model_response_complete"));
    entry(agent(id, "Done."));
    return events.push(told("request_finished"), run("idle", null, { turns: 1 }));
  };
  for (let at = 0; at < 4; at++) request(`r${at}`);
  return events;
}

const seeds = Array.from({ length: 80 }, (_, seed) => seed);

test("events taken in one by one and in batches show the same, and no state that was given out is changed", () => {
  for (const seed of seeds) {
    const events = conversation(seed);
    const below = chance(seed);
    let unseen = new WeakSet<object>();
    let batched = empty;
    let single = empty;
    for (const event of events) {
      single = step(single, event);
      // A batch shares what is in no snapshot yet.
      batched = reduce(batched, event, context, unseen);
      if (below(3) > 0) continue;
      expect(snapshotOf(frozen(batched)), `seed ${seed}`).toEqual(snapshotOf(single));
      unseen = new WeakSet();
    }
    expect(snapshotOf(batched)).toEqual(snapshotOf(single));
  }
});

test("a timeline is copied once for all that comes until somebody looks at it", () => {
  const unseen = new WeakSet<object>();
  const first = reduce(after(said(0, user("a"))), said(1, agent("a", "Hi")), context, unseen);
  const second = reduce(first, said(2, user("b"), agent("b", "Ho")), context, unseen);
  expect(second.base.timeline).toBe(first.base.timeline);
  expect(second.base.timeline).toEqual([user("a"), agent("a", "Hi"), user("b"), agent("b", "Ho")]);
});

test("a piece of an answer leaves every other part of the snapshot the same object", () => {
  for (const seed of seeds) {
    let state = empty;
    for (const event of conversation(seed)) {
      const before = snapshotOf(state);
      state = step(state, event);
      if (event.kind !== "event" || !event.type.endsWith("_delta")) continue;
      const now = snapshotOf(state, before);
      const parts = ["timeline", "slots", "approvals", "queue", "undoable", "stats", "run", "streamingCalls"] as const;
      for (const part of parts) expect(now[part]).toBe(before[part]);
    }
  }
});

test("what changes nothing gives the snapshot from before", () => {
  for (const seed of seeds) {
    const state = conversation(seed).reduce(step, empty);
    const before = snapshotOf(state);
    expect(snapshotOf(step(state, told("tool_use", { id: "x" })), before)).toBe(before);
  }
});

test("a tab that follows from any moment on shows the same", () => {
  for (const seed of seeds) {
    const events = conversation(seed);
    const joins = chance(seed)(events.length);
    const replay = new ReplayState();
    let leads = empty;
    let follows = empty;
    for (const [at, event] of events.entries()) {
      if (at === joins) {
        const { events: all, written } = replay.all(leads.base.timeline as readonly CoreEntry[]);
        follows = [{ kind: "renewed", written } as const, ...all].reduce(step, frozen(emptyState("s", "memory")));
      }
      leads = step(leads, event);
      replay.take(event);
      if (at < joins) continue;
      follows = step(follows, event);
      // Errors travel beside the events, as tasks do.
      follows = step(follows, { kind: "page", changes: { error: leads.base.error } });
      // Who came in the middle of a call's arguments shows the next call.
      const { streamingCalls: _calls, status: _status, ...parts } = snapshotOf(leads);
      expect(snapshotOf(follows), `seed ${seed}, event ${at} of ${joins}`).toMatchObject(parts);
    }
    expect(snapshotOf(follows).status, `seed ${seed}`).toBe(snapshotOf(leads).status);
  }
});

test("a tab that joins during a wait for the model shows it, until the answer comes", () => {
  const retry = told("model_retry", { code: "MODEL_RATE_LIMIT", wait_ms: 9, until: 12_345 });
  const replay = new ReplayState();
  const joined = () => [...replay.all([]).events].reduce(step, frozen(emptyState("s", "memory"))).base.waiting;
  for (const event of [run("model", "a"), retry, run("model", "a", { queue: [{ id: "b", text: "b", files: 0 }] })])
    replay.take(event);
  expect(joined()).toEqual({ code: "MODEL_RATE_LIMIT", until: 12_345 });
  replay.take(text("Hello"));
  expect(joined()).toBeUndefined();
  for (const event of [retry, run("idle", null)]) replay.take(event);
  expect(joined()).toBeUndefined();
});

test("the same events give the same again", () => {
  for (const seed of seeds) {
    const events = conversation(seed);
    expect(events.reduce(step, empty)).toEqual(conversation(seed).reduce(step, empty));
  }
});
