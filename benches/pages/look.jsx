// A page of this package with its own look.
import { GloveClient, GloveProvider, Render, useGlove } from "glove-wasm/react";

function Chat({ Screen }) {
  const glove = useGlove();
  const { timeline, streamingText, sessionReady, sendMessage } = glove;
  const texts = [...timeline.map(({ text }) => text ?? ""), streamingText];
  return (
    <main data-glove-page="">
      <div hidden>
        <Screen texts={texts} send={sendMessage} ready={sessionReady} />
      </div>
      <Render glove={glove} />
    </main>
  );
}

let client;

export function Page({ Screen }) {
  client ??= new GloveClient({ endpoint: "/chat/ours", systemPrompt: "You help.", persistSession: true });
  return (
    <GloveProvider client={client}>
      <Chat Screen={Screen} />
    </GloveProvider>
  );
}
