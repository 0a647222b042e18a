// A page of this package, with its store in IndexedDB.
import { GloveClient, GloveProvider, useGlove } from "glove-wasm/react";

const client = new GloveClient({ endpoint: "/chat/ours", systemPrompt: "You help.", persistSession: true });

function Chat({ Screen }) {
  const { timeline, streamingText, sessionReady, sendMessage } = useGlove();
  const texts = timeline.map(({ text }) => text ?? "");
  return <Screen texts={streamingText ? [...texts, streamingText] : texts} send={sendMessage} ready={sessionReady} />;
}

export const Page = ({ Screen }) => (
  <GloveProvider client={client}>
    <Chat Screen={Screen} />
  </GloveProvider>
);
