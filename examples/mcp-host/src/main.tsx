// The page: the conversation, and beside it the servers with what they are allowed.
import type { McpToolInfo } from "glove-wasm/mcp";
import { GloveClient, GloveProvider, Render, useGlove } from "glove-wasm/react";
import { createScriptedModel } from "glove-wasm/testing";
import { useEffect, useState, useSyncExternalStore } from "react";
import { createRoot } from "react-dom/client";
import { answer } from "./script";
import { servers } from "./servers";
import "./style.css";

const endpoint: string = import.meta.env.VITE_ENDPOINT;
const client = new GloveClient({
  ...(endpoint ? { endpoint } : { createModel: () => createScriptedModel(answer) }),
  systemPrompt: "You help readers of a library. Use its tools.",
  plugins: servers.map(({ server }) => server),
  persistSession: true,
  database: { name: "mcp-host" },
});

const words = {
  idle: "asked when it is needed",
  connecting: "connecting …",
  ready: "connected",
  failed: "not reached",
  "signed-out": "signed out",
};

function Server({ name, at, server }: (typeof servers)[number]) {
  const state = useSyncExternalStore(
    (listener) => server.subscribe(listener),
    () => server.status().state,
  );
  const [tools, setTools] = useState<readonly McpToolInfo[]>([]);
  useEffect(() => {
    if (state === "ready") void server.listTools().then(setTools);
  }, [state, server]);
  return (
    <article>
      <b>{name}</b> <span className="quiet">{at}</span>
      <p data-state={state}>{words[state]}</p>
      <ul>
        {tools.map((tool) => (
          <li key={tool.name}>
            <code>{tool.name}</code> <span className="quiet">{tool.description}</span>
          </li>
        ))}
      </ul>
      {state !== "ready" && (
        <button type="button" disabled={state === "connecting"} onClick={() => void server.connect().catch(() => {})}>
          Connect
        </button>
      )}
    </article>
  );
}

function Page() {
  return (
    <div className="app">
      <main>
        <Render glove={useGlove()} welcome="Ask the library" suggestions={["Is there a book on cheese?", "Borrow it"]} />
      </main>
      <aside aria-label="Servers">
        <h1>Servers</h1>
        {servers.map((one) => (
          <Server key={one.name} {...one} />
        ))}
      </aside>
    </div>
  );
}

createRoot(document.getElementById("root") as HTMLElement).render(
  <GloveProvider client={client}>
    <Page />
  </GloveProvider>,
);
