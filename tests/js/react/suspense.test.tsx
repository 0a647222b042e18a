// `useSuspenseGlove`: a component waits for its conversation, and an error boundary has what could not be opened.
import { act, render, screen } from "@testing-library/react";
import { GloveProvider, MemoryStore, type StoredRun, type UseGloveReturn, useSuspenseGlove } from "glove-wasm/react";
import { Component, type ReactNode, StrictMode, startTransition, useState } from "react";
import { expect, test, vi } from "vitest";
import { clientOf, gate, moment, texts } from "./page.js";

/** Makes stores that are read in this way. */
const stores = (reads: (id: string, read: () => Promise<StoredRun>) => Promise<StoredRun>) => (id: string) => {
  const store = new MemoryStore(id);
  const read = store.readRun.bind(store);
  store.readRun = () => reads(id, read);
  return store;
};

class Catch extends Component<{ children: ReactNode }, { error?: Error }> {
  override state: { error?: Error } = {};
  static getDerivedStateFromError = (error: Error) => ({ error });
  override render() {
    if (!this.state.error) return this.props.children;
    return (
      <button type="button" onClick={() => this.setState({ error: undefined as never })}>
        {this.state.error.message}
      </button>
    );
  }
}

test("the Suspense variant waits for the stored conversation", async () => {
  const reading = gate();
  const createStore = vi.fn(stores((_, read) => reading.opened.then(read)));
  const { client } = clientOf(["hi"], { createStore });
  let glove: UseGloveReturn | undefined;
  const Page = () => {
    glove = useSuspenseGlove({ sessionId: "s" });
    return <p>{glove.sessionReady ? "ready" : "not ready"}</p>;
  };
  render(
    <StrictMode>
      <GloveProvider client={client} fallback={<p>wait</p>}>
        <Page />
      </GloveProvider>
    </StrictMode>,
  );
  expect(screen.getByText("wait")).toBeTruthy();
  await act(async () => reading.open());
  expect(await screen.findByText("ready")).toBeTruthy();
  expect(createStore).toHaveBeenCalledOnce();
  await act(async () => {
    await glove?.sendMessage("hello");
  });
  expect(texts(glove as UseGloveReturn)).toEqual(["user: hello", "agent_text: hi"]);
});

/** Shows a conversation whose stores are broken at first, and resets the boundary around it when they are well again. */
async function openBroken(createStore: (id: string, broken: () => boolean) => MemoryStore, message: string): Promise<void> {
  const quiet = vi.spyOn(console, "error").mockImplementation(() => {});
  let broken = true;
  const { client } = clientOf([], { createStore: (id) => createStore(id, () => broken) });
  const Page = () => <p>{useSuspenseGlove({ sessionId: "s" }).sessionId}</p>;
  render(
    <Catch>
      <GloveProvider client={client} fallback={<p>wait</p>}>
        <Page />
      </GloveProvider>
    </Catch>,
  );
  const again = await screen.findByRole("button", { name: message });
  broken = false;
  await moment();
  act(() => again.click());
  expect(await screen.findByText("s")).toBeTruthy();
  quiet.mockRestore();
}

test("the Suspense variant throws what could not be opened, and tries again after that", () =>
  openBroken((id, broken) => {
    if (broken()) throw new Error("no storage");
    return new MemoryStore(id);
  }, "no storage"));

test("the Suspense variant opens a store that is well again at the first reset", () =>
  openBroken(
    (id, broken) => stores((_, read) => (broken() ? Promise.reject(new Error("store down")) : read()))(id),
    "store down",
  ));
test("the Suspense variant asked for a conversation shows that one, wherever another component of that id has gone", async () => {
  const { client } = clientOf(["hi"]);
  const shown: Record<string, UseGloveReturn> = {};
  const Page = ({ name }: { name: string }) => {
    shown[name] = useSuspenseGlove({ sessionId: "a" });
    return <p>{`${name} shows ${shown[name].sessionId}`}</p>;
  };
  const tree = (...names: string[]) => (
    <StrictMode>
      <GloveProvider client={client} fallback={<p>wait</p>}>
        {names.map((name) => (
          <Page key={name} name={name} />
        ))}
      </GloveProvider>
    </StrictMode>
  );
  const { rerender } = render(tree("first"));
  await screen.findByText("first shows a");
  act(() => shown.first?.switchConversation("b"));
  await screen.findByText("first shows b");
  rerender(tree("first", "second"));
  await screen.findByText("second shows a");
  expect(screen.getByText("first shows b")).toBeTruthy();
  rerender(tree("second"));
  await moment();
  rerender(tree("first", "second"));
  await screen.findByText("first shows a");
  await act(async () => {
    await shown.first?.sendMessage("hello");
  });
  expect(texts(client.session("a").getSnapshot())).toEqual(["user: hello", "agent_text: hi"]);
  expect(texts(client.session("b").getSnapshot())).toEqual([]);
});

test("another conversation in a transition comes when it was read, and the one before stays until then", async () => {
  const reading = gate();
  const { client } = clientOf([], { createStore: stores((id, read) => (id === "b" ? reading.opened.then(read) : read())) });
  const seen: string[] = [];
  const Page = ({ id }: { id: string }) => {
    const { sessionId } = useSuspenseGlove({ sessionId: id });
    seen.push(sessionId);
    return <p>{`shows ${sessionId}`}</p>;
  };
  let go = () => {};
  const App = () => {
    const [id, set] = useState("a");
    go = () => startTransition(() => set("b"));
    return (
      <GloveProvider client={client} fallback={<p>wait</p>}>
        <Page id={id} />
      </GloveProvider>
    );
  };
  render(<App />);
  await screen.findByText("shows a");
  act(() => go());
  await moment();
  expect(screen.getByText("shows a")).toBeTruthy();
  expect(screen.queryByText("wait")).toBeNull();
  await act(async () => reading.open());
  await screen.findByText("shows b");
  expect(new Set(seen)).toEqual(new Set(["a", "b"]));
});

test("a conversation that is switched to is waited for, and the component keeps its state", async () => {
  const reading = gate();
  const { client } = clientOf([], { createStore: stores((id, read) => (id === "b" ? reading.opened.then(read) : read())) });
  let glove: UseGloveReturn | undefined;
  const Page = () => {
    const [mounted] = useState(() => ({}));
    glove = useSuspenseGlove();
    first ??= mounted;
    return <p>{`shows ${glove.sessionReady && glove.sessionId} ${mounted === first}`}</p>;
  };
  let first: object | undefined;
  render(
    <GloveProvider client={client} fallback={<p>wait</p>}>
      <Page />
    </GloveProvider>,
  );
  await screen.findByText(/shows glove_.* true/);
  act(() => glove?.switchConversation("b"));
  await screen.findByText("wait");
  await act(async () => reading.open());
  await screen.findByText("shows b true");
});
