// A finished chat of this package: its loop, its store, its look, markdown.
import { GloveClient, GloveProvider, Render, useGlove } from "glove-wasm/react";
import { useSent } from "./start.jsx";

const client = new GloveClient({ endpoint: "/chat/ours", systemPrompt: "You help." });

function Conversation() {
  const glove = useGlove();
  useSent(glove.sendMessage);
  return (
    <main data-glove-page="">
      <Render glove={glove} />
    </main>
  );
}

export function Chat() {
  return (
    <GloveProvider client={client}>
      <Conversation />
    </GloveProvider>
  );
}
