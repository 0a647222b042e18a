// Which session a hook shows, and what becomes of it when components come and go.
import { act, render, renderHook, screen, waitFor } from "@testing-library/react";
import {
  DEFAULT_SESSION_STORAGE_KEY,
  GloveProvider,
  MemoryStore,
  type UseGloveConfig,
  type UseGloveReturn,
  useGlove,
  useMessage,
  useSlot,
  useSuspenseGlove,
  useToolCall,
} from "glove-wasm/react";
import { Component, type ReactNode, StrictMode, startTransition, useState } from "react";
import { expect, test, vi } from "vitest";
import { begin, clientOf, gate, moment, nothing, ready, say, settled, show, texts, until } from "./page.js";

test("StrictMode makes one engine, one store and one model, and asks once for the session", async () => {
  const createStore = vi.fn((id: string) => new MemoryStore(id));
  const { model } = clientOf(["hi"]);
  const createModel = vi.fn(() => model);
  const getSessionId = vi.fn(async () => "s1");
  const { client } = clientOf([], { createStore, createModel });
  const page = show(client, { getSessionId }, { strict: true });
  await say(page, "hello");
  expect(texts(page.glove)).toEqual(["user: hello", "agent_text: hi"]);
  expect([createStore, createModel, getSessionId].map((made) => made.mock.calls.length)).toEqual([1, 1, 1]);
});

test("settings that are written inline start nothing anew, whatever renders", async () => {
  let asked = 0;
  const getSessionId = vi.fn((): string => `s${++asked}`);
  const createStore = vi.fn((id: string) => new MemoryStore(id));
  const { client } = clientOf(["hi"], { createStore });
  let renders = 0;
  let again = () => {};
  const { result } = renderHook(
    () => {
      renders++;
      const [, set] = useState(0);
      again = () => set((count) => count + 1);
      return useGlove({
        getSessionId: () => getSessionId(),
        tools: [{ name: "look", description: "", inputSchema: nothing, do: () => 1 }],
        subscribers: [{ record: () => {} }],
        compaction: { compaction_instructions: "Sum up." },
        onSessionChange: () => {},
      });
    },
    { wrapper: ({ children }) => <GloveProvider client={client}>{children}</GloveProvider> },
  );
  expect(result.current.sessionId).toBeDefined();
  for (let count = 0; count < 20; count++) act(() => again());
  await moment(100);
  expect(renders).toBeLessThan(40);
  expect(getSessionId).toHaveBeenCalledOnce();
  expect(createStore).toHaveBeenCalledOnce();
  await act(async () => {
    await result.current.sendMessage("hello");
  });
  expect(texts(result.current)).toEqual(["user: hello", "agent_text: hi"]);
});

test.each<[string, UseGloveConfig, unknown]>([
  ["the store", { store: new MemoryStore("of the store"), getSessionId: () => "asked", sessionId: "given" }, "of the store"],
  ["getSessionId", { getSessionId: () => "asked", sessionId: "given", persistSession: true }, "asked"],
  ["sessionId", { sessionId: "given", persistSession: true }, "given"],
  ["the page's last session", { persistSession: true }, "last"],
  ["a new id", {}, expect.stringMatching(/^glove_[0-9a-f-]{36}$/)],
])("the session is that of %s", async (_, config, expected) => {
  localStorage.setItem(DEFAULT_SESSION_STORAGE_KEY, "last");
  const page = show(clientOf([]).client, config);
  await ready(page);
  expect(page.glove.sessionId).toEqual(expected);
});

test("the page remembers the session that it was on", async () => {
  const { client } = clientOf([], { persistSession: true });
  const page = show(client);
  await ready(page);
  expect(localStorage.getItem(DEFAULT_SESSION_STORAGE_KEY)).toBe(page.glove.sessionId);
  await act(async () => page.glove.switchConversation("another"));
  expect(localStorage.getItem(DEFAULT_SESSION_STORAGE_KEY)).toBe("another");
});

test("a session that cannot be had is an error, and the next message tries again", async () => {
  const getSessionId = vi.fn().mockRejectedValueOnce(new Error("no server")).mockResolvedValueOnce("s1");
  const page = show(clientOf(["hi"]).client, { getSessionId });
  await until(page, ({ error }) => error?.message === "no server");
  await say(page, "hello");
  expect(page.glove.sessionId).toBe("s1");
  expect(texts(page.glove)).toEqual(["user: hello", "agent_text: hi"]);
});

test("a message that is stopped before there is a session ends as stopped", async () => {
  const page = show(clientOf([]).client, { getSessionId: () => new Promise(() => {}) });
  const sent = begin(page, "hello");
  await until(page, ({ busy }) => busy);
  act(() => page.glove.abort());
  expect(await sent).toEqual({ type: "aborted" });
  expect(page.glove).toMatchObject({ busy: false, status: "ready" });
});

test("a session id that changes switches, one that goes away does not", async () => {
  const { client } = clientOf(["one", "two"]);
  const page = show(client, { sessionId: "a" });
  await say(page, "in a");
  page.rerender({ sessionId: "b" });
  await ready(page);
  expect([page.glove.sessionId, texts(page.glove)]).toEqual(["b", []]);
  page.rerender({ sessionId: undefined });
  await moment();
  expect(page.glove.sessionId).toBe("b");
  page.rerender({ sessionId: "a" });
  await until(page, ({ timeline }) => timeline.length === 2);
  expect(texts(page.glove)).toEqual(["user: in a", "agent_text: one"]);
});

test("switching in the middle of an answer mixes nothing, and abort reaches the new run only", async () => {
  const first = gate();
  const { client, model } = clientOf([
    { deltas: ["secret", " of a"], every: 5, until: first.opened, text: "secret of a" },
    { deltas: ["for b"], until: new Promise(() => {}) },
  ]);
  const seen: string[] = [];
  const page = show(client, { sessionId: "a", onSessionChange: (id) => void seen.push(id) });
  await ready(page);
  act(() => void page.glove.sendMessage("to a"));
  await until(page, ({ streamingText }) => streamingText !== "");
  await act(async () => page.glove.switchConversation("b"));
  expect(page.glove).toMatchObject({ sessionId: "b", busy: false, streamingText: "" });
  await ready(page);
  act(() => void page.glove.sendMessage("to b"));
  await until(page, ({ streamingText }) => streamingText === "for b");
  await act(async () => first.open());
  await moment();
  expect(page.glove).toMatchObject({ busy: true, streamingText: "for b" });
  expect(texts(page.glove)).toEqual(["user: to b"]);
  await act(async () => page.glove.abort());
  await settled(page);
  expect(model.calls.map(({ signal }) => signal?.aborted)).toEqual([false, true]);
  await act(async () => page.glove.switchConversation("a"));
  await until(page, ({ timeline }) => timeline.length === 2);
  expect(texts(page.glove)).toEqual(["user: to a", "agent_text: secret of a"]);
  expect(seen).toEqual(["a", "b", "a"]);
});

test("a new conversation has an id of its own, that of the client, or the given one", async () => {
  const { client } = clientOf([], { createSessionId: async () => "from the server" });
  const page = show(client, { sessionId: "old" });
  await ready(page);
  const another = async (id?: string) => {
    let begun = "";
    await act(async () => {
      begun = await page.glove.newConversation(id);
    });
    expect(page.glove.sessionId).toBe(begun);
    return begun;
  };
  expect(await another()).toBe("from the server");
  expect(await another("mine")).toBe("mine");
});

test("an onSessionChange that throws is told to subscribers, and the conversation changes", async () => {
  const record = vi.fn();
  const onSessionChange = vi.fn(() => {
    throw new Error("no such list");
  });
  const { client } = clientOf(["hi"], { subscribers: [{ record }] });
  for (const config of [{ sessionId: "a" }, { store: new MemoryStore("b") }, { getSessionId: async () => "c" }]) {
    onSessionChange.mockClear();
    record.mockClear();
    const page = show(client, { ...config, onSessionChange });
    await ready(page);
    await act(async () => expect(await page.glove.newConversation("next")).toBe("next"));
    await ready(page);
    expect(page.glove).toMatchObject({ sessionId: "next", error: undefined });
    expect(onSessionChange).toHaveBeenCalledTimes(2);
    const told = { code: "LISTENER_FAILED", message: "no such list" };
    expect(record.mock.calls.filter(([type]) => type === "error").map(([, data]) => data)).toEqual([told, told]);
    page.unmount();
  }
});

test("a component that comes back finds the run that went on without it", async () => {
  const answer = gate();
  const { client } = clientOf([{ deltas: ["so far"], until: answer.opened, text: "so far and on" }]);
  const first = show(client, { sessionId: "s" });
  await ready(first);
  act(() => void first.glove.sendMessage("hi"));
  await until(first, ({ streamingText }) => streamingText === "so far");
  first.unmount();
  await moment();
  const second = show(client, { sessionId: "s" });
  expect(second.glove).toMatchObject({ busy: true, streamingText: "so far" });
  answer.open();
  await settled(second);
  expect(texts(second.glove)).toEqual(["user: hi", "agent_text: so far and on"]);
});

test("a run that ended while nobody looked is there when somebody does", async () => {
  const { client } = clientOf([{ deltas: ["hel", "lo"], every: 10 }]);
  const first = show(client, { sessionId: "s" });
  await ready(first);
  act(() => void first.glove.sendMessage("hi"));
  first.unmount();
  await moment(100);
  const second = show(client, { sessionId: "s" });
  await until(second, ({ timeline }) => timeline.length === 2);
  expect(texts(second.glove)).toEqual(["user: hi", "agent_text: hello"]);
});

test("a component can stop its run when it goes, and not when another one shows it still", async () => {
  const { client, model } = clientOf([{ deltas: ["a"], until: new Promise(() => {}) }]);
  const shown = [1, 2].map(() => show(client, { sessionId: "s", onUnmount: "stop" }));
  const [first, second] = shown;
  if (!first || !second) throw new Error();
  await ready(first);
  act(() => void first.glove.sendMessage("hi"));
  await until(second, ({ streamingText }) => streamingText === "a");
  first.unmount();
  await moment();
  expect(model.calls[0]?.signal?.aborted).toBe(false);
  second.unmount();
  await moment();
  expect(model.calls[0]?.signal?.aborted).toBe(true);
});

test("actions stay the same functions for ever", async () => {
  const page = show(clientOf(["hi"]).client, { sessionId: "a" });
  const functions = ({ runnable: _, ...glove }: UseGloveReturn) =>
    Object.fromEntries(Object.entries(glove).filter(([, value]) => typeof value === "function"));
  const before = functions(page.glove);
  expect(Object.keys(before)).toHaveLength(16);
  await say(page, "hello");
  page.rerender({ sessionId: "b", tools: [] });
  await ready(page);
  const after = functions(page.glove);
  for (const name of Object.keys(before)) expect(after[name], name).toBe(before[name]);
});

test("a component renders again only when a part that it reads changes", async () => {
  const { client } = clientOf([{ deltas: ["a", "b", "c"], every: 20 }]);
  let renders = 0;
  let handle: UseGloveReturn | undefined;
  const Quiet = () => {
    renders++;
    handle = useGlove();
    return <p>{handle.busy ? "works" : "rests"}</p>;
  };
  render(
    <GloveProvider client={client}>
      <Quiet />
    </GloveProvider>,
  );
  const before = renders;
  await act(async () => {
    await handle?.sendMessage("hi");
  });
  await waitFor(() => expect(screen.getByText("rests")).toBeTruthy());
  expect(renders - before).toBeLessThanOrEqual(2);
  expect(handle?.timeline).toHaveLength(2);
});

test.each(["busy", "status", "streamingText"] as const)("%s that is first read in a run is up to date after it", async (part) => {
  const go = gate();
  const { client } = clientOf([{ deltas: ["a"], until: go.opened }]);
  const seen: unknown[] = [];
  const Page = () => {
    const glove = useGlove({ sessionId: "s" });
    return (
      <button type="button" onClick={() => seen.push(glove[part])}>
        look
      </button>
    );
  };
  render(
    <GloveProvider client={client}>
      <Page />
    </GloveProvider>,
  );
  const look = () => act(() => screen.getByText("look").click());
  const session = client.session("s");
  let sending: Promise<unknown> | undefined;
  await act(async () => {
    sending = session.sendMessage("hi");
    await waitFor(() => expect(session.getSnapshot().streamingText).toBe("a"));
  });
  look();
  go.open();
  await act(async () => void (await sending));
  look();
  const { [part]: now } = session.getSnapshot();
  expect(seen[0]).not.toBe(now);
  expect(seen[1]).toBe(now);
});

test("however much happens in a frame, a component renders for it once", async () => {
  const calls = Array.from({ length: 100 }, () => ({ name: "t" }));
  const { client } = clientOf([{ toolCalls: calls }, "done"], {
    tools: [{ name: "t", description: "", jsonSchema: {}, do: () => 1 }],
  });
  let renders = 0;
  const Page = () => {
    renders++;
    const { timeline, status } = useGlove({ sessionId: "s" });
    return <p>{`${status} ${timeline.length}`}</p>;
  };
  render(
    <GloveProvider client={client}>
      <Page />
    </GloveProvider>,
  );
  await waitFor(() => expect(client.session("s").getSnapshot().sessionReady).toBe(true));
  const [before, began] = [renders, performance.now()];
  await client.session("s").sendMessage("go");
  await waitFor(() => expect(screen.getByText("ready 102")).toBeTruthy());
  // A frame without a screen is 16 ms; one more for the beginning, the end and what React adds by itself.
  const frames = (performance.now() - began) / 16;
  expect(renders - before).toBeLessThan(frames + 8);
  expect(renders - before).toBeLessThan(60);
});

test("selectors below a useGlove read its conversation, and render for what they select only", async () => {
  const { client } = clientOf([{ deltas: ["a", "b", "c"], every: 20 }, "d"]);
  let renders = 0;
  const Count = () => {
    renders++;
    return (
      <p>
        {
          useGlove(
            ({ timeline }) => ({ count: timeline.length }),
            (a, b) => a.count === b.count,
          ).count
        }{" "}
        entries
      </p>
    );
  };
  let glove: UseGloveReturn | undefined;
  const Page = ({ children }: { children: ReactNode }) => {
    glove = useGlove({ sessionId: "s" });
    return children;
  };
  const count = <Count />;
  render(
    <GloveProvider client={client}>
      <Page>{count}</Page>
    </GloveProvider>,
  );
  const before = renders;
  await act(async () => {
    await glove?.sendMessage("hi");
  });
  expect(screen.getByText("2 entries")).toBeTruthy();
  expect(renders - before).toBeLessThanOrEqual(3);
});

test("a selector that gives a new object each time does not loop", async () => {
  const { client } = clientOf(["hi"]);
  const { result } = renderHook(() => useGlove(({ busy, sendMessage }) => ({ busy, sendMessage })), {
    wrapper: ({ children }) => <GloveProvider client={client}>{children}</GloveProvider>,
  });
  await act(async () => {
    await result.current.sendMessage("hello");
  });
  expect(result.current.busy).toBe(false);
});

test("selectors alone are enough for a conversation", async () => {
  const { client } = clientOf([{ toolCalls: [{ name: "ask", id: "c1" }] }, "done"], {
    tools: [
      {
        name: "ask",
        description: "",
        inputSchema: nothing,
        do: (_, display) => display.pushAndWait({ input: "sure?" }),
        render: () => null,
      },
    ],
  });
  const { result } = renderHook(
    () => {
      const slotId = useGlove(({ slots }) => slots[0]?.id) ?? "";
      const messageId = useGlove(({ messages }) => messages.at(-1)?.id) ?? "";
      return {
        send: useGlove(({ sendMessage }) => sendMessage),
        resolve: useGlove(({ resolveSlot }) => resolveSlot),
        slot: useSlot(slotId),
        call: useToolCall("c1"),
        message: useMessage(messageId),
      };
    },
    { wrapper: ({ children }) => <GloveProvider client={client}>{children}</GloveProvider> },
  );
  act(() => void result.current.send("go"));
  await waitFor(() => expect(result.current.slot?.input).toBe("sure?"));
  expect(result.current.call?.status).toMatch(/running|pending/);
  act(() => void result.current.resolve(result.current.slot?.id ?? "", "yes"));
  await waitFor(() => expect(result.current.call).toMatchObject({ status: "success", output: "yes" }));
  await waitFor(() => expect(result.current.message?.parts.at(-1)).toMatchObject({ type: "text", text: "done" }));
});

test("a session that is deleted while it is shown says so, and the next message begins it anew", async () => {
  const { client } = clientOf(["one", { deltas: ["half"], until: new Promise(() => {}) }, "three"], {});
  const page = show(client, { sessionId: "d" });
  await say(page, "first");
  const sent = begin(page, "second");
  await until(page, ({ streamingText }) => streamingText === "half");
  await act(() => client.deleteSession("d"));
  await expect(sent).rejects.toMatchObject({ code: "SESSION_CLOSED" });
  await until(page, ({ busy }) => !busy);
  expect(page.glove).toMatchObject({ status: "error", error: { code: "SESSION_DELETED" } });
  await say(page, "third");
  expect(page.glove).toMatchObject({ sessionId: "d", status: "ready", error: undefined });
  expect(texts(page.glove)).toEqual(["user: third", "agent_text: three"]);
  expect(await client.sessions()).toMatchObject([{ id: "d" }]);
});

test("an error of a session that was deleted can be put away", async () => {
  const { client } = clientOf(["one"]);
  const page = show(client, { sessionId: "d" });
  await say(page, "first");
  await act(() => client.deleteSession("d"));
  await act(async () => page.glove.clearError());
  await ready(page);
  expect(page.glove).toMatchObject({ sessionId: "d", status: "ready", error: undefined, timeline: [] });
});

test("a client that is disposed while it is used opens its sessions anew", async () => {
  const stores = new Map<string, MemoryStore>();
  const createStore = (id: string) => {
    const store = stores.get(id) ?? new MemoryStore(id);
    stores.set(id, store);
    return store;
  };
  const { client } = clientOf(["one", "two"], { createStore });
  const page = show(client, { sessionId: "d" });
  await say(page, "first");
  client.dispose();
  await say(page, "second");
  expect(texts(page.glove)).toEqual(["user: first", "agent_text: one", "user: second", "agent_text: two"]);
});

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
  const createStore = vi.fn((id: string) => {
    const store = new MemoryStore(id);
    const read = store.readRun.bind(store);
    store.readRun = () => reading.opened.then(read);
    return store;
  });
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

test("the Suspense variant throws what could not be opened, and tries again after that", async () => {
  const quiet = vi.spyOn(console, "error").mockImplementation(() => {});
  let broken = true;
  const { client } = clientOf([], {
    createStore: (id) => {
      if (broken) throw new Error("no storage");
      return new MemoryStore(id);
    },
  });
  const Page = () => <p>{useSuspenseGlove({ sessionId: "s" }).sessionId}</p>;
  render(
    <Catch>
      <GloveProvider client={client} fallback={<p>wait</p>}>
        <Page />
      </GloveProvider>
    </Catch>,
  );
  const again = await screen.findByRole("button", { name: "no storage" });
  broken = false;
  await moment();
  act(() => again.click());
  expect(await screen.findByText("s")).toBeTruthy();
  quiet.mockRestore();
});

test("the Suspense variant opens a store that is well again at the first reset", async () => {
  const quiet = vi.spyOn(console, "error").mockImplementation(() => {});
  let broken = true;
  const { client } = clientOf([], {
    createStore: (id) => {
      const store = new MemoryStore(id);
      const read = store.readRun.bind(store);
      store.readRun = () => (broken ? Promise.reject(new Error("store down")) : read());
      return store;
    },
  });
  const Page = () => <p>{useSuspenseGlove({ sessionId: "s" }).sessionId}</p>;
  render(
    <Catch>
      <GloveProvider client={client} fallback={<p>wait</p>}>
        <Page />
      </GloveProvider>
    </Catch>,
  );
  const again = await screen.findByRole("button", { name: "store down" });
  broken = false;
  await moment();
  act(() => again.click());
  expect(await screen.findByText("s")).toBeTruthy();
  quiet.mockRestore();
});

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
  const { client } = clientOf([], {
    createStore: (id) => {
      const store = new MemoryStore(id);
      const read = store.readRun.bind(store);
      if (id === "b") store.readRun = () => reading.opened.then(read);
      return store;
    },
  });
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
  const { client } = clientOf([], {
    createStore: (id) => {
      const store = new MemoryStore(id);
      const read = store.readRun.bind(store);
      if (id === "b") store.readRun = () => reading.opened.then(read);
      return store;
    },
  });
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
