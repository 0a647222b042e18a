// `useGlove()` over the real core: runs, tools, slots and what the model hears of changes.
import { act, render, renderHook, screen, waitFor } from "@testing-library/react";
import {
  createRemoteModel,
  createRemoteStore,
  GloveClient,
  GloveProvider,
  MemoryStore,
  type Message,
  type MessageRenderProps,
  Render,
  type ToolConfig,
  type UseGloveReturn,
  useGlove,
  useGloveClient,
} from "glove-wasm/react";
import { useEffect } from "react";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { begin, clientOf, gate, moment, nothing, ready, say, settled, show, texts, until } from "./page.js";

test("a hook with nothing to talk to says what is missing", () => {
  const quiet = vi.spyOn(console, "error").mockImplementation(() => {});
  expect(() => renderHook(() => useGlove())).toThrow("useGlove requires a GloveProvider, 'endpoint', or 'model'");
  expect(() => renderHook(() => useGlove())).toThrow(expect.objectContaining({ name: "GloveError", code: "CLIENT_CONFIG" }));
  expect(() => renderHook(() => useGlove({ endpoint: "/chat" }))).toThrow(
    "useGlove requires 'systemPrompt' (via config or GloveClient)",
  );
  expect(() => renderHook(() => useGlove({ endpoint: "/chat", systemPrompt: "", tool: [] } as object))).toThrow(
    expect.objectContaining({ code: "CONFIG_INVALID", message: expect.stringContaining("Did you mean `tools`?") }),
  );
  expect(() => renderHook(() => useGlove({ endpoint: "/chat", systemPrompt: "", limits: {} } as object))).toThrow(
    "It belongs to the client: pass it to `GloveClient`.",
  );
  expect(() => renderHook(() => useGlove(({ busy }) => busy))).toThrow("useGlove(selector) requires a GloveProvider");
  quiet.mockRestore();
});

test("the nearest provider's client is the one that is used", () => {
  const { client } = clientOf([]);
  const other = clientOf([]).client;
  expect(renderHook(useGloveClient).result.current).toBeNull();
  const wrapper = ({ children }: { children: React.ReactNode }) => (
    <GloveProvider client={other}>
      <GloveProvider client={client}>{children}</GloveProvider>
    </GloveProvider>
  );
  expect(renderHook(useGloveClient, { wrapper }).result.current).toBe(client);
});

test("a hook works without a provider when it has a model and a prompt", async () => {
  const { model } = clientOf(["hi"]);
  const { result } = renderHook(() => useGlove({ model, systemPrompt: "alone" }));
  await act(async () => {
    await result.current.sendMessage("hello");
  });
  expect(texts(result.current)).toEqual(["user: hello", "agent_text: hi"]);
  expect(model.calls[0]?.systemPrompt).toBe("alone");
});

test("an answer comes letter by letter, and its end comes with the status in one commit", async () => {
  const commits: string[] = [];
  const end = gate();
  const { client } = clientOf([{ deltas: ["He", "llo"], every: 40, until: end.opened }]);
  const Page = () => {
    const { status, streamingText, timeline, busy, sendMessage } = useGlove();
    commits.push(`${status} ${busy} "${streamingText}" ${timeline.length}`);
    return (
      <button type="button" onClick={() => sendMessage("hi")}>
        go
      </button>
    );
  };
  render(
    <GloveProvider client={client}>
      <Page />
    </GloveProvider>,
  );
  act(() => screen.getByRole("button").click());
  await waitFor(() => expect(commits.at(-1)).toBe('streaming true "Hello" 1'));
  end.open();
  await waitFor(() => expect(commits.at(-1)).toBe('ready false "" 2'));
  await moment();
  const different = commits.filter((commit, index) => commit !== commits[index - 1]);
  expect(different).toContain('streaming true "He" 1');
  expect(different.at(-2)).toBe('streaming true "Hello" 1');
  expect(different[0]).toBe('ready false "" 0');
  expect(different[1]).toMatch(/^submitted true "" /);
});

test("text and tools of a model that does not stream are shown", async () => {
  const replies = [
    { sender: "agent" as const, text: "I look", tool_calls: [{ tool_name: "look", input_args: {}, id: "c1" }] },
    { sender: "agent" as const, text: "a tree" },
  ];
  const model = createRemoteModel("plain", {
    prompt: async () => ({ message: replies.shift() as Message, tokens_in: 1, tokens_out: 1 }),
  });
  const { client } = clientOf([]);
  const tools: ToolConfig[] = [{ name: "look", description: "", inputSchema: nothing, do: () => "tree" }];
  const page = show(client, { model, tools });
  await say(page, "look");
  expect(texts(page.glove)).toEqual(["user: look", "agent_text: I look", "look: success tree", "agent_text: a tree"]);
  expect(page.glove.stats.turns).toBe(2);
});

test("a summary of older messages is no answer, and no turn", async () => {
  const events: string[] = [];
  const { client } = clientOf([{ text: "one", usage: { tokens_in: 500 } }, { deltas: ["SUMMARY"] }, "two"], {
    compaction: { compaction_instructions: "Sum up.", compaction_context_limit: 100 },
    subscribers: [{ record: (type) => void events.push(type) }],
  });
  const page = show(client);
  await say(page, "first");
  await say(page, "second");
  expect(events).toContain("compaction_end");
  expect(texts(page.glove).filter((text) => text.startsWith("agent"))).toEqual(["agent_text: one", "agent_text: two"]);
  expect(texts(page.glove).join()).not.toContain("SUMMARY");
});

test("each slot belongs to the call that pushed it, also with two in one turn", async () => {
  const ask = (name: string): ToolConfig => ({
    name,
    description: "",
    inputSchema: nothing,
    parallel: true,
    do: (_, display) => display.pushAndWait({ input: name }),
    render: () => null,
  });
  const { client } = clientOf(
    [
      {
        toolCalls: [
          { name: "first", id: "c1" },
          { name: "second", id: "c2" },
        ],
      },
      "done",
    ],
    { tools: [ask("first"), ask("second")] },
  );
  const page = show(client);
  await ready(page);
  act(() => void page.glove.sendMessage("go"));
  await until(page, ({ slots }) => slots.length === 2);
  expect(page.glove.slots.map(({ renderer, toolName, toolCallId }) => [renderer, toolName, toolCallId])).toEqual([
    ["first", "first", "c1"],
    ["second", "second", "c2"],
  ]);
  for (const { id } of page.glove.slots) act(() => expect(page.glove.resolveSlot(id, "ok")).toBe(true));
  await settled(page);
  expect(texts(page.glove)).toEqual(["user: go", "first: success ok", "second: success ok", "agent_text: done"]);
});

test("a failure is an error and not a message, and the run can go on", async () => {
  const { client, model } = clientOf([{ deltas: ["par"], fail: "no network" }]);
  const page = show(client);
  await ready(page);
  const sent = begin(page, "hi");
  await act(() => expect(sent).rejects.toThrow("no network"));
  expect(page.glove).toMatchObject({ status: "error", busy: false });
  expect(page.glove.error?.message).toContain("no network");
  expect(texts(page.glove).join()).not.toContain("no network");
  model.add("better");
  await act(async () => {
    await page.glove.resume();
  });
  expect(page.glove).toMatchObject({ status: "ready", error: undefined });
  expect(texts(page.glove).at(-1)).toBe("agent_text: better");
});

test("nobody has to catch a failed message", async () => {
  const unhandled = vi.fn();
  process.on("unhandledRejection", unhandled);
  const { client } = clientOf([{ fail: "no network" }]);
  const page = show(client);
  act(() => void page.glove.sendMessage("hi"));
  await until(page, ({ error }) => error !== undefined);
  await moment();
  process.off("unhandledRejection", unhandled);
  expect(unhandled).not.toHaveBeenCalled();
  act(() => page.glove.clearError());
  expect(page.glove).toMatchObject({ status: "ready", error: undefined });
});

test("a stopped run keeps what was shown, and its calls are settled", async () => {
  const { client } = clientOf([{ deltas: ["so far"], until: new Promise(() => {}) }]);
  const page = show(client);
  act(() => void page.glove.sendMessage("hi"));
  await until(page, ({ streamingText }) => streamingText === "so far");
  await act(async () => page.glove.stop());
  await settled(page);
  expect(page.glove.status).toBe("ready");
  expect(page.glove.timeline).toEqual([
    expect.objectContaining({ kind: "user", text: "hi" }),
    expect.objectContaining({ kind: "agent_text", text: "so far", partial: true }),
  ]);
});

test("two messages in one tick run one after the other", async () => {
  let running = 0;
  const work = vi.fn(async () => {
    expect(++running).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 5));
    running--;
    return "done";
  });
  const call = { toolCalls: [{ name: "work" }] };
  const { client, model } = clientOf([call, "one", call, "two"], {
    tools: [{ name: "work", description: "", inputSchema: nothing, do: work }],
  });
  const page = show(client);
  await ready(page);
  await act(async () => {
    const both = [page.glove.sendMessage("a"), page.glove.sendMessage("b")];
    await Promise.all(both);
  });
  await settled(page);
  expect(work).toHaveBeenCalledTimes(2);
  expect(model.calls).toHaveLength(4);
  expect(texts(page.glove)).toEqual([
    "user: a",
    "work: success done",
    "agent_text: one",
    "user: b",
    "work: success done",
    "agent_text: two",
  ]);
});

test("a message that waits for its turn is in the queue", async () => {
  const answer = gate();
  const { client } = clientOf([{ text: "one", until: answer.opened }, "two"]);
  const page = show(client);
  await ready(page);
  act(() => void page.glove.sendMessage("a"));
  act(() => void page.glove.sendMessage("b"));
  await until(page, ({ queue }) => queue.map(({ text }) => text).join() === "b");
  answer.open();
  await settled(page);
  expect(page.glove.queue).toEqual([]);
  expect(texts(page.glove)).toEqual(["user: a", "agent_text: one", "user: b", "agent_text: two"]);
});

test("a message that waits for its turn can be taken back", async () => {
  const answer = gate();
  const { client } = clientOf([{ text: "one", until: answer.opened }]);
  const page = show(client);
  await ready(page);
  act(() => void page.glove.sendMessage("a"));
  const second = page.glove.sendMessage("b");
  await until(page, ({ queue }) => queue.map(({ text }) => text).join() === "b");
  const { queue, cancelQueued } = page.glove;
  act(() => expect([cancelQueued("none"), cancelQueued(queue[0]?.id ?? "")]).toEqual([false, true]));
  expect(await second).toEqual({ type: "aborted" });
  answer.open();
  await settled(page);
  expect(page.glove).toMatchObject({ queue: [], error: undefined });
  expect(texts(page.glove)).toEqual(["user: a", "agent_text: one"]);
});

test("what is sent before the session is there is answered when it is", async () => {
  const id = gate();
  const { client } = clientOf(["one", "two"]);
  const page = show(client, { getSessionId: () => id.opened.then(() => "late") });
  const sent = [begin(page, "a"), begin(page, "b")];
  await moment();
  expect(page.glove).toMatchObject({ sessionReady: false, busy: true, status: "submitted" });
  await act(async () => {
    id.open();
    await Promise.all(sent);
  });
  expect(page.glove.sessionId).toBe("late");
  expect(texts(page.glove)).toEqual(["user: a", "agent_text: one", "user: b", "agent_text: two"]);
});

test("a message from an effect of the first render is answered", async () => {
  const { client } = clientOf(["hi"]);
  let handle: UseGloveReturn | undefined;
  renderHook(
    () => {
      const glove = useGlove();
      const { sendMessage } = glove;
      handle = glove;
      useEffect(() => void sendMessage("hello"), [sendMessage]);
    },
    { wrapper: ({ children }) => <GloveProvider client={client}>{children}</GloveProvider> },
  );
  await waitFor(() => expect(texts(handle as UseGloveReturn)).toEqual(["user: hello", "agent_text: hi"]));
});

test("a stored conversation that is read late stands before what was sent meanwhile", async () => {
  const reading = gate();
  const stored: Message[] = [
    { sender: "user", text: "before", id: "m1" },
    { sender: "agent", text: "an answer", id: "m2" },
  ];
  const { client } = clientOf(["now too"], {
    createStore: (id) =>
      createRemoteStore(id, {
        getMessages: () => reading.opened.then(() => [...stored]),
        appendMessages: async (_, messages) => void stored.push(...messages),
      }),
  });
  const page = show(client, { sessionId: "old" });
  const sent = begin(page, "now");
  await moment();
  await act(async () => {
    reading.open();
    await sent;
  });
  expect(texts(page.glove)).toEqual(["user: before", "agent_text: an answer", "user: now", "agent_text: now too"]);
});

test("of a stored conversation only what people said is shown as said by them", async () => {
  const stored: Message[] = [
    { sender: "user", text: "hello", id: "m1" },
    { sender: "agent", text: "", id: "m2", tool_calls: [{ tool_name: "look", input_args: {}, id: "c1" }] },
    {
      sender: "user",
      text: "tool results",
      id: "m3",
      tool_results: [{ tool_name: "look", call_id: "c1", result: { status: "success", data: { tree: 1 }, renderData: 7 } }],
    },
    { sender: "user", text: "[Conversation summary from compaction]", id: "m4", is_compaction: true },
    { sender: "user", text: "[Skill: s]\n…", id: "m5", is_skill_injection: true },
    { sender: "agent", text: "and", id: "m6", tool_calls: [{ tool_name: "look", input_args: {}, id: "c2" }] },
  ];
  const { client } = clientOf([], {
    createStore: (id) => createRemoteStore(id, { getMessages: async () => stored, appendMessages: async () => {} }),
  });
  const page = show(client, { sessionId: "old" });
  await ready(page);
  await until(page, ({ timeline }) => timeline.length > 0);
  expect(texts(page.glove).map((text) => text.replace(/(aborted|error) .*/, "$1"))).toEqual([
    "user: hello",
    'look: success {"tree":1}',
    "compaction:",
    "agent_text: and",
    expect.stringMatching(/^look: (aborted|error)$/),
  ]);
});

test("tasks of a stored session are there again", async () => {
  const store = new MemoryStore("kept");
  await store.addTasks([{ id: "t1", content: "Write", activeForm: "Writing", status: "pending" }]);
  const page = show(clientOf([]).client, { store });
  await until(page, ({ tasks }) => tasks.length === 1);
  expect(page.glove.tasks[0]).toMatchObject({ content: "Write", status: "pending" });
  expect(page.glove.sessionId).toBe("kept");
});

test("the output of a call is text that says what it gave", async () => {
  const { client } = clientOf([{ toolCalls: [{ name: "look" }] }, "done"], {
    tools: [{ name: "look", description: "", inputSchema: nothing, do: () => ({ trees: [1, 2] }) }],
  });
  const page = show(client);
  await say(page, "go");
  expect(texts(page.glove)[1]).toBe('look: success {"trees":[1,2]}');
});

test("another system prompt leaves open slots open, and the model hears it", async () => {
  const ask: ToolConfig = {
    name: "ask",
    description: "",
    inputSchema: nothing,
    do: (_, display) => display.pushAndWait({ input: 1 }),
    render: () => null,
  };
  const { client, model } = clientOf([{ toolCalls: [{ name: "ask" }] }, "done"], { tools: [ask] });
  const page = show(client, { systemPrompt: "first" });
  await ready(page);
  act(() => void page.glove.sendMessage("go"));
  await until(page, ({ slots }) => slots.length === 1);
  page.rerender({ systemPrompt: "second" });
  const [slot] = page.glove.slots;
  expect(page.glove.busy).toBe(true);
  act(() => expect(page.glove.resolveSlot(slot?.id ?? "", "yes")).toBe(true));
  await settled(page);
  expect(texts(page.glove)).toEqual(["user: go", "ask: success yes", "agent_text: done"]);
  expect(model.calls.map(({ systemPrompt }) => systemPrompt)).toEqual(["first", "second"]);
});

test("other tools, models and subscribers are used from the next call on, without a new session", async () => {
  const createStore = vi.fn((id: string) => new MemoryStore(id));
  const { client, model } = clientOf(["one", "two"], { createStore });
  const other = clientOf(["three"]).model;
  const tool = (name: string): ToolConfig => ({ name, description: "", inputSchema: nothing, do: () => name });
  const heard: string[] = [];
  const page = show(client, { tools: [tool("a")] });
  await say(page, "1");
  page.rerender({ tools: [tool("a"), tool("b")], subscribers: [{ record: (type) => void heard.push(type) }] });
  await say(page, "2");
  page.rerender({ model: other });
  await say(page, "3");
  const own = (call: { tools: readonly string[] } | undefined) => call?.tools.filter((name) => name.length === 1);
  expect(model.calls.map(own)).toEqual([["a"], ["a", "b"]]);
  expect(own(other.calls[0])).toEqual([]);
  expect(heard).toContain("model_response_complete");
  expect(texts(page.glove)).toHaveLength(6);
  expect(createStore).toHaveBeenCalledOnce();
});

test("a tool runs as it was written at the latest render", async () => {
  const { client } = clientOf([{ toolCalls: [{ name: "count" }] }, "done"]);
  const tools = (value: number): ToolConfig[] => [{ name: "count", description: "", inputSchema: nothing, do: () => value }];
  const page = show(client, { tools: tools(1) });
  await ready(page);
  page.rerender({ tools: tools(2) });
  await say(page, "go");
  expect(texts(page.glove)[1]).toBe("count: success 2");
});

test("two tools of one name are an error that says so, and the page lives on", async () => {
  const tool: ToolConfig = { name: "twice", description: "", inputSchema: nothing, do: () => 1 };
  const page = show(clientOf(["hi"]).client, { tools: [tool, tool] });
  await until(page, ({ error }) => error !== undefined);
  expect(page.glove.error?.message).toContain('Two tools are called "twice"');
  page.rerender({ tools: [tool] });
  await say(page, "hello");
  expect(texts(page.glove)).toEqual(["user: hello", "agent_text: hi"]);
});

test("what waits for a person is approved or rejected by its id", async () => {
  const pay = vi.fn(() => "paid");
  const call = { toolCalls: [{ name: "pay", input: { sum: 5 } }] };
  const { client } = clientOf([call, "thanks", call, "well"], {
    tools: [{ name: "pay", description: "", inputSchema: z.object({ sum: z.number() }), requireApproval: true, do: pay }],
  });
  const page = show(client);
  await ready(page);
  for (const decide of ["approve", "reject"] as const) {
    act(() => void page.glove.sendMessage(decide));
    await until(page, ({ approvals }) => approvals.length === 1);
    const [approval] = page.glove.approvals;
    expect(approval).toMatchObject({ kind: "approval", toolName: "pay", input: { sum: 5 } });
    expect(page.glove.messages.at(-1)?.parts.at(-1)).toMatchObject({
      state: "approval-requested",
      approval: { id: approval?.id },
    });
    act(() => expect([page.glove[decide](approval?.id ?? ""), page.glove[decide]("no such")]).toEqual([true, false]));
    await settled(page);
  }
  expect(pay).toHaveBeenCalledOnce();
  expect(page.glove.messages.map(({ parts }) => parts.map((part) => ("state" in part ? part.state : part.type)))).toEqual([
    ["done"],
    ["output-available", "done"],
    ["done"],
    ["output-denied", "done"],
  ]);
});

test("actions are taken back with undo", async () => {
  const undo = vi.fn();
  const { client } = clientOf([{ toolCalls: [{ name: "set" }] }, "done"], {
    tools: [{ name: "set", description: "", inputSchema: nothing, do: () => 1, undo }],
  });
  const page = show(client);
  await say(page, "go");
  await act(async () => {
    await page.glove.undo();
  });
  expect(undo).toHaveBeenCalledOnce();
});

test("an answer is given again in its place: what is around it stays as it was drawn", async () => {
  const drawn: string[] = [];
  const Message = ({ entry }: MessageRenderProps) => {
    useEffect(() => {
      drawn.push(`+${"text" in entry ? entry.text : ""}`);
      return () => void drawn.push(`-${"text" in entry ? entry.text : ""}`);
    }, [entry]);
    return <p>{"text" in entry ? entry.text : ""}</p>;
  };
  const { client } = clientOf(["first", "second", "third"]);
  let glove: UseGloveReturn | undefined;
  const Page = () => {
    glove = useGlove();
    return <Render glove={glove} renderMessage={Message} />;
  };
  render(
    <GloveProvider client={client}>
      <Page />
    </GloveProvider>,
  );
  const { sendMessage, regenerate } = glove as unknown as UseGloveReturn;
  await act(() => sendMessage("one"));
  await act(() => sendMessage("two"));
  const ids = () => (glove as UseGloveReturn).messages.map(({ id }) => id);
  const before = ids();
  drawn.length = 0;
  await act(() => regenerate());
  await waitFor(() => expect(drawn).toEqual(["-second", "+third"]));
  expect(screen.getByRole("log").textContent).toBe("onefirsttwothird");
  // The answer to a question has the question's name, so what draws `messages` keeps its place.
  expect(ids()).toEqual(before);
});

test("the runnable is an agent over the same session", async () => {
  const { client } = clientOf(["hi"]);
  const page = show(client);
  await ready(page);
  await act(async () => {
    await page.glove.runnable?.processRequest("hello");
  });
  expect(texts(page.glove)).toEqual(["user: hello", "agent_text: hi"]);
});

test("images are sent with the message and shown in it", async () => {
  const { client, model } = clientOf(["a dot"]);
  const page = show(client);
  await ready(page);
  await act(async () => {
    await page.glove.sendMessage("what is it?", [{ data: "AAAA", media_type: "image/png" }]);
  });
  expect(page.glove.timeline[0]).toMatchObject({ kind: "user", images: ["data:image/png;base64,AAAA"] });
  expect(page.glove.messages[0]?.parts[1]).toEqual({
    type: "file",
    mediaType: "image/png",
    url: "data:image/png;base64,AAAA",
  });
  expect(model.calls[0]?.messages.at(-1)?.content).toHaveLength(2);
});

test("a client needs a model", () => {
  expect(() => new GloveClient({})).toThrow("GloveClient requires either 'endpoint' or 'createModel'");
});
