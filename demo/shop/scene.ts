// The shop: a product grid, a cart, and a checkout that waits for a form.
import type { SceneParts } from "../scene.js";
import { assistant } from "./assistant.js";
import { CartPanel } from "./panel.js";
import { labels, tools } from "./tools.js";

export const shop: SceneParts = {
  id: "shop",
  name: "Shop",
  title: "Furnish a small office",
  about: "Tools draw components into the conversation, change the cart beside it, and wait for your answers.",
  tries: [
    { say: "Plan a quiet corner for me", see: "Several steps, a task list, and a cart that fills." },
    { say: "Add two task chairs and check out", see: "An approval, then a form. Reload while it waits: it comes back." },
    { say: "Apply the code WELCOME10", see: "A permission, asked once. Then take it back with Undo." },
  ],
  suggestions: [
    "Show me the desks",
    "Add two Aurora lamps",
    "Apply the code WELCOME10",
    "Check out",
    "Undo that",
    "Tell me about the shop",
  ],
  systemPrompt: "You help people to furnish a small office. Use the tools; never invent products.",
  tools,
  labels,
  assistant,
  Panel: CartPanel,
  panelName: "Cart",
};
