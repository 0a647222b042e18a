// Steps of tools: done once for a call, whatever becomes of its page, and known by a key.
import { GloveClient, MemoryStore, type ToolConfig, type ToolDisplay } from "glove-wasm";
import { createScriptedModel, type ScriptedAnswer } from "glove-wasm/testing";
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
