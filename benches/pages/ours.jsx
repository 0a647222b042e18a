// A page of this package, with its store in IndexedDB unless its client is given another one.
import { GloveClient, GloveProvider, useGlove } from "glove-wasm/react";

function Chat({ Screen }) {
  const { timeline, streamingText, sessionReady, sendMessage } = useGlove();
  const texts = timeline.map(({ text }) => text ?? "");
  return <Screen texts={streamingText ? [...texts, streamingText] : texts} send={sendMessage} ready={sessionReady} />;
}

let client;

export function Page({ Screen, worker = false, kept = { persistSession: true } }) {
  client ??= new GloveClient({ endpoint: "/chat/ours", systemPrompt: "You help.", worker, ...kept });
  return (
    <GloveProvider client={client}>
      <Chat Screen={Screen} />
    </GloveProvider>
  );
}
