// Values that lead back to themselves, or to one part by endlessly many ways: refused, or left out, in no time.
import { DisplayManager, type ToolConfig } from "glove-wasm";
import { expect, test, vi } from "vitest";
import { resultJson } from "../../js/src/tools/result.js";
import { reasonOf } from "../../js/src/values/error.js";
import { answerJson, maxKept, toJson, toLooseJson, withoutCycles } from "../../js/src/values/json.js";
import { scene, texts, until } from "../support/session.js";

type Knot = { name: string; [way: string]: unknown };

/** Each leads to each. */
function dense(count: number): Knot {
  const all: Knot[] = Array.from({ length: count }, (_, at) => ({ name: `${at}` }));
  for (const knot of all) for (const [at, other] of all.entries()) knot[`way ${at}`] = other;
  return all[0] as Knot;
}

/** Each leads to all that come after it: there are 2 to the power of `count` ways, and no cycle. */
function endless(count: number): Knot {
  const all: Knot[] = Array.from({ length: count }, (_, at) => ({ name: `${at}` }));
  for (const [from, knot] of all.entries()) for (const other of all.slice(from + 1)) knot[`way ${other.name}`] = other;
  return all[0] as Knot;
}

function took(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

/** The quickest of some, in the milliseconds that a processor worked for it: the machine may be busy. */
const quickest = (work: () => unknown, tries = 5) =>
  Math.min(
    ...Array.from({ length: tries }, () => {
      const before = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    }),
  );
function caught(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
const refused = (work: () => unknown, message: RegExp) =>
  expect(work).toThrow(expect.objectContaining({ code: "NOT_SERIALISABLE", message: expect.stringMatching(message) }));

test.each([
  ["cycles", dense(200), /is a circular reference/],
  ["endless ways", endless(200), /more than 1000000 parts/],
])("a dense graph of 200 objects with %s is refused within 40 ms, as an answer and as a result", (_, graph, why) => {
  for (const write of [() => answerJson(graph), () => resultJson("t", { status: "success", data: graph })]) {
    refused(write, why);
    // It takes 10 on a machine that has nothing else to do; its ways have no end.
    expect(quickest(() => caught(write), 40)).toBeLessThan(40);
  }
});

test("a refusal names the path", () => {
  refused(() => answerJson({ of: [{ a: 1 }, dense(1)] }), /^The answer\.of\[1\]\.way 0 is a circular reference/);
  refused(
    () => resultJson("sum", { status: "success", data: endless(200) }),
    /^At The result of sum: data\.way 1\.way 2.*….*way \d+ the value has more than/,
  );
});

test("what is shown leaves cycles out, in a time that grows with its size alone", () => {
  for (const count of [10, 100, 250]) {
    const graph = dense(count);
    for (const write of [() => toLooseJson(graph), () => JSON.stringify(withoutCycles(graph, "it"))]) {
      const shown = JSON.parse(write());
      expect(shown).toMatchObject({ name: "0", "way 1": { name: "1", "way 2": { name: "2" } } });
      expect(write().length).toBeLessThan(count * 100 + 1_000_000);
    }
  }
  const graph = dense(200);
  expect(quickest(() => toLooseJson(graph))).toBeLessThan(200);
  expect(toLooseJson(endless(200)).length).toBeLessThan(64_000_000);
});

test("what stands in two places stands in both, also where it knows what it belongs to", () => {
  const shared = { a: 1 };
  expect(toJson([shared, { shared }], "it")).toBe('[{"a":1},{"shared":{"a":1}}]');
  const root: Knot = { name: "root" };
  const child: Knot = { name: "child", parent: root };
  root.children = [child];
  expect(JSON.parse(toLooseJson({ selected: child, root }))).toEqual({
    selected: { name: "child", parent: { name: "root", children: [null] } },
    root: { name: "root", children: [{ name: "child" }] },
  });
});

test("there is a bound to the parts and to the letters of what is kept", () => {
  const text = "x".repeat(1_000_000);
  refused(() => answerJson(Array(70).fill(text)), /^At The answer\[67\] .*67108864 letters/);
  expect(answerJson(Array(20).fill(text)).length).toBeGreaterThan(20_000_000);
  refused(() => answerJson(Array(maxKept.parts).fill(0)), /^At The answer\[999999\] /);
  // An object that makes another one each time it is read.
  const again = (): object => ({
    get left() {
      return again();
    },
    get right() {
      return again();
    },
  });
  refused(() => toJson(again(), "it"), /cannot be JSON|parts/);
  expect(toLooseJson(again())).toBe("null");
});

test("a reason is told of whatever is thrown", () => {
  expect(took(() => expect(reasonOf(endless(200))).toBe("an unprintable value"))).toBeLessThan(1_000);
  expect(reasonOf(dense(3))).toBe("an unprintable value");
  expect(reasonOf({ code: 7 })).toBe('{"code":7}');
});

// ---- events of handlers ------------------------------------------------------------------------------------------------

/** As React gives it to a handler: it leads to the page, and the page to everything. */
function clicked(): unknown {
  const target = Object.assign(new EventTarget(), { fiber: dense(200) });
  const nativeEvent = new Event("click");
  return { _reactName: "onClick", type: "click", nativeEvent, target, currentTarget: target, preventDefault() {} };
}

const ask: ToolConfig = {
  name: "ask",
  description: "",
  jsonSchema: { type: "object" },
  do: (_, display) => display.pushAndWait({ input: { of: dense(200) } }),
};
const script = [{ toolCalls: [{ name: "ask" }] }, "Well."];
const asked = async (scene: { session: import("glove-wasm").GloveSession }) => {
  const { slots } = await until(scene.session, ({ slots }) => slots.length === 1);
  return slots[0]?.id ?? "";
};

test.each([
  ["an event of React", clicked()],
  ["one of the page", new Event("click")],
])("%s is no answer: the question stays, and both the person and the developer hear of it", async (_, event) => {
  const at = scene(script, { tools: [ask] });
  const sending = at.session.sendMessage("Hi");
  const id = await asked(at);
  expect(at.session.resolveSlot(id, event)).toBe(false);
  expect(at.session.getSnapshot().slots[0]).toMatchObject({ status: "pending", error: "This answer could not be taken." });
  const message = 'The answer cannot be the event "click" of a handler: call it with a value, `() => …`.';
  expect(at.events).toContainEqual(["error", { code: "DISPLAY_WRONG_OUTPUT", message }]);
  at.session.resolveSlot(id, "yes");
  await sending;
  expect(texts(at.session.getSnapshot())).toContain("ask: success yes");
});

test("an answer that leads back to itself is refused with its path, and the question stays", async () => {
  const at = scene(script, { tools: [ask] });
  const sending = at.session.sendMessage("Hi");
  const id = await asked(at);
  expect(took(() => expect(at.session.resolveSlot(id, { chosen: dense(200) })).toBe(false))).toBeLessThan(1_000);
  const message = expect.stringMatching(/^The answer\.chosen\.way 0 is a circular reference/);
  expect(at.events).toContainEqual(["error", { code: "NOT_SERIALISABLE", message }]);
  at.session.stop();
  await sending;
});

test("an event is no reason, and no yes or no to a question of the run", async () => {
  const tool = { ...ask, requireApproval: true, do: () => "done" };
  const at = scene([...script, ...script], { tools: [tool] });
  const sending = at.session.sendMessage("Hi");
  const id = await asked(at);
  expect(at.session.resolveSlot(id, clicked())).toBe(false);
  expect(at.session.getSnapshot().slots[0]?.status).toBe("pending");
  expect(at.session.reject(id, clicked() as string)).toBe(true);
  await sending;
  expect(texts(at.session.getSnapshot())[1]).toMatch(/^ask: error/);
  expect(texts(at.session.getSnapshot())[1]).not.toContain("click");
});

test("a handler that is a method itself: what needs no value works, and what needs one says so", async () => {
  const { session, events } = scene(["One.", "Two."]);
  const event = clicked() as never;
  const wrong = (name: string) => `${name} cannot be the event "click" of a handler: call it with a value, \`() => …\`.`;
  await expect(session.sendMessage(event)).rejects.toMatchObject({ code: "CONFIG_INVALID", message: wrong("The message") });
  await expect(session.edit("a", event)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  expect(events.filter(([type]) => type === "error")).toEqual(
    Array(2).fill(["error", { code: "CONFIG_INVALID", message: wrong("The message") }]),
  );
  await session.sendMessage("Hi");
  for (const name of ["stop", "abort", "clearError"] as const) (session[name] as (event: unknown) => void)(event);
  await (session.regenerate as (event: unknown) => Promise<unknown>)(event);
  expect(texts(session.getSnapshot())).toEqual(["user: Hi", "agent: Two."]);
  await expect(session.undo(event)).resolves.toEqual({ type: "undone", steps: 0 });
  for (const name of ["approve", "reject", "resolveSlot", "rejectSlot"] as const) expect(session[name](event)).toBe(false);
  expect(events.filter(([, data]) => (data as Error).message === wrong("`id`"))).toHaveLength(4);
  await expect(session.fork(event)).rejects.toThrow('`messageId` must be a string, got the event "click"');
});

test("a display that stands alone takes no event for an answer", async () => {
  const display = new DisplayManager();
  display.onError = vi.fn();
  const waiting = display.pushAndWait({ input: 1 });
  expect(display.resolve("slot_1", clicked())).toBe(false);
  expect(display.onError).toHaveBeenCalledWith(expect.objectContaining({ code: "DISPLAY_WRONG_OUTPUT" }));
  expect(display.reject("slot_1", clicked())).toBe(true);
  await expect(waiting).rejects.toBeUndefined();
});

test("a widget leaves out what leads back to it, and its call has its result", async () => {
  const tool = { ...ask, do: (_: unknown, display: Parameters<ToolConfig["do"]>[1]) => display.displayWidget("map", dense(200)) };
  const { session } = scene(script, { tools: [tool] });
  await session.sendMessage("Hi");
  const [, entry] = session.getSnapshot().timeline;
  expect(entry).toMatchObject({ status: "success", outputs: [{ widget: "map", data: { name: "0", "way 1": { name: "1" } } }] });
});
