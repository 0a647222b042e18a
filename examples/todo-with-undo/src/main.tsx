// The page: the conversation, and the list with a button that takes back what the assistant did last.
import { GloveClient, GloveProvider, Render, useGlove, useReadable } from "glove-wasm/react";
import { createScriptedModel } from "glove-wasm/testing";
import { createRoot } from "react-dom/client";
import { check, useItems } from "./list";
import { answer } from "./script";
import { addItems, checkItems, removeItems } from "./tools";
import "./style.css";

const endpoint: string = import.meta.env.VITE_ENDPOINT;
const client = new GloveClient({
  ...(endpoint ? { endpoint } : { createModel: () => createScriptedModel(answer) }),
  systemPrompt: "You keep a list of things to do.",
  tools: [addItems, checkItems, removeItems],
  tasks: false, // The list of this page is the only one.
  persistSession: true,
  database: { name: "todo-with-undo" },
});

function List() {
  const items = useItems();
  const { undo, undoable, busy } = useGlove();
  useReadable("items", items);
  return (
    <aside aria-label="To-do">
      <h1>
        To-do <span className="quiet">{items.filter(({ done }) => !done).length} open</span>
      </h1>
      {items.length === 0 && <p className="quiet">Nothing to do. Ask for a plan.</p>}
      <ul>
        {items.map(({ id, text, done }) => (
          <li key={id}>
            <label>
              <input type="checkbox" checked={done} onChange={() => check([id], !done)} /> <span>{text}</span>
            </label>
          </li>
        ))}
      </ul>
      {undoable[0] && (
        <button type="button" disabled={busy} onClick={() => void undo()}>
          ↶ Undo {undoable[0].toolName.replace("_", " ")}
        </button>
      )}
    </aside>
  );
}

function Page() {
  return (
    <div className="app">
      <main>
        <Render glove={useGlove()} welcome="What is to be done?" suggestions={["Plan a picnic", "Clear the list"]} />
      </main>
      <List />
    </div>
  );
}

createRoot(document.getElementById("root") as HTMLElement).render(
  <GloveProvider client={client}>
    <Page />
  </GloveProvider>,
);
