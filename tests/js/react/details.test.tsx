// What `<Render>` shows beside the messages, and the hooks that an application's own layout needs.
import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { DefaultInput, GloveProvider, Render, type RenderProps, type UseGloveReturn, useGlove } from "glove-wasm/react";
import { createRef } from "react";
import { expect, test, vi } from "vitest";
import { agent, handle, tool, user } from "./handle.js";
import { clientOf, nothing, say, show } from "./page.js";

const timeline = () => [
  user("hello"),
  agent("m2", "Hi", { reasoning: "A greeting." }),
  agent("m3", "", { reasoning: "Nothing to add." }),
];

test("what the model thought is behind a button, and is read out by nobody", () => {
  const { container } = render(<Render glove={handle({ timeline: timeline(), streamingReasoning: "Hmm" })} />);
  const thoughts = [...container.querySelectorAll("details[data-glove-role=reasoning]")];
  expect(thoughts.map(({ textContent }) => textContent)).toEqual([
    "ThoughtsA greeting.",
    "ThoughtsNothing to add.",
    "Thinking…HmmHmm",
  ]);
  expect(thoughts.every((element) => !(element as HTMLDetailsElement).open && element.getAttribute("aria-live") === "off")).toBe(
    true,
  );
  // An answer of nothing but thoughts is no empty bubble.
  expect(container.querySelectorAll("article[data-glove-role=agent]")).toHaveLength(1);
});

test("an application draws thoughts as it likes, also at calls", () => {
  const renderReasoning: RenderProps["renderReasoning"] = ({ text, streaming }) => <q>{`${text} ${streaming}`}</q>;
  const entries = [...timeline(), tool("c1", { reasoning: "A call." })];
  const glove = handle({ timeline: entries, streamingReasoning: "Hmm", streamingText: "So" });
  const { container } = render(<Render glove={glove} renderReasoning={renderReasoning} />);
  expect([...container.querySelectorAll("q")].map(({ textContent }) => textContent)).toEqual([
    "A greeting. false",
    "Nothing to add. false",
    "A call. false",
    "Hmm false",
  ]);
});

test("the elements around everything and around the messages can be had, and the latter can be a box that scrolls", () => {
  const [rootRef, logRef] = [createRef<HTMLElement>(), createRef<HTMLElement>()];
  const view = render(<Render glove={handle()} unstyled rootRef={rootRef} logRef={logRef} />);
  expect(rootRef.current?.dataset.gloveStrategy).toBe("interleaved");
  expect(logRef.current?.getAttribute("role")).toBe("log");
  expect(logRef.current?.style.display).toBe("contents");
  view.rerender(<Render glove={handle()} unstyled logClassName="scrolls" logRef={logRef} />);
  expect(logRef.current?.className).toBe("scrolls");
  expect(logRef.current?.style.display).toBe("");
});

test("the default input may stand in an application's own", () => {
  const sent = vi.fn();
  render(
    <Render
      glove={handle({ sendMessage: sent })}
      renderInput={(props) => (
        <footer>
          <DefaultInput {...props} />
        </footer>
      )}
    />,
  );
  const field = screen.getByRole("textbox", { name: "Message" });
  fireEvent.change(field, { target: { value: "hello" } });
  fireEvent.submit(field);
  expect(sent.mock.calls).toEqual([["hello"]]);
});

test("what a renderer throws is told to subscribers", async () => {
  const quiet = vi.spyOn(console, "error").mockImplementation(() => {});
  const record = vi.fn();
  const { client } = clientOf([{ toolCalls: [{ name: "t" }] }, "ok"], {
    subscribers: [{ record }],
    tools: [
      {
        name: "t",
        description: "",
        inputSchema: nothing,
        do: () => ({ status: "success", data: 1, renderData: { x: 1 } }),
        renderResult: () => {
          throw new Error("no such field");
        },
      },
    ],
  });
  let glove: UseGloveReturn | undefined;
  const Page = () => {
    glove = useGlove();
    return <Render glove={glove} />;
  };
  render(
    <GloveProvider client={client}>
      <Page />
    </GloveProvider>,
  );
  await act(async () => {
    await glove?.sendMessage("go");
  });
  await waitFor(() => expect(screen.getByRole("alert")).toBeTruthy());
  const error = { code: "RENDERER_FAILED", message: 'The renderer of "t" threw: no such field' };
  expect(record).toHaveBeenCalledWith("error", error, { sessionId: expect.any(String) });
  quiet.mockRestore();
});

test("the session itself is on the handle, and what can be taken back", async () => {
  const { client } = clientOf([{ toolCalls: [{ name: "set", id: "c1" }] }, "done"], {
    tools: [{ name: "set", description: "", inputSchema: nothing, do: () => 1, undo: () => {} }],
  });
  const page = show(client, { sessionId: "here" });
  await say(page, "go");
  expect(page.glove.session).toBe(client.session("here"));
  expect(page.glove.undoable).toEqual([{ toolCallId: "c1", toolName: "set" }]);
  await act(async () => {
    await page.glove.undo();
  });
  expect(page.glove.undoable).toEqual([]);
  expect(page.glove.timeline[1]).toMatchObject({ undone: true });
});
