// A page with one conversation over a model of its own, with `<Render>` or without, for tests that bundle it for a browser.
import { GloveClient, GloveProvider, MemoryStore, Render, useGlove } from "glove-wasm/react";
import { createRoot } from "react-dom/client";

/** Streams this text in pieces, a task each, and gives the milliseconds until all of it is stored and drawn. */
async function stream(text: string, drawn: boolean): Promise<number> {
  const model = {
    name: "own",
    setSystemPrompt: () => {},
    async prompt(_: unknown, notify: (type: string, data: unknown) => Promise<void>) {
      for (let at = 0; at < text.length; at += 2 ** 16) {
        void notify("text_delta", { text: text.slice(at, at + 2 ** 16) });
        await new Promise((later) => setTimeout(later));
      }
      return { messages: [{ sender: "agent" as const, text }], tokens_in: 1, tokens_out: 1 };
    },
  };
  const client = new GloveClient({ systemPrompt: "", createModel: () => model, createStore: (id) => new MemoryStore(id) });
  const Chat = () => <Render glove={useGlove({ sessionId: "s" })} />;
  const page = createRoot(document.body.appendChild(document.createElement("main")));
  if (drawn) {
    page.render(
      <GloveProvider client={client}>
        <Chat />
      </GloveProvider>,
    );
  }
  const session = client.session("s");
  await session.start();
  const began = performance.now();
  await session.sendMessage("go");
  await new Promise((later) => requestAnimationFrame(() => setTimeout(later)));
  const took = performance.now() - began;
  const entry = session.getSnapshot().timeline.at(-1);
  if (entry?.kind !== "agent_text" || entry.text !== text) throw new Error("The conversation does not hold the whole text.");
  return took;
}

Object.assign(globalThis, { stream });
