// A page of this package, with its store in IndexedDB; one that has a history keeps it in memory.
import { MemoryStore } from "glove-wasm";
import { GloveClient, GloveProvider, useGlove } from "glove-wasm/react";

function Chat({ Screen }) {
  const { timeline, streamingText, sessionReady, sendMessage } = useGlove();
  const texts = timeline.map(({ text }) => text ?? "");
  return <Screen texts={streamingText ? [...texts, streamingText] : texts} send={sendMessage} ready={sessionReady} />;
}

function stored(history) {
  const store = new MemoryStore("s");
  store.appendMessages(history.map((text, at) => ({ sender: at % 2 ? "agent" : "user", text })));
  return { createStore: () => store };
}

let client;

export function Page({ Screen, history, worker = false }) {
  const kept = history?.length ? stored(history) : { persistSession: true };
  client ??= new GloveClient({ endpoint: "/chat/ours", systemPrompt: "You help.", worker, ...kept });
  return (
    <GloveProvider client={client}>
      <Chat Screen={Screen} />
    </GloveProvider>
  );
}
