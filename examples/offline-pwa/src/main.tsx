// The page: the conversation, and the notes. After its first visit, it opens and works without a network.
import { defineTool, GloveClient, GloveProvider, Render, useGlove } from "glove-wasm/react";
import { createScriptedModel } from "glove-wasm/testing";
import { createRoot } from "react-dom/client";
import { z } from "zod";
import { useKept, useNotes, useOnline, write } from "./notes";
import { answer } from "./script";
import "./style.css";

if (import.meta.env.MODE !== "development") void navigator.serviceWorker?.register("./sw.js");

const addNote = defineTool({
  name: "add_note",
  description: "Writes down what was seen. Asks the person how urgent it is.",
  inputSchema: z.object({ text: z.string().min(1) }),
  title: () => "A note",
  async do({ text }, display) {
    const options = ["Look again next year", "Mend this month", "Close it now"];
    const urgency = await display.pushAndWait({ message: "How urgent is it?", options }, "select");
    const at = await display.step("time", () => Date.now());
    write({ key: display.idempotencyKey, text, urgency: String(urgency), at });
    return urgency;
  },
});

const endpoint: string = import.meta.env.VITE_ENDPOINT;
const client = new GloveClient({
  // One behind an endpoint needs the network: what is said without one is kept, and can be sent again.
  ...(endpoint ? { endpoint } : { createModel: () => createScriptedModel(answer) }),
  systemPrompt: "You keep the notes of someone who inspects bridges. Write down each thing with the tool.",
  tools: [addNote],
  persistSession: true,
  database: { name: "field-notes", persist: true },
});

function Notes() {
  const notes = useNotes();
  const isOnline = useOnline();
  const isKept = useKept();
  return (
    <aside aria-label="Notes">
      <h1>Field notes</h1>
      <p className="line" data-online={isOnline}>
        {isOnline ? "Online" : "Offline"} <span className="quiet">{isKept ? "· this page opens without a network" : ""}</span>
      </p>
      {notes.map(({ key, text, urgency, at }) => (
        <article key={key}>
          <p>{text}</p>
          <b>{urgency}</b>{" "}
          <time className="quiet">{new Date(at).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" })}</time>
        </article>
      ))}
    </aside>
  );
}

function Page() {
  return (
    <div className="app">
      <main>
        <Render glove={useGlove()} welcome="What do you see?" suggestions={["A crack in the north pier, as long as a hand"]} />
      </main>
      <Notes />
    </div>
  );
}

createRoot(document.getElementById("root") as HTMLElement).render(
  <GloveProvider client={client}>
    <Page />
  </GloveProvider>,
);
