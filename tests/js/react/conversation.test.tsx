// `<Render>` over the real core: questions, their renderers and the focus.
import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import {
  defineTool,
  GloveProvider,
  Render,
  type SlotProps,
  type SlotRenderProps,
  type UseGloveConfig,
  type UseGloveReturn,
  useGlove,
  useSlot,
} from "glove-wasm/react";
import { type ReactNode, useState } from "react";
import { createPortal } from "react-dom";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { asks, call, chat, press } from "./chat.js";
import { clientOf, gate, moment, nothing, texts } from "./page.js";

test("a page with nothing but defaults is a chat", async () => {
  const { container, send } = chat(["Good day."]);
  send("hello");
  expect(await screen.findByText("Good day.")).toBeTruthy();
  expect([...container.querySelectorAll("[data-glove-role]")].map((part) => part.getAttribute("data-glove-role"))).toEqual([
    "user",
    "agent",
    // There is no database here.
    "not-kept",
    "input",
  ]);
});

test.each([
  ["confirm", { message: "Sure?" }, () => press("Yes"), '"yes"'],
  [
    "select",
    { message: "Which?", options: ["a", "b"] },
    () => {
      fireEvent.click(screen.getByRole("radio", { name: "b" }));
      press("Answer");
    },
    '"b"',
  ],
])("a tool may ask with the built-in %s", async (renderer, input, answer, expected) => {
  const page = chat([call, "done"], {
    config: {
      tools: [
        asks(renderer, input, { do: async (_, display) => JSON.stringify(await display.pushAndWait({ renderer, input })) }),
      ],
    },
  });
  page.send("go");
  await screen.findByRole("form", { name: input.message });
  answer();
  await screen.findByText("done");
  expect(page.glove.timeline[1]).toMatchObject({ status: "success", output: expected });
});

test("the focus goes to a new question and comes back after it", async () => {
  const { send } = chat([call, "done"], { config: { tools: [asks("input", { message: "Name?" })] } });
  send("go");
  const field = await screen.findByRole("textbox", { name: "Name?" });
  expect(document.activeElement).toBe(field);
  fireEvent.change(field, { target: { value: "api" } });
  fireEvent.submit(field);
  await screen.findByText("done");
  expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "Message" }));
});

test("the focus goes to a form's first field, whatever is chosen further down", async () => {
  const render = () => (
    <form data-glove-question="">
      <input aria-label="City" />
      <input type="radio" defaultChecked={true} aria-label="Calm" />
    </form>
  );
  const form = { ...asks("ask", {}), render };
  chat([call], { config: { tools: [form] } }).send("go");
  await screen.findByRole("radio", { name: "Calm" });
  expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "City" }));
});

test("a question that needs a decision takes the focus as a whole, so that Enter decides nothing", async () => {
  const page = chat([call], { config: { tools: [asks("", 0, { requireApproval: true, do: () => 1 })] } });
  page.send("go");
  const form = await screen.findByRole("form", { name: "Ask?" });
  expect(document.activeElement).toBe(form);
  fireEvent.submit(form);
  await moment();
  expect(page.glove.approvals).toHaveLength(1);
});

test("who is writing keeps the focus", async () => {
  const answer = gate();
  const { send } = chat([{ ...call, until: answer.opened }], { config: { tools: [asks("input", { message: "Name?" })] } });
  send("go");
  const composer = screen.getByRole("textbox", { name: "Message" });
  fireEvent.change(composer, { target: { value: "half a sen" } });
  answer.open();
  await screen.findByRole("textbox", { name: "Name?" });
  expect(document.activeElement).toBe(composer);
});

test("a permission is asked for with the built-in question", async () => {
  const run = vi.fn(() => "ran");
  const { send } = chat([call, "one", call, "two"], { config: { tools: [asks("", 0, { requiresPermission: true, do: run })] } });
  send("go");
  await screen.findByRole("form", { name: "Ask?" });
  press("Always allow");
  await screen.findByText("one");
  send("again");
  await screen.findByText("two");
  expect(run).toHaveBeenCalledTimes(2);
});

test("a permission that is denied is asked for again by the next call, unless it is never to be given", async () => {
  const run = vi.fn(() => "ran");
  const script = [call, "one", call, "two", call, "three"];
  const page = chat(script, { config: { tools: [asks("", 0, { requiresPermission: true, do: run })] } });
  for (const [text, button, end] of [
    ["go", "Deny", "one"],
    ["again", "Never allow", "two"],
  ] as const) {
    page.send(text);
    await screen.findByRole("form", { name: "Ask?" });
    press(button);
    await screen.findByText(end);
  }
  page.send("once more");
  await screen.findByText("three");
  expect(page.glove.timeline.filter(({ kind }) => kind === "tool")).toMatchObject(Array(3).fill({ outcome: "denied" }));
  expect(run).not.toHaveBeenCalled();
});

test("an application's renderer comes before the built-in one of the same name", async () => {
  const Own = ({ data, resolve }: SlotProps) => (
    <button type="button" onClick={() => resolve("mine")}>
      {`own ${JSON.stringify(data)}`}
    </button>
  );
  const page = chat([call, "done"], { config: { tools: [asks("confirm", 1)], renderers: { confirm: Own } } });
  page.send("go");
  fireEvent.click(await screen.findByRole("button", { name: "own 1" }));
  await screen.findByText("done");
  expect(page.glove.timeline[1]).toMatchObject({ output: "mine" });
});

test("a tool's render and renderResult draw its slot and its result", async () => {
  const tool = defineTool({
    name: "ask",
    description: "",
    inputSchema: nothing,
    displayPropsSchema: z.object({ question: z.string() }),
    resolveSchema: z.boolean(),
    async do(_, display) {
      const sure = await display.pushAndWait({ question: "Sure?" });
      return { status: "success", data: sure, renderData: { sure } };
    },
    render: ({ props, resolve }) => (
      <button type="button" onClick={() => resolve(true)}>
        {props.question}
      </button>
    ),
    renderResult: ({ data, status }) => <p>{`${status} ${JSON.stringify(data)}`}</p>,
  });
  const { send } = chat([call, "done"], { config: { tools: [tool] } });
  send("go");
  fireEvent.click(await screen.findByRole("button", { name: "Sure?" }));
  expect(await screen.findByText('success {"sure":true}')).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Sure?" })).toBeNull();
});

test("a call that failed is drawn by its renderResult where it gave something to draw, and else its card says why", async () => {
  for (const [fails, isDrawn] of [
    [() => ({ status: "error", data: null, message: "None left.", renderData: { left: 0 } }) as const, true],
    [() => Promise.reject(new Error("None left.")), false],
  ] as const) {
    const tool = defineTool({
      ...{ name: "ask", description: "", inputSchema: nothing, do: fails as () => Promise<{ renderData: { left: number } }> },
      renderResult: ({ data, status }) => <p>{`${status} ${JSON.stringify(data)}`}</p>,
    });
    const page = chat([call, "done"], { config: { tools: [tool as never] } });
    page.send("go");
    await screen.findByText("done");
    expect(screen.queryAllByText('error {"left":0}')).toHaveLength(isDrawn ? 1 : 0);
    expect(page.glove.timeline[1]).toMatchObject({ status: "error", output: expect.stringContaining("None left.") });
    page.container.remove();
  }
});

test("a result without a frame says so to the style sheet, and one with a frame does not", async () => {
  for (const frame of [undefined, "card", "none"] as const) {
    const tool = defineTool({
      name: "ask",
      description: "",
      inputSchema: nothing,
      ...(frame && { frame }),
      do: async () => ({ status: "success", data: 1, renderData: { sure: true } }),
      renderResult: () => <p>my own card</p>,
    });
    const page = chat([call, "done"], { config: { tools: [tool] } });
    page.send("go");
    const drawn = await screen.findByText("my own card");
    const shows = drawn.closest("[data-glove-shows]");
    expect(shows?.querySelectorAll(":scope > [data-glove-bare][hidden]")).toHaveLength(frame === "none" ? 1 : 0);
    page.container.remove();
  }
});

test("a slot that stays is shown on when it was answered, and one that hides is not", async () => {
  const Status = ({ status, resolve }: SlotRenderProps) => (
    <button type="button" onClick={() => resolve(1)}>
      {status}
    </button>
  );
  for (const displayStrategy of ["stay", "hide-on-complete"] as const) {
    const page = chat([call, "done"], {
      config: { tools: [asks("ask", 1, { displayStrategy, render: Status })] },
    });
    page.send("go");
    fireEvent.click(await screen.findByRole("button", { name: "pending" }));
    await waitFor(() => expect(texts(page.glove)).toContain("agent_text: done"));
    expect(page.container.querySelectorAll("[data-glove-slot-status=resolved]")).toHaveLength(displayStrategy === "stay" ? 1 : 0);
    page.container.remove();
  }
});

test("a slot that hides is hidden also where all slots are drawn by hand", async () => {
  const { client } = clientOf([call, "done"], {
    tools: [asks("ask", 1, { displayStrategy: "hide-on-complete", render: () => <p>Where to?</p> })],
  });
  let glove: UseGloveReturn | undefined;
  const Page = () => {
    glove = useGlove();
    return glove.slots.map(glove.renderSlot);
  };
  render(
    <GloveProvider client={client}>
      <Page />
    </GloveProvider>,
  );
  act(() => void glove?.sendMessage("go"));
  await screen.findByText("Where to?");
  act(() => void glove?.resolveSlot(glove.slots[0]?.id ?? "", 1));
  await waitFor(() => expect(glove?.timeline.at(-1)).toMatchObject({ text: "done" }));
  expect(glove?.slots).toMatchObject([{ status: "resolved" }]);
  expect(screen.queryByText("Where to?")).toBeNull();
});

test("what was shown and waits for nothing can be dismissed", async () => {
  const tool = asks("info", 0, { do: (_, display) => display.pushAndForget({ renderer: "info", input: { message: "FYI" } }) });
  const page = chat([call, "done"], { config: { tools: [tool] } });
  page.send("go");
  await screen.findByText("FYI");
  await screen.findByText("done");
  press("OK");
  await waitFor(() => expect(screen.queryByText("FYI")).toBeNull());
  expect(page.glove.slots).toEqual([]);
});

test("a secret reaches the tool and is nowhere on the page", async () => {
  let given: unknown;
  const tool = asks("secret", 0, {
    do: async (_, display) => {
      given = await display.pushAndWait({ renderer: "secret", input: { message: "Key?" } });
      return "stored";
    },
  });
  const page = chat([call, "done"], { config: { tools: [tool] } });
  page.send("go");
  const field = await screen.findByLabelText("Key?", { selector: "input" });
  fireEvent.change(field, { target: { value: "s3cret" } });
  fireEvent.submit(field);
  await screen.findByText("done");
  expect(given).toBe("s3cret");
  expect(page.container.textContent).toContain("Key? Answered");
  expect(page.container.outerHTML).not.toContain("s3cret");
  expect(JSON.stringify({ ...page.glove, runnable: null })).not.toContain("s3cret");
});

test("a renderer that throws is a sentence in its place, and the run can go on", async () => {
  const quiet = vi.spyOn(console, "error").mockImplementation(() => {});
  const Broken = () => {
    throw new Error("broken");
  };
  const { send } = chat([call, "a pity"], { config: { tools: [asks("ask", 1, { render: Broken })] } });
  send("go");
  expect((await screen.findByRole("alert")).textContent).toContain("This part of the conversation could not be shown.");
  press("Dismiss");
  expect(await screen.findByText("a pity")).toBeTruthy();
  expect(screen.queryByRole("alert")).toBeNull();
  quiet.mockRestore();
});

test("a question that nothing draws is seen and can be dismissed, until there is a renderer", async () => {
  const quiet = vi.spyOn(console, "error").mockImplementation(() => {});
  const record = vi.fn();
  const { client } = clientOf([call, call, "a pity"], { subscribers: [{ record }] });
  const Page = ({ renderers }: { renderers: UseGloveConfig["renderers"] }) => {
    const glove = useGlove({ tools: [asks("comfirm", 1)], renderers });
    return <Render glove={glove} />;
  };
  const tree = (renderers: UseGloveConfig["renderers"] = {}) => (
    <GloveProvider client={client}>
      <Page renderers={renderers} />
    </GloveProvider>
  );
  const { rerender } = render(tree());
  fireEvent.change(screen.getByRole("textbox"), { target: { value: "go" } });
  fireEvent.keyDown(screen.getByRole("textbox"), { key: "Enter" });
  expect((await screen.findByRole("alert")).textContent).toContain("This part of the conversation could not be shown.");
  const message = expect.stringContaining('No renderer for "comfirm"');
  expect(record).toHaveBeenCalledWith("error", { code: "RENDERER_FAILED", message }, { sessionId: expect.any(String) });
  const answer = ({ resolve }: SlotProps) => (
    <button type="button" onClick={() => resolve(1)}>
      Sure
    </button>
  );
  rerender(tree({ comfirm: answer }));
  expect(screen.queryByRole("alert")).toBeNull();
  fireEvent.click(await screen.findByRole("button", { name: "Sure" }));
  await screen.findByRole("button", { name: "Sure" });
  rerender(tree());
  await screen.findByRole("alert");
  press("Dismiss");
  expect(await screen.findByText("a pity")).toBeTruthy();
  expect(screen.queryByRole("alert")).toBeNull();
  quiet.mockRestore();
});

test("what waits for nobody and has no renderer takes no place", async () => {
  const tool = asks("nobody", 0, { do: (_, display) => display.pushAndForget({ renderer: "nobody", input: 1 }) });
  const page = chat([call, "done"], { config: { tools: [tool] } });
  page.send("go");
  await screen.findByText("done");
  expect(page.glove.slots).toHaveLength(1);
  expect(page.container.querySelector("[data-glove-slot]")).toBeNull();
});

test("the render of a tool may be written anew with other hooks", async () => {
  const quiet = vi.spyOn(console, "error").mockImplementation(() => {});
  const { client } = clientOf([call]);
  const tool = (render: () => ReactNode) =>
    defineTool({ name: "ask", description: "", inputSchema: nothing, do: (_, display) => display.pushAndWait({}), render });
  const One = () => <p>{useState("one")[0]}</p>;
  const Two = () => <p>{useState("one")[0] + useState(" and two")[0]}</p>;
  const Page = ({ render }: { render: () => ReactNode }) => <Render glove={useGlove({ tools: [tool(render)] })} />;
  const tree = (render: () => ReactNode) => (
    <GloveProvider client={client}>
      <Page render={render} />
    </GloveProvider>
  );
  const { rerender } = render(tree(One));
  fireEvent.change(screen.getByRole("textbox"), { target: { value: "go" } });
  fireEvent.keyDown(screen.getByRole("textbox"), { key: "Enter" });
  await screen.findByText("one");
  rerender(tree(Two));
  await screen.findByText("one and two");
  rerender(tree(One));
  await screen.findByText("one");
  expect(quiet).not.toHaveBeenCalled();
  quiet.mockRestore();
});

/** A chat in a frame or in a shadow root. */
async function chatIn(place: string) {
  const holder = document.body.appendChild(document.createElement(place === "a frame" ? "iframe" : "div"));
  const around =
    holder instanceof HTMLIFrameElement ? (holder.contentDocument as Document) : holder.attachShadow({ mode: "open" });
  const { client } = clientOf([call, "done"], { tools: [asks("input", { message: "Name?" })] });
  let glove: UseGloveReturn | undefined;
  const Page = () => {
    glove = useGlove();
    return createPortal(<Render glove={glove} />, ("body" in around ? around.body : around) as Element);
  };
  const { unmount } = render(
    <GloveProvider client={client}>
      <Page />
    </GloveProvider>,
  );
  const go = async () => {
    act(() => void glove?.sendMessage("go"));
    return await waitFor(() => {
      const field = around.querySelector<HTMLElement>("[data-glove-question] input");
      if (!field) throw new Error("no question");
      return field;
    });
  };
  const leave = () => {
    unmount();
    holder.remove();
  };
  return { around, go, leave, session: () => client.session(glove?.sessionId ?? "").getSnapshot() };
}

test.each(["a frame", "a shadow root"])("in %s a question gets the focus, and Escape in it stops nothing", async (place) => {
  const { around, go, leave, session } = await chatIn(place);
  const composer = around.querySelector("textarea") as HTMLElement;
  composer.focus();
  const field = await go();
  expect(around.activeElement).toBe(field);
  fireEvent.keyDown(field, { key: "Escape" });
  await moment();
  expect(session()).toMatchObject({ busy: true, slots: [{ status: "pending" }] });
  fireEvent.submit(field);
  await waitFor(() => expect(session().timeline.at(-1)).toMatchObject({ text: "done" }));
  expect(around.activeElement).toBe(composer);
  leave();
});

test.each(["a frame", "a shadow root"])("who writes outside of %s keeps the focus", async (place) => {
  const elsewhere = document.body.appendChild(document.createElement("input"));
  const { around, go, leave } = await chatIn(place);
  elsewhere.focus();
  const field = await go();
  expect(document.activeElement).toBe(elsewhere);
  expect(around.activeElement).not.toBe(field);
  leave();
  elsewhere.remove();
});

test("an error that there is nothing to go on from is put away", async () => {
  const page = chat(["Good day."]);
  page.send("hello");
  await screen.findByText("Good day.");
  const empty = new File([], "empty.png", { type: "image/png" });
  await act(() => page.glove.sendMessage({ text: "look", files: [empty] }).catch(() => {}));
  expect((await screen.findByRole("alert")).textContent).toContain('The file "empty.png" cannot be read');
  expect(screen.queryByRole("button", { name: "Try again" })).toBeNull();
  press("Dismiss");
  await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
  expect(page.glove.status).toBe("ready");
});

test("the newest renderer draws also what stands on the screen already", async () => {
  const { client } = clientOf([call]);
  const Page = ({ word }: { word: string }) => {
    const glove = useGlove({ tools: [asks("ask", 1, { render: () => <p>{word}</p> })] });
    return <Render glove={glove} />;
  };
  const tree = (word: string) => (
    <GloveProvider client={client}>
      <Page word={word} />
    </GloveProvider>
  );
  const { rerender } = render(tree("first"));
  fireEvent.change(screen.getByRole("textbox"), { target: { value: "go" } });
  fireEvent.keyDown(screen.getByRole("textbox"), { key: "Enter" });
  await screen.findByText("first");
  rerender(tree("second"));
  expect(await screen.findByText("second")).toBeTruthy();
});

test("selectors below a Render read its conversation", async () => {
  const Slot = ({ id }: { id: string }) => <p>{`slot of ${useSlot(id)?.toolName}`}</p>;
  const { send } = chat([call], {
    config: { tools: [asks("ask", 1)] },
    render: { renderSlotContainer: ({ slots }) => slots.map(({ id }) => <Slot key={id} id={id} />), strategy: "slots-after" },
  });
  send("go");
  expect(await screen.findByText("slot of ask")).toBeTruthy();
});
