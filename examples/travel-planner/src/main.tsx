// The page: the conversation, and beside it the map with the route that was planned last.
import { GloveClient, GloveProvider, Render, useGlove } from "glove-wasm/react";
import { createScriptedModel } from "glove-wasm/testing";
import { createRoot } from "react-dom/client";
import { places } from "./iceland";
import { IcelandMap, Stops } from "./map";
import { answer } from "./script";
import { planRoute } from "./tools";
import "./style.css";

const endpoint: string = import.meta.env.VITE_ENDPOINT;
const client = new GloveClient({
  ...(endpoint ? { endpoint } : { createModel: () => createScriptedModel(answer) }),
  systemPrompt: "You plan journeys through Iceland. Plan with the tool, which asks the traveller.",
  tools: [planRoute],
  persistSession: true,
  database: { name: "travel-planner" },
});

/** What the map shows is in the conversation: a reload, or another branch of it, shows its own route. */
function useRoute() {
  const { timeline } = useGlove<typeof client>();
  const planned = timeline.flatMap((entry) => (entry.kind === "tool" && entry.name === "plan_route" && entry.renderData) || []);
  return (planned.at(-1)?.stops ?? []).flatMap((stop) => places.find(({ name }) => name === stop) ?? []);
}

function Page() {
  const route = useRoute();
  return (
    <div className="app">
      <main>
        <Render
          glove={useGlove()}
          welcome="Where to in Iceland?"
          suggestions={["6 days around Iceland", "A long weekend: 3 days"]}
        />
      </main>
      <aside aria-label="Route">
        <h1>Your route</h1>
        <IcelandMap route={route} />
        {route.length ? <Stops route={route} /> : <p className="quiet">No route yet.</p>}
      </aside>
    </div>
  );
}

createRoot(document.getElementById("root") as HTMLElement).render(
  <GloveProvider client={client}>
    <Page />
  </GloveProvider>,
);
