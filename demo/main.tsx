// The demo's page.
import { GloveProvider } from "glove-wasm/react";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.js";
import { client } from "./client.js";
import "glove-wasm/react/style.css";
import "./style.css";

const root = document.querySelector("#root");
if (!root) throw new Error("index.html has no #root");
createRoot(root).render(
  <StrictMode>
    <GloveProvider client={client}>
      <App />
    </GloveProvider>
  </StrictMode>,
);
