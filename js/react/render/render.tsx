// `<Render>`: a conversation as a finished chat. What draws it is loaded when it is first shown.
import type { ReactNode } from "react";
import type { TimelineEntry } from "../../src/snapshot/snapshot.js";
import { Loader } from "../look/loader.js";
import { slotParts } from "../slots/slot-loader.js";
import type { RenderProps } from "./types.js";

const view = /* @__PURE__ */ new Loader(() => {
  void slotParts.load();
  return import("../look/view.js");
});

/** Draws a conversation: messages, tools with their components, questions, and the input. */
export const Render = /* @__PURE__ */ view.component("View") as <T extends TimelineEntry>(props: RenderProps<T>) => ReactNode;

const parts = /* @__PURE__ */ new Loader(() => import("../parts/index.js"));

/** Loads what `<Render>` and the parts draw with, ahead of their first render: for a server that renders to one string, and for tests. */
export async function preloadRender(): Promise<void> {
  const [look] = await Promise.all([view.load(), parts.load(), slotParts.load()]);
  await Promise.all([look?.loadFiles(), look?.loadDetails(), look?.loadVariant()]);
}

/** Loads the words of a language, for a server that renders to one string a chat whose `lang` it is. */
export async function preloadLanguage(lang: string): Promise<void> {
  await (await view.load())?.loadWords(lang);
}

// The parts of a chat, for those who write its markup.
/** A card with the name, type and size of a file, or its picture. `data-state` is `waiting`, `preparing`, `ready`, `refused` or `sent`. */
export const Attachment = /* @__PURE__ */ parts.component("Attachment");
/** There only for a message, answer or call that was edited or given again: which version is shown, and the way to the others. */
export const BranchPicker = /* @__PURE__ */ parts.component("BranchPicker");
/** A button of the chat's look: `weight` is `go`, `danger`, `plain`, `quiet` or `link`. */
export const Button = /* @__PURE__ */ parts.component("Button");
/** Something to choose, one of several or any of them: all of its row can be pressed. */
export const Choice = /* @__PURE__ */ parts.component("Choice");
/** Sends the text of the `ComposerInput` in it. What is written while the agent works waits for its turn. */
export const Composer = /* @__PURE__ */ parts.component("Composer");
/** Opens the dialog that picks files. Nothing where the chat takes none. */
export const ComposerAttach = /* @__PURE__ */ parts.component("ComposerAttach");
/** The files of the message that is being written. Nothing while there are none. */
export const ComposerAttachments = /* @__PURE__ */ parts.component("ComposerAttachments");
/** The list of what `/` and some letters may mean. Nothing where the chat has no skills and no hooks. */
export const ComposerCommands = /* @__PURE__ */ parts.component("ComposerCommands");
/** Enter sends, Shift+Enter begins a new line, ArrowUp in an empty field edits the last message. The draft of each conversation survives a reload. */
export const ComposerInput = /* @__PURE__ */ parts.component("ComposerInput");
/** The button that sends the composer's text. */
export const ComposerSend = /* @__PURE__ */ parts.component("ComposerSend");
/** There only while the agent works. */
export const ComposerStop = /* @__PURE__ */ parts.component("ComposerStop");
/** How much of the model's context is used, in a line that opens to what becomes of older messages when it is full. */
export const ContextMeter = /* @__PURE__ */ parts.component("ContextMeter");
/** Lets the model go on with the last answer where the limit of tokens has ended it. Else nothing. */
export const ContinueButton = /* @__PURE__ */ parts.component("ContinueButton");
/** Copies the text of a message, with the formatting of its `markdown`, and says for a moment that it did: `data-state` is `copied` then. */
export const CopyButton = /* @__PURE__ */ parts.component("CopyButton");
/** The composer as `<Render>` draws it. */
export const DefaultInput = /* @__PURE__ */ parts.component("DefaultInput");
/** A message as `<Render>` draws it. */
export const DefaultMessage = /* @__PURE__ */ parts.component("DefaultMessage");
/** What the model thought, folded, as `<Render>` draws it. */
export const DefaultReasoning = /* @__PURE__ */ parts.component("DefaultReasoning");
/** The answer that is being written, as `<Render>` draws it. */
export const DefaultStreaming = /* @__PURE__ */ parts.component("DefaultStreaming");
/** Holds whether its message is being edited: `EditButton` begins, and `MessageEditor` ends. */
export const EditableMessage = /* @__PURE__ */ parts.component("EditableMessage");
/** Begins to edit the message around it. Nothing where the handle cannot, and while it is being edited. */
export const EditButton = /* @__PURE__ */ parts.component("EditButton");
/** Leaves the message that is being edited as it is. */
export const EditorCancel = /* @__PURE__ */ parts.component("EditorCancel");
/** The text of a message that is being edited. Enter sends; what is typed survives a reload. */
export const EditorInput = /* @__PURE__ */ parts.component("EditorInput");
/** Sends the edited message in the place of the old one. */
export const EditorSend = /* @__PURE__ */ parts.component("EditorSend");
/** An error in words for a person, with another try where that can help. */
export const ErrorNotice = /* @__PURE__ */ parts.component("ErrorNotice");
/** Finds words in all messages, also in those that are not drawn, and lists those of the person. */
export const Finder = /* @__PURE__ */ parts.component("Finder");
/** A label above its field, with a note and an error below it. */
export const Field = /* @__PURE__ */ parts.component("Field");
/** A form with the text of a message. There only while that is being edited; `data-state` says how far that is. */
export const MessageEditor = /* @__PURE__ */ parts.component("MessageEditor");
/** The words and pictures of a message, as an article. */
export const MessageText = /* @__PURE__ */ parts.component("MessageText");
/** When a message was written. Nothing where that is not known. */
export const MessageTime = /* @__PURE__ */ parts.component("MessageTime");
/** The frame of the built-in questions: a form with the sentence as its name. */
export const Question = /* @__PURE__ */ parts.component("Question");
/** The buttons of a question: one sends the form, one turns the question down. */
export const QuestionActions = /* @__PURE__ */ parts.component("QuestionActions");
/** Messages that wait for their turn. Each can be removed, or taken back into the composer. */
export const Queue = /* @__PURE__ */ parts.component("Queue");
/** Asks for the last answer again. Nothing while the agent works, or where the handle cannot. */
export const RegenerateButton = /* @__PURE__ */ parts.component("RegenerateButton");
/** The links to what an answer refers to, folded. Nothing where there are none. */
export const Sources = /* @__PURE__ */ parts.component("Sources");
/** Holds the parts of a chat. By itself it is one element without a look. */
export const Thread = /* @__PURE__ */ parts.component("Thread");
/** The messages: a log for screen readers, and a box that keeps what is new in sight until the reader goes elsewhere. */
export const ThreadLog = /* @__PURE__ */ parts.component("ThreadLog");
/** The card of `<Render>`, or one that you draw from what a function as its child is given. */
export const ToolCard = /* @__PURE__ */ parts.component("ToolCard");
/** There only as long as the conversation is empty. */
export const Welcome = /* @__PURE__ */ parts.component("Welcome");
