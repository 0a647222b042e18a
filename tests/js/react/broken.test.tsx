// Render props that throw: a sentence in their place, and the rest of the conversation as it was.
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import {
  type GloveHandle,
  GloveProvider,
  type MessageRenderProps,
  Render,
  type RenderProps,
  type ToolDisplay,
  useGlove,
} from "glove-wasm/react";
import { type ReactNode, useState } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { agent, handle, slot, tool, user } from "./handle.js";
import { clientOf, nothing } from "./page.js";

const sentence = "This part of the conversation could not be shown.";
const quiet = () => vi.spyOn(console, "error").mockImplementation(() => {});
let told: ReturnType<typeof quiet>;
beforeEach(() => {
  told = quiet();
});
afterEach(() => told.mockRestore());

const broken = (): never => {
  throw new Error("broken");
};
const conversation = (parts: Partial<GloveHandle> = {}) =>
  handle({
    timeline: [user("hello"), agent("hi", "hi", { reasoning: "thought" }), tool("c1")],
    slots: [slot("s1", { toolCallId: "c1" })],
    streamingText: "and so",
    ...parts,
  });
const alerts = () => screen.queryAllByRole("alert").map(({ textContent }) => textContent);

test.each<[keyof RenderProps, number, string[]]>([
  ["renderMessage", 2, ["slot s1", "and so"]],
  ["renderToolStatus", 1, ["hello", "slot s1", "and so"]],
  ["renderStreaming", 1, ["hello", "slot s1"]],
  ["renderReasoning", 1, ["hello", "slot s1", "and so"]],
  ["renderInput", 1, ["hello", "slot s1", "and so"]],
])("a %s that throws is a sentence in its place, and the rest stays", (name, count, rest) => {
  const { container } = render(<Render glove={conversation()} {...{ [name]: broken }} />);
  expect(alerts()).toEqual(Array(count).fill(`${sentence}Try again`));
  for (const text of rest) expect(container.textContent).toContain(text);
  expect(screen.queryAllByRole("textbox")).toHaveLength(name === "renderInput" ? 0 : 1);
  expect(told).toHaveBeenCalled();
});

test.each(["slots-before", "slots-after", "slots-only"] as const)(
  "a slot container that throws is a sentence in its place with %s",
  (strategy) => {
    render(<Render glove={conversation()} strategy={strategy} renderSlotContainer={broken} />);
    expect(alerts()).toHaveLength(1);
    expect(screen.getByRole("textbox")).toBeTruthy();
  },
);

test("one message that cannot be shown leaves the others alone, and is tried again when its entry changes", () => {
  const drawn: string[] = [];
  const renderMessage = ({ entry }: MessageRenderProps) => {
    drawn.push(entry.text);
    return entry.text === "bad" ? broken() : <p>{entry.text}</p>;
  };
  const still = handle();
  const show = (...texts: string[]) => (
    <Render
      glove={{ ...still, timeline: texts.map((text, index) => entries(`u${index}`, text)) }}
      renderMessage={renderMessage}
    />
  );
  const made = new Map<string, ReturnType<typeof user>>();
  const entries = (id: string, text: string) => {
    const known = made.get(id + text) ?? user(id, text);
    made.set(id + text, known);
    return known;
  };
  const { rerender } = render(show("one", "bad", "three"));
  expect([screen.getByText("one"), screen.getByText("three")]).toHaveLength(2);
  expect(alerts()).toHaveLength(1);
  drawn.length = 0;
  rerender(show("one", "bad", "three", "four"));
  expect(alerts()).toHaveLength(1);
  expect(drawn).toEqual(["three", "four"]);
  rerender(show("one", "good", "three", "four"));
  expect(alerts()).toEqual([]);
  expect(screen.getByText("good")).toBeTruthy();
  rerender(show("one", "bad", "three", "four"));
  expect(alerts()).toHaveLength(1);
});

test("what could not be shown is tried again by its button, and when other code takes its place", () => {
  let works = false;
  const shaky = () => (works ? <p>well again</p> : broken());
  const { rerender } = render(<Render glove={handle()} renderInput={shaky} />);
  works = true;
  rerender(<Render glove={handle()} renderInput={shaky} />);
  expect(alerts()).toHaveLength(1);
  fireEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(screen.getByText("well again")).toBeTruthy();
  rerender(<Render glove={handle()} renderInput={broken} />);
  expect(alerts()).toHaveLength(1);
  rerender(<Render glove={handle()} renderInput={() => <p>written anew</p>} />);
  expect(screen.getByText("written anew")).toBeTruthy();
});

test("an answer that cannot be drawn while it is written is said to be so once, not at each piece", () => {
  const throws = vi.fn(broken);
  const still = handle();
  const show = (streamingText: string) => <Render glove={{ ...still, streamingText }} renderStreaming={throws} />;
  const { rerender } = render(show("a"));
  const alert = screen.getByRole("alert");
  const calls = throws.mock.calls.length;
  for (const text of ["ab", "abc", "abcd"]) rerender(show(text));
  expect(screen.getByRole("alert")).toBe(alert);
  expect(throws).toHaveBeenCalledTimes(calls);
  // The next answer is another one.
  rerender(show(""));
  rerender(show("next"));
  expect(throws.mock.calls.length).toBeGreaterThan(calls);
});

test("what a render prop throws is told to subscribers, and the conversation goes on", async () => {
  const record = vi.fn();
  const { client } = clientOf([{ text: "", toolCalls: [{ name: "t" }] }, "a good answer"], {
    subscribers: [{ record }],
    tools: [{ name: "t", description: "", inputSchema: nothing, do: () => 1 }],
  });
  const Page = () => <Render glove={useGlove()} renderToolStatus={broken} />;
  render(
    <GloveProvider client={client}>
      <Page />
    </GloveProvider>,
  );
  fireEvent.change(screen.getByRole("textbox"), { target: { value: "go" } });
  fireEvent.keyDown(screen.getByRole("textbox"), { key: "Enter" });
  await screen.findByText("a good answer");
  expect(within(screen.getByRole("log")).getAllByRole("alert")).toHaveLength(1);
  const error = { code: "RENDERER_FAILED", message: 'The renderer of "renderToolStatus" threw: broken' };
  await waitFor(() => expect(record).toHaveBeenCalledWith("error", error, { sessionId: expect.any(String) }));
});

test("a renderer of a tool that is mended draws what failed before", async () => {
  const { client } = clientOf([{ toolCalls: [{ name: "ask" }] }]);
  const tools = (render: () => ReactNode) => [
    {
      name: "ask",
      description: "",
      inputSchema: nothing,
      do: (_: unknown, display: ToolDisplay) => display.pushAndWait({ input: 1 }),
      render,
    },
  ];
  const Page = ({ draw }: { draw: () => ReactNode }) => <Render glove={useGlove({ tools: tools(draw) })} />;
  const tree = (draw: () => ReactNode) => (
    <GloveProvider client={client}>
      <Page draw={draw} />
    </GloveProvider>
  );
  const { rerender } = render(tree(broken));
  fireEvent.change(screen.getByRole("textbox"), { target: { value: "go" } });
  fireEvent.keyDown(screen.getByRole("textbox"), { key: "Enter" });
  await screen.findByText(sentence);
  act(() => rerender(tree(() => <p>mended</p>)));
  expect(screen.getByText("mended")).toBeTruthy();
  expect(alerts()).toEqual([]);
});

test("another function of the same source that uses other hooks is mounted anew", () => {
  const calling = (draw: () => ReactNode) => () => draw();
  const One = calling(() => <p>{useState("one")[0]}</p>);
  const Two = calling(() => <p>{useState("one")[0] + useState(" and two")[0]}</p>);
  const glove = handle();
  const { rerender } = render(<Render glove={glove} renderInput={One} />);
  for (const [renderInput, text] of [
    [Two, "one and two"],
    [One, "one"],
    [Two, "one and two"],
  ] as const) {
    rerender(<Render glove={glove} renderInput={renderInput} />);
    expect(screen.getByText(text)).toBeTruthy();
    expect(alerts()).toEqual([]);
  }
});
