// The one client of the page: which model answers, and which tools it has.
import { GloveClient } from "glove-wasm/react";
import { createScriptedModel } from "glove-wasm/testing";
import { assistant } from "./shop/assistant.js";
import { tools } from "./shop/tools.js";

export const client = new GloveClient({
  // No key and no network: a script in the page answers. `endpoint: "/api/chat"` in its place talks to a real model.
  createModel: () => createScriptedModel(assistant),
  systemPrompt: "You help people to furnish a small office. Use the tools; never invent products.",
  tools,
});
