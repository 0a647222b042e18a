// What the cards of calls say.
import { act, fireEvent, render, screen, within } from "@testing-library/react";
import { Render, ToolCard, type ToolEntry } from "glove-wasm/react";
import { expect, test, vi } from "vitest";
import { agent, handle, tool, user } from "./handle.js";

const cards = (container: Element) => [...container.querySelectorAll<HTMLElement>("[data-glove-role=tool]")];

test("a call that waits for its turn says so", () => {
  // One that is behind a question is stored as one that waits for a person too.
  const timeline = [tool("c1"), tool("c2", { queued: true }), tool("c3", { queued: true, status: "pending" })];
  const { container, rerender } = render(<Render glove={handle({ timeline, busy: true })} />);
  const states = () => cards(container).map((card) => card.querySelector("[data-glove-state]")?.textContent);
  expect(states()).toEqual(["Running", "Queued", "Queued"]);
  // Their dots are drawn by their state.
  expect(cards(container).map((card) => [card.dataset.state, card.firstElementChild?.childElementCount])).toEqual([
    ["running", 0],
    ["queued", 0],
    ["queued", 0],
  ]);
  rerender(<Render glove={handle({ timeline, busy: true })} labels={{ Queued: "Kommt gleich" }} />);
  expect(states()).toEqual(["Running", "Kommt gleich", "Kommt gleich"]);
});

test("a card says what its call is about: what the tool says, or the first argument that can be read", () => {
  const long = `${"word ".repeat(200_000)}end`;
  const timeline = [
    tool("c1", { name: "lookup", input: { exact: true, query: "chairs", limit: 3 } }),
    tool("c2", { name: "lookup", title: "Look for chairs", input: { query: "chairs" } }),
    tool("c3", { name: "set_limit", input: { limit: 12 } }),
    tool("c4", { name: "run", input: { code: "\n  first()\nsecond()" } }),
    tool("c5", { name: "write", input: { text: long } }),
    tool("c6", { name: "list", input: { deep: { a: 1 }, blank: "  " } }),
    tool("c7", { name: "list", input: ["a"] }),
    tool("c8", { name: "undo_last_action", input: { steps: 1 } }),
  ];
  const streamingCalls = [{ id: "s", name: "lookup", input: { query: "cha" }, at: "/query" }];
  const { container } = render(<Render glove={handle({ timeline, streamingCalls, busy: true })} />);
  expect(cards(container).map((card) => card.querySelector("[data-glove-title]")?.textContent)).toEqual([
    "Lookup · chairs",
    "Look for chairs",
    "Set limit · 12",
    "Run · first()",
    `Write · ${"word ".repeat(12)}…`,
    "List",
    "List",
    "Undo the last action",
    "Lookup · cha",
  ]);
  const drawn = render(<ToolCard entry={timeline[0] as ToolEntry}>{({ title }) => <b>{title}</b>}</ToolCard>);
  expect(drawn.container.textContent).toBe("Lookup · chairs");
});

test("a card says how long its call took", () => {
  const took = [40, 420, 9_400, 61_000].map((durationMs, at) => tool(`c${at}`, { status: "error", durationMs }));
  const { container } = render(<Render glove={handle({ timeline: [...took, tool("c9")] })} />);
  const texts = cards(container).map((card) => card.querySelector("[data-glove-took]")?.textContent);
  expect(texts).toEqual([undefined, "0.4 s", "9.4 s", "61 s", undefined]);
});

test("a call that runs for longer than three seconds says for how long, and a done one has a tick", () => {
  vi.useFakeTimers();
  try {
    const timeline = [tool("c0", { status: "success", output: "1" }), tool("c1")];
    const { container } = render(<Render glove={handle({ timeline, busy: true })} />);
    const told = () => container.querySelector("[data-glove-count]")?.textContent;
    expect(cards(container).map((card) => card.firstElementChild?.querySelector("svg")?.dataset.gloveIcon)).toEqual([
      "done",
      undefined,
    ]);
    act(() => void vi.advanceTimersByTime(2_000));
    expect(told()).toBeUndefined();
    act(() => void vi.advanceTimersByTime(1_000));
    expect(told()).toBe("3 s");
    act(() => void vi.advanceTimersByTime(9_000));
    expect(told()).toBe("12 s");
  } finally {
    vi.useRealTimers();
  }
});

test("a failed card says its error once, closed and open", () => {
  const timeline = [
    tool("c1", { status: "error", outcome: "failed", output: "It did not come back.\n  at restart (a.ts:1)" }),
    tool("c2", { status: "error", outcome: "invalid", output: "expected number" }),
  ];
  const { container } = render(<Render glove={handle({ timeline })} />);
  const [failed, invalid] = cards(container);
  const toggle = (card: HTMLElement | undefined, open: boolean) => {
    const details = card?.querySelector("details") as HTMLDetailsElement;
    act(() => {
      details.open = open;
      fireEvent(details, new Event("toggle"));
    });
  };
  const below = (card: HTMLElement | undefined) => card?.querySelector(":scope > p")?.textContent;
  expect(below(failed)).toBe("It did not come back.");
  toggle(failed, true);
  expect([below(failed), failed?.textContent?.split("did not come back").length]).toEqual([undefined, 2]);
  toggle(failed, false);
  expect(below(failed)).toBe("It did not come back.");
  // Another sentence than the model was told.
  toggle(invalid, true);
  expect(below(invalid)).toBe("The assistant called this with values that do not fit.");
});

const todo = (content: string, activeForm: string, status: string) => ({ content, activeForm, status });
const trip = (...states: string[]) => ({
  todos: ["Find a hotel", "Book it"].map((content, at) => todo(content, `${content}, now`, states[at] ?? "pending")),
});
const update = (id: string, input: unknown, more = {}) =>
  tool(id, { name: "glove_update_tasks", status: "success", output: "{}", input, ...more });

const items = (card: HTMLElement | undefined) =>
  within(card as HTMLElement)
    .getAllByRole("listitem", { hidden: true })
    .map((item) => [item.textContent, item.getAttribute("aria-current")]);

test("the model's list of tasks is one list of its turn that changes, and those of earlier turns are folded", () => {
  const timeline = [
    user("u"),
    update("t1", trip("in_progress")),
    tool("c1", { status: "success" }),
    update("t2", trip("completed", "in_progress")),
    agent("a"),
  ];
  const { container, rerender } = render(<Render glove={handle({ timeline })} />);
  const [list, other, ...more] = cards(container);
  const isOpen = (card: HTMLElement | undefined) => card?.querySelector("details")?.open;
  expect([isOpen(list), isOpen(other), more]).toEqual([true, false, []]);
  expect(within(list as HTMLElement).getByRole("list", { name: "Tasks" })).toBeDefined();
  expect(list?.querySelector("summary")?.textContent).toBe("Tasks 1/2 Done");
  expect(items(list)).toEqual([
    ["Find a hotel Done", null],
    ["Book it, now In progress", "step"],
  ]);
  const done = [...timeline, update("t3", trip("completed", "completed"))];
  rerender(<Render glove={handle({ timeline: done })} />);
  expect(cards(container)).toEqual([list, other]);
  expect(items(list)).toEqual([
    ["Find a hotel Done", null],
    ["Book it Done", null],
  ]);
  // What failed is no newer list, and says so.
  const failed = update("t4", trip("pending", "pending"), { status: "error", outcome: "failed", output: "The store is full." });
  rerender(<Render glove={handle({ timeline: [...done, failed] })} />);
  expect([cards(container).length, items(list)[1]]).toEqual([3, ["Book it Done", null]]);
  // What is asked next has a list of its own, in the place where that is written.
  const next = [...done, user("u2")];
  const streamingCalls = [{ id: "s", name: "glove_update_tasks", at: "/todos/0/status", input: trip("in_progress") }];
  rerender(<Render glove={handle({ timeline: next, streamingCalls, busy: true })} />);
  expect(cards(container).length).toBe(3);
  rerender(<Render glove={handle({ timeline: [...next, update("t5", trip("in_progress"))], streamingCalls, busy: true })} />);
  expect(cards(container).map(isOpen)).toEqual([false, false, true]);
  expect(items(list)).toEqual([
    ["Find a hotel Done", null],
    ["Book it Done", null],
  ]);
});

test("the list grows while it is written, and a call that failed or has no task is a card", () => {
  const streamed = { id: "s", name: "glove_update_tasks", at: "/todos/1/content" };
  const half = { todos: [todo("Find a hotel", "Finding a hotel", "in_progress"), { content: "" }, null] };
  const { container } = render(
    <Render
      glove={handle({
        timeline: [
          update("t1", trip(), { status: "error", outcome: "failed", output: "The store is full." }),
          update("t2", { todos: [] }),
          update("t3", { todos: "none" }),
        ],
        streamingCalls: [{ ...streamed, input: half }],
        busy: true,
      })}
    />,
  );
  expect(cards(container).map((card) => card.querySelector("[data-glove-title]")?.textContent)).toEqual([
    "Update the task list",
    "Update the task list",
    "Update the task list",
    "Tasks",
  ]);
  expect(items(cards(container)[3])).toEqual([["Finding a hotel In progress", "step"]]);
});

test("the list of tasks is not one of the steps that fold", () => {
  const done = (id: string) => tool(id, { status: "success" });
  const timeline = [done("c1"), done("c2"), done("c3"), update("t1", trip("completed")), done("c4"), agent("a")];
  const { container } = render(<Render glove={handle({ timeline })} />);
  const folded = container.querySelector("[data-glove-role=steps]");
  expect(folded?.querySelector("summary")?.textContent).toBe("3 steps");
  expect(screen.getByRole("list", { name: "Tasks" }).closest("[data-glove-role=steps]")).toBeNull();
});

test("the first keys after Edit are typed into the message: its field is there at once", () => {
  render(<Render glove={handle({ timeline: [user("u", "one"), agent("a", "two")], edit: () => {} })} />);
  fireEvent.click(screen.getByRole("button", { name: "Edit" }));
  const field = screen.getByRole("textbox", { name: "Edit message" });
  expect(document.activeElement).toBe(field);
});
