// The script of a workshop's site, and of the small model that names its conversations.
import type { Assistant } from "../network/script.js";
import { says } from "../network/words.js";

const subjects: readonly (readonly [words: RegExp, title: string, answer: string])[] = [
  [
    /\b(oil|care|stain|clean|scratch)/,
    "Care of an oiled table",
    "Wipe it with a damp cloth, and oil it **twice a year**. A stain of red wine goes with a drop of soap; a scratch, with fine sandpaper along the grain, and oil again.",
  ],
  [
    /\b(deliver|ship|send|arrive|postage)/,
    "Delivery of an order",
    "A chair comes within *five working days*, in a box that one person can carry. We deliver tables ourselves, on Tuesdays and Fridays.",
  ],
  [
    /\b(wood|oak|ash|walnut|timber)/,
    "Oak, ash or walnut",
    "Oak is the hardest, ash is light and bends, and walnut is dark and quiet. All three come from forests within 200 kilometres of the workshop.",
  ],
  [
    /\b(return|refund|back)/,
    "Sending a chair back",
    "You can send a chair back for 30 days, also when somebody has sat on it. We come for it.",
  ],
];

export const assistant: Assistant = ({ text }) => ({
  text:
    subjects.find(([words]) => says(text, words))?.[2] ??
    "I know about our wood, its care, delivery and returns. What would you like to know?",
});

/** It reads the first question and its answer. */
export const titles: Assistant = ({ text }) => {
  const [, question = text] = /The user wrote:\n(.*)\n\nThe answer was:/s.exec(text) ?? [];
  return { text: subjects.find(([words]) => says(question, words))?.[1] ?? "A question to the workshop" };
};
