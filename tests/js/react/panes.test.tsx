// Several conversations on one page, each with its own selectors: a provider with a `sessionId` of its own.
import { act, render, screen, waitFor } from "@testing-library/react";
import {
  GloveProvider,
  type GloveProviderProps,
  Render,
  type UseGloveReturn,
  useGlove,
  useSuspenseGlove,
} from "glove-wasm/react";
import { Component, type ReactNode, StrictMode } from "react";
import { expect, test, vi } from "vitest";
import { clientOf } from "./page.js";

const handles: Record<string, UseGloveReturn> = {};

/** What a child reads of the nearest conversation. */
function Child({ name }: { name: string }) {
  const id = useGlove(({ sessionId }) => sessionId);
  const last = useGlove(({ timeline }) => timeline.at(-1));
  return <p data-testid={name}>{`${id}: ${last && "text" in last ? last.text : "nothing"}`}</p>;
}

function Pane({ name }: { name: string }) {
  handles[name] = useGlove();
  void handles[name].busy;
  return <Child name={name} />;
}

const text = (name: string) => screen.getByTestId(name).textContent;

test("two panes show two sessions, and a child of each reads its own, whichever was mounted last", async () => {
  const { client } = clientOf(["to left", "to right"]);
  render(
    <StrictMode>
      <GloveProvider client={client}>
        <GloveProvider sessionId="left">
          <Pane name="left" />
        </GloveProvider>
        <GloveProvider sessionId="right">
          <Pane name="right" />
        </GloveProvider>
      </GloveProvider>
    </StrictMode>,
  );
  await act(() => handles.left?.sendMessage("l"));
  await act(() => handles.right?.sendMessage("r"));
  await waitFor(() => expect([text("left"), text("right")]).toEqual(["left: to left", "right: to right"]));
});

test("a new sessionId switches the pane, one that goes away does not, and switchConversation goes on from there", async () => {
  const { client } = clientOf(["one", "two"]);
  const tree = (props: Pick<GloveProviderProps, "sessionId">) => (
    <GloveProvider client={client} {...props}>
      <Pane name="pane" />
    </GloveProvider>
  );
  const { rerender } = render(tree({ sessionId: "a" }));
  await act(() => handles.pane?.sendMessage("in a"));
  await waitFor(() => expect(text("pane")).toBe("a: one"));
  rerender(tree({ sessionId: "b" }));
  await waitFor(() => expect(text("pane")).toBe("b: nothing"));
  rerender(tree({ sessionId: undefined }));
  expect(text("pane")).toBe("b: nothing");
  act(() => handles.pane?.switchConversation("a"));
  await waitFor(() => expect(text("pane")).toBe("a: one"));
});

test("a provider inside of another conversation gives its own, not the one around it", async () => {
  const { client } = clientOf(["outside", "inside"]);
  const Page = () => {
    handles.outer = useGlove();
    const inner = (
      <GloveProvider sessionId="inner">
        <Pane name="inner" />
      </GloveProvider>
    );
    return <Render glove={handles.outer} renderInput={() => inner} />;
  };
  render(
    <GloveProvider client={client} sessionId="outer">
      <Page />
    </GloveProvider>,
  );
  await act(() => handles.outer?.sendMessage("hi"));
  await act(() => handles.inner?.sendMessage("hi"));
  await waitFor(() => expect(text("inner")).toBe("inner: inside"));
});

test("panes that wait for their conversations get each its own", async () => {
  const { client } = clientOf(["one"]);
  await client.session("left").sendMessage("kept");
  client.dispose();
  const Waiting = () => <p data-testid={useSuspenseGlove().sessionId}>there</p>;
  render(
    <main>
      {["left", "right"].map((id) => (
        <GloveProvider key={id} client={client} sessionId={id} fallback={<i>wait</i>}>
          <Waiting />
        </GloveProvider>
      ))}
    </main>,
  );
  await screen.findByTestId("left");
  await screen.findByTestId("right");
});

class Caught extends Component<{ children: ReactNode }, { error?: Error }> {
  override state: { error?: Error } = {};
  static getDerivedStateFromError = (error: Error) => ({ error });
  override render() {
    return this.state.error ? <p>{this.state.error.message}</p> : this.props.children;
  }
}

test("a provider without a client and without another one around it says what it needs", () => {
  const quiet = vi.spyOn(console, "error").mockImplementation(() => {});
  render(
    <Caught>
      <GloveProvider>
        <p>never</p>
      </GloveProvider>
    </Caught>,
  );
  expect(screen.getByText(/GloveProvider requires a `client`/)).toBeTruthy();
  quiet.mockRestore();
});
