// A turn of the agent as one: one row of buttons at its end, steps that are folded, sources, and what is said of one that ended early.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { GloveError, Render, type ShownEntry, Sources, Thread } from "glove-wasm/react";
import { expect, test, vi } from "vitest";
import { handle, tool } from "./handle.js";

const user = (id: string, text: string): ShownEntry => ({ kind: "user", id, text });
const agent = (id: string, text: string, more = {}): ShownEntry => ({ kind: "agent_text", id, text, ...more });
const done = (id: string, more = {}) => tool(id, { status: "success", output: "fine", ...more });

const rows = (container: HTMLElement) =>
  [...container.querySelectorAll("[data-glove-message=agent]")].map((message) => [
    message.querySelector("article")?.textContent,
    message.querySelector("[data-glove-tools]") !== null,
  ]);

test("a turn has one row of buttons, at its end, and copies all that was said in it", async () => {
  const writeText = vi.fn(async () => {});
  vi.stubGlobal("navigator", { clipboard: { writeText } });
  const timeline = [user("u", "go"), agent("a", "I look."), done("c"), agent("b", "Found it.")];
  const glove = handle({ timeline: [...timeline, user("v", "more"), agent("d", "Alone.")], regenerate: vi.fn() });
  const { container } = render(<Render glove={glove} />);
  expect(rows(container)).toEqual([
    ["I look.", false],
    ["Found it.", true],
    ["Alone.", true],
  ]);
  const ends = [...container.querySelectorAll<HTMLElement>("[data-glove-message=agent]:has([data-glove-tools])")];
  for (const end of ends) await act(async () => fireEvent.click(within(end).getByRole("button", { name: "Copy" })));
  expect(writeText.mock.calls).toEqual([["I look.\n\nFound it."], ["Alone."]]);
  expect(screen.getAllByRole("button", { name: "Answer again" })).toHaveLength(1);
  vi.unstubAllGlobals();
});

test("a turn of any length is copied as one, wherever it is drawn apart", async () => {
  const writeText = vi.fn(async () => {});
  vi.stubGlobal("navigator", { clipboard: { writeText } });
  const before = Array.from({ length: 48 }, (_, at) => user(`u${at}`, `question ${at}`));
  const turn = Array.from({ length: 60 }, (_, at) => agent(`a${at}`, `part ${at}`));
  const glove = (count: number) => handle({ timeline: [...before, ...turn.slice(0, count)] });
  const { container, rerender } = render(<Render glove={glove(2)} />);
  // It grows into the next block.
  for (const count of [3, 60]) rerender(<Render glove={glove(count)} />);
  const shown = rows(container);
  expect(shown.filter(([, row]) => row)).toEqual([["part 59", true]]);
  const last = container.querySelector<HTMLElement>("[data-glove-message=agent]:has([data-glove-tools])");
  await act(async () => fireEvent.click(within(last as HTMLElement).getByRole("button", { name: "Copy" })));
  expect(writeText).toHaveBeenCalledWith(Array.from({ length: 60 }, (_, at) => `part ${at}`).join("\n\n"));
  vi.unstubAllGlobals();
});

test("three calls and more that went well and show nothing are one line, which opens; all others stay cards", () => {
  const summary = (container: HTMLElement) =>
    [...container.querySelectorAll("[role=log] > [data-glove-rows] > *")].map((element) => {
      const role = element.getAttribute("data-glove-role") ?? element.getAttribute("data-glove-message");
      return role === "steps" ? `${role} ${element.querySelectorAll("[data-glove-role=tool]").length}` : role;
    });
  const steps = (...kinds: ShownEntry[]) => [user("u", "go"), ...kinds, agent("a", "Done.")];
  const table: [string, ShownEntry[], (string | null)[]][] = [
    ["two", steps(done("1"), done("2")), ["user", "tool", "tool", "agent"]],
    ["three", steps(done("1"), done("2"), done("3")), ["user", "steps 3", "agent"]],
    [
      "a failed one",
      steps(done("1"), done("2"), done("3"), done("4", { status: "error" })),
      ["user", "steps 3", "tool", "agent"],
    ],
    [
      "an undone one between",
      steps(done("1"), done("2"), done("3", { undone: true }), done("4"), done("5")),
      ["user", "tool", "tool", "tool", "tool", "tool", "agent"],
    ],
    ["the last of a run that goes on", steps(done("1"), done("2"), done("3")).slice(0, 4), ["user", "tool", "tool", "tool"]],
    [
      "one that still runs",
      steps(done("1"), done("2"), done("3"), done("4", { status: "running" })).slice(0, 5),
      ["user", "steps 3", "tool"],
    ],
  ];
  for (const [name, timeline, expected] of table) {
    const { container, unmount } = render(<Render glove={handle({ timeline })} />);
    expect(summary(container), name).toEqual(expected);
    unmount();
  }
  const draws = handle({ timeline: steps(done("1"), done("2"), done("3")), renderToolResult: () => <b>chart</b> });
  const { container } = render(<Render glove={draws} />);
  expect(summary(container)).toEqual(["user", "tool", "tool", "tool", "agent"]);
  const { container: own } = render(
    <Render
      glove={handle({ timeline: steps(done("1"), done("2"), done("3")) })}
      renderToolStatus={({ entry }) => <i>{entry.id}</i>}
    />,
  );
  expect([...own.querySelectorAll("[role=log] i")].map((i) => i.textContent)).toEqual(["1", "2", "3"]);
});

test("sources are links below an answer: those of the web only, and as one draws them oneself", async () => {
  const many = Array.from({ length: 9 }, (_, at) => ({
    url: `https://www.a.example/${at}`,
    ...(at > 0 && { title: `Page ${at}` }),
  }));
  const odd = [{ url: "javascript:alert(1)", title: "bad" }, { url: 5 }, null, "https://a.example", {}] as never[];
  const timeline = [
    user("u", "q"),
    agent("a", "Rome.", { sources: [...odd, ...many] }),
    user("v", "w"),
    agent("b", "x", { sources: odd }),
  ];
  const { container } = render(<Render glove={handle({ timeline })} />);
  await screen.findByText("Page 1");
  const links = [...container.querySelectorAll<HTMLAnchorElement>("[data-glove-role=sources] a")].map((link) => {
    const { href, textContent, rel, target } = link;
    return [href, textContent, rel, target];
  });
  const rel = "noopener noreferrer nofollow";
  expect(links).toHaveLength(9);
  expect(links[0]).toEqual(["https://www.a.example/0", "https://www.a.example/0", rel, "_blank"]);
  expect(links[1]).toEqual(["https://www.a.example/1", "Page 1", rel, "_blank"]);
  expect([...container.querySelectorAll("[data-glove-role=sources] summary")].map((one) => one.textContent)).toEqual([
    "Sources · 9 ",
  ]);
  const { container: own } = render(
    <Thread glove={handle({})}>
      <Sources entry={{ sources: many }}>{({ title = "none" }, at) => <q>{`${at} ${title}`}</q>}</Sources>
    </Thread>,
  );
  expect([...own.querySelectorAll("q")].slice(0, 2).map((q) => q.textContent)).toEqual(["0 none", "1 Page 1"]);
});

test("a source whose title is no text, as a damaged store may have it, does not end the chat", async () => {
  const sources = [{ url: "https://a.example", title: { of: "it" } }] as never[];
  const { container } = render(<Render glove={handle({ timeline: [user("u", "q"), agent("a", "Rome.", { sources })] })} />);
  await waitFor(() => expect(container.querySelector("[data-glove-role=sources] a")).not.toBeNull());
  expect(container.textContent).toContain("Rome.");
});

test("the button of a failure counts down, and can be pressed when another try is of use", () => {
  vi.useFakeTimers();
  const resume = vi.fn();
  const error = new GloveError("MODEL_RATE_LIMIT", "429", { retryAfter: 2_000, retryable: true });
  render(<Render glove={handle({ timeline: [user("u", "q")], error, run: { phase: "paused" }, resume })} />);
  const button = () => screen.getByRole<HTMLButtonElement>("button", { name: /^Try again/ });
  expect([button().disabled, button().textContent]).toEqual([true, "Try again in 2 s"]);
  fireEvent.click(button());
  expect(resume).not.toHaveBeenCalled();
  act(() => vi.advanceTimersByTime(2_000));
  expect([button().disabled, button().textContent]).toEqual([false, "Try again"]);
  fireEvent.click(button());
  expect(resume).toHaveBeenCalledOnce();
  vi.useRealTimers();
});

test("a failed call says why below its title, in one line", () => {
  const failed = done("c", { status: "error", outcome: "failed", output: `It did not come back.\n${"at x\n".repeat(100)}` });
  const { container } = render(<Render glove={handle({ timeline: [user("u", "q"), failed] })} />);
  expect(container.querySelector("[data-glove-role=tool] > p")?.textContent).toBe("It did not come back.");
});

test("thoughts show their newest line while they come, then how long they took, and after a reload no time at all", () => {
  vi.useFakeTimers();
  const going = (streamingReasoning: string) => handle({ timeline: [user("u", "q")], streamingReasoning, busy: true });
  const label = (container: HTMLElement) => container.querySelector("[data-glove-role=reasoning] summary")?.textContent;
  const { container, rerender } = render(<Render glove={going("First.\nThen the second")} />);
  expect(label(container)).toBe("Thinking…Then the second");
  act(() => vi.advanceTimersByTime(4_200));
  const answering = handle({ timeline: [user("u", "q")], streamingReasoning: "First.\nThen", streamingText: "So", busy: true });
  rerender(<Render glove={answering} />);
  expect(label(container)).toBe("Thought for 4 s");
  const timeline = [user("u", "q"), agent("a", "So.", { reasoning: "First.\nThen" })];
  rerender(<Render glove={handle({ timeline })} />);
  expect(label(container)).toBe("Thought for 4 s");
  const { container: later } = render(<Render glove={handle({ timeline })} />);
  expect(label(later)).toBe("Thoughts");
  vi.useRealTimers();
});

test("a message that waits is saved, and one that was answered is sent", async () => {
  const queue = [{ id: "q", text: "next" }];
  const glove = handle({ timeline: [user("u", "q")], queue, busy: true, cancelQueued: () => true, edit: vi.fn() });
  render(<Render glove={glove} />);
  for (const button of screen.getAllByRole("button", { name: "Edit" })) fireEvent.click(button);
  expect((await screen.findAllByRole("button", { name: /^Save/ })).map(({ textContent }) => textContent)).toEqual([
    "Save & send",
    "Save",
  ]);
});
