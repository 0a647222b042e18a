// The page: the conversation, and beside it the table that it is about with the charts that were drawn.
import { GloveClient, GloveProvider, Render, useGlove } from "glove-wasm/react";
import { createScriptedModel } from "glove-wasm/testing";
import { createRoot } from "react-dom/client";
import sample from "./sales.csv?raw";
import { answer } from "./script";
import { drawChart, runCode } from "./tools";
import "./style.css";

const endpoint: string = import.meta.env.VITE_ENDPOINT;
const client = new GloveClient({
  ...(endpoint ? { endpoint } : { createModel: () => createScriptedModel(answer) }),
  systemPrompt: `You analyse CSV files. Read them with code in the sandbox: \`await files.read("attachments/<name>")\`. Compute there,
never in your head, and draw the result as a chart.`,
  tools: [runCode, drawChart],
  persistSession: true,
  database: { name: "data-analyst" },
});

const rows = sample
  .trim()
  .split("\n")
  .map((line) => line.split(","));

function Table() {
  const { sendMessage, busy } = useGlove();
  const ask = () => {
    const file = new File([sample], "sales.csv", { type: "text/csv" });
    void sendMessage({ text: "Which region sells most?", files: [file] });
  };
  return (
    <aside aria-label="Sample">
      <h1>
        sales.csv <span className="quiet">{rows.length - 1} rows</span>
      </h1>
      <button type="button" disabled={busy} onClick={ask}>
        Ask about the sample
      </button>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached with the keyboard. */}
      <section className="rows" aria-label="Rows of sales.csv" tabIndex={0}>
        <table>
          <thead>
            <tr>
              {rows[0]?.map((name) => (
                <th key={name}>{name}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(1).map((row) => (
              <tr key={row.join()}>
                {row.map((cell, at) => (
                  <td key={rows[0]?.[at]}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </aside>
  );
}

function Page() {
  const suggestions = ["And by product?", "And by month?"];
  return (
    <div className="app">
      <main>
        <Render
          glove={useGlove()}
          welcome="Ask your table"
          suggestions={suggestions}
          attachments={{ accept: [".csv", "text/csv"] }}
        />
      </main>
      <Table />
    </div>
  );
}

createRoot(document.getElementById("root") as HTMLElement).render(
  <GloveProvider client={client}>
    <Page />
  </GloveProvider>,
);
