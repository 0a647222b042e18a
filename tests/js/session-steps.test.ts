// Steps of tools: done once for a call, whatever becomes of its page, and known by a key.
import { GloveClient, MemoryStore, type ToolConfig, type ToolDisplay } from "glove-wasm";
import { breakCore, createScriptedModel, type ScriptedAnswer } from "glove-wasm/testing";
import { expect, test, vi } from "vitest";
import { scene, until } from "../support/session.js";

const call = (name: string): ScriptedAnswer => ({ toolCalls: [{ name, id: "c1" }] });

const tool = (name: string, work: (display: ToolDisplay) => unknown, more: Partial<ToolConfig> = {}): ToolConfig => ({
  name,
  description: "",
  jsonSchema: { type: "object" },
  do: (_, display) => work(display),
  ...more,
});

/** A session whose page goes away and comes back, any number of times. */
function pages(tools: readonly ToolConfig[]) {
  const store = new MemoryStore("s");
  const model = createScriptedModel([call(tools[0]?.name ?? ""), "done"]);
  return () => new GloveClient({ createModel: () => model, createStore: () => store, systemPrompt: "", tools }).session("s");
}

const asks = async (session: ReturnType<ReturnType<typeof pages>>) =>
  (await until(session, ({ run, slots }) => run.phase === "waiting" && slots.some(({ status }) => status === "pending"))).slots;

test("a step that failed fails again after a reload, with its sentence, and is not tried again", async () => {
  const work = vi.fn(() => {
    throw new Error("no seats left");
  });
  const told: unknown[] = [];
  const open = pages([
    tool("book", async (display) => {
      await display
        .step("reserve", work)
        .catch((error: { code?: string; message: string }) => told.push([error.code, error.message]));
      return display.pushAndWait({ input: "another day?" });
    }),
  ]);
  const first = open();
  void first.sendMessage("Go");
  await asks(first);
  first.dispose();
  const second = open();
  await second.start();
  const [slot] = await asks(second);
  expect(second.resolveSlot(slot?.id ?? "", "Friday")).toBe(true);
  expect(await second.resume()).toMatchObject({ type: "completed", text: "done" });
  expect(work).toHaveBeenCalledTimes(1);
  expect(told).toEqual([
    [undefined, "no seats left"],
    ["STEP_FAILED", "no seats left"],
  ]);
});

test("a step gives what its record gives another time: JSON, and nothing that JSON cannot hold", async () => {
  const got: unknown[] = [];
  const { session, shown } = scene([call("many"), "ok"], {
    tools: [
      tool("many", async (display) => {
        got.push(await display.step("a date", () => new Date(0)), await display.step("nothing", () => {}));
        await display.step("a function", () => () => 1);
      }),
    ],
  });
  await session.sendMessage("Go");
  expect(got).toEqual(["1970-01-01T00:00:00.000Z", null]);
  expect(shown()[1]).toContain('The result of the step "a function"');
});

test("a call that is repeated does its steps once, under one key, and each use of a name is a step of its own", async () => {
  const keys: string[] = [];
  const work = vi.fn((n: number) => n);
  const flaky = tool(
    "flaky",
    async (display) => {
      keys.push(display.idempotencyKey);
      const parts = [await display.step("part", () => work(1)), await display.step("part", () => work(2))];
      if (keys.length < 2) throw new Error("busy");
      return parts;
    },
    { idempotent: true, maxRetries: 1 },
  );
  const { session, shown } = scene([call("flaky"), "ok"], { tools: [flaky] });
  await session.sendMessage("Go");
  expect(shown()[1]).toBe("flaky: success [1,2]");
  expect(work.mock.calls).toEqual([[1], [2]]);
  expect(keys[0]).toMatch(/^.{8,}\.c1$/);
  expect(keys[1]).toBe(keys[0]);
});

test("taking a call back may have steps too, with a key of its own", async () => {
  const keys: string[] = [];
  const add = tool("add", (display) => keys.push(display.idempotencyKey) && "added", {
    undo: (_, __, display) => display.step("remove", () => keys.push(display.idempotencyKey)),
  });
  const { session } = scene([call("add"), "ok"], { tools: [add] });
  await session.sendMessage("Go");
  expect(await session.undo()).toMatchObject({ type: "undone", steps: 1 });
  expect(keys).toEqual([expect.stringMatching(/\.c1$/), "c1.undo"]);
});

/** A tool that goes on to a step and a question, whatever became of its call meanwhile. */
function deaf(onInterrupted: ToolConfig["onInterrupted"]) {
  const did: string[] = [];
  const runs: (() => void)[] = [];
  const pay = tool(
    "pay",
    async (display) => {
      const run = runs.length + 1;
      await new Promise<void>((goOn) => runs.push(goOn));
      try {
        await display.step("charge", () => did.push(`${run} charged`));
        return await display.pushAndWait({ input: "Receipt to?" });
      } catch (error) {
        did.push(`${run} ${(error as { code?: string }).code}`);
        await display.pushAndForget({ input: "Sorry" });
        throw error;
      }
    },
    onInterrupted && { onInterrupted },
  );
  return { did, runs, pay };
}
const ran = (runs: readonly unknown[], times: number) => vi.waitFor(() => expect(runs).toHaveLength(times));

test("a tool that was stopped does no step and asks nothing any more", async () => {
  const { did, runs, pay } = deaf(undefined);
  const { session, shown } = scene([call("pay"), "ok"], { tools: [pay] });
  const sent = session.sendMessage("Go");
  await ran(runs, 1);
  session.stop();
  expect(await sent).toEqual({ type: "aborted" });
  runs[0]?.();
  await new Promise((later) => setTimeout(later, 20));
  expect(did).toEqual(["1 ABORTED"]);
  expect(session.getSnapshot()).toMatchObject({ slots: [], run: { phase: "idle" } });
  expect(shown()[1]).toMatch(/^pay: aborted/);
});

test.each(["step", "answer"])("a stop while the store writes a tool's %s comes before what the tool does next", async (what) => {
  const store = new MemoryStore("s1");
  const append = store.appendStep.bind(store);
  let [armed, stopped] = [false, false];
  store.appendStep = async (...step) => {
    await append(...step);
    if (!armed) return;
    armed = false;
    session.stop();
    await new Promise((later) => setTimeout(later, 20));
    stopped = true;
  };
  const did: string[] = [];
  const pay: ToolConfig = {
    name: "pay",
    description: "",
    jsonSchema: { type: "object" },
    do: async (_, display) => {
      if (what === "answer") await display.pushAndWait({ input: "Sure?" });
      armed = what === "step";
      return display.step("charge", () => void did.push("charge"));
    },
  };
  const { session, shown } = scene([call("pay"), "ok"], { tools: [pay], createStore: () => store });
  const sent = session.sendMessage("Go");
  if (what === "answer") {
    const { slots } = await until(session, ({ run }) => run.phase === "waiting");
    armed = true;
    session.resolveSlot(slots[0]?.id ?? "", true);
  }
  expect(await sent).toEqual({ type: "aborted" });
  expect(stopped).toBe(true);
  await new Promise((later) => setTimeout(later, 20));
  expect(did).toEqual([]);
  expect(shown()[1]).toMatch(/^pay: aborted/);
});

test.each(["ask", "rerun"] as const)(
  "a run of a tool whose core is gone does no step and asks nothing; the call is decided anew (%s)",
  async (onInterrupted) => {
    const { did, runs, pay } = deaf(onInterrupted);
    const store = new MemoryStore("s1");
    const { session, shown } = scene([call("pay"), "ok"], { tools: [pay], createStore: () => store });
    void session.sendMessage("Go");
    await ran(runs, 1);
    breakCore();
    await until(session, ({ run }) => run.phase === "interrupted");
    const resumed = session.resume();
    if (onInterrupted === "ask") {
      const { approvals } = await until(session, ({ approvals }) => approvals.length === 1);
      runs[0]?.();
      await new Promise((later) => setTimeout(later, 20));
      expect(did).toEqual(["1 ABORTED"]);
      session.approve(approvals[0]?.id ?? "");
    }
    await ran(runs, 2);
    runs[0]?.();
    await new Promise((later) => setTimeout(later, 20));
    runs[1]?.();
    const { slots } = await until(session, ({ slots }) => slots.length === 1);
    expect(did).toEqual(["1 ABORTED", "2 charged"]);
    expect(session.resolveSlot(slots[0]?.id ?? "", "me")).toBe(true);
    await resumed;
    await until(session, ({ busy }) => !busy);
    expect(shown()).toEqual(["user: Go", "pay: success me", "agent: ok"]);
  },
);

test("what a tool does after its end is no part of its call, which may be running another time", async () => {
  const did: string[] = [];
  let late: Promise<unknown> | undefined;
  const flaky = tool(
    "flaky",
    async (display) => {
      if (!late) {
        late = new Promise((later) => setTimeout(later, 20))
          .then(() => display.step("charge", () => did.push("late")))
          .catch((error: { code?: string }) => did.push(String(error.code)));
        throw new Error("busy");
      }
      await late;
      return display.step("charge", () => did.push("charged"));
    },
    { idempotent: true, maxRetries: 1 },
  );
  const { session } = scene([call("flaky"), "ok"], { tools: [flaky] });
  await session.sendMessage("Go");
  expect(did).toEqual(["ABORTED", "charged"]);
});

test("a tool that is entered again and comes to a step instead of its open question is asked about", async () => {
  const did: string[] = [];
  let total = 200;
  const open = pages([
    tool("pay", async (display) => {
      if (total > 100 && !(await display.pushAndWait({ input: "Really?" }))) return "no";
      return display.step("charge", () => did.push(`charged ${total}`));
    }),
  ]);
  const first = open();
  void first.sendMessage("Go");
  await asks(first);
  first.dispose();
  total = 0;
  const second = open();
  await second.start();
  const { approvals } = await until(second, ({ approvals }) => approvals.length === 1);
  expect([approvals[0]?.kind, approvals[0]?.toolName, did]).toEqual(["interrupted", "pay", []]);
  second.approve(approvals[0]?.id ?? "");
  await until(second, ({ busy }) => !busy);
  expect(did).toEqual(["charged 0"]);
});
