// While it works: messages that wait are moved and sent in, a cut answer goes on, and the context that is used is shown.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { conversationAsMarkdown, Render, type ShownEntry } from "glove-wasm/react";
import { expect, test, vi } from "vitest";
import { chat } from "./chat.js";
import { agent, handle, user } from "./handle.js";

const [steers, first, second] = [
  { id: "s", text: "steers", steers: true },
  { id: "a", text: "first" },
  { id: "b", text: "second" },
] as const;

const waiting = (parts = {}) =>
  handle({
    timeline: [user("u")],
    busy: true,
    queue: [steers, first, second],
    cancelQueued: () => true,
    edit: vi.fn(),
    ...parts,
  });

const row = (text: string) => screen.getByText(text).closest<HTMLElement>("[data-glove-waits]") as HTMLElement;
const names = (text: string) =>
  within(row(text))
    .getAllByRole("button")
    .map(({ title }) => title);

test("a message that waits can go in after the step, and up and down, where it is not at an end", async () => {
  const [moveQueued, sendNow] = [vi.fn(() => true), vi.fn(() => true)];
  render(<Render glove={waiting({ moveQueued, sendNow })} />);
  await within(row("second")).findByRole("button", { name: "Move up" });
  expect(row("steers").textContent).toContain("After this step");
  expect([names("steers"), names("first"), names("second")]).toEqual([
    ["Edit", "Remove"],
    ["Send after this step", "Move down", "Edit", "Remove"],
    ["Send after this step", "Move up", "Edit", "Remove"],
  ]);
  fireEvent.click(within(row("second")).getByRole("button", { name: "Move up" }));
  fireEvent.click(within(row("first")).getByRole("button", { name: "Move down" }));
  expect(moveQueued.mock.calls).toEqual([
    ["b", "a"],
    ["b", "a"],
  ]);
  fireEvent.click(within(row("second")).getByRole("button", { name: "Send after this step" }));
  expect(sendNow).toHaveBeenCalledWith("b");
});

test("Alt with an arrow moves a message, and the focus stays on it", async () => {
  const moveQueued = vi.fn(() => true);
  const { rerender } = render(<Render glove={waiting({ moveQueued })} />);
  const down = await within(row("first")).findByRole("button", { name: "Move down" });
  down.focus();
  fireEvent.keyDown(down, { key: "ArrowUp", altKey: true });
  fireEvent.keyDown(down, { key: "ArrowDown", altKey: true });
  expect(moveQueued.mock.calls).toEqual([["b", "a"]]);
  rerender(<Render glove={waiting({ moveQueued, queue: [steers, second, first] })} />);
  expect(document.activeElement).toBe(within(row("first")).getByRole("button", { name: "Move up" }));
});

test("a handle that moves nothing has no such buttons", async () => {
  render(<Render glove={waiting()} />);
  expect(names("second")).toEqual(["Edit", "Remove"]);
});

const cut = (id: string, text: string) => ({ ...agent(id, text), atLimit: true }) as ShownEntry;
const articlesOf = (container: HTMLElement) =>
  [...container.querySelectorAll("[data-glove-role=agent]")].map(({ textContent }) => textContent);

test("an answer that was cut at its limit goes on in the same place", async () => {
  const writeText = vi.fn(async () => {});
  vi.stubGlobal("navigator", { clipboard: { writeText } });
  const page = chat([
    { text: "Once upon a ti", stopReason: "max_tokens" },
    ({ messages }) => {
      expect(messages.at(-2)).toMatchObject({ sender: "agent", text: "Once upon a ti" });
      return { deltas: ["me there ", "was"], every: 20, text: "me there was", stopReason: "length" };
    },
    { text: " an end." },
  ]);
  page.send("Tell");
  const button = await screen.findByRole("button", { name: "Continue" });
  const seen = new Set<string>();
  const observer = new MutationObserver(() => seen.add(articlesOf(page.container).join("|")));
  observer.observe(page.container, { childList: true, characterData: true, subtree: true });
  fireEvent.click(button);
  await waitFor(() => expect(articlesOf(page.container)).toEqual([expect.stringMatching(/there was.*Continue$/)]));
  // One answer all the time.
  expect([...seen].filter((text) => !/^Once upon a ti[^|]*$/.test(text))).toEqual([]);
  expect([...seen].some((text) => /^Once upon a time there/.test(text))).toBe(true);
  observer.disconnect();
  const again = screen.getByRole("button", { name: "Continue" });
  await act(async () => {
    fireEvent.click(again);
    fireEvent.click(again);
  });
  await waitFor(() => expect(articlesOf(page.container)).toEqual(["Once upon a time there was an end."]));
  await waitFor(() => expect(page.glove.busy).toBe(false));
  expect([screen.queryByRole("button", { name: "Continue" }), page.glove.error]).toEqual([null, undefined]);
  expect(page.container.querySelectorAll("[data-glove-role=user]")).toHaveLength(1);
  await act(async () => fireEvent.click(screen.getAllByRole("button", { name: "Copy" }).at(-1) as HTMLElement));
  expect(writeText).toHaveBeenCalledWith("Once upon a time there was an end.");
  expect(conversationAsMarkdown(page.glove.timeline)).toContain("\n\nOnce upon a time there was an end.\n");
  vi.unstubAllGlobals();
});

test("what is no continuation stands by itself, and a handle without a session offers none", async () => {
  const timeline = [
    user("u"),
    cut("a", "half"),
    agent("b.m2", "alone"),
    user("v"),
    cut("c", "ha"),
    agent("continues.1.m2", "lf"),
  ];
  const { container, rerender } = render(<Render glove={handle({ timeline })} />);
  await screen.findByText(/as long as the model may write/);
  await waitFor(() => expect(articlesOf(container)).toEqual([expect.stringMatching(/^half/), "alone", "half"]));
  rerender(<Render glove={handle({ timeline: timeline.slice(0, 2) })} />);
  expect(screen.queryByRole("button", { name: "Continue" })).toBeNull();
});

const stats = (contextTokens: number) => ({ tokens_in: 0, tokens_out: 0, turns: 1, contextTokens, contextLimit: 1000 });

test("the context that is used is shown from seventy in a hundred on, or as the application says", async () => {
  const { rerender } = render(<Render glove={handle({ stats: stats(700) })} />);
  expect(screen.queryByText(/of the context/)).toBeNull();
  rerender(<Render glove={handle({ stats: stats(701) })} />);
  fireEvent.click(await screen.findByText("70 % of the context used"));
  expect(screen.getByText(/older messages are summarised/)).toBeTruthy();
  rerender(<Render glove={handle({ stats: stats(701) })} contextMeter={false} />);
  expect(screen.queryByText(/of the context/)).toBeNull();
  rerender(<Render glove={handle({ stats: stats(20) })} contextMeter />);
  expect(screen.getByText("2 % of the context used")).toBeTruthy();
  rerender(<Render glove={handle({ stats: stats(5000) })} />);
  expect(screen.getByText("100 % of the context used")).toBeTruthy();
  // No provider has told.
  rerender(<Render glove={handle({ stats: stats(0) })} contextMeter />);
  expect(screen.queryByText(/of the context/)).toBeNull();
});
