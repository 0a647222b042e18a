// The scenes of the demo, what each is about, and which of them is shown: the address says it.
import { useSyncExternalStore } from "react";
import { assistant as plainAssistant } from "./assistant/assistant.js";
import { tools as assistantTools } from "./assistant/tools.js";
import { assistant as deskAssistant } from "./desk/assistant.js";
import { BoardPanel } from "./desk/panel.js";
import { tools as deskTools } from "./desk/tools.js";
import { openScene, type Scene } from "./scene.js";
import { assistant as shopAssistant } from "./shop/assistant.js";
import { CartPanel } from "./shop/panel.js";
import { tools as shopTools } from "./shop/tools.js";
import { assistant as tripAssistant } from "./trip/assistant.js";
import { PlanPanel } from "./trip/panel.js";
import { tools as tripTools } from "./trip/tools.js";

export const scenes: readonly [Scene, ...Scene[]] = [
  openScene({
    id: "assistant",
    name: "Assistant",
    title: "What can I do for you?",
    about: "",
    tries: [
      { say: "Explain closures with code" },
      { say: "Compare databases in a table" },
      { say: "What is the weather in Lisbon and Oslo?" },
      { say: "Chart my steps" },
      { say: "Email the notes to Ada" },
      { say: "Book a table" },
    ],
    systemPrompt: "You are a helpful assistant. Answer briefly, in markdown. Use the tools where they help.",
    tools: assistantTools,
    assistant: plainAssistant,
  }),
  openScene({
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
    tools: shopTools,
    assistant: shopAssistant,
    panel: { name: "Cart", View: CartPanel },
  }),
  openScene({
    id: "trip",
    name: "Trip",
    title: "Plan a few days away",
    about: "Searches run side by side, and the itinerary is drawn from data that the model never sees.",
    tries: [
      { say: "Plan a weekend in Lisbon", see: "A form, searches at the same time, and a plan with a map." },
      { say: "Three days in Kyoto", see: "Reload when it is done: the itinerary is drawn again from the record." },
      { say: "What will the weather be in Oslo?", see: "One tool, one answer. Cut the stream while it comes." },
    ],
    suggestions: ["Plan a weekend in Lisbon", "Three days in Kyoto", "What's my plan?", "How is the weather?", "Undo that"],
    systemPrompt: "You plan short trips. Ask for preferences first, search in parallel, then make an itinerary.",
    tools: tripTools,
    assistant: tripAssistant,
    panel: { name: "Plan", View: PlanPanel },
  }),
  openScene({
    id: "desk",
    name: "Desk",
    title: "Run an operations desk",
    about: "Dangerous tools ask first, actions can be taken back, and a secret goes to its tool and nowhere else.",
    tries: [
      { say: "What's wrong with checkout?", see: "Logs read side by side, then a permission. Crash the tab while it restarts." },
      { say: "Refund €80 for order 1042", see: "Above the limit a person approves each call. Then undo it." },
      { say: "Connect the paging key", see: "A secret that is not recorded, not stored, not sent." },
    ],
    suggestions: [
      "How are the services?",
      "Scale search to 6",
      "Refund €20 for order 1043",
      "Connect the paging key",
      "Undo that",
    ],
    systemPrompt: "You run an operations desk. Look before you act, and say what you did.",
    tools: deskTools,
    assistant: deskAssistant,
    panel: { name: "Board", View: BoardPanel },
  }),
];

export function useScene(): Scene {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  return scenes.find(({ id }) => hash === `#${id}`) ?? scenes[0];
}

function subscribe(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
}
