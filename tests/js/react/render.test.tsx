// `<Render>` on handles made by hand: what is shown where, and what renders again.
import { fireEvent, render, screen } from "@testing-library/react";
import { GloveError } from "glove-wasm";
import {
  builtInRenderers,
  type EnhancedSlot,
  type GloveHandle,
  type InputRenderProps,
  type MessageRenderProps,
  Queue,
  type QueuedItem,
  Render,
  type RenderProps,
  type SlotProps,
  Thread,
  type TimelineEntry,
} from "glove-wasm/react";
import { type FunctionComponent, memo, type ReactNode, useState, version } from "react";
import { expect, test, vi } from "vitest";
import { agent, handle, slot, tool, user } from "./handle.js";

test("these tests run on the React that they say", () => {
  expect(version.split(".")[0]).toBe(process.env.GLOVE_REACT);
});

/** The texts of a conversation in their order, without those of the input. */
function texts(container: HTMLElement): string[] {
  const walker = document.createTreeWalker(container, NodeFilter.SHOW_TEXT);
  const found: string[] = [];
  while (walker.nextNode()) {
    const part = walker.currentNode.parentElement;
    // What belongs to a card, the input or a message's buttons is no text of the conversation.
    if (!part?.closest("[data-glove-role=input], [data-glove-role=tool] > details, [data-glove-tools]"))
      found.push(walker.currentNode.textContent ?? "");
  }
  return found;
}

const conversation = () =>
  handle({
    timeline: [user("hello"), agent("hi"), tool("c1"), tool("c2")],
    streamingText: "and so",
    slots: [slot("s1", { toolCallId: "c1" }), slot("s2", { toolCallId: "c2" }), slot("s3")],
  });

test.each<[RenderProps["strategy"], string[]]>([
  [undefined, ["hello", "hi", "slot s1", "slot s2", "and so", "slot s3"]],
  ["interleaved", ["hello", "hi", "slot s1", "slot s2", "and so", "slot s3"]],
  ["slots-before", ["slot s1", "slot s2", "slot s3", "hello", "hi", "and so"]],
  ["slots-after", ["hello", "hi", "and so", "slot s1", "slot s2", "slot s3"]],
  ["slots-only", ["slot s1", "slot s2", "slot s3"]],
])("the strategy %s puts slots and entries in their order", (strategy, expected) => {
  const { container } = render(<Render glove={conversation()} {...(strategy && { strategy })} />);
  expect(texts(container)).toEqual(expected);
  expect(container.querySelector(`[data-glove-strategy=${strategy ?? "interleaved"}]`)).not.toBeNull();
  expect(screen.getByRole("textbox")).toBeTruthy();
});

test("the parts carry the original's attributes", () => {
  const { container } = render(<Render glove={conversation()} strategy="slots-after" as="section" className="mine" />);
  expect(container.querySelector("section.mine")).not.toBeNull();
  for (const [role, count] of Object.entries({ user: 1, agent: 2, input: 1, slots: 1 })) {
    expect(container.querySelectorAll(`[data-glove-role=${role}]`)).toHaveLength(count);
  }
  expect(container.querySelector("[data-glove-streaming]")?.textContent).toBe("and so");
});

test.each(["slots-before", "slots-after", "slots-only"] as const)(
  "a slot container of the application is used with %s",
  (strategy) => {
    const { container } = render(
      <Render
        glove={conversation()}
        strategy={strategy}
        renderSlotContainer={({ slots, renderSlot }) => <aside>{slots.map(renderSlot)}</aside>}
      />,
    );
    expect(container.querySelector("aside")?.textContent).toBe("slot s1slot s2slot s3");
  },
);

test("render props may use hooks, and may be given, changed and taken away at any time", () => {
  const Plain = ({ busy }: InputRenderProps) => <p>plain {String(busy)}</p>;
  const WithState = () => {
    const [word] = useState("kept");
    const [other] = useState("too");
    return <p>{`${word} ${other}`}</p>;
  };
  const glove = handle();
  const { rerender } = render(<Render glove={glove} />);
  for (const renderInput of [Plain, WithState, undefined, WithState, Plain]) {
    rerender(<Render glove={glove} renderInput={renderInput} />);
    if (renderInput === Plain) expect(screen.getByText("plain false")).toBeTruthy();
    else if (renderInput) expect(screen.getByText("kept too")).toBeTruthy();
    else expect(screen.getByRole("textbox")).toBeTruthy();
  }
});

test("each message is written in the direction of its own words", () => {
  const timeline = [user("a", "مرحبا"), agent("b", "Hello")];
  const { container } = render(
    <Render glove={handle({ timeline, streamingText: "שלום", queue: [{ id: "q", text: "next" }] })} />,
  );
  const texts = [...container.querySelectorAll("[data-glove-role=user], [data-glove-role=agent], textarea")];
  expect(texts.map((element) => element.getAttribute("dir"))).toEqual(Array(5).fill("auto"));
});

test("functions that are bound are told apart by their names", () => {
  const quiet = vi.spyOn(console, "error").mockImplementation(() => {});
  function One() {
    return <p>{useState("one")[0]}</p>;
  }
  function Two() {
    return <p>{useState("one")[0] + useState(" and two")[0]}</p>;
  }
  const { rerender } = render(<Render glove={handle()} renderInput={Two.bind(undefined)} />);
  rerender(<Render glove={handle()} renderInput={One.bind(undefined)} />);
  expect(screen.getByText("one")).toBeTruthy();
  expect(quiet).not.toHaveBeenCalled();
  quiet.mockRestore();
});

test("components that a factory makes are told apart by their displayName, as React's tools tell them", () => {
  const quiet = vi.spyOn(console, "error").mockImplementation(() => {});
  const framed = (name: string, draw: () => ReactNode) => Object.assign(() => draw(), { displayName: `Framed(${name})` });
  const One = framed("One", () => <p>{useState("one")[0]}</p>);
  const Two = framed("Two", () => <p>{useState("two")[0]}</p>);
  const { rerender } = render(<Render glove={handle()} renderInput={One} />);
  rerender(<Render glove={handle()} renderInput={Two} />);
  expect(screen.getByText("two")).toBeTruthy();
  expect(quiet).not.toHaveBeenCalled();
  quiet.mockRestore();
});

test("what a factory draws as elements has its own state, however it is named", () => {
  const framed = (Draw: () => ReactNode) => () => <Draw />;
  const One = framed(() => <p>{useState("one")[0]}</p>);
  const Two = framed(() => <p>{useState("two")[0]}</p>);
  const { rerender } = render(<Render glove={handle()} renderInput={One} />);
  rerender(<Render glove={handle()} renderInput={Two} />);
  expect(screen.getByText("two")).toBeTruthy();
});

test("a render prop that is written inline keeps its state", () => {
  const Page = () => {
    const [count, setCount] = useState(0);
    return (
      <>
        <button type="button" onClick={() => setCount(count + 1)}>
          again
        </button>
        <Render
          glove={handle()}
          renderInput={() => {
            // biome-ignore lint/correctness/useHookAtTopLevel: a render prop is a component.
            const [own, setOwn] = useState("first");
            return <input aria-label={`round ${count}`} value={own} onChange={(event) => setOwn(event.target.value)} />;
          }}
        />
      </>
    );
  };
  render(<Page />);
  fireEvent.change(screen.getByRole("textbox"), { target: { value: "typed" } });
  fireEvent.click(screen.getByRole("button"));
  expect(screen.getByRole<HTMLInputElement>("textbox", { name: "round 1" }).value).toBe("typed");
});

test("a component made with memo is a render prop too", () => {
  const Message = memo(({ entry }: MessageRenderProps) => <p>{entry.text}</p>);
  render(<Render glove={handle({ timeline: [user("a")] })} renderMessage={Message as never} />);
  expect(screen.getByText("a")).toBeTruthy();
});

test("isLast is true for the last entry, and for none while an answer is written", () => {
  const last: Record<string, boolean> = {};
  const renderMessage = ({ entry, index, isLast }: MessageRenderProps) => {
    last[`${index} ${entry.text}`] = isLast;
    return null;
  };
  const timeline = [user("a"), agent("b")];
  const { rerender } = render(<Render glove={handle({ timeline })} renderMessage={renderMessage} />);
  expect(last).toEqual({ "0 a": false, "1 b": true });
  rerender(<Render glove={handle({ timeline, streamingText: "c" })} renderMessage={renderMessage} />);
  expect(last).toEqual({ "0 a": false, "1 b": false });
});

test("a settled entry renders again only when something of it changed", () => {
  const rendered: string[] = [];
  const renderMessage: RenderProps["renderMessage"] = ({ entry }) => {
    rendered.push(entry.id);
    return <p>{entry.text}</p>;
  };
  const timeline = Array.from({ length: 120 }, (_, index) => user(`u${index}`));
  const still = handle();
  const show = (parts: Partial<GloveHandle>) => <Render glove={{ ...still, ...parts }} renderMessage={renderMessage} />;
  const { rerender } = render(show({ timeline, streamingText: "a" }));
  expect(rendered.splice(0)).toHaveLength(120);
  rerender(show({ timeline, streamingText: "ab" }));
  rerender(show({ timeline, streamingText: "abc", busy: true }));
  expect(rendered).toEqual([]);
  const changed = timeline.with(3, user("u3", "changed"));
  rerender(show({ timeline: changed, streamingText: "abcd" }));
  expect(rendered.splice(0)).toEqual(["u3"]);
  rerender(show({ timeline: [...changed, user("new")], streamingText: "abcd" }));
  expect(rendered).toEqual(["new"]);
});

test("a settled entry with a slot renders again only when something of it changed", () => {
  const rendered: string[] = [];
  const status = ({ entry }: { readonly entry: { readonly id: string } }) => {
    rendered.push(entry.id);
    return null;
  };
  const renderSlot = vi.fn((shown: EnhancedSlot) => <p key={shown.id}>{shown.id}</p>);
  const timeline = Array.from({ length: 120 }, (_, index) => tool(`c${index}`));
  const slots = timeline.map(({ id }) => slot(`s ${id}`, { toolCallId: id }));
  const still = handle({ renderSlot, streamingText: "a" });
  const show = (parts: Partial<GloveHandle>) => <Render glove={{ ...still, ...parts }} renderToolStatus={status} />;
  const { rerender } = render(show({ timeline, slots }));
  expect([rendered.splice(0).length, renderSlot.mock.calls.splice(0).length]).toEqual([120, 120]);
  const more = [...timeline, tool("new")];
  rerender(show({ timeline: more, slots }));
  expect(rendered.splice(0)).toEqual(["new"]);
  const moreSlots = [...slots, slot("s new", { toolCallId: "new" }), slot("loose")];
  rerender(show({ timeline: more, slots: moreSlots }));
  expect(rendered.splice(0)).toEqual(["new"]);
  rerender(show({ timeline: more, slots: moreSlots.with(3, slot("s c3", { toolCallId: "c3", status: "resolved" })) }));
  expect(rendered.splice(0)).toEqual(["c3"]);
  const drawn = renderSlot.mock.calls.map(([{ id }]) => id);
  expect(drawn.filter((id) => id !== "loose")).toEqual(["s new", "s c3"]);
});

test("entries keep their elements when others come or go before them", () => {
  const { container, rerender } = render(<Render glove={handle({ timeline: [user("a"), agent("b")] })} />);
  const before = container.querySelector("[data-glove-role=agent]");
  rerender(<Render glove={handle({ timeline: [user("x"), user("a"), agent("b")] })} />);
  expect(container.querySelector("[data-glove-role=agent]")).toBe(before);
});

test("entries with the same id are all shown, and a slot belongs to the latest call of its id", () => {
  const problem = vi.spyOn(console, "error");
  const timeline = [tool("call_0", { status: "success" }), agent("between"), tool("call_0")];
  const { container } = render(
    <Render
      glove={handle({ timeline, slots: [slot("s", { toolCallId: "call_0" })] })}
      renderToolStatus={({ entry, hasSlot }) => <p>{`${entry.status} ${hasSlot}`}</p>}
    />,
  );
  expect(texts(container)).toEqual(["success false", "between", "running true", "slot s"]);
  expect(problem).not.toHaveBeenCalled();
});

test("entries and slots made by hand are drawn without what a story leaves out", () => {
  const timeline: TimelineEntry[] = [
    { kind: "user", text: "hello" },
    { kind: "agent_text", text: "hi" },
    { kind: "user", text: "and" },
    { kind: "tool", id: "c1", name: "look", input: {}, status: "running" },
  ];
  const { waits, ...made } = slot("s1", { toolCallId: "c1" });
  expect(waits).toBe(true);
  const { container, rerender } = render(<Render glove={handle({ timeline, slots: [made] })} />);
  expect(texts(container)).toEqual(["hello", "hi", "and", "slot s1"]);
  const first = container.querySelector("article");
  rerender(<Render glove={handle({ timeline: [...timeline, { kind: "agent_text", text: "more" }], slots: [made] })} />);
  expect(texts(container)).toEqual(["hello", "hi", "and", "slot s1", "more"]);
  expect(container.querySelector("article")).toBe(first);
});

test("hide-on-complete hides what is answered, hide-on-new what is followed by another of its tool, stay neither", () => {
  const { container } = render(
    <Render
      strategy="slots-only"
      glove={handle({
        slots: [
          slot("stay 1", { status: "resolved" }),
          slot("complete 1", { displayStrategy: "hide-on-complete", status: "rejected" }),
          slot("complete 2", { displayStrategy: "hide-on-complete" }),
          slot("new 1", { displayStrategy: "hide-on-new", renderer: "n" }),
          slot("other", { displayStrategy: "hide-on-new", renderer: "n", toolName: "other" }),
          slot("new 2", { displayStrategy: "hide-on-new", renderer: "n", status: "resolved" }),
        ],
      })}
    />,
  );
  expect(texts(container)).toEqual(["stay 1", "complete 2", "other", "new 2"].map((id) => `slot ${id}`));
});

test("a result is shown when no slot of its call waits, and takes the place of one that was answered", () => {
  const done = tool("c1", { status: "success", renderData: 1 });
  const show = (status: "pending" | "resolved") => (
    <Render
      glove={handle({ timeline: [done], slots: [slot("s1", { toolCallId: "c1", status })] })}
      renderToolStatus={({ hasSlot }) => <p>{String(hasSlot)}</p>}
    />
  );
  const { container, rerender } = render(show("pending"));
  expect(texts(container)).toEqual(["true", "slot s1"]);
  rerender(show("resolved"));
  expect(texts(container)).toEqual(["false", "result c1"]);
});

test("a screen reader tells who said what", () => {
  render(<Render glove={conversation()} />);
  const articles = screen.getAllByRole("article").map((part) => `${part.getAttribute("aria-label")}: ${part.textContent}`);
  expect(articles).toEqual(["You: hello", "Assistant: hi", "Assistant: and so"]);
});

test("messages are a polite log, and what is being written is read out only when it is finished", () => {
  render(<Render glove={conversation()} />);
  const log = screen.getByRole("log", { name: "Conversation" });
  expect(log.getAttribute("aria-busy")).toBe("true");
  expect(log.querySelector("[data-glove-streaming] > *")?.getAttribute("aria-live")).toBe("off");
});

test("Enter sends, Shift+Enter and the Enter of an unfinished word do not", () => {
  const glove = handle();
  render(<Render glove={glove} />);
  const field = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
  fireEvent.change(field, { target: { value: "  hello  " } });
  fireEvent.keyDown(field, { key: "Enter", shiftKey: true });
  fireEvent.keyDown(field, { key: "Enter", isComposing: true });
  fireEvent.keyDown(field, { key: "Enter", keyCode: 229 });
  expect(glove.sendMessage).not.toHaveBeenCalled();
  fireEvent.keyDown(field, { key: "Enter" });
  expect(glove.sendMessage).toHaveBeenCalledExactlyOnceWith("hello");
  expect(field.value).toBe("");
  fireEvent.keyDown(field, { key: "Enter" });
  expect(glove.sendMessage).toHaveBeenCalledOnce();
});

test("Escape and the stop button stop a run, and the focus stays in the field", () => {
  const glove = handle();
  const { rerender } = render(<Render glove={glove} />);
  fireEvent.keyDown(screen.getByRole("textbox"), { key: "Escape" });
  expect(glove.abort).not.toHaveBeenCalled();
  const busy = { ...glove, busy: true };
  rerender(<Render glove={busy} />);
  fireEvent.keyDown(screen.getByRole("textbox"), { key: "Escape" });
  expect(glove.abort).toHaveBeenCalledOnce();
  fireEvent.click(screen.getByRole("button", { name: "Stop" }));
  expect(glove.abort).toHaveBeenCalledTimes(2);
  expect(document.activeElement).toBe(screen.getByRole("textbox"));
});

test("a failure is told with a way to go on, and messages that wait are shown", () => {
  const resume = vi.fn();
  const error = new Error("The server did not answer.");
  const { container } = render(<Render glove={handle({ error, resume, queue: [{ id: "q", text: "next" }] })} />);
  expect(screen.getByRole("alert").textContent).toContain("The server did not answer.");
  fireEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(resume).toHaveBeenCalledOnce();
  expect(container.querySelector("[data-glove-queued]")?.textContent).toBe("next");
});

test("a message of files alone waits as one, keeps its files when it is edited, and another answer that waits is not shown", () => {
  const queue = [
    { id: "q1", text: "" },
    { id: "q2", text: "", files: 2 },
    { id: "q3", text: "see", files: 1 },
  ];
  const { container } = render(<Render glove={handle({ queue, cancelQueued: () => true, edit: vi.fn() })} />);
  const shown = [...container.querySelectorAll("[data-glove-queued]")].map((element) => element.textContent);
  expect(shown).toEqual(["2 files", "see1 file"]);
  expect(screen.getAllByRole("button", { name: "Edit" })).toHaveLength(2);
  const drawn: QueuedItem[] = [];
  const own = [...queue, { id: "q4", text: "words" }];
  render(
    <Thread glove={handle({ queue: own, cancelQueued: () => true })}>
      <Queue>{(item) => void drawn.push(item)}</Queue>
    </Thread>,
  );
  // The composer takes text alone back.
  expect(drawn.map(({ id, files, edit }) => [id, files, edit !== undefined])).toEqual([
    ["q2", 2, false],
    ["q3", 1, false],
    ["q4", undefined, true],
  ]);
});

test("the framework's own tools have titles for people, also in another language", () => {
  const call = (name: string, title?: string) => ({ ...tool(name), name, ...(title && { title }) });
  const timeline = [
    call("glove_update_tasks"),
    call("undo_last_action"),
    call("give_answer"),
    call("book_table"),
    call("undo_last_action", "Mine"),
  ];
  const titles = (container: HTMLElement) =>
    [...container.querySelectorAll("summary [data-glove-title]")].map((title) => title.textContent);
  const glove = handle({ timeline, streamingCalls: [{ id: "s", name: "glove_update_tasks", input: {} }] as never });
  const { container, rerender } = render(<Render glove={glove} />);
  expect(titles(container)).toEqual([
    "Update the task list",
    "Undo the last action",
    "Answer",
    "Book table",
    "Mine",
    "Update the task list",
  ]);
  rerender(<Render glove={glove} labels={{ "Update the task list": "Aufgaben ändern" }} />);
  expect(titles(container)[0]).toBe("Aufgaben ändern");
});

test("a run that stands still says for what as long as it does, and that of another conversation says nothing of it", () => {
  const error = new Error("The server did not answer.");
  const still = handle({ sessionId: "a", run: { phase: "paused" }, resume: vi.fn(), error });
  const { rerender } = render(<Render glove={still} />);
  // A message that waits was edited.
  rerender(<Render glove={{ ...still, error: undefined }} />);
  expect(screen.getByRole("alert").textContent).toContain("The server did not answer.");
  rerender(<Render glove={{ ...still, error: undefined, sessionId: "b" }} />);
  expect(screen.queryByText("The server did not answer.")).toBeNull();
  expect(screen.getByRole("status").textContent).toContain("The answer was interrupted.");
  rerender(<Render glove={still} />);
  rerender(<Render glove={{ ...still, error: undefined, run: { phase: "idle" } }} />);
  expect(screen.queryByText("The server did not answer.")).toBeNull();
});

test.each(["paused", "interrupted"] as const)(
  "a run that is %s says so, with a way to go on, unless it goes on already",
  (phase) => {
    const resume = vi.fn();
    const still = handle({ run: { phase }, resume });
    const { rerender } = render(<Render glove={still} />);
    expect(screen.getByRole("status").textContent).toContain("The answer was interrupted.");
    fireEvent.click(screen.getByRole("button", { name: "Continue" }));
    expect(resume).toHaveBeenCalledOnce();
    rerender(<Render glove={{ ...still, busy: true }} />);
    expect(screen.queryByText("The answer was interrupted.")).toBeNull();
    expect(screen.getAllByRole("status")).toEqual([screen.getByRole("status", { name: "Working" })]);
    rerender(<Render glove={handle({ run: { phase: "idle" }, resume })} />);
    expect(screen.queryByRole("status")).toBeNull();
  },
);

test.each([
  ["an answer", "streamingText", "[data-glove-streaming] > span"],
  ["thoughts", "streamingReasoning", "[data-glove-role=reasoning]"],
] as const)("what is selected in %s stays selected while it grows", (_, part, where) => {
  const glove = (text: string) => handle({ busy: true, [part]: text });
  const { container, rerender } = render(<Render glove={glove("Once upon")} />);
  const element = container.querySelector(where) as HTMLElement;
  const selection = getSelection() as Selection;
  const node = element.lastChild as Text;
  selection.setBaseAndExtent(node, 5, node, 9);
  for (const text of ["Once upon a", "Once upon a time"]) {
    rerender(<Render glove={glove(text)} />);
    expect(element.lastChild?.textContent).toBe(text);
    expect(String(selection)).toBe("upon");
  }
  // Another answer takes its place.
  rerender(<Render glove={glove("No")} />);
  expect(element.lastChild?.textContent).toBe("No");
  // A translator of the browser's puts its own element in the place of the text.
  const font = document.createElement("font");
  font.textContent = "Nein";
  element.lastChild?.replaceWith(font);
  rerender(<Render glove={glove("No way")} />);
  expect(element.lastChild?.textContent).toBe("No way");
  rerender(<Render glove={glove("")} />);
  expect(container.querySelector(where)).toBeNull();
  selection.removeAllRanges();
});

test("while the agent works and says nothing, a sign says so", () => {
  const sign = () => screen.queryByRole("status", { name: "Working" });
  const { rerender } = render(<Render glove={handle()} />);
  const shows = (parts: Partial<GloveHandle>) => {
    rerender(<Render glove={handle(parts)} />);
    return sign() !== null;
  };
  expect(sign()).toBeNull();
  expect(shows({ busy: true })).toBe(true);
  // What is added to the log meanwhile may be read out.
  expect(screen.getByRole("log").getAttribute("aria-busy")).toBe("false");
  expect(shows({ busy: true, timeline: [tool("c1")], slots: [slot("s1", { waits: false })] })).toBe(true);
  expect(shows({ busy: true, streamingText: "So" })).toBe(false);
  expect(screen.getByRole("log").getAttribute("aria-busy")).toBe("true");
  expect(shows({ busy: true, streamingReasoning: "hm" })).toBe(false);
  expect(shows({ busy: true, streamingCalls: [{ id: "c1", name: "look", input: {}, at: "" }] })).toBe(false);
  expect(shows({ busy: true, slots: [slot("s1")] })).toBe(false);
  expect(shows({ busy: true, slots: [slot("s1", { status: "resolved" })] })).toBe(true);
  expect(shows({ error: new Error("no"), run: { phase: "paused" } })).toBe(false);
});

test("an application draws errors itself, with what can be done about them", () => {
  const [resume, clearError, takeOver] = [vi.fn(), vi.fn(), vi.fn()];
  const error = new Error("The model is tired.");
  const renderError: RenderProps["renderError"] = ({ error, retry, dismiss }) => (
    <section>
      {error.message}
      {retry && (
        <button type="button" onClick={retry}>
          Nochmal
        </button>
      )}
      <button type="button" onClick={dismiss}>
        Weg
      </button>
    </section>
  );
  const { rerender } = render(<Render glove={handle()} renderError={renderError} />);
  const press = (name: string, parts: Partial<GloveHandle>) => {
    rerender(
      <Render glove={handle({ error, resume, clearError, takeOver, sessionReady: true, ...parts })} renderError={renderError} />,
    );
    expect(screen.getAllByText("The model is tired.")).toHaveLength(1);
    fireEvent.click(screen.getByText(name));
  };
  press("Nochmal", { run: { phase: "paused" } });
  expect(resume).toHaveBeenCalledTimes(1);
  press("Nochmal", { tab: "blocked" });
  expect(takeOver).toHaveBeenCalledTimes(1);
  press("Nochmal", { sessionReady: false });
  expect(clearError).toHaveBeenCalledTimes(1);
  press("Weg", {});
  expect(clearError).toHaveBeenCalledTimes(2);
  expect(screen.queryByText("Nochmal")).toBeNull();
});

test.each([
  ["blocked", "Use here", "SESSION_OPEN_ELSEWHERE"],
  ["blocked", "Use here", "TAB_VERSION"],
  ["outdated", "Reload the page", "STORE_NEWER"],
  ["outdated", "Reload the page", "TAB_VERSION"],
] as const)("a page that is %s offers `%s` for %s", (tab, button, code) => {
  const acts = { resume: vi.fn(), clearError: vi.fn(), takeOver: vi.fn() };
  const reload = vi.fn();
  vi.stubGlobal("location", { reload });
  const error = new GloveError(code, "Another tab has it.");
  for (const phase of ["idle", "interrupted"] as const)
    render(<Render glove={handle({ ...acts, error, tab, sessionReady: true, run: { phase } })} />);
  for (const offered of screen.getAllByText(button)) fireEvent.click(offered);
  expect((tab === "blocked" ? acts.takeOver : reload).mock.calls).toHaveLength(2);
  expect([acts.resume, acts.clearError].map((act) => act.mock.calls.length)).toEqual([0, 0]);
  expect(screen.queryByText("Try again")).toBeNull();
  vi.unstubAllGlobals();
});

test("every word is the application's where it gives one", () => {
  const labels = {
    "Try again": "Nochmal",
    Dismiss: "Weg",
    Continue: "Weiter",
    "The answer was interrupted.": "Noch nicht fertig.",
    Thoughts: "Gedanken",
    "Earlier messages were summarised": "Zusammengefasst.",
    Conversation: "Gespräch",
    Message: "Nachricht",
    Working: "Arbeitet",
    Yes: "Ja",
  };
  const Confirm = builtInRenderers.confirm as FunctionComponent<SlotProps>;
  const glove = handle({
    timeline: [agent("a", "Hi", { reasoning: "hm" }), { kind: "compaction", id: "c", text: "" }],
    slots: [slot("s1")],
    renderSlot: ({ id }) => <Confirm key={id} data={{}} status="pending" resolve={() => true} reject={() => {}} />,
    run: { phase: "paused" },
    resume: vi.fn(),
  });
  const { rerender, container } = render(<Render glove={glove} labels={labels} />);
  for (const text of ["Gedanken", "Zusammengefasst.", "Weiter", "Noch nicht fertig.", "Ja", "No", "Send"]) {
    expect(screen.getByText(text)).toBeTruthy();
  }
  expect(screen.getByRole("log", { name: "Gespräch" })).toBeTruthy();
  expect(screen.getByRole("textbox", { name: "Nachricht" })).toBeTruthy();
  const error = new Error("no");
  rerender(<Render glove={handle({ error, sessionReady: true, clearError: vi.fn() })} labels={labels} />);
  expect(screen.getByRole("button", { name: "Weg" })).toBeTruthy();
  rerender(<Render glove={handle({ error, resume: vi.fn(), run: { phase: "paused" } })} labels={labels} />);
  expect(screen.getByRole("button", { name: "Nochmal" })).toBeTruthy();
  rerender(<Render glove={handle({ busy: true })} labels={labels} />);
  expect(screen.getByRole("status", { name: "Arbeitet" })).toBeTruthy();
  const quiet = vi.spyOn(console, "error").mockImplementation(() => {});
  const renderInput = () => {
    throw new Error("no");
  };
  rerender(<Render glove={handle()} labels={labels} renderInput={renderInput} />);
  expect(container.querySelector("[data-glove-role=slot-error] button")?.textContent).toBe("Nochmal");
  quiet.mockRestore();
});
