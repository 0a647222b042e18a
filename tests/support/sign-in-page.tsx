// A chat whose server of MCP wants people to sign in. Its address says where the server is, and how they do.

import { createMcpAuth, mcpServer } from "glove-wasm/mcp";
import { GloveClient, GloveProvider, Render, useGlove } from "glove-wasm/react";
import { createScriptedModel } from "glove-wasm/testing";
import { createRoot } from "react-dom/client";

const given = JSON.parse(localStorage.getItem("server") ?? "{}") as { url: string; way: "popup" | "redirect" };

const docs = mcpServer({
  name: "docs",
  url: given.url,
  firstUse: "allow",
  approvals: () => false,
  auth: createMcpAuth({ clientName: "The chat", way: given.way }),
});

const client = new GloveClient({
  systemPrompt: "",
  plugins: [docs],
  createModel: () =>
    createScriptedModel(({ messages, tools }) => {
      const results = messages.flatMap(({ tool_results = [] }) => tool_results);
      if (results.some(({ tool_name }) => tool_name === "docs__read")) return "That was all of it.";
      const name = tools.includes("docs__read") ? "docs__read" : "docs__sign_in";
      return { toolCalls: [{ name, input: {} }] };
    }),
});

function Chat() {
  return <Render glove={useGlove({ sessionId: "s" })} />;
}

createRoot(document.body.appendChild(document.createElement("main"))).render(
  <GloveProvider client={client}>
    <Chat />
  </GloveProvider>,
);

Object.assign(globalThis, { docs, client });
