// Which hooks below a provider are on the same conversation.
import { act, render, screen, waitFor } from "@testing-library/react";
import {
  GloveClient,
  GloveProvider,
  MemoryStore,
  type UseGloveConfig,
  type UseGloveReturn,
  useGlove,
  useSuspenseGlove,
} from "glove-wasm/react";
import { createScriptedModel } from "glove-wasm/testing";
import { type ReactNode, StrictMode, Suspense } from "react";
import { expect, test, vi } from "vitest";
import { clientOf, texts } from "./page.js";

const handles: Record<string, UseGloveReturn> = {};
function Chat({ name, config }: { name: string; config?: UseGloveConfig }): ReactNode {
  const glove = useGlove(config);
  handles[name] = { ...glove };
  return <p>{`${name} shows ${glove.sessionId} with ${glove.timeline.length}`}</p>;
}
function Waiting({ name }: { name: string }): ReactNode {
  const glove = useSuspenseGlove();
  handles[name] = { ...glove };
  return <p>{`${name} shows ${glove.sessionId} with ${glove.timeline.length}`}</p>;
}
function Part(): ReactNode {
  return <p>{`a part of ${useGlove(({ sessionId }) => sessionId)}`}</p>;
}
const of = (name: string) => handles[name] as UseGloveReturn;
const shows = (text: string) => waitFor(() => expect(screen.getByText(text)).toBeDefined());

test("hooks without settings are on the provider's conversation: a list of conversations switches the chat", async () => {
  const createStore = vi.fn((id: string) => new MemoryStore(id));
  const { client } = clientOf(["one", "two"], { createStore, getSessionId: () => "first" });
  render(
    <StrictMode>
      <GloveProvider client={client}>
        <Chat name="list" />
        <Part />
        <Chat name="chat" />
      </GloveProvider>
    </StrictMode>,
  );
  await shows("chat shows first with 0");
  act(() => of("list").switchConversation("second"));
  for (const text of ["list shows second with 0", "chat shows second with 0", "a part of second"]) await shows(text);
  await act(() => of("chat").sendMessage("hi"));
  await shows("list shows second with 2");
  await act(() => of("list").newConversation("third"));
  await shows("chat shows third with 0");
  expect(createStore.mock.calls.map(([id]) => id)).toEqual(["first", "second", "third"]);
});

test("a hook with settings has a conversation of its own, and selectors stay with the provider's", async () => {
  const { client } = clientOf(["one"], { getSessionId: () => "main" });
  const tree = (open: boolean) => (
    <GloveProvider client={client}>
      <Chat name="chat" />
      <Part />
      {open && <Chat name="help" config={{ sessionId: "help" }} />}
    </GloveProvider>
  );
  const { rerender } = render(tree(false));
  await shows("chat shows main with 0");
  rerender(tree(true));
  await shows("help shows help with 0");
  await act(() => of("help").sendMessage("hi"));
  await shows("help shows help with 2");
  await shows("chat shows main with 0");
  await shows("a part of main");
});

test("a hook that is given settings later goes to its own conversation, and back when they are gone", async () => {
  const { client } = clientOf([], { getSessionId: () => "main" });
  const tree = (config?: UseGloveConfig) => (
    <GloveProvider client={client}>
      <Chat name="chat" />
      <Chat name="other" {...(config && { config })} />
    </GloveProvider>
  );
  const { rerender } = render(tree({}));
  await shows("other shows main with 0");
  rerender(tree({ sessionId: "own" }));
  await shows("other shows own with 0");
  await shows("chat shows main with 0");
  rerender(tree({}));
  await shows("other shows main with 0");
});

test("the conversation goes on as long as one of its components is on the screen, also when the client is another", async () => {
  const { client, model } = clientOf(["one"], { getSessionId: () => "main", whenUnused: "stop" });
  const other = new GloveClient({
    createModel: () => createScriptedModel(["from the other"]),
    systemPrompt: "",
    whenUnused: "stop",
  });
  const tree = (list: boolean, now = client) => (
    <GloveProvider client={now}>
      {list && <Chat name="list" />}
      <Chat name="chat" />
    </GloveProvider>
  );
  const { rerender } = render(tree(true));
  await shows("list shows main with 0");
  const sent = of("list").sendMessage("hi");
  rerender(tree(false));
  await act(async () => void (await sent));
  expect([texts(of("chat")), model.calls.length]).toEqual([["user: hi", "agent_text: one"], 1]);
  rerender(tree(true, other));
  await shows("list shows main with 0");
  await act(() => of("list").sendMessage("hello"));
  await waitFor(() => expect(texts(of("chat"))).toEqual(["user: hello", "agent_text: from the other"]));
});

test("who waits for the conversation is on the same one, also when the provider waits with it", async () => {
  const getSessionId = vi.fn(async () => "main");
  const createStore = vi.fn((id: string) => new MemoryStore(id));
  const { client } = clientOf(["one"], { getSessionId, createStore });
  render(
    <Suspense fallback="…">
      <GloveProvider client={client}>
        <Chat name="chat" />
        <Waiting name="list" />
        <Waiting name="third" />
      </GloveProvider>
    </Suspense>,
  );
  for (const name of ["chat", "list", "third"]) await shows(`${name} shows main with 0`);
  await act(() => of("list").newConversation("next"));
  for (const name of ["chat", "list", "third"]) await shows(`${name} shows next with 0`);
  await act(() => of("third").sendMessage("hi"));
  for (const name of ["chat", "list", "third"]) await shows(`${name} shows next with 2`);
  expect(getSessionId).toHaveBeenCalledOnce();
  expect(createStore).toHaveBeenCalledTimes(2);
});
