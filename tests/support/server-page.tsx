// A chat whose HTML comes from a server, and the script that takes it over.
import { GloveClient, GloveProvider, MemoryStore, Render, useGlove } from "glove-wasm/react";
import { createScriptedModel } from "glove-wasm/testing";
import { StrictMode } from "react";
import { hydrateRoot } from "react-dom/client";

const client = new GloveClient({
  createModel: () => createScriptedModel(({ messages }) => `You said: ${JSON.stringify(messages.at(-1)?.text)}`),
  systemPrompt: "You are a test.",
  createStore: (id) => new MemoryStore(id),
});

const Chat = () => <Render glove={useGlove()} />;

export const App = () => (
  <StrictMode>
    <GloveProvider client={client}>
      <Chat />
    </GloveProvider>
  </StrictMode>
);

if (typeof document !== "undefined") hydrateRoot(document.querySelector("main") as Element, <App />);
