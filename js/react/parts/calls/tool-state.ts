// What a card of a call says: its title and its state, in words for a person.
import type { ToolEntry } from "../../../src/snapshot/snapshot.js";

/** How far a call is. `queued`: for its turn. `waiting`: for a person. `cut`: it was stopped, or its end is not known. */
export type ToolState = "writing" | "queued" | "running" | "waiting" | "done" | "denied" | "failed" | "cut" | "undone";

export function toolState({ status, outcome, undone, queued, away }: ToolEntry, waits: boolean): ToolState {
  if (undone) return "undone";
  if (status === "running" || status === "pending") {
    if (queued || away) return "queued";
    return waits || status === "pending" ? "waiting" : "running";
  }
  if (status === "success") return "done";
  if (outcome === "denied" || outcome === "rejected") return "denied";
  return status === "aborted" || outcome === "interrupted" || outcome === "not_run" ? "cut" : "failed";
}

export const stateWords = {
  writing: "Preparing",
  queued: "Queued",
  running: "Running",
  waiting: "Waiting for you",
  done: "Done",
  denied: "Declined",
  failed: "Failed",
  cut: "Stopped",
  undone: "Undone",
} as const satisfies Record<ToolState, string>;

/** Of a call whose tool a component of the page brings that is not there. */
export const awayWords = {
  here: "Waits for the part of the page that does this",
  elsewhere: "Waits for the part of the page that does this, in the tab that runs the conversation",
} as const;

/** Of the button that takes a call back. */
export const back = {
  two: "Undo this and the action after it",
  many: "Undo this and {n} later actions",
  these: "These are undone, the last one first:",
  runs: "Undoing…",
  failed: "{title} could not be undone: {reason}",
} as const;

/** How far a task of the model's list is. */
export const taskStates = { done: "Done", active: "In progress", todo: "To do" } as const;

/** Why a call failed that never reached its tool; what the model was told is for the model. */
export const refusals = {
  invalid: "The assistant called this with values that do not fit.",
  unknown_tool: "The assistant called something that does not exist.",
} as const;

/** `book_table` and `bookTable` as a person writes them: "Book table". */
export function humanName(name: string): string {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/[_\-. ]+/g, " ")
    .replace(/^ | $/g, "");
  // "API" stays, "Table" after a space does not.
  const lower = words.replace(/\b[A-Z](?=[a-z])/g, (letter) => letter.toLowerCase());
  return lower.charAt(0).toUpperCase() + lower.slice(1);
}

/** The tools of the framework itself, by what they do for a person. */
export const ownTitles = {
  glove_update_tasks: "Update the task list",
  undo_last_action: "Undo the last action",
  give_answer: "Answer",
} as const;

/** The title of a call whose tool gives none. */
export const toolTitle = (name: string, say: (word: string) => string): string =>
  Object.hasOwn(ownTitles, name) ? say(ownTitles[name as keyof typeof ownTitles]) : humanName(name);

/** More of an argument says no more of what a call is about. */
const maxAbout = 60;

/** What a call is about, where its tool gives no title: the first argument that is a number or a text, and of that the first line. */
export function aboutCall({ name, title, input }: Pick<ToolEntry, "name" | "title" | "input">): string | undefined {
  if (title !== undefined || Object.hasOwn(ownTitles, name) || typeof input !== "object" || !input || Array.isArray(input))
    return undefined;
  const value: unknown = Object.values(input).find(
    (one) => typeof one === "number" || (typeof one === "string" && /\S/.test(one)),
  );
  // No more of it is looked at: it may be long, and is still being written.
  const [line = ""] = String(value ?? "")
    .trimStart()
    .slice(0, maxAbout + 1)
    .split("\n", 1);
  return line.length > maxAbout ? `${line.slice(0, maxAbout)}…` : line.trimEnd() || undefined;
}

/** A value as text to be read: names and values are told apart by whoever shows them. */
export function readable(value: unknown): string {
  if (typeof value === "string") return value;
  return JSON.stringify(value, undefined, 2) ?? String(value);
}
