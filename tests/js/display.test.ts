// The display manager alone: every waiter settles, schemas hold, and a listener breaks nothing.
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { DisplayManager, Displaymanager } from "../../js/src/display/manager.js";
import { scene, until } from "../support/session.js";

test("both names are one class", () => expect(Displaymanager).toBe(DisplayManager));

test("slots are shown in the order of pushing, with ids", async () => {
  const display = new DisplayManager();
  const first = await display.pushAndForget({ renderer: "card", input: 1 });
  const second = await display.pushAndForget({ input: 2 });
  expect([first, second]).toEqual(["slot_1", "slot_2"]);
  expect(display.stack).toEqual([
    { id: "slot_1", renderer: "card", input: 1, status: "pending" },
    { id: "slot_2", renderer: "", input: 2, status: "pending" },
  ]);
});

test("an answer from inside a listener reaches the one who waits", async () => {
  const display = new DisplayManager();
  display.subscribe((stack) => {
    const [slot] = stack;
    if (slot) display.resolve(slot.id, "yes");
  });
  expect(await display.pushAndWait({ input: 1 })).toBe("yes");
  expect(display.stack).toEqual([]);
  expect(display.resolverStore.size).toBe(0);
});

test("a rejection arrives as it was given", async () => {
  const display = new DisplayManager();
  const waiting = display.pushAndWait({ input: 1 });
  expect(display.reject("slot_1", "not now")).toBe(true);
  await expect(waiting).rejects.toBe("not now");
});

test.each([
  ["removed", "DISPLAY_REMOVED", (display: DisplayManager) => display.removeSlot("slot_1")],
  ["cleared", "DISPLAY_CLEARED", (display: DisplayManager) => display.clearStack()],
])("who waits for a slot that is %s is told", async (_, code, act) => {
  const display = new DisplayManager();
  const waiting = display.pushAndWait({ input: 1 });
  act(display);
  await expect(waiting).rejects.toMatchObject({ code });
  expect(display.stack).toEqual([]);
});

test("clearing takes away what was asked just before, while its input is checked", async () => {
  const display = new DisplayManager();
  const inputSchema = z.number().refine(async () => true);
  display.registerRenderer({ name: "card", inputSchema });
  const waiting = display.pushAndWait({ renderer: "card", input: 1 });
  await display.clearStack();
  await expect(waiting).rejects.toMatchObject({ code: "DISPLAY_CLEARED" });
  await new Promise((later) => setTimeout(later, 5));
  expect(display.stack).toEqual([]);
});

test("clearing takes away what was asked before its session was open, and slots of a session have their status", async () => {
  const { session } = scene([]);
  const { displayManager } = session;
  const waiting = displayManager.pushAndWait({ input: 1 });
  await displayManager.clearStack();
  await expect(waiting).rejects.toMatchObject({ code: "DISPLAY_CLEARED" });
  await session.start();
  await new Promise((later) => setTimeout(later, 5));
  expect(displayManager.stack).toEqual([]);
  const again = displayManager.pushAndWait({ input: 2 });
  await until(session, ({ slots }) => slots.length === 1);
  expect(displayManager.stack).toEqual([expect.objectContaining({ input: 2, status: "pending" })]);
  await displayManager.clearStack();
  await expect(again).rejects.toMatchObject({ code: "DISPLAY_CLEARED" });
});

test("unknown ids change nothing and say so", () => {
  const display = new DisplayManager();
  expect([display.resolve("x", 1), display.reject("x"), display.removeSlot("x")]).toEqual([false, false, false]);
});

test("a slot that nobody waits for goes away by its own answer", async () => {
  const display = new DisplayManager();
  const id = await display.pushAndForget({ input: 1 });
  expect(display.resolve(id, undefined)).toBe(true);
  expect(display.stack).toEqual([]);
});

test("subscribing calls nothing at once, and its undo ends it", async () => {
  const display = new DisplayManager();
  const listener = vi.fn();
  const undo = display.subscribe(listener);
  expect(listener).not.toHaveBeenCalled();
  await display.pushAndForget({ input: 1 });
  await display.notify();
  expect(listener).toHaveBeenCalledTimes(2);
  undo();
  await display.pushAndForget({ input: 2 });
  expect(listener).toHaveBeenCalledTimes(2);
});

test("a listener that throws, or whose promise fails, is reported once and stops nothing", async () => {
  const display = new DisplayManager();
  const errors: unknown[] = [];
  display.onError = (error) => errors.push(error);
  display.subscribe(() => {
    throw new Error("now");
  });
  display.subscribe(async () => {
    throw new Error("later");
  });
  const last = vi.fn();
  display.subscribe(last);
  await display.pushAndForget({ input: 1 });
  await display.pushAndForget({ input: 2 });
  await Promise.resolve();
  expect(last).toHaveBeenCalledTimes(2);
  expect(errors.map(String)).toEqual(["Error: now", "Error: later"]);
});

test("a renderer's schemas hold for what is shown and for what is answered", async () => {
  const display = new DisplayManager();
  const errors: unknown[] = [];
  display.onError = (error) => errors.push(error);
  display.registerRenderer({
    name: "pick",
    inputSchema: z.object({ options: z.array(z.string()) }),
    outputSchema: z.string(),
  });
  await expect(display.pushAndWait({ renderer: "pick", input: {} })).rejects.toMatchObject({ code: "DISPLAY_WRONG_INPUT" });
  await expect(display.pushAndForget({ renderer: "pick", input: 1 })).rejects.toMatchObject({ code: "DISPLAY_WRONG_INPUT" });
  const waiting = display.pushAndWait({ renderer: "pick", input: { options: ["a"] } });
  const [slot] = display.stack;
  expect(display.resolve(slot?.id ?? "", 7)).toBe(false);
  expect(display.stack).toHaveLength(1);
  expect(errors).toEqual([expect.objectContaining({ code: "DISPLAY_WRONG_OUTPUT" })]);
  expect(display.resolve(slot?.id ?? "", "a")).toBe(true);
  expect(await waiting).toBe("a");
});
