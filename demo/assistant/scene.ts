// The plain assistant, as anybody knows one.
import type { SceneParts } from "../scene.js";
import { assistant } from "./assistant.js";
import { tools } from "./tools.js";

export const assistantScene: SceneParts = {
  id: "assistant",
  name: "Assistant",
  title: "What can I do for you?",
  about: "It answers, draws charts, and asks before it sends anything.",
  tries: [
    { say: "Explain closures with code", see: "Formatted text and code, word by word." },
    { say: "What is the weather in Lisbon and Oslo?", see: "Two tools at once, a card for each." },
    { say: "Email the notes to Ada", see: "Nothing is sent until you allow it." },
    { say: "Book a table", see: "Reload while it asks: nothing is lost." },
  ],
  suggestions: ["Compare databases in a table", "Chart my steps", "Write a poem", "Fail once"],
  systemPrompt: "You are a helpful assistant. Answer briefly, in markdown. Use the tools where they help.",
  tools,
  assistant,
};
