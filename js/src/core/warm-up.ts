// A made-up message in a session that nobody sees, played while the page is idle: V8 compiles each function when it is first called, and
// the first message of a person would wait for that.
import { transportOf, withTransport } from "../models/transport.js";
import type { ModelAdapter } from "../ports/model.js";
import type { StoreAdapter } from "../ports/store.js";
import type { OpenSession } from "./open-session.js";

/** Once in a page: what is compiled stays. */
let begun = false;

const text = "-";
const message = { sender: "agent", text } as const;
const usage = { tokens_in: 1, tokens_out: 1 };
const events = [
  { type: "text_delta", text },
  { type: "done", message, ...usage },
];
const answer = () => new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));

/** For a session that was opened. What a person does there ends it. */
export async function warm(openSession: OpenSession): Promise<void> {
  const { page, snapshots } = openSession;
  // Only browsers tell when they are idle. Safari does not, and it runs a wasm file without compiling it first.
  if (begun || typeof requestIdleCallback !== "function") return;
  begun = true;
  let session: ReturnType<typeof page.another> | undefined;
  /** What is done with it then is a task of its own: none is long. */
  const idle = <T>(value: T): Promise<T> =>
    new Promise((resolve) =>
      requestIdleCallback(() => {
        if (snapshots.snapshot.busy) session?.dispose();
        resolve(value);
      }),
    );
  const store: Partial<StoreAdapter> = {
    identifier: text,
    readRunText: () => idle('{"messages":[],"records":[]}'),
    readRun: async () => ({ messages: [], records: [] }),
    appendStepText: () => idle(undefined),
    async appendStep() {},
  };
  const inPage: ModelAdapter = {
    name: text,
    setSystemPrompt() {},
    async prompt(_, notify) {
      await idle(notify("text_delta", { text }));
      return { messages: [message], ...usage };
    },
  };
  await idle(undefined);
  if (snapshots.snapshot.busy) return;
  const transport = { options: { http: { name: text, url: text } }, fetch: () => idle(answer()) };
  const model = transportOf(openSession.config().model) ? withTransport(inPage, transport) : inPage;
  session = page.another({
    sessionId: text,
    systemPrompt: text,
    model,
    store: store as StoreAdapter,
    // Without a subscriber, errors would be logged to the console.
    subscribers: [{ async record() {} }],
  });
  try {
    await session.start();
    await idle(undefined);
    await session.sendMessage(text);
  } catch {
    // The session or the core ended; its real user gets the error.
  }
  session.dispose();
}
