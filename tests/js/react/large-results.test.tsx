// Results that are large, and results that are drawn by what is loaded late.
import { act, fireEvent, render, screen, within } from "@testing-library/react";
import { defineTool, Render } from "glove-wasm/react";
import { lazy, useState } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { chat } from "./chat.js";
import { handle, tool, user } from "./handle.js";
import { nothing } from "./page.js";

afterEach(() => vi.unstubAllGlobals());

/** Tells all observers of sizes. */
function sizes(): () => void {
  const observed = new Set<() => void>();
  class Sizes {
    readonly told: () => void;
    constructor(told: () => void) {
      this.told = told;
    }
    observe() {
      observed.add(this.told);
    }
    disconnect() {
      observed.delete(this.told);
    }
  }
  vi.stubGlobal("ResizeObserver", Sizes);
  return () => {
    for (const told of observed) told();
  };
}

const Counter = () => {
  const [count, setCount] = useState(0);
  return (
    <button type="button" onClick={() => setCount(count + 1)}>
      {`count ${count}`}
    </button>
  );
};

const done = tool("c1", { name: "report", title: "The report", status: "success", renderData: 1, output: "1" });

test("a large result is opened at the side, keeps its state, and closes with Escape and its button", () => {
  const measure = sizes();
  const abort = vi.fn();
  const glove = handle({ timeline: [user("m1"), done], busy: true, abort, renderToolResult: () => <Counter /> });
  const { container } = render(<Render glove={glove} />);
  const shows = container.querySelector("[data-glove-shows]") as HTMLElement;
  expect(screen.queryByRole("button", { name: "Show large: The report" })).toBeNull();
  Object.defineProperty(shows, "offsetHeight", { value: 900, configurable: true });
  act(measure);
  fireEvent.click(screen.getByRole("button", { name: "count 0" }));
  const open = screen.getByRole("button", { name: "Show large: The report" });
  open.focus();
  fireEvent.click(open);
  expect(screen.getByRole("dialog", { name: "The report" })).toBe(shows);
  expect(screen.getByRole("button", { name: "Close: The report" })).toBe(document.activeElement);
  // The same element: what was done in it stays.
  fireEvent.click(screen.getByRole("button", { name: "count 1" }));
  fireEvent.keyDown(screen.getByRole("button", { name: "count 2" }), { key: "Escape" });
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(abort).not.toHaveBeenCalled();
  expect(screen.getByRole("button", { name: "Show large: The report" })).toBe(document.activeElement);
  const look = container.querySelector<HTMLElement>("[data-glove-look]");
  Object.defineProperty(look, "offsetWidth", { value: innerWidth });
  Object.defineProperty(shows, "offsetWidth", { value: 300 });
  fireEvent.click(open);
  // A chat that has all of the window makes room for it.
  expect(look?.style.paddingInlineEnd).toBe("300px");
  fireEvent.click(screen.getByRole("button", { name: "Close: The report" }));
  expect([screen.queryByRole("dialog"), shows.getAttribute("popover")]).toEqual([null, null]);
  expect([shows.parentElement?.style.minHeight, look?.style.paddingInlineEnd]).toEqual(["", ""]);
  expect(screen.getByRole("button", { name: "count 2" })).toBeTruthy();
});

test("a long text among the details is opened the same way, and copied as the tool gave it", async () => {
  const output = JSON.stringify(Array.from({ length: 40 }, (_, at) => ({ at })));
  const writeText = vi.fn().mockResolvedValue(undefined);
  vi.stubGlobal("navigator", { ...navigator, clipboard: { writeText } });
  const entry = tool("c1", { name: "report", title: "The report", status: "success", output });
  const short = tool("c2", { name: "report", title: "The short one", status: "success", output: "1" });
  const { container } = render(<Render glove={handle({ timeline: [user("m1"), entry, short] })} />);
  const open = await screen.findByRole("button", { name: "Show large: The report", hidden: true });
  expect(screen.queryByRole("button", { name: /The short one/, hidden: true })).toBeNull();
  fireEvent.click(open);
  const panel = screen.getByRole("dialog", { name: "The report", hidden: true });
  expect(panel).toBe(container.querySelector("[data-glove-result]"));
  await act(async () => fireEvent.click(within(panel).getByRole("button", { name: "Copy", hidden: true })));
  expect(writeText).toHaveBeenCalledExactlyOnceWith(output);
  expect(within(panel).getByRole("button", { name: "Copied", hidden: true })).toBeTruthy();
  fireEvent.keyDown(panel, { key: "Escape" });
  expect(screen.queryByRole("dialog", { hidden: true })).toBeNull();
});

test("what is drawn is copied as the text that is seen, without the bar above it", async () => {
  const measure = sizes();
  const writeText = vi.fn().mockResolvedValue(undefined);
  vi.stubGlobal("navigator", { ...navigator, clipboard: { writeText } });
  const { container } = render(<Render glove={handle({ timeline: [user("m1"), done] })} />);
  const shows = container.querySelector("[data-glove-shows]") as HTMLElement;
  Object.defineProperty(shows, "offsetHeight", { value: 900 });
  act(measure);
  fireEvent.click(screen.getByRole("button", { name: "Show large: The report" }));
  // jsdom lays nothing out, so it has no such text.
  const drawn = [...shows.children].filter((child) => !child.matches("[data-glove-opens]"));
  for (const child of drawn) Object.defineProperty(child, "innerText", { value: child.textContent });
  await act(async () => fireEvent.click(within(shows).getByRole("button", { name: "Copy" })));
  expect(writeText).toHaveBeenCalledExactlyOnceWith("result c1");
});

test("a result that is small, a question and a chat without the look have no such button", () => {
  const measure = sizes();
  const small = render(<Render glove={handle({ timeline: [user("m1"), done] })} />);
  act(measure);
  const asked = { ...done, status: "running" } as const;
  const bare = render(<Render glove={handle({ timeline: [user("m1"), done] })} unstyled />);
  const runs = render(<Render glove={handle({ timeline: [user("m1"), asked], renderToolResult: () => <p>so far</p> })} />);
  for (const { container } of [bare, runs])
    for (const shows of container.querySelectorAll("[data-glove-shows]"))
      Object.defineProperty(shows, "offsetHeight", { value: 900 });
  act(measure);
  for (const { container } of [small, bare, runs]) {
    expect(container.querySelector("[data-glove-shows]")).not.toBeNull();
    expect(container.querySelector("[data-glove-open]")).toBeNull();
  }
});

test("a result whose component is being loaded has a place of its own, and the chat does not wait for it", async () => {
  let come: ((module: { default: () => React.ReactNode }) => void) | undefined;
  const Late = lazy(() => new Promise<{ default: () => React.ReactNode }>((loaded) => (come = loaded)));
  const report = defineTool({
    name: "report",
    description: "",
    inputSchema: nothing,
    do: () => Promise.resolve({ status: "success", data: 1, renderData: 1 } as const),
    renderResult: () => <Late />,
  });
  const { send, container } = chat([{ toolCalls: [{ name: "report", input: {} }] }, "It is done."], {
    config: { tools: [report] },
  });
  send("go");
  await screen.findByText("It is done.");
  expect(container.querySelector("[data-glove-shows] [data-glove-skeleton]")).not.toBeNull();
  await act(async () => come?.({ default: () => <p>the report</p> }));
  expect(await screen.findByText("the report")).toBeTruthy();
  expect(container.querySelector("[data-glove-skeleton]")).toBeNull();
});
