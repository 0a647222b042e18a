// A call of a session's tool that no model makes: a prompt of the conversation whose words hold the call. A person allows it there, and it is in
// the record.

import type { ModelAdapter } from "../../src/ports/model.js";
import type { GloveSession } from "../../src/session/session.js";
import { generateId } from "../../src/values/ids.js";
import type { ToolResultData } from "../../src/wire/record.js";

/** What is called, and the id of the call. */
export interface OutsideCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** The words of such a prompt: the call is one line of JSON, behind the head. */
export const outsideReason = (head: string, call: OutsideCall): string => `${head}\n${JSON.stringify(call)}\n`;

/** The call in the words of a prompt; nothing where there is none. */
export function outsideCallOf(head: string, text = ""): OutsideCall | undefined {
  const at = text.indexOf(head);
  if (at < 0) return undefined;
  const [line = ""] = text
    .slice(at + head.length)
    .trimStart()
    .split("\n");
  return JSON.parse(line) as OutsideCall;
}

/** What answers such a prompt: with the call, and then with `done`. It stands in the message, so whichever tab runs the conversation knows it. */
export function outsideCaller(name: string, head: string, done: string): ModelAdapter {
  return {
    name,
    setSystemPrompt() {},
    async prompt({ messages }) {
      const at = messages.findLastIndex(({ sender, text }) => sender === "user" && text.includes(head));
      const called = messages.slice(at + 1).some(({ tool_calls }) => tool_calls?.length);
      const call = called ? undefined : outsideCallOf(head, messages[at]?.text);
      const answer = call
        ? { text: "", tool_calls: [{ id: call.id, tool_name: call.name, input_args: call.input }] }
        : { text: done };
      return { messages: [{ sender: "agent", ...answer }], tokens_in: 0, tokens_out: 0 };
    },
  };
}

/** Of each session in which such prompts begin: whichever tab or process runs the conversation is asked. */
export function knowCaller(session: GloveSession, caller: ModelAdapter): void {
  const { models } = session.config;
  if (models?.[caller.name] !== caller) session.configure({ models: { ...models, [caller.name]: caller } });
}

/** Begins the prompt, and gives the result of its call; nothing where there is none. Rejects as `trigger` does, and with the reason of `signal`. */
export async function outsideResult(
  session: GloveSession,
  begin: (id: string) => Promise<{ readonly type: string }>,
  signal?: AbortSignal,
): Promise<ToolResultData | undefined> {
  const id = generateId();
  let result: ToolResultData | undefined;
  let heard = () => {};
  const finished = new Promise<void>((resolve) => {
    heard = resolve;
  });
  const unsubscribe = session.addSubscriber({
    record(type, data) {
      if (type !== "tool_use_result" || data.call_id !== id) return;
      result = data.result;
      heard();
    },
  });
  signal?.addEventListener("abort", heard, { once: true });
  try {
    signal?.throwIfAborted();
    // A call that waits for a person has its result later.
    const running = begin(id).then(({ type }) => (type === "waiting" ? finished : undefined));
    await Promise.race([running, finished]);
    signal?.throwIfAborted();
    return result;
  } finally {
    signal?.removeEventListener("abort", heard);
    unsubscribe();
  }
}
