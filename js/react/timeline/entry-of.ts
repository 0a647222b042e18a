// From the id of a message to the entry of the timeline that it stands for.
import type { ShownEntry } from "../../src/snapshot/snapshot.js";

/** An answer is named after its question, as `messages` does, and stands for its last entry that has this. */
export function entryOf(timeline: readonly ShownEntry[], id: string, part: "id" | "branches"): string {
  let [question, found] = ["start", id];
  for (const entry of timeline) {
    if (entry.kind === "user") question = entry.id;
    else if (`${question}:answer` === id && (entry[part as "id"] || found === id)) found = entry.id;
  }
  return found;
}
