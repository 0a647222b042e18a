// What W13 measures in a page: an answer below a conversation of `#entries=…` in `<Render>` (`#answer`), and opening one that an earlier visit
// of the page has kept in IndexedDB (`#write`).
import { GloveClient, GloveProvider, IndexedDBStore, MemoryStore, Render, useGlove } from "glove-wasm/react";
import { useEffect } from "react";
import { createRoot } from "react-dom/client";
import { messageAt, nextFrame, tellByFrames } from "./words.js";

const asked = new URLSearchParams(location.hash.slice(1));
const entries = Number(asked.get("entries"));
const sessionId = `of ${entries}`;
async function write() {
  const store = new IndexedDBStore(sessionId);
  const messages = Array.from({ length: entries }, (_, at) => messageAt(at, entries));
  for (let at = 0; at < entries; at += 1_000) await store.appendMessages(messages.slice(at, at + 1_000));
  window.isWritten = true;
}

const model = {
  name: "by frames",
  setSystemPrompt() {},
  async prompt(_request, notify) {
    const text = await tellByFrames((text) => void notify("text_delta", { text }));
    return { messages: [{ sender: "agent", text }], tokens_in: 1, tokens_out: 1 };
  },
};

/** A client whose conversation is in memory: nothing is written while it answers. */
function answering() {
  const store = new MemoryStore(sessionId);
  if (entries) store.appendMessages(Array.from({ length: entries }, (_, at) => messageAt(at, entries)));
  return new GloveClient({ createModel: () => model, createStore: () => store, systemPrompt: "" });
}

function Opened() {
  const glove = useGlove({ sessionId });
  const { sessionReady, timeline, sendMessage } = glove;
  useEffect(() => {
    window.isOpen = sessionReady && timeline.length >= entries;
    window.answer = async (pieces) => {
      Object.assign(window, { pieces });
      await sendMessage("Go on.");
      await nextFrame();
      await nextFrame();
    };
  });
  return (
    <main data-glove-page="">
      <Render glove={glove} />
    </main>
  );
}

/** When its last message was painted first, since the page began, and which frames were late from then on. */
function watchOpening() {
  const late = [];
  window.opening = { late };
  let before;
  const frame = (now) => {
    if (before !== undefined && now - before > 50) late.push(Math.round(now - before));
    if (before === undefined && document.querySelector("[data-glove-last=agent]")) {
      // It is painted when the frame of the next one begins.
      requestAnimationFrame(() => {
        window.opening.painted = performance.now();
      });
    }
    if (window.opening.painted !== undefined) before = now;
    // What watches takes nothing of the answer.
    if (!(now > window.opening.painted + 2_000)) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

export function start() {
  if (asked.has("write")) return void write();
  const isAnswer = asked.has("answer");
  if (!isAnswer) watchOpening();
  const stored = () => new GloveClient({ endpoint: "/chat/ours", systemPrompt: "You help.", persistSession: true });
  const client = isAnswer ? answering() : stored();
  createRoot(document.getElementById("root")).render(
    <GloveProvider client={client}>
      <Opened />
    </GloveProvider>,
  );
}
