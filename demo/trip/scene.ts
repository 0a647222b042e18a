// A trip planner: a form, searches, and a plan with a map.
import type { SceneParts } from "../scene.js";
import { assistant } from "./assistant.js";
import { PlanPanel } from "./panel.js";
import { tools } from "./tools.js";

export const tripScene: SceneParts = {
  id: "trip",
  name: "Trip",
  title: "Plan a few days away",
  about: "Pick a city. You get a plan for each day, with a map.",
  tries: [
    { say: "Plan a weekend in Lisbon", see: "A short form, then your plan." },
    { say: "Three days in Kyoto", see: "Reload halfway: nothing is lost." },
    { say: "One day in Oslo", see: "Replace any stop, or undo it." },
    { say: "How is the weather in Kyoto?", see: "A quick question, a quick answer." },
  ],
  suggestions: ["Plan a weekend in Lisbon", "Three days in Kyoto", "What's my plan?", "How is the weather?"],
  systemPrompt: "You plan short trips. Ask for preferences first, search in parallel, then make an itinerary.",
  tools,
  assistant,
  panel: { name: "Plan", icon: "map", View: PlanPanel },
};
