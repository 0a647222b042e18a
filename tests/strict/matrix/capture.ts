// The requests of one situation, as this package sends them: through the chat handler, and through an adapter and a session.
import { createAdapter, GloveClient, type JsonSchema, MemoryStore, type Message } from "glove-wasm";
import { createChatHandler } from "glove-wasm/server";
import { sentBy } from "../stand-in.js";
import type { Sent } from "../types.js";
import type { Situation } from "./situations.js";
import type { Target } from "./targets.js";

const policy = { maxRetries: 0, firstByteMs: 0, idleMs: 0, totalMs: 0 };
const limits = { bodyBytes: 1e8, systemPromptBytes: 1e8, messages: 1e5, tools: 1e4 };

/** A provider that keeps what it is asked, and fails in a way that asks for nothing more. */
function keeper() {
  const sent: Sent[] = [];
  const fetch = async (url: string, init: RequestInit) => {
    sent.push(sentBy(url, init));
    return new Response("{}", { status: 500 });
  };
  return { sent, fetch };
}

/** What a handler sends for the request of a client. An empty list is a situation that it refuses itself. */
export async function byHandler({ options }: Target, situation: Situation): Promise<Sent[]> {
  const { sent, fetch } = keeper();
  const { systemPrompt, messages, tools } = situation;
  const { stream: _, ...own } = situation.options ?? {};
  const quiet = { onError: () => {}, onNotice: () => {} };
  const handle = createChatHandler({ ...options, ...own, fetch, policy, limits, ...quiet });
  const body = JSON.stringify({ systemPrompt, messages, ...(tools && { tools }) });
  const request = new Request("http://here/api/chat", { method: "POST", headers: { "content-type": "application/json" }, body });
  await (await handle(request)).text();
  return sent;
}

/** What a session sends that goes on from the record, with an adapter as its model. */
export async function byAdapter({ options }: Target, situation: Situation): Promise<Sent[]> {
  const { sent, fetch } = keeper();
  const store = new MemoryStore("s1");
  const last = situation.messages.at(-1);
  const says = last?.sender === "user" && !last.tool_results ? last : ({ sender: "user", text: "Go on" } satisfies Message);
  await store.appendMessages(says === last ? situation.messages.slice(0, -1) : [...situation.messages]);
  const model = createAdapter({ ...options, ...situation.options, fetch, policy });
  const tools = (situation.tools ?? []).map(({ name, description, parameters }) => ({
    name,
    description,
    jsonSchema: parameters as JsonSchema,
    do: () => 1,
  }));
  const client = new GloveClient({
    createModel: () => model,
    createStore: () => store,
    systemPrompt: situation.systemPrompt,
    tools,
  });
  const session = client.session("s1");
  await session.sendMessage(says.content ? { content: says.content } : says.text).catch(() => {});
  return sent;
}
