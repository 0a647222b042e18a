// The button on a card that takes its call back.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { Render } from "glove-wasm/react";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { chat } from "./chat.js";
import { handle, tool, user } from "./handle.js";

const inputSchema = z.object({ item: z.string() });

/** A cart whose additions can be taken back. */
function cart(undo: (item: string) => unknown = () => {}) {
  const items: string[] = [];
  const add = {
    name: "add",
    description: "",
    title: ({ item }: { item: string }) => `Add the ${item}`,
    inputSchema,
    do: ({ item }: { item: string }) => {
      items.push(item);
      return `${items.length}`;
    },
    undo: async ({ item }: { item: string }) => {
      await undo(item);
      items.splice(items.indexOf(item), 1);
    },
  };
  return { items, add };
}

const adds = (...items: string[]) => ({ toolCalls: items.map((item) => ({ name: "add", input: { item } })) });
const undoOf = (item: string) => screen.queryByRole("button", { name: new RegExp(`^Undo.*: Add the ${item}$`) });

test("a call is taken back with its button, the row says so and has the focus", async () => {
  let release = () => {};
  const { items, add } = cart(() => new Promise<void>((done) => (release = done)));
  const { send } = chat([adds("lamp"), "Added."], { client: { tools: [add] } });
  send("go");
  await screen.findByText("Added.");
  const button = (await screen.findByRole("button", { name: "Undo: Add the lamp" })) as HTMLButtonElement;
  button.focus();
  fireEvent.click(button);
  // A second press does nothing more.
  fireEvent.click(button);
  await waitFor(() => expect(button.textContent).toBe("Undoing…"));
  expect([button.getAttribute("aria-disabled"), document.activeElement]).toEqual(["true", button]);
  expect(items).toEqual(["lamp"]);
  await waitFor(() => expect(screen.getByRole("status", { name: "Working" }).textContent).toBe("Undoing…"));
  await act(async () => release());
  const row = await screen.findByText("Undone");
  expect(items).toEqual([]);
  await waitFor(() => expect(document.activeElement).toBe(row.closest("summary")));
  expect(screen.queryByRole("button", { name: /^Undo/ })).toBeNull();
  expect(screen.getByText("Undone: Add the lamp").getAttribute("role")).toBe("status");
});

test("what came after a call is told, and asked, before it is taken back with it", async () => {
  const undone: string[] = [];
  const { items, add } = cart((item) => undone.push(item));
  const { send } = chat([adds("lamp", "chair", "desk"), "Added."], { client: { tools: [add] } });
  send("go");
  await screen.findByText("Added.");
  // They are no steps to be folded: somebody may want to take them back.
  const first = await screen.findByRole("button", { name: "Undo this and 2 later actions: Add the lamp" });
  expect(undoOf("chair")?.getAttribute("aria-label")).toBe("Undo this and the action after it: Add the chair");
  expect(undoOf("desk")?.getAttribute("aria-label")).toBe("Undo: Add the desk");
  fireEvent.click(first);
  const asks = screen.getByRole("group", { name: "These are undone, the last one first:" });
  expect(
    within(asks)
      .getAllByRole("listitem")
      .map((one) => one.textContent),
  ).toEqual(["Add the desk", "Add the chair", "Add the lamp"]);
  expect(first.getAttribute("aria-expanded")).toBe("true");
  const confirm = within(asks).getByRole("button", { name: "Undo this and 2 later actions" });
  expect(document.activeElement).toBe(confirm);
  fireEvent.keyDown(confirm, { key: "Escape" });
  expect([screen.queryByRole("group", { name: /undone/ }), undone]).toEqual([null, []]);
  expect(document.activeElement).toBe(first);
  fireEvent.click(undoOf("chair") as HTMLElement);
  fireEvent.click(screen.getByRole("button", { name: "Undo this and the action after it" }));
  await waitFor(() => expect(screen.getAllByText("Undone")).toHaveLength(2));
  expect([undone, items]).toEqual([["desk", "chair"], ["lamp"]]);
  expect(screen.getByRole("button", { name: "Undo: Add the lamp" })).toBeTruthy();
});

test("what cannot be taken back is told with its reason, and can be tried again", async () => {
  let fails = true;
  const { items, add } = cart((item) => {
    if (fails && item === "chair") throw new Error("It is on its way.");
  });
  const { send } = chat([adds("lamp", "chair", "desk"), "Added."], { client: { tools: [add] } });
  send("go");
  await screen.findByText("Added.");
  fireEvent.click((await screen.findByRole("button", { name: /2 later actions: / })) as HTMLElement);
  fireEvent.click(screen.getByRole("button", { name: "Undo this and 2 later actions" }));
  const told = await screen.findAllByText("Add the chair could not be undone: It is on its way.");
  // To be read, and read out.
  expect(told.map((one) => one.closest("[role=status], p")?.nodeName).sort()).toEqual(["P", "SPAN"]);
  expect(items).toEqual(["lamp", "chair"]);
  fails = false;
  fireEvent.click(undoOf("chair") as HTMLElement);
  await waitFor(() => expect(items).toEqual(["lamp"]));
  await waitFor(() => expect(undoOf("chair")).toBeNull());
});

test("while a run goes on or stands still nothing is taken back, and nothing that came since", () => {
  const done = tool("c1", { name: "add", title: "Add the lamp", status: "success" });
  const later = tool("c2", { name: "add", title: "Add the desk", status: "success" });
  const of = (...ids: string[]) => ids.map((toolCallId) => ({ toolCallId, toolName: "add" }));
  const undo = vi.fn(async () => ({ type: "undone", steps: 1 }));
  const parts = { timeline: [user("u1"), done, later], undo, undoable: of("c2", "c1") };
  const { rerender } = render(<Render glove={handle({ ...parts, busy: true })} />);
  expect(undoOf("lamp")).toBeNull();
  rerender(<Render glove={handle({ ...parts, run: { phase: "paused" } })} />);
  expect(undoOf("lamp")).toBeNull();
  rerender(<Render glove={handle(parts)} />);
  fireEvent.click(undoOf("lamp") as HTMLElement);
  expect(screen.getByRole("group", { name: /undone/ })).toBeTruthy();
  // Somebody else took the last one back: what was asked is not what would be done.
  rerender(<Render glove={handle({ ...parts, undoable: of("c1") })} />);
  expect(screen.queryByRole("group", { name: /undone/ })).toBeNull();
  expect(undo).not.toHaveBeenCalled();
  fireEvent.click(screen.getByRole("button", { name: "Undo: Add the lamp" }));
  expect(undo).toHaveBeenCalledExactlyOnceWith(1, { last: "c1" });
  // A handle that takes nothing back has no such buttons.
  rerender(<Render glove={{ ...handle(parts), undo: undefined } as never} />);
  expect(undoOf("lamp")).toBeNull();
});
