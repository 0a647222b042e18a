// The parts of a chat as source: which files each needs, and what they hold.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dirname, "..", "parts");
const alone = (name, what) => ({ name, what, files: [`${name}.tsx`] });

export const parts = [
  { name: "message-list", what: "messages, answers and calls", files: ["message-list.tsx", "tool-card.tsx"] },
  alone("composer", "where messages are written"),
  alone("tool-card", "the card of a tool's call"),
  alone("approval", "what a person allows or denies"),
  alone("question", "what tools ask"),
  alone("threads", "the list of conversations"),
  {
    name: "chat",
    what: "all of them, as one chat",
    files: ["chat.tsx", "approval.tsx", "composer.tsx", "message-list.tsx", "question.tsx", "threads.tsx", "tool-card.tsx"],
  },
];

/** For an application without Tailwind. */
export const styleSheet = "glove.css";

export const textOf = (file) => readFileSync(join(folder, file), "utf8");
