// Finding in a conversation: words in all messages, the steps between them, and the list of the person's messages.
import { fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { type GloveHandle, preloadRender, Render, type RenderProps, type ShownEntry } from "glove-wasm/react";
import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import { rangesIn } from "../../../js/react/finding/matches.js";
import { sought } from "../../../js/src/messages/words.js";
import { agent, handle, user } from "./handle.js";

beforeAll(() => preloadRender());

const scrolled = vi.fn();
beforeEach(() => {
  scrolled.mockClear();
  Element.prototype.scrollIntoView = function (this: Element) {
    scrolled(this.getAttribute("data-glove-entry"));
  };
});

const timeline: ShownEntry[] = [
  user("u1", "Where is the Café?"),
  agent("a1", "The **cafe** is *near* the harbour. A second café is closed."),
  user("u2", "And the harbour?"),
  agent("a2", "It is to the [north](https://example.com/cafe)."),
];

const draw = (props: Partial<RenderProps> = {}, parts: Partial<GloveHandle> = {}) =>
  render(<Render glove={handle({ timeline, ...parts })} markdown={false} find="key" {...props} />);
/** The bar waits for its key. */
const there = () => waitFor(() => expect(document.querySelector("[data-glove-strategy] > div[hidden]")).not.toBeNull());
const openByKey = async (key = { key: "F", code: "KeyF" }) => {
  await there();
  fireEvent.keyDown(screen.getByRole("log"), { ...key, ctrlKey: true, shiftKey: true });
};
const field = () => screen.findByRole("searchbox", { name: "Find in this conversation" });
const typed = async (text: string) => {
  fireEvent.change(await field(), { target: { value: text } });
};
const says = (text: string) =>
  waitFor(() => expect(within(screen.getByRole("search")).getByRole("status").textContent).toBe(text));

test("its key opens a search, which counts and shows what was said last", async () => {
  const { container } = draw();
  expect(container.querySelector("[data-glove-find]")).toBeNull();
  await openByKey();
  const search = await field();
  expect(document.activeElement).toBe(search);
  await typed("CAFE");
  await says("3 of 3");
  await waitFor(() => expect(scrolled).toHaveBeenCalledWith("a1"));
  expect(container.querySelector("[data-glove-found]")?.getAttribute("data-glove-entry")).toBe("a1");
  expect(document.activeElement).toBe(search);
});

test("Enter goes to the place before, Shift with Enter and the buttons to the others, round and round", async () => {
  draw();
  await openByKey();
  await typed("cafe");
  await says("3 of 3");
  fireEvent.keyDown(await field(), { key: "Enter" });
  await says("2 of 3");
  fireEvent.click(screen.getByRole("button", { name: "Previous match" }));
  await says("1 of 3");
  await waitFor(() => expect(scrolled).toHaveBeenCalledWith("u1"));
  fireEvent.keyDown(await field(), { key: "Enter" });
  await says("3 of 3");
  fireEvent.click(screen.getByRole("button", { name: "Next match" }));
  await says("1 of 3");
  fireEvent.keyDown(await field(), { key: "Enter", shiftKey: true });
  await says("2 of 3");
});

test("what is typed on stays at the message that still has it, and says where there is none", async () => {
  draw();
  await openByKey();
  await typed("harbour");
  await says("2 of 2");
  fireEvent.keyDown(await field(), { key: "Enter" });
  await says("1 of 2");
  await typed("harbour.");
  await says("1 of 1");
  await typed("harbour!");
  await says("Nothing found.");
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Next match" }).disabled).toBe(true);
});

test("Escape closes it, gives the focus back, and lets the agent go on", async () => {
  const abort = vi.fn();
  const { container } = draw({}, { busy: true, abort });
  await there();
  const message = screen.getByRole("textbox", { name: "Message" });
  message.focus();
  fireEvent.keyDown(message, { key: "f", code: "KeyF", metaKey: true, shiftKey: true });
  await typed("cafe");
  await says("3 of 3");
  await waitFor(() => expect(container.querySelector("[data-glove-found]")).not.toBeNull());
  fireEvent.keyDown(await field(), { key: "Escape" });
  await waitFor(() => expect(screen.queryByRole("search")).toBeNull());
  expect(container.querySelector("[data-glove-found]")).toBeNull();
  expect(document.activeElement).toBe(message);
  expect(abort).not.toHaveBeenCalled();
});

test("a message that comes meanwhile is counted, and nobody is moved to it", async () => {
  const { rerender } = draw();
  await openByKey();
  await typed("near");
  await says("1 of 1");
  await waitFor(() => expect(scrolled).toHaveBeenCalledWith("a1"));
  scrolled.mockClear();
  rerender(<Render glove={handle({ timeline: [...timeline, user("u3", "near?")] })} markdown={false} find="key" />);
  await says("1 of 2");
  expect(scrolled).not.toHaveBeenCalledWith("u3");
});

test("a search comes to its end while a tool tells its progress all the time", async () => {
  const { rerender } = draw();
  await openByKey();
  let at = 0;
  const ticking = setInterval(() => {
    at++;
    rerender(<Render glove={handle({ timeline: [...timeline, user(`n${at}`, "tick")] })} markdown={false} find="key" />);
  }, 40);
  try {
    await typed("harbour");
    await says("2 of 2");
  } finally {
    clearInterval(ticking);
  }
});

test("in a shadow root a press on the list goes to the message", async () => {
  const host = document.body.appendChild(document.createElement("div"));
  const container = host.attachShadow({ mode: "open" }).appendChild(document.createElement("div"));
  render(<Render glove={handle({ timeline })} markdown={false} find />, { container });
  const inside = within(container as HTMLElement);
  fireEvent.click(await inside.findByRole("button", { name: "Your messages" }));
  const item = await inside.findByRole("button", { name: "Where is the Café?" });
  fireEvent.pointerDown(item);
  fireEvent.click(await inside.findByRole("button", { name: "Where is the Café?" }));
  await waitFor(() => expect(scrolled).toHaveBeenCalledWith("u1"));
  host.remove();
});

test("the key is that of the letter, and on other keyboards of its place", async () => {
  draw();
  await openByKey({ key: "U", code: "KeyF" });
  fireEvent.keyDown(screen.getByRole("log"), { key: "f", ctrlKey: true });
  expect(screen.queryByRole("searchbox")).toBeNull();
  await openByKey({ key: "А", code: "KeyF" });
  await field();
});

test("the bar lists the person's messages, and goes to the one that is chosen", async () => {
  const { container } = draw({ find: true });
  const toggle = await screen.findByRole("button", { name: "Your messages" });
  fireEvent.click(toggle);
  const list = screen.getByRole("list", { name: "Your messages" });
  const items = within(list).getAllByRole("button");
  expect(items.map(({ textContent }) => textContent)).toEqual(["Where is the Café?", "And the harbour?"]);
  expect(list.contains(document.activeElement)).toBe(true);
  fireEvent.keyDown(document.activeElement as Element, { key: "Home" });
  expect(document.activeElement).toBe(items[0]);
  fireEvent.keyDown(items[0] as Element, { key: "ArrowDown" });
  expect(document.activeElement).toBe(items[1]);
  fireEvent.click(items[0] as Element);
  await waitFor(() => expect(scrolled).toHaveBeenCalledWith("u1"));
  await waitFor(() => expect(document.activeElement).toBe(container.querySelector('[data-glove-entry="u1"]')));
  expect(screen.queryByRole("list", { name: "Your messages" })).toBeNull();
});

test("Escape closes the list and the focus is where it was; whoever goes elsewhere closes it too", async () => {
  draw({ find: true });
  const toggle = await screen.findByRole("button", { name: "Your messages" });
  const message = screen.getByRole("textbox", { name: "Message" });
  message.focus();
  fireEvent.click(toggle);
  fireEvent.keyDown(document.activeElement as Element, { key: "Escape" });
  expect(screen.queryByRole("list", { name: "Your messages" })).toBeNull();
  expect(document.activeElement).toBe(message);
  fireEvent.click(toggle);
  fireEvent.pointerDown(message);
  await waitFor(() => expect(screen.queryByRole("list", { name: "Your messages" })).toBeNull());
});

test("what a button of the bar has opened gives the focus back to that button, and a new search begins empty", async () => {
  draw({ find: true });
  for (const [name, role] of [
    ["Find in this conversation", "searchbox"],
    ["Your messages", "list"],
  ] as const) {
    const button = await screen.findByRole("button", { name });
    button.focus();
    fireEvent.click(button);
    const opened = screen.getByRole(role, { name });
    if (role === "searchbox") {
      await typed("cafe");
      await says("3 of 3");
    }
    fireEvent.keyDown(role === "searchbox" ? opened : (document.activeElement as Element), { key: "Escape" });
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("button", { name })));
    expect(screen.queryByRole(role, { name })).toBeNull();
  }
  fireEvent.click(screen.getByRole("button", { name: "Find in this conversation" }));
  expect(((await field()) as HTMLInputElement).value).toBe("");
});

test("a long list is shown from its end, and goes back in pieces", async () => {
  const many = Array.from({ length: 205 }, (_, at) => user(`m${at}`, `message ${at}`));
  draw({ find: true }, { timeline: many });
  fireEvent.click(await screen.findByTitle("Your messages"));
  const first = () => [...document.querySelectorAll("[data-glove-outline] li")].map(({ textContent }) => textContent)[0];
  expect(first()).toBe("message 5");
  const more = () => document.querySelector("[data-glove-outline] [data-glove-more]");
  fireEvent.click(more() as Element);
  expect(first()).toBe("message 0");
  expect(more()).toBeNull();
});

test("a word in what continues an answer is found with that answer", async () => {
  const cut = { ...agent("a1", "Once upon a ti"), atLimit: true } as ShownEntry;
  const { container } = draw({}, { timeline: [user("u1"), cut, agent("continues.x", "me in a harbour.")] });
  await openByKey();
  await typed("harbour");
  await says("1 of 1");
  await waitFor(() => expect(container.querySelector('[data-glove-found][data-glove-entry="a1"]')).not.toBeNull());
});

test("words are found across marks, accents and lines, and not in buttons", () => {
  const message = document.createElement("article");
  message.innerHTML =
    "<p>A <strong>bo</strong>ld w\u00f6rd</p><p>here</p><div data-glove-code='js'><div><span>js</span><button>Copy</button></div><pre>x\n  = 1</pre></div>";
  const of = (text: string) => rangesIn(message, sought(text)).map(String);
  expect(of("Bold WORD")).toEqual(["bold wörd"]);
  expect(of("word here")).toEqual(["wördhere"]);
  expect(of("x = 1")).toEqual(["x\n  = 1"]);
  expect(of("copy")).toEqual([]);
  expect(of("😀")).toEqual([]);
});
