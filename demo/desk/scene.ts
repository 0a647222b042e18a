// The operations desk: what a person has to allow, what can be taken back, and what nobody may see.
import type { SceneParts } from "../scene.js";
import { assistant } from "./assistant.js";
import { BoardPanel } from "./panel.js";
import { labels, tools } from "./tools.js";

export const desk: SceneParts = {
  id: "desk",
  name: "Desk",
  title: "Run an operations desk",
  about: "Dangerous tools ask first, actions can be taken back, and a secret goes to its tool and nowhere else.",
  tries: [
    { say: "What's wrong with checkout?", see: "Logs read side by side, then a permission. Crash the tab while it restarts." },
    { say: "Refund €80 for order 1042", see: "Above the limit a person approves each call. Then undo it." },
    { say: "Connect the paging key", see: "A secret that is not recorded, not stored, not sent." },
  ],
  suggestions: ["How are the services?", "Scale search to 6", "Refund €20 for order 1043", "Connect the paging key", "Undo that"],
  systemPrompt: "You run an operations desk. Look before you act, and say what you did.",
  tools,
  labels,
  assistant,
  Panel: BoardPanel,
  panelName: "Board",
};
