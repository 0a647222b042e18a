// The fixed labels of `<Render>` and the built-in renderers, and the application's replacements for them.
import { type Context, createContext, useContext } from "react";
import type { mediaSentences } from "../../src/wire/attachments.js";
import type { ownTitles, refusals, stateWords, ToolState, taskStates } from "../parts/calls/tool-state.js";
import type { ErrorSentence } from "../parts/notices/error-messages.js";
import type { ThreadGroupName } from "../threads/groups.js";

/** A label of `<Render>` or a built-in renderer. */
export type Word =
  | "Conversation"
  | "You"
  | "Assistant"
  | "Image you attached"
  | "Working"
  | "Thinking…"
  | "Thoughts"
  | "Thought for"
  | "steps"
  | "Sources"
  | "Show more"
  | "Show all"
  | "Show picture"
  | "Picture"
  | "Show all of it before you allow it."
  | "Earlier messages were summarised"
  | "Send a message"
  | "Message"
  | "Type a message"
  | "Send"
  | "Stop"
  | "The answer was interrupted."
  | "This message was not answered."
  | "Continue"
  | "Use here"
  | "Reload the page"
  | "Try again"
  | "Dismiss"
  | "This part of the conversation could not be shown."
  | "Answer"
  | "Cancel"
  | "Answered"
  | "Declined"
  | "Allow"
  | "Add a reason"
  | "Yes"
  | "No"
  | "OK"
  | "Always allow"
  | "Allow once"
  | "Deny"
  | "Never allow"
  | "Run again"
  | "Don't run"
  | "Jump to latest"
  | "Earlier messages"
  | "Later messages"
  | "What can I do for you?"
  | "Suggestions"
  | "Copy"
  | "Copied"
  | "Answer again"
  | "This answer was cut off."
  | "You stopped this answer."
  | "Busy; trying again in"
  | "No answer; trying again in"
  | "This answer is not stored yet."
  | "This conversation is kept only until this page is closed."
  | "Queued"
  | "Edit"
  | "Edit message"
  | "Save & send"
  | "Save"
  | "Sending stops the current answer. It stays as another version."
  | "Versions"
  | "Previous version"
  | "Next version"
  | "Remove"
  | "Details"
  | "Arguments"
  | "None"
  | "Result"
  | "Error"
  | "Try again in"
  | "Attach files"
  | "Attached files"
  | "Attached"
  | "Removed"
  | "Preparing…"
  | "File"
  | "1 file"
  | "files"
  | "Show large"
  | "Close"
  | "Commands"
  | "Files cannot be attached right now. Check your network and try again."
  | "The model cannot read these files."
  | (typeof refusals)[keyof typeof refusals]
  | "Send smaller pictures"
  | "The pictures could not be made smaller."
  | "Send without the files"
  | (typeof mediaSentences)[keyof typeof mediaSentences]
  | ThreadGroupName
  | "Conversations"
  | "New conversation"
  | "Search conversations"
  | "Search"
  | "Nothing found."
  | "No conversations yet"
  | "Archived"
  | "Waiting for you"
  | "Rename"
  | "Title"
  | "Archive"
  | "Unarchive"
  | "Delete"
  | "Deleted:"
  | "conversations deleted"
  | "Undo"
  | (typeof stateWords)[ToolState]
  | "Tasks"
  | (typeof taskStates)[keyof typeof taskStates]
  | (typeof ownTitles)[keyof typeof ownTitles]
  | ErrorSentence;

/** Replacements for labels, for example translations. */
export type Labels = { readonly [word in Word]?: string };

export const LabelsContext: Context<Labels> = /* @__PURE__ */ createContext({});

export function useLabels(): (word: string) => string {
  const labels = useContext(LabelsContext);
  return (word) => labels[word as Word] ?? word;
}
