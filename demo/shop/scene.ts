// A shop, whose assistant fills the cart.
import type { SceneParts } from "../scene.js";
import { assistant } from "./assistant.js";
import { CartPanel } from "./panel.js";
import { tools } from "./tools.js";

export const shopScene: SceneParts = {
  id: "shop",
  name: "Shop",
  title: "Furnish a small office",
  about: "The assistant fills your cart. You approve the payment.",
  tries: [
    { say: "Plan a quiet corner for me", see: "A plan, and a cart that fills." },
    { say: "Add two task chairs and check out", see: "Nothing is ordered until you approve." },
    { say: "Apply the code WELCOME10", see: "You allow it once, and can undo it." },
    { say: "Show me the desks", see: "Product cards you can order from." },
  ],
  suggestions: ["Show me the desks", "Apply the code WELCOME10", "Check out", "Tell me about the shop"],
  systemPrompt: "You help people to furnish a small office. Use the tools; never invent products.",
  tools,
  assistant,
  panel: { name: "Cart", icon: "cart", View: CartPanel },
};
