// The fixed words of what is drawn here, and those of the application in their place.
import { type Context, createContext, useContext } from "react";

/** What `<Render>` says by itself. */
export type Word =
  | "Conversation"
  | "You"
  | "Assistant"
  | "Attached by you"
  | "Working"
  | "Thinking…"
  | "Thoughts"
  | "Show more"
  | "Earlier messages were summarised."
  | "Send a message"
  | "Message"
  | "Type a message"
  | "Send"
  | "Stop"
  | "The last request is not finished."
  | "Go on"
  | "Use it here"
  | "Reload the page"
  | "Try again"
  | "Dismiss"
  | "This part of the conversation could not be shown."
  | "Answer"
  | "Cancel"
  | "Answered"
  | "Turned down"
  | "Approve"
  | "Reject"
  | "Reason, if you reject it (optional)"
  | "Yes"
  | "No"
  | "OK"
  | "Always allow"
  | "Allow once"
  | "Deny"
  | "Never allow"
  | "Run again"
  | "Do not run";

/** Other words for these. */
export type Labels = { readonly [word in Word]?: string };

export const LabelsContext: Context<Labels> = /* @__PURE__ */ createContext({});

export function useLabels(): (word: string) => string {
  const labels = useContext(LabelsContext);
  return (word) => labels[word as Word] ?? word;
}
