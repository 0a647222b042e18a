// What can be done with an answer: tables, code, pictures, sources, what the person thinks of it, and reading it aloud.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { type ChatView, type GloveHandle, Render, type RenderProps } from "glove-wasm/react";
import { createMarkdown, Markdown } from "glove-wasm/react/markdown";
import { createRef } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { spoken } from "../../../js/react/answers/speech.js";
import { readInfo } from "../../../js/react/markdown/code-info.js";
import { asCsv } from "../../../js/react/markdown/extras/csv.js";
import { orderOf } from "../../../js/react/markdown/extras/order.js";
import { agent, handle, user } from "./handle.js";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const table =
  "| Chair | Price | Link |\n|---|---|---|\n| Oak | €1,200 | a |\n| Ash | €80 | b |\n| Elm | | c |\n| Yew | €310.50 | d |\n";
const column = (container: HTMLElement, at: number) =>
  [...container.querySelectorAll("tbody tr")].map((row) => row.children[at]?.textContent);

const clipboard = () => {
  const writeText = vi.fn(async (_: string) => {});
  vi.stubGlobal("navigator", Object.assign(Object.create(navigator), { clipboard: { writeText } }));
  return writeText;
};

test("a heading sorts a table by what its column is worth, turns it round, and gives the order of the answer back", async () => {
  const { container } = render(<Markdown text={table} streaming={false} />);
  const price = await screen.findByRole("button", { name: "Price" });
  const heading = price.closest("th");
  expect(heading?.getAttribute("aria-sort")).toBeNull();
  fireEvent.click(price);
  expect(column(container, 0)).toEqual(["Ash", "Yew", "Oak", "Elm"]);
  expect(heading?.getAttribute("aria-sort")).toBe("ascending");
  fireEvent.click(price);
  // What says nothing is last, whichever way.
  expect(column(container, 0)).toEqual(["Oak", "Yew", "Ash", "Elm"]);
  expect(heading?.getAttribute("aria-sort")).toBe("descending");
  expect(container.querySelector("[data-glove-keep] table")).not.toBeNull();
  fireEvent.click(price);
  expect(column(container, 0)).toEqual(["Oak", "Ash", "Elm", "Yew"]);
  fireEvent.click(screen.getByRole("button", { name: "Chair" }));
  expect(column(container, 0)).toEqual(["Ash", "Elm", "Oak", "Yew"]);
});

test("a heading with a link and a table that is being written do not sort", async () => {
  const linked = "| [Chair](https://a.example) | Price |\n|---|---|\n| a | 1 |\n| b | 2 |\n";
  const { container, rerender } = render(<Markdown text={linked} streaming={false} />);
  await screen.findByRole("button", { name: "Price" });
  expect(within(container).getByRole("link", { name: "Chair" }).closest("button")).toBeNull();
  rerender(<Markdown text={`${linked}| c `} streaming />);
  expect(container.querySelector("th button")).toBeNull();
});

test("a table is copied as CSV in the order that is seen", async () => {
  const writeText = clipboard();
  render(<Markdown text={table} streaming={false} />);
  fireEvent.click(await screen.findByRole("button", { name: "Chair" }));
  fireEvent.click(screen.getByRole("button", { name: "Copy as CSV" }));
  await screen.findByRole("button", { name: "Copied" });
  expect(writeText).toHaveBeenCalledWith('Chair,Price,Link\r\nAsh,€80,b\r\nElm,,c\r\nOak,"€1,200",a\r\nYew,€310.50,d');
});

test("CSV holds quotes and lines, and nothing that a program of tables would calculate", () => {
  expect(asCsv([['say "hi"', "a\nb", "a,b"]])).toBe('"say ""hi""","a\nb","a,b"');
  expect(asCsv([["x\t=1+1", "\t=A1", "＝A1"]])).toBe("x =1+1,'=A1,'＝A1");
  expect(asCsv([["=1+1", "@SUM(A1)", "-2+3", "+x", "-3.5", "+4 %"]])).toBe("'=1+1,'@SUM(A1),'-2+3,'+x,-3.5,+4 %");
});

test.each([
  [
    ["1.234,50", "99,10", "1.000,00"],
    [1, 2, 0],
  ],
  [
    ["1,234.5", "99.1", "1,000"],
    [1, 2, 0],
  ],
  [
    ["(5)", "−7", "3"],
    [1, 0, 2],
  ],
  [
    ["10 %", "9 %", ""],
    [1, 0, 2],
  ],
])("numbers as %j are ordered by what they are worth", (texts, order) => {
  expect(orderOf(texts, true, false)).toEqual(order);
});

test.each([
  ["ts", "ts", undefined],
  ["ts app.ts", "ts", "app.ts"],
  ["ts src/app.ts {1,3}", "ts", "src/app.ts"],
  ['tsx title="My App.tsx" copy', "tsx", "My App.tsx"],
  ["js {filename=a.js}", "js", "a.js"],
  ["rust:src/lib.rs", "rust", "src/lib.rs"],
  ["src/main.py", "py", "src/main.py"],
  ["c++ title='x y'", "c++", "x y"],
  ["python 3.12", "python", undefined],
  ["", "", undefined],
])("the fence %j says its language and its file", (info, language, file) => {
  expect(readInfo(info)).toEqual({ language, file });
});

test("code has the name of its file, and folds its long lines while they are longer than it is wide", async () => {
  let measure: (() => void) | undefined;
  class Sizes {
    constructor(told: () => void) {
      measure = told;
    }
    observe() {}
    disconnect() {}
  }
  vi.stubGlobal("ResizeObserver", Sizes);
  const { container } = render(<Markdown text={"```ts src/app.ts\nconst a = 1;\n```"} streaming={false} />);
  expect(container.querySelector("[data-glove-code=ts]")?.textContent).toContain("src/app.ts");
  await waitFor(() => expect(measure).toBeDefined());
  expect(screen.queryByRole("button", { name: "Wrap lines" })).toBeNull();
  const pre = container.querySelector("pre") as HTMLElement;
  Object.defineProperties(pre, { scrollWidth: { value: 500 }, clientWidth: { value: 300 } });
  act(() => measure?.());
  const wrap = screen.getByRole("button", { name: "Wrap lines" });
  expect(wrap.getAttribute("aria-pressed")).toBe("false");
  fireEvent.click(wrap);
  expect([wrap.getAttribute("aria-pressed"), container.querySelector("[data-glove-wrap] pre")]).toEqual(["true", pre]);
  fireEvent.click(wrap);
  expect(container.querySelector("[data-glove-wrap]")).toBeNull();
});

test("a picture of an answer is shown large, and closes", async () => {
  const Own = createMarkdown({ images: () => true });
  const { container } = render(<Own text="![a chart](/chart.png)" streaming={false} />);
  fireEvent.click(within(container).getByTitle("Show large"));
  await waitFor(() => expect(container.querySelector("dialog")).not.toBeNull());
  const large = container.querySelector("dialog") as HTMLElement;
  expect(large.getAttribute("aria-label")).toBe("a chart");
  expect(large.querySelector("img")?.getAttribute("src")).toBe("/chart.png");
  fireEvent.click(within(large).getByTitle("Close"));
  expect(container.querySelector("dialog")).toBeNull();
});

const sources = [
  { url: "https://oak.example/a", title: "About oaks" },
  { url: "javascript:alert(1)", title: "Bad" },
];

test("a mark in an answer says which source it is, and leads there", async () => {
  const text = "Oaks are old[1], or not[2], or [3].";
  const { container } = render(<Markdown text={text} streaming={false} sources={sources} />);
  const mark = await screen.findByRole("button", { name: "Source 1: About oaks" });
  // What is no address of the web, and no source, stays as it is written.
  expect(container.textContent).toBe("Oaks are old1, or not[2], or [3].");
  fireEvent.click(mark);
  const link = screen.getByRole("link", { name: "About oaks" });
  expect([link.getAttribute("href"), link.getAttribute("rel")]).toEqual([
    "https://oak.example/a",
    "noopener noreferrer nofollow",
  ]);
  expect(mark.getAttribute("aria-expanded")).toBe("true");
  link.focus();
  fireEvent.keyDown(link, { key: "Escape" });
  expect(screen.queryByRole("link")).toBeNull();
  expect(document.activeElement).toBe(mark);
  fireEvent.click(mark);
  fireEvent.pointerDown(document.body);
  expect(screen.queryByRole("link")).toBeNull();
});

test("an answer with notes of its own, code, and one without sources keep their marks as text", async () => {
  const own = render(<Markdown text={"Oaks[1].\n\n[1] My book"} streaming={false} sources={sources} />);
  const code = render(<Markdown text={"`a[1]`"} streaming={false} sources={sources} />);
  const none = render(<Markdown text={"Oaks[1]."} streaming={false} />);
  render(<Markdown text={"Here[1]"} streaming={false} sources={sources} />);
  await screen.findByRole("button", { name: "Source 1: About oaks" });
  for (const { container } of [own, code, none]) expect(container.querySelector("button")).toBeNull();
});

const timeline = [user("m1", "Which?"), agent("m2", "An oak."), user("m3", "Why?"), agent("m4", "It is old.")];
const chat = (parts: Partial<GloveHandle>, props: Partial<RenderProps>) => (
  <Render glove={handle({ timeline, sessionId: "s1", ...parts })} {...props} />
);

test("a chat has buttons of what a person thinks only where the application asks", async () => {
  const { rerender } = render(chat({}, {}));
  expect(screen.queryByRole("button", { name: "Good answer" })).toBeNull();
  rerender(chat({}, { onFeedback: () => {} }));
  expect(await screen.findAllByRole("button", { name: "Good answer" })).toHaveLength(2);
});

test("what a person thinks is told once, is seen after a reload, and can be changed", async () => {
  const onFeedback = vi.fn();
  const { unmount } = render(chat({}, { onFeedback }));
  const [, good] = await screen.findAllByRole("button", { name: "Good answer" });
  await act(async () => good?.click());
  await act(async () => good?.click());
  expect(onFeedback.mock.calls).toEqual([[timeline[3], "up"]]);
  unmount();
  render(chat({}, { onFeedback }));
  const pressed = async () =>
    (await screen.findAllByRole("button", { name: /answer$/, pressed: true })).map(({ textContent }) => textContent);
  expect(await pressed()).toEqual(["Good answer"]);
  await act(async () => screen.getAllByRole("button", { name: "Bad answer" })[1]?.click());
  expect(await pressed()).toEqual(["Bad answer"]);
  expect(onFeedback.mock.calls.at(-1)).toEqual([timeline[3], "down"]);
});

test("what could not be told is not shown as told", async () => {
  const reported = vi.fn();
  vi.stubGlobal("reportError", reported);
  const error = new Error("offline");
  render(chat({}, { onFeedback: () => Promise.reject(error) }));
  const [good] = await screen.findAllByRole("button", { name: "Good answer" });
  await act(async () => good?.click());
  expect(good?.getAttribute("aria-pressed")).toBe("false");
  expect(reported).toHaveBeenCalledWith(error);
  expect(localStorage.getItem("glove-wasm:feedback")).toBe("[]");
});

class Utterance {
  onend: (() => void) | undefined;
  onerror: (() => void) | undefined;
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

function voice() {
  const said: Utterance[] = [];
  const speechSynthesis = { speak: (one: Utterance) => void said.push(one), cancel: vi.fn() };
  vi.stubGlobal("speechSynthesis", speechSynthesis);
  vi.stubGlobal("SpeechSynthesisUtterance", Utterance);
  return { said, cancel: speechSynthesis.cancel };
}

test("an answer is read aloud piece by piece, one at a time, and stops with the chat", async () => {
  const { said, cancel } = voice();
  const long = agent("m2", `${"An oak is a tree. ".repeat(20)}\n\n\`\`\`\ncode\n\`\`\``);
  const { unmount } = render(chat({ timeline: [user("m1"), long, user("m3"), agent("m4", "It is old.")] }, { readAloud: true }));
  const [first, second] = await screen.findAllByRole("button", { name: "Read aloud" });
  fireEvent.click(first as HTMLElement);
  expect(first?.title).toBe("Stop reading");
  expect(said).toHaveLength(1);
  act(() => said[0]?.onend?.());
  expect(said).toHaveLength(2);
  expect(said.every(({ text }) => text.length <= 200 && !text.includes("code"))).toBe(true);
  fireEvent.click(second as HTMLElement);
  expect([first?.title, second?.title, said.at(-1)?.text]).toEqual(["Read aloud", "Stop reading", "It is old."]);
  // What was stopped does not go on.
  act(() => said[1]?.onend?.());
  expect(said).toHaveLength(3);
  act(() => said[2]?.onend?.());
  expect(second?.title).toBe("Read aloud");
  fireEvent.click(second as HTMLElement);
  cancel.mockClear();
  unmount();
  expect(cancel).toHaveBeenCalledTimes(1);
});

test("what is read has no code, marks or addresses", () => {
  expect(spoken("# Oaks\n\nThey are **old**[1]. See https://a.example/x.\n\n```js\nlet a;\n```\n\n- one\n- two")).toEqual([
    "Oaks They are old. See one two",
  ]);
});

test("a chat without a voice has no button that reads", async () => {
  render(chat({}, { readAloud: true, onFeedback: () => {} }));
  await screen.findAllByRole("button", { name: "Good answer" });
  expect(screen.queryByRole("button", { name: "Read aloud" })).toBeNull();
});

test("the application prints when all is drawn", async () => {
  const print = vi.fn();
  vi.stubGlobal("print", print);
  const view = createRef<ChatView>();
  render(chat({}, { viewRef: view }));
  await act(() => view.current?.print());
  expect(print).toHaveBeenCalledTimes(1);
});
