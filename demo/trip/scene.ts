// The trip planner: a form, parallel searches, and an itinerary that is drawn again after a reload.
import type { SceneParts } from "../scene.js";
import { assistant } from "./assistant.js";
import { PlanPanel } from "./panel.js";
import { labels, tools } from "./tools.js";

export const trip: SceneParts = {
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
  tools,
  labels,
  assistant,
  Panel: PlanPanel,
  panelName: "Plan",
};
