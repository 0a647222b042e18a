// The AI SDK's own `useChat` on our client.
import { useChat } from "@ai-sdk/react";
import { act, render, waitFor } from "@testing-library/react";
import { lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage, validateUIMessages } from "ai";
import { GloveClient, type GloveClientConfig, MemoryStore, type StoreAdapter, type ToolConfig } from "glove-wasm";
import { createChatTransport, toUIMessages } from "glove-wasm/ai-sdk";
import { createScriptedModel, type ScriptedAnswer } from "glove-wasm/testing";
import { expect, test } from "vitest";

type Chat = ReturnType<typeof useChat>;

function page(
  script: readonly ScriptedAnswer[],
  config: Partial<GloveClientConfig> = {},
  more: { messages?: UIMessage[]; resume?: boolean } = {},
) {
  const model = createScriptedModel(script);
  const client = new GloveClient({ createModel: () => model, systemPrompt: "", ...config });
  const transport = createChatTransport(client);
  let chat: Chat | undefined;
  const Page = () => {
    chat = useChat({ id: "s1", transport, sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses, ...more });
    return (
      <p>
        {chat.messages
          .map(({ parts }) => parts.map((part) => (part.type === "text" ? part.text : part.type)).join("|"))
          .join(" / ")}
      </p>
    );
  };
  const { container, unmount } = render(<Page />);
  const shown = (text: string) => waitFor(() => expect(container.textContent).toBe(text));
  const ready = () => waitFor(() => expect(chat?.status).toBe("ready"));
  return { client, transport, model, shown, ready, unmount, chat: () => chat as Chat };
}

const call = (name: string, input: unknown = {}, id = "c1") => ({ toolCalls: [{ name, id, input }] });
const tool = (work: ToolConfig["do"], more: Partial<ToolConfig> = {}): ToolConfig => ({
  name: "look",
  description: "",
  jsonSchema: { type: "object" },
  do: work,
  ...more,
});

test("a message is answered with streamed text, calls of tools and what they show, as our own messages have it", async () => {
  const look = tool((_, display) => {
    display.displayWidget("card", { n: 1 });
    return { found: 3 };
  });
  const script: readonly ScriptedAnswer[] = [
    { ...call("look", { at: "it" }), reasoning: "Hm." },
    { deltas: ["Three ", "of ", "them."], every: 30 },
  ];
  const { chat, shown, ready, client } = page(script, { tools: [look] });
  act(() => void chat().sendMessage({ text: "How many?" }));
  await shown("How many? / step-start|reasoning|tool-look|data-output|Three ");
  await shown("How many? / step-start|reasoning|tool-look|data-output|Three of them.");
  await ready();
  const parts = chat().messages[1]?.parts ?? [];
  expect(parts[2]).toMatchObject({
    type: "tool-look",
    toolCallId: "c1",
    state: "output-available",
    input: { at: "it" },
    output: { found: 3 },
  });
  expect(parts[4]).toMatchObject({ type: "text", state: "done" });
  const ours = toUIMessages(client.session("s1"));
  expect(ours[1]?.parts).toMatchObject(parts.slice(1).map(({ type }) => ({ type })));
  expect(ours[1]?.parts[1]).toMatchObject({ state: "output-available", output: { found: 3 } });
  act(() => void chat().sendMessage({ text: "More" }));
  await waitFor(() => expect(chat().status).toBe("error"));
  expect(chat().error?.message).toContain("script");
});

test("the sources of an answer are source parts after its text, in the chat and of a session alike", async () => {
  const sources = [
    { url: "https://a.example/", title: "A" },
    { url: "javascript:alert(1)", title: "B" },
    { url: "https://c.example/" },
  ];
  const client = new GloveClient({
    systemPrompt: "",
    createModel: () => ({
      name: "cites",
      prompt: async (_, notify) => {
        notify("text_delta", { text: "Ro" });
        await new Promise((resolve) => setTimeout(resolve, 50));
        return { messages: [{ sender: "agent", text: "Rome.", sources }], tokens_in: 1, tokens_out: 1 };
      },
      setSystemPrompt() {},
    }),
  });
  let chat: Chat | undefined;
  const transport = createChatTransport(client);
  const Page = () => {
    chat = useChat({ id: "s1", transport });
    return null;
  };
  render(<Page />);
  act(() => void chat?.sendMessage({ text: "Where?" }));
  const parts = [
    { type: "text", text: "Rome.", state: "done" },
    { type: "source-url", sourceId: "source-0-0", url: "https://a.example/", title: "A" },
    { type: "source-url", sourceId: "source-0-2", url: "https://c.example/" },
  ];
  await waitFor(() => expect(chat?.status).toBe("ready"));
  await waitFor(() => expect(chat?.messages[1]?.parts.slice(1)).toMatchObject(parts));
  const ours = toUIMessages(client.session("s1"));
  expect(ours[1]?.parts).toEqual(parts);
  expect(await validateUIMessages({ messages: ours })).toEqual(ours);
});

test("an approval is asked for and answered in the chat, allowed or not", async () => {
  const did: unknown[] = [];
  const pay = tool((input) => did.push(input), { name: "pay", requireApproval: true });
  const { chat, shown, ready } = page([call("pay", { euros: 5 }), "Paid.", call("pay", { euros: 7 }, "c2"), "Not paid."], {
    tools: [pay],
  });
  const answer = async (approved: boolean) => {
    await ready();
    const part = chat()
      .messages.at(-1)
      ?.parts.find((part) => "state" in part && part.state === "approval-requested");
    if (!part || !("approval" in part) || !part.approval) throw new Error("nothing is asked");
    const { id } = part.approval;
    await act(async () => chat().addToolApprovalResponse({ id, approved, reason: "too much" }));
  };
  act(() => void chat().sendMessage({ text: "Pay 5" }));
  await shown("Pay 5 / step-start|tool-pay");
  expect(did).toEqual([]);
  await answer(true);
  await shown("Pay 5 / step-start|tool-pay|Paid.");
  await ready();
  expect(did).toEqual([{ euros: 5 }]);
  act(() => void chat().sendMessage({ text: "Pay 7" }));
  await shown("Pay 5 / step-start|tool-pay|Paid. / Pay 7 / step-start|tool-pay");
  await answer(false);
  await shown("Pay 5 / step-start|tool-pay|Paid. / Pay 7 / step-start|tool-pay|Not paid.");
  expect(chat().messages.at(-1)?.parts[1]).toMatchObject({ state: "output-denied" });
  expect(did).toHaveLength(1);
});

test("stop stops our run, regenerate and edits give another answer, and files are sent", async () => {
  const { chat, shown, ready, client, model } = page([{ text: "Never", after: 60_000 }, "One.", "Two.", "Three."]);
  act(() => void chat().sendMessage({ text: "Hi" }));
  await waitFor(() => expect(client.session("s1").getSnapshot().run.phase).toBe("model"));
  await act(async () => chat().stop());
  await waitFor(() => expect(client.session("s1").getSnapshot().busy).toBe(false));
  await ready();
  const image = { type: "file", mediaType: "image/png", url: "data:image/png;base64,iVBORw0KGgo=" } as const;
  act(() => void chat().sendMessage({ text: "Again", files: [image] }));
  await shown("Hi / file|Again / step-start|One.");
  await ready();
  expect(model.calls[1]?.messages.at(-1)?.content).toMatchObject([{ type: "image" }, { type: "text", text: "Again" }]);
  act(() => void chat().regenerate());
  await shown("Hi / file|Again / step-start|Two.");
  await ready();
  const { id } = chat().messages[1] ?? {};
  act(() => void chat().sendMessage({ text: "Once more", messageId: id as string }));
  await shown("Hi / Once more / step-start|Three.");
  expect(model.calls[3]?.messages.map(({ text }) => text)).toEqual(["Hi", "Once more"]);
});

test("what is stopped before it has begun asks no model", async () => {
  const { transport, model, client } = page(["Never."]);
  const stop = new AbortController();
  const hi: UIMessage = { id: "u1", role: "user", parts: [{ type: "text", text: "Hi" }] };
  const sent = transport.sendMessages({
    trigger: "submit-message",
    chatId: "s1",
    messageId: undefined,
    messages: [hi],
    abortSignal: stop.signal,
  });
  stop.abort();
  const chunks = [];
  for await (const chunk of (await sent) as unknown as AsyncIterable<unknown>) chunks.push(chunk);
  expect(chunks).toEqual([{ type: "abort" }]);
  expect([model.calls.length, client.session("s1").getSnapshot().busy]).toEqual([0, false]);
});

test("an earlier answer is regenerated in its place", async () => {
  const { chat, shown, ready, model } = page(["One.", "Two.", "Other one."]);
  act(() => void chat().sendMessage({ text: "First" }));
  await shown("First / step-start|One.");
  await ready();
  const { id } = chat().messages[1] ?? {};
  act(() => void chat().sendMessage({ text: "Second" }));
  await shown("First / step-start|One. / Second / step-start|Two.");
  await ready();
  act(() => void chat().regenerate({ messageId: id as string }));
  await shown("First / step-start|Other one.");
  await ready();
  expect(model.calls[2]?.messages.map(({ text }) => text)).toEqual(["First"]);
});

test("a message that is sent while an approval is open takes the place of its answer", async () => {
  const did: unknown[] = [];
  const pay = tool((input) => did.push(input), { name: "pay", requireApproval: true });
  const { chat, shown, ready } = page([call("pay", { euros: 5 }), "Not paid."], { tools: [pay] });
  act(() => void chat().sendMessage({ text: "Pay 5" }));
  await shown("Pay 5 / step-start|tool-pay");
  await ready();
  act(() => void chat().sendMessage({ text: "Leave it" }));
  await shown("Pay 5 / step-start|tool-pay / Leave it / step-start|Not paid.");
  await ready();
  expect(did).toEqual([]);
});

test("a reload shows what was said, and follows the run that goes on", async () => {
  const stores = new Map<string, StoreAdapter>();
  const createStore = (id: string) => {
    const store = stores.get(id) ?? new MemoryStore(id);
    stores.set(id, store);
    return store;
  };
  const first = page(["One.", { text: "Never", after: 60_000 }], { createStore });
  act(() => void first.chat().sendMessage({ text: "Hi" }));
  await first.shown("Hi / step-start|One.");
  await first.ready();
  act(() => void first.chat().sendMessage({ text: "And?" }));
  await waitFor(() => expect(first.model.calls).toHaveLength(2));
  // A page that dies tells nobody to stop.
  first.client.dispose();
  first.unmount();

  const stored = new GloveClient({
    createModel: () => createScriptedModel(["Two."]),
    systemPrompt: "",
    createStore,
    resume: "manual",
  });
  const session = stored.session("s1");
  await session.start();
  const messages = toUIMessages(session);
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  stored.dispose();
  const second = page([{ text: "Two.", after: 50 }], { createStore }, { messages, resume: true });
  await second.shown("Hi / One. / And? / step-start|Two.");
});

test("a chat that is cut and goes on edits what it leaves out, and what another tab has said stays", async () => {
  const { chat, ready, client } = page(["One.", "Two.", "Three.", "Four.", "Five."]);
  const said = () =>
    client
      .session("s1")
      .getSnapshot()
      .timeline.flatMap((entry) => (entry.kind === "user" ? [entry.text] : []));
  for (const text of ["a", "b"]) {
    await act(() => chat().sendMessage({ text }));
    await ready();
  }
  await act(async () => chat().setMessages((before) => before.slice(0, 2)));
  await act(() => chat().sendMessage({ text: "c" }));
  await ready();
  expect(said()).toEqual(["a", "c"]);
  await act(async () => void (await client.session("s1").sendMessage("d, elsewhere")));
  await act(() => chat().sendMessage({ text: "e" }));
  await ready();
  expect(said()).toEqual(["a", "c", "d, elsewhere", "e"]);
});

test("a chat whose messages were all taken away edits the first one, if it has shown it", async () => {
  const texts = (client: GloveClient) =>
    client
      .session("s1")
      .getSnapshot()
      .timeline.flatMap((entry) => (entry.kind === "user" ? [entry.text] : []));
  const store = new MemoryStore("s1");
  const config = { createStore: () => store };
  const first = page(["One.", "Two.", "Three.", "Four."], config, { resume: true });
  for (const text of ["a", "b"]) {
    await act(() => first.chat().sendMessage({ text }));
    await first.ready();
  }
  await act(async () => first.chat().setMessages([]));
  await act(() => first.chat().sendMessage({ text: "c" }));
  await first.ready();
  expect(texts(first.client)).toEqual(["c"]);
  await first.shown("c / step-start|Three.");
  // Another chat on the same transport has not shown them, and adds to what is stored.
  first.unmount();
  const Later = () => {
    const chat = useChat({ id: "s1", transport: first.transport, resume: true });
    return (
      <button type="button" onClick={() => void chat.sendMessage({ text: "d" })}>
        {chat.status} {chat.messages.length}
      </button>
    );
  };
  const later = render(<Later />);
  await act(async () => later.getByRole("button").click());
  await waitFor(() => expect(later.getByRole("button").textContent).toBe("ready 2"));
  expect(texts(first.client)).toEqual(["c", "d"]);
  first.client.dispose();

  // What was given to it from the store counts as shown.
  const client = new GloveClient({ createModel: () => createScriptedModel([]), ...config });
  await client.session("s1").start();
  const again = page(["Five."], config, { messages: toUIMessages(client.session("s1")) });
  await again.client.session("s1").start();
  toUIMessages(again.client.session("s1"));
  await act(async () => again.chat().setMessages([]));
  await act(() => again.chat().sendMessage({ text: "e" }));
  await again.ready();
  expect(texts(again.client)).toEqual(["e"]);
});
