// The page: the conversation with a customer, and beside it the orders and what was paid back.
import { GloveClient, GloveProvider, Render, useGlove } from "glove-wasm/react";
import { createScriptedModel } from "glove-wasm/testing";
import { createRoot } from "react-dom/client";
import { orders, useRefunds } from "./desk";
import { answer } from "./script";
import { lookUp, refund } from "./tools";
import "./style.css";

const endpoint: string = import.meta.env.VITE_ENDPOINT;
const client = new GloveClient({
  ...(endpoint ? { endpoint } : { createModel: () => createScriptedModel(answer) }),
  systemPrompt: "You help customers of a shop for lamps. Look an order up before you promise anything.",
  tools: [lookUp, refund],
  persistSession: true,
  database: { name: "support-desk" },
});

function Orders() {
  const refunds = useRefunds();
  return (
    <aside aria-label="Orders">
      <h1>Orders</h1>
      {orders.map(({ id, item, euros, state }) => {
        const back = refunds.filter(({ order }) => order === id).reduce((sum, { euros }) => sum + euros, 0);
        return (
          <article key={id} className="order">
            <b>{item}</b> <b>€{euros}</b>
            <span className="quiet">{id}</span>
            {back ? <span className="back">€{back} paid back</span> : <span className="quiet">{state}</span>}
          </article>
        );
      })}
    </aside>
  );
}

function Desk() {
  const suggestions = ["My lamp arrived broken: order A-1042", "Where are my bookends?"];
  return (
    <div className="app">
      <main>
        <Render glove={useGlove()} welcome="How can we help?" suggestions={suggestions} />
      </main>
      <Orders />
    </div>
  );
}

createRoot(document.getElementById("root") as HTMLElement).render(
  <GloveProvider client={client}>
    <Desk />
  </GloveProvider>,
);
