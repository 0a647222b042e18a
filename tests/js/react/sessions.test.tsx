// Which session a hook shows, and what becomes of it when components come and go.
import { act, fireEvent, render, renderHook, screen, waitFor } from "@testing-library/react";
import {
  DEFAULT_SESSION_STORAGE_KEY,
  defineTool,
  GloveProvider,
  MemoryStore,
  Render,
  type UseGloveConfig,
  useGlove,
} from "glove-wasm/react";
import * as React from "react";
import { StrictMode, useState } from "react";
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

test("a hook that remembers its session keeps it beside those of other databases", async () => {
  const { client } = clientOf([], { database: { name: "shop" } });
  const page = show(client, { persistSession: true });
  await ready(page);
  expect(localStorage.getItem(`${DEFAULT_SESSION_STORAGE_KEY}:shop`)).toBe(page.glove.sessionId);
  expect(localStorage.getItem(DEFAULT_SESSION_STORAGE_KEY)).toBeNull();
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

// React 18 has no Activity.
test.runIf(React.Activity)("a component that an Activity hides shows what came meanwhile when it is shown again", async () => {
  const answer = gate();
  const { client, model } = clientOf([
    { deltas: ["so far"], until: answer.opened, text: "so far and on" },
    { toolCalls: [{ name: "ask" }] },
  ]);
  const tool = defineTool({
    name: "ask",
    description: "",
    inputSchema: nothing,
    do: (_, display) => display.pushAndWait({}),
    render: () => <input aria-label="Answer" />,
  });
  const Page = () => {
    const glove = useGlove({ sessionId: "s", tools: [tool] });
    return <Render glove={glove} />;
  };
  const tree = (mode: "visible" | "hidden") => (
    <StrictMode>
      <GloveProvider client={client}>
        <React.Activity mode={mode}>
          <Page />
        </React.Activity>
      </GloveProvider>
    </StrictMode>
  );
  const { rerender, container } = render(tree("visible"));
  const send = (text: string) => act(() => void client.session("s").sendMessage(text));
  await send("hi");
  await screen.findByText("so far");
  rerender(tree("hidden"));
  await act(async () => answer.open());
  await waitFor(() => expect(client.session("s").getSnapshot().busy).toBe(false));
  rerender(tree("visible"));
  await screen.findByText("so far and on");
  await send("ask me");
  fireEvent.change(await screen.findByLabelText("Answer"), { target: { value: "typed" } });
  rerender(tree("hidden"));
  await moment(100);
  rerender(tree("visible"));
  expect(screen.getByLabelText<HTMLInputElement>("Answer").value).toBe("typed");
  expect(model.calls).toHaveLength(2);
  expect(container.querySelectorAll("[data-glove-slot]")).toHaveLength(1);
  expect(client.session("s").getSnapshot()).toMatchObject({ tab: "leader", run: { phase: "waiting" } });
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
