// The page: a client, its provider, and the conversation.
import { GloveClient, GloveProvider, Render, useGlove } from "glove-wasm/react";
import { createScriptedModel } from "glove-wasm/testing";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { answer } from "./script";
import { showMenu, takeOrder } from "./tools";
import "./style.css";

const client = new GloveClient({
  // With a model behind an endpoint of yours: `endpoint: "/api/chat"`.
  createModel: () => createScriptedModel(answer),
  systemPrompt: "You take orders for a pizzeria.",
  tools: [showMenu, takeOrder],
  // After a reload, the conversation that was open. It is kept in IndexedDB.
  persistSession: true,
});

function Chat() {
  const glove = useGlove();
  return (
    <main>
      <header>
        <h1>Pizza by chat</h1>
        <button type="button" onClick={() => glove.newConversation()}>
          New order
        </button>
      </header>
      {glove.timeline.length === 0 && <p>Try “I am hungry”. Reload the page while a form waits: it is still there.</p>}
      <Render glove={glove} />
    </main>
  );
}

const root = document.querySelector("#root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <GloveProvider client={client}>
        <Chat />
      </GloveProvider>
    </StrictMode>,
  );
}
