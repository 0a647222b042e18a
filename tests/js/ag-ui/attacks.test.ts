// An agent that lies, breaks off or does not end, and pages that die: nothing of a broken answer runs, nothing is lost, and nothing runs twice in silence.
import { defineTool, MemoryStore, type StoredStep } from "glove-wasm";
import { afterEach, expect, test, vi } from "vitest";
import { z } from "zod";
import {
  type Agent,
  agent,
  agentScene,
  asks,
  calls,
  finished,
  gives,
  type Input,
  type Said,
  say,
  sse,
  started,
} from "../../support/ag-ui.js";
import { until } from "../../support/session.js";

const ran: unknown[] = [];
const light = defineTool({
  name: "light",
  description: "Switches the light.",
  inputSchema: z.object({}),
  do: () => {
    ran.push("light");
    return "It is on.";
  },
});

/** Of a browser: what another page of it finds. */
function browser(): Map<string, string> {
  const kept = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  });
  return kept;
}

afterEach(() => {
  vi.unstubAllGlobals();
  ran.length = 0;
});

const START: Said = { type: "RUN_STARTED", threadId: "s1", runId: "r" };
const END: Said = { type: "RUN_FINISHED", threadId: "s1", runId: "r" };
const text = (delta: unknown): Said => ({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta });
const opened: Said = { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" };
const called = calls("c1", "light", {});

const lies: readonly [string, readonly (Said | string)[], string][] = [
  ["no start", [...called, END], "comes before RUN_STARTED"],
  ["a second start", [START, ...called, START, END], "within another one"],
  ["text without a message", [START, ...called, text("x"), END], "goes on that has not begun"],
  ["a message that begins twice", [START, ...called, opened, opened, END], "begins twice"],
  ["a message that does not end", [START, ...called, opened, END], "in the middle"],
  ["a call that does not end", [START, ...called.slice(0, 2), END], "in the middle"],
  ["two calls with one id", [START, ...called, ...called, END], "the same id"],
  ["arguments without a call", [START, ...called, { type: "TOOL_CALL_ARGS", toolCallId: "x", delta: "" }, END], "has not begun"],
  ["text that is none", [START, ...called, opened, text({ a: 1 }), END], "no text in `delta`"],
  ["a long name", [START, ...called, ...calls("c2", "x".repeat(300), {}), END], "too long"],
  ["long arguments", [START, ...called, ...calls("c2", "light", "x".repeat(1_100_000)), END], "too long"],
  [
    "more calls than anybody makes",
    [START, ...Array.from({ length: 130 }, (_, at) => calls(`c${at}`, "light", {})).flat(), END],
    "more than 128",
  ],
  ["no JSON", [START, ...called, "data: {\n\n", END], "not JSON"],
  ["an event without a type", [START, ...called, "data: 5\n\n", END], "no type"],
  ["a large state", [START, ...called, { type: "STATE_SNAPSHOT", snapshot: "x".repeat(300_000) }, END], "too large"],
  [
    "a patch that does not fit",
    [START, ...called, { type: "STATE_DELTA", delta: [{ op: "remove", path: "/a" }] }, END],
    "does not fit",
  ],
  [
    "a patch of a prototype",
    [START, ...called, { type: "STATE_DELTA", delta: [{ op: "add", path: "/__proto__/polluted", value: 1 }] }, END],
    "does not fit",
  ],
  [
    "a patch that copies without end",
    [
      START,
      ...called,
      { type: "STATE_SNAPSHOT", snapshot: { a: [] } },
      { type: "STATE_DELTA", delta: Array.from({ length: 60 }, () => ({ op: "copy", from: "", path: "/a/-" })) },
      END,
    ],
    "copies more than",
  ],
  ["an interrupt that asks nothing", [START, ...called, { ...END, ...asks() }], "asks nothing"],
  ["a call of what only shows", [START, ...calls("c1", "ag_ui_step", { name: "light" }), END], "not its"],
  ["a forged question", [START, ...calls("c1", "ag_ui_question", { id: "i", message: "Password?" }), END], "not its"],
];

test.each(lies)("%s: nothing of the answer runs, and a sentence says why", async (_, events, why) => {
  const of = agent([sse(events), say("m2", "Now then.")]);
  const { session, shown } = agentScene(of, { tools: [light] });
  await expect(session.sendMessage("Light")).rejects.toMatchObject({
    code: "MODEL_BAD_RESPONSE",
    message: expect.stringContaining(why),
  });
  expect(ran).toEqual([]);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  // A person may try again.
  await session.resume();
  expect(shown().at(-1)).toBe("agent: Now then.");
});

test("what breaks off runs nothing, keeps what was shown, and is told as that", async () => {
  const of = agent([sse([START, opened, text("Half"), { type: "TEXT_MESSAGE_END", messageId: "m" }, ...called])]);
  const { session, shown } = agentScene(of, { tools: [light] });
  await expect(session.sendMessage("Light")).rejects.toMatchObject({ code: "MODEL_STREAM_CUT" });
  expect(shown()).toEqual(["user: Light", "agent: Half (cut)"]);
  expect(ran).toEqual([]);
});

test("text without end is cut off, and so is silence", async () => {
  let pieces = 0;
  const piece = new TextEncoder().encode(`data: ${JSON.stringify(text("x".repeat(100_000)))}\n\n`);
  const endless = new ReadableStream<Uint8Array>({
    start: (controller) =>
      controller.enqueue(new TextEncoder().encode([START, opened].map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""))),
    pull(controller) {
      pieces++;
      controller.enqueue(piece);
    },
  });
  const silent = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(": hello\n\n")),
  });
  const headers = { "content-type": "text/event-stream" };
  const of = agent([new Response(endless, { headers }), new Response(silent, { headers })]);
  const { session } = agentScene(of, { more: { idleMs: 50 } });
  await expect(session.sendMessage("Go")).rejects.toMatchObject({ message: expect.stringContaining("does not end") });
  expect(pieces).toBeLessThan(200);
  await expect(session.resume()).rejects.toMatchObject({ code: "MODEL_TIMEOUT" });
});

test.each([
  [401, "MODEL_AUTHENTICATION"],
  [404, "MODEL_NOT_FOUND"],
  [429, "MODEL_RATE_LIMIT"],
  [422, "MODEL_BAD_REQUEST"],
  [503, "MODEL_SERVER"],
])("HTTP %i is %s, with what the agent said, shortened", async (status, code) => {
  const of = agent([new Response("because".repeat(1_000), { status })]);
  const { session } = agentScene(of);
  const error = await session.sendMessage("Hi").catch((thrown: Error) => thrown);
  expect(error).toMatchObject({ code, message: expect.stringContaining("because") });
  expect((error as Error).message.length).toBeLessThan(700);
});

test("what is no stream is no answer, and an agent's own failure is told in its words", async () => {
  const of = agent([
    new Response("<html>", { headers: { "content-type": "text/html" } }),
    [{ type: "RUN_ERROR", message: "out of tea", code: "TEA" }],
  ]);
  const { session } = agentScene(of);
  await expect(session.sendMessage("Hi")).rejects.toMatchObject({ code: "MODEL_BAD_RESPONSE" });
  await expect(session.resume()).rejects.toMatchObject({ message: expect.stringContaining("out of tea"), providerCode: "TEA" });
});

test("events of kinds that nobody knows, and words of agents inside of the agent, change nothing", async () => {
  const of = agent([
    sse([
      START,
      { type: "constructor" },
      { type: "__proto__" },
      { type: "NEWS", a: 1 },
      { ...opened, messageId: "s", subagentRunId: "sub" },
      { ...text("inner"), messageId: "s" },
      { type: "TEXT_MESSAGE_END", messageId: "s" },
      ...say("m", "Outer."),
      END,
    ]),
  ]);
  const { session } = agentScene(of);
  expect(await session.sendMessage("Hi")).toMatchObject({ text: "Outer." });
});

test.each(["[ag-ui thread: other]", "[ag-ui thread: 100%]", "[ag-ui thread"])(
  "text that is shown to the model names no other thread: %s",
  async (text) => {
    const of = agent([say("m1", "Hello.")]);
    const { session } = agentScene(of, { systemPrompt: text });
    expect(await session.sendMessage("Hi")).toMatchObject({ type: "completed", text: "Hello." });
    expect(of.inputs[0]).toMatchObject({ threadId: "s1", context: [{ value: text }] });
  },
);

test("a stopped answer ends its request, and the next one is a new run", async () => {
  const kept = browser();
  let left = false;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) =>
      controller.enqueue(
        new TextEncoder().encode([START, opened, text("Half")].map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")),
      ),
    cancel: () => {
      left = true;
    },
  });
  const of = agent([new Response(body, { headers: { "content-type": "text/event-stream" } }), say("m2", "Whole.")]);
  const { session, shown } = agentScene(of);
  const sent = session.sendMessage("Go");
  await until(session, ({ streamingText }) => streamingText === "Half");
  session.abort();
  expect(await sent).toEqual({ type: "aborted" });
  await vi.waitFor(() => expect(left).toBe(true));
  await session.sendMessage("Again");
  expect(kept.size).toBe(0);
  expect(shown()).toEqual(["user: Go", "agent: Half (cut)", "user: Again", "agent: Whole."]);
});

test("one that has stopped an answer asks before it asks again what another tab has asked meanwhile", async () => {
  const kept = browser();
  const silent = new ReadableStream<Uint8Array>();
  const of = agent([new Response(silent, { headers: { "content-type": "text/event-stream" } }), say("m2", "Whole.")]);
  const { session } = agentScene(of);
  const sent = session.sendMessage("Go");
  await vi.waitFor(() => expect(kept.size).toBe(1));
  session.abort();
  expect(await sent).toEqual({ type: "aborted" });
  // The other tab is gone, and what its steps did is not known.
  for (const key of kept.keys()) kept.set(key, "*");
  await expect(session.sendMessage("Go on")).rejects.toMatchObject({ code: "MODEL_STREAM_CUT" });
  expect(of.inputs.length).toBeLessThanOrEqual(1);
  expect(await session.resume()).toMatchObject({ type: "completed", text: "Whole." });
});

test("a browser that keeps nothing does not keep an agent from answering, and neither does a limit without end", async () => {
  const forbidden = () => {
    throw new Error("forbidden");
  };
  vi.stubGlobal("localStorage", { getItem: forbidden, setItem: forbidden, removeItem: forbidden });
  const { session } = agentScene(agent([say("m1", "Hello.")]), { more: { idleMs: Number.POSITIVE_INFINITY } });
  expect(await session.sendMessage("Hi")).toMatchObject({ type: "completed", text: "Hello." });
});

test("a page that comes after one that died while the agent was at work asks before the agent is asked again", async () => {
  const kept = browser();
  const store = new MemoryStore("s1");
  const silent = new ReadableStream<Uint8Array>({
    start: (controller) =>
      controller.enqueue(
        new TextEncoder().encode([START, opened, text("Half")].map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")),
      ),
  });
  const of = agent([new Response(silent, { headers: { "content-type": "text/event-stream" } }), say("m2", "Whole.")]);
  const before = agentScene(of, { createStore: () => store });
  before.session.sendMessage("Go").catch(() => {});
  await until(before.session, ({ streamingText }) => streamingText === "Half");
  expect(kept.size).toBe(1);
  before.session.dispose();

  const after = agentScene(of, { createStore: () => store });
  void after.session.start();
  const { error } = await until(after.session, (snapshot) => snapshot.error !== undefined);
  expect(error).toMatchObject({ code: "MODEL_STREAM_CUT" });
  expect(of.inputs).toHaveLength(1);
  expect(await after.session.resume()).toMatchObject({ type: "completed", text: "Whole." });
  expect(of.inputs).toHaveLength(2);
  expect(kept.size).toBe(0);
});

/** Looks into the light, which may ask a person, and answers. Stateless, as an agent behind a balancer may be. */
function worker(): Agent {
  const turn = (input: Input): readonly Said[] => {
    const results = input.messages.filter(({ role }) => role === "tool");
    const has = (id: string) => results.some(({ toolCallId }) => toolCallId === id);
    if (input.resume?.length) return [...calls("w2", "own", {}), gives("w2", "looked again"), ...say("m3", "Done.")];
    if (has("c1")) return [finished(input, asks({ id: "i1", reason: "confirmation", message: "Sure?" }))];
    return [...calls("w1", "own", {}), gives("w1", "looked"), ...say("m1", "I switch it."), ...calls("c1", "light", {})];
  };
  return agent(
    Array.from({ length: 50 }, () => turn),
    { forgets: true },
  );
}

test("a page that dies at any of its writes, in a call of its own tool or in a question, loses nothing and runs nothing twice unasked", async () => {
  let deaths = 0;
  for (let at = 0; at < 40; at++) {
    browser();
    ran.length = 0;
    const of = worker();
    let left = at;
    class Dying extends MemoryStore {
      override appendStep(step: StoredStep): Promise<void> {
        return left-- > 0 ? super.appendStep(step) : new Promise(() => {});
      }
    }
    const store = new Dying("s1");
    const page = () => {
      const made = agentScene(of, { createStore: () => store, tools: [light] });
      const seen = new Set<string>();
      let unknown = 0;
      const look = () => {
        const { slots, approvals } = made.session.getSnapshot();
        for (const { id, kind } of approvals) {
          if (seen.has(id)) continue;
          seen.add(id);
          if (kind === "interrupted") unknown++;
          made.session.approve(id);
        }
        for (const { id, renderer, status } of slots) {
          if (renderer !== "confirm" || status !== "pending" || seen.has(id)) continue;
          seen.add(id);
          made.session.resolveSlot(id, "yes");
        }
      };
      made.session.subscribe(look);
      return { ...made, asked: () => unknown };
    };
    const before = page();
    const sent = before.session.sendMessage("Go").then(
      () => "ended",
      () => "failed",
    );
    const stuck = async () => {
      while (left >= 0) await new Promise((resolve) => setTimeout(resolve, 1));
      return "died";
    };
    if ((await Promise.race([sent, stuck()])) === "ended") break;
    deaths++;
    before.session.dispose();
    left = Number.POSITIVE_INFINITY;
    const after = page();
    await after.session.start();
    // What was not taken was never said.
    if (after.session.getSnapshot().timeline.length === 0) void after.session.sendMessage("Go").catch(() => {});
    const end = await until(after.session, ({ busy, timeline, error }) => !busy && (error !== undefined || timeline.length > 1));
    if (end.error) await after.session.resume();
    expect(after.shown().at(-1), `death at write ${at}`).toBe("agent: Done.");
    expect(ran.length, `death at write ${at}`).toBeLessThanOrEqual(1 + after.asked());
    expect(ran.length).toBeGreaterThan(0);
    expect(of.faults).toEqual([]);
    expect(started(of.inputs[0] as Input).type).toBe("RUN_STARTED");
  }
  expect(deaths).toBeGreaterThan(5);
});
