// The page: the conversation, and the form that both fill.
import { GloveClient, GloveProvider, Render, useGlove } from "glove-wasm/react";
import { createScriptedModel } from "glove-wasm/testing";
import { createRoot } from "react-dom/client";
import { ClaimForm } from "./form";
import { answer } from "./script";
import "./style.css";

const endpoint: string = import.meta.env.VITE_ENDPOINT;
const client = new GloveClient({
  ...(endpoint ? { endpoint } : { createModel: () => createScriptedModel(answer) }),
  systemPrompt:
    "You help to fill a claim for the costs of a journey. Fill what you are told, ask for what is missing, and then send it.",
  persistSession: true,
  database: { name: "form-filler" },
});

const story = "I am Ada Berg. I was in Porto from 3 to 5 November for the design fair, and the train was €182.40.";

function Page() {
  return (
    <div className="app">
      <main>
        <Render glove={useGlove()} welcome="Tell me about your journey" suggestions={[{ label: "Porto", text: story }]} />
      </main>
      <aside aria-label="Form">
        <ClaimForm />
      </aside>
    </div>
  );
}

createRoot(document.getElementById("root") as HTMLElement).render(
  <GloveProvider client={client}>
    <Page />
  </GloveProvider>,
);
