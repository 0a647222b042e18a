// An operations desk, where what is dangerous needs a person's word.
import type { SceneParts } from "../scene.js";
import { assistant } from "./assistant.js";
import { BoardPanel } from "./panel.js";
import { refundLimit, replicaLimit, tools } from "./tools.js";

export const deskScene: SceneParts = {
  id: "desk",
  name: "Desk",
  title: "Run an operations desk",
  about: "The assistant finds the problem. You approve the fix.",
  tries: [
    { say: "What's wrong with checkout?", see: "It reads the logs, and asks to restart." },
    { say: "Refund €80 for order 1042", see: `Refunds above €${refundLimit} need your OK.` },
    { say: "Scale search to 6", see: `More than ${replicaLimit} replicas need your OK.` },
    { say: "Connect the paging key", see: "The assistant never sees the key." },
  ],
  suggestions: ["How are the services?", "Scale search to 6", "Refund €20 for order 1043", "Connect the paging key"],
  systemPrompt: "You run an operations desk. Look before you act, and say what you did.",
  tools,
  assistant,
  panel: { name: "Board", icon: "board", View: BoardPanel },
};
