// The fixed labels of `<Render>` and the built-in renderers, and the application's replacements for them.
import { type Context, createContext, useContext } from "react";
import type { mediaSentences } from "../../src/wire/attachments.js";
import type { uploadSentences } from "../attachments/elsewhere/upload.js";
import type { awayWords, back, ownTitles, refusals, stateWords, ToolState, taskStates } from "../parts/calls/tool-state.js";
import type { ErrorSentence } from "../parts/notices/error-messages.js";
import type { ThreadGroupName } from "../threads/groups.js";

/** A label of `<Render>` or a built-in renderer. */
export type Word =
  | "Conversation"
  | "You"
  | "Assistant"
  | "Image you attached"
  | "Working"
  | "Reply ready"
  | "Thinking…"
  | "Thoughts"
  | "Thought for {n} s"
  | "{n} steps"
  | "Sources"
  | "Show more"
  | "Show all"
  | "{n} characters"
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
  | "Reason, if you deny"
  | "Say why not"
  | "Question {n} of {of}"
  | "In your own words"
  | "Next"
  | "Back"
  | "Skip"
  | "Skipped"
  | "Yes"
  | "No"
  | "OK"
  | "Done"
  | "Decline"
  | "Sign in"
  | "Signed in"
  | "Sign in on this page"
  | "Sign in in the window that has opened."
  | "Your browser blocks the window. The page can be left for it; the conversation waits."
  | "This page knows no such server. Reload it, and try again."
  | 'The server "{server}" asks: {message}'
  | 'The server "{server}" asks you to open an address of {host}: {message}'
  | 'The server "{server}" wants to ask your model this:'
  | 'This is what the server "{server}" gets from your model:'
  | 'The server "{server}" ({host}) wants you to sign in.'
  | 'The server "{server}" wants to show an app here.'
  | 'The server "{server}" has changed its app since you allowed it.'
  | "It reaches nothing but this server."
  | "It may send to and load from: {hosts}"
  | "Show the app"
  | "The app is not shown: {reason}"
  | "App of {server}"
  | "Full screen"
  | "Leave full screen"
  | "What the app tells the assistant"
  | "The app wants to send this as your message:"
  | "The app wants to open an address of {host}."
  | "Open the address"
  | "Send it"
  | "This tool"
  | "{name} was interrupted, and may have taken effect. Run it again?"
  | "This conversation has reached a limit. Continue?"
  | "Please confirm."
  | "Please answer:"
  | "Please choose:"
  | "Please enter {name}:"
  | "Please enter the secret:"
  | "Always allow"
  | "Allow once"
  | "Deny"
  | "Never allow"
  | "Run again"
  | "Don't run"
  | "Jump to latest"
  | "Earlier messages"
  | "Later messages"
  | "Find in this conversation"
  | "Your messages"
  | "{n} of {of}"
  | "Previous match"
  | "Next match"
  | "What can I do for you?"
  | "Suggestions"
  | "Copy"
  | "Copied"
  | "Answer again"
  | "Copy as CSV"
  | "Wrap lines"
  | "Source {n}"
  | "Good answer"
  | "Bad answer"
  | "Read aloud"
  | "Stop reading"
  | "This answer was cut off."
  | "You stopped this answer."
  | "Busy; trying again in {n} s"
  | "No answer; trying again in {n} s"
  | "This answer is not stored yet."
  | "This conversation is kept only until this page is closed."
  | "Queued"
  | "After this step"
  | "Send after this step"
  | "Move up"
  | "Move down"
  | "This answer is as long as the model may write."
  | "{n} % of the context used"
  | "When it is full, older messages are summarised for the model. You still see all of them, and what was said last stays word for word."
  | "Edit"
  | "Edit message"
  | "Save & send"
  | "Save"
  | "Quote"
  | "Sending stops the current answer. It stays as another version."
  | "Versions"
  | "Previous version"
  | "Next version"
  | "Remove"
  | "Remove {name}"
  | "Details"
  | "Arguments"
  | "None"
  | "Result"
  | "Error"
  | "Try again in {n} s"
  | "Attach files"
  | "Attached files"
  | "Put back into the text"
  | "Attached"
  | "Removed"
  | "Preparing…"
  | "Uploading: {n} %"
  | (typeof uploadSentences)[keyof typeof uploadSentences]
  | "File"
  | "1 file"
  | "{n} files"
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
  | "Chat"
  | "New answers: {n}"
  | "Search conversations"
  | "Messages found: {n}"
  | "Reading your conversations…"
  | "The oldest conversations are not searched."
  | "Search"
  | "Nothing found."
  | "No conversations yet"
  | "Archived"
  | "Waiting for you"
  | "Was interrupted: open it to go on"
  | "Unread"
  | "Rename"
  | "Title"
  | "Archive"
  | "Unarchive"
  | "Delete"
  | "Deleted: {title}"
  | "{n} conversations deleted"
  | "Undo"
  | (typeof stateWords)[ToolState]
  | (typeof awayWords)[keyof typeof awayWords]
  | (typeof back)[keyof typeof back]
  | "The part of the page that does this is not open here."
  | "Tasks"
  | (typeof taskStates)[keyof typeof taskStates]
  | (typeof ownTitles)[keyof typeof ownTitles]
  | ErrorSentence;

/** All of them, in another language. */
export type Words = { readonly [word in Word]: string };

/** Replacements for labels: words of your own, or a language that is not built in. */
export type Labels = { readonly [word in Word]?: string };

export const LabelsContext: Context<Labels> = /* @__PURE__ */ createContext({});

/** Says a word in the language of the chat. `{n}` and other gaps are filled with what is given by their names. */
export type Say = (word: string, gaps?: Readonly<Record<string, unknown>>) => string;

export function useLabels(): Say {
  const labels = useContext(LabelsContext);
  return (word, gaps) => filled(labels[word as Word] ?? word, gaps);
}

/** A gap that nothing is given for stays. */
const filled = (text: string, gaps?: Readonly<Record<string, unknown>>): string =>
  gaps ? text.replace(/\{(\w+)\}/g, (gap, name: string) => String(gaps[name] ?? gap)) : text;
