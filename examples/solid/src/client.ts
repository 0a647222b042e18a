// The client of the page: its model, and a tool that asks before it runs.
import { defineTool, GloveClient, jsonSchema } from "glove-wasm/solid";
import { createScriptedModel } from "glove-wasm/testing";
import { answer } from "./script";

export const refund = defineTool({
  name: "refund",
  description: "Pays money back for an order.",
  inputSchema: jsonSchema<{ order: string; euros: number }>({
    type: "object",
    properties: { order: { type: "string" }, euros: { type: "number" } },
    required: ["order", "euros"],
  }),
  confirm: ({ euros, order }) => `Refund €${euros} for order ${order}?`,
  requireApproval: true,
  do: async ({ order, euros }) => `€${euros} paid back for order ${order}`,
});

export const client = new GloveClient({
  // With a model behind an endpoint of yours: `endpoint: "/api/chat"`.
  createModel: () => createScriptedModel(answer),
  systemPrompt: "You help with orders.",
  tools: [refund],
  // After a reload, the conversation that was open. It is kept in IndexedDB.
  persistSession: true,
});
