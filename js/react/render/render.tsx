// `<Render>`: a conversation as a finished chat. What draws it is loaded when it is first shown.
import type { ReactNode } from "react";
import { Loader } from "../look/loader.js";
import type { RenderProps } from "./types.js";

const view = /* @__PURE__ */ new Loader(() => import("../look/view.js"));

/** Draws a conversation: messages, tools with their components, questions, and the input. */
export const Render: (props: RenderProps) => ReactNode = /* @__PURE__ */ view.component("View");

const parts = /* @__PURE__ */ new Loader(() => import("../parts/index.js"));

/** Loads what `<Render>` and the parts draw with, ahead of their first render: for a server that renders to one string, and for tests. */
export async function preloadRender(): Promise<void> {
  await Promise.all([view.load(), parts.load()]);
}

// The parts of a chat, for those who write its markup.
export const Composer = /* @__PURE__ */ parts.component("Composer");
export const ComposerInput = /* @__PURE__ */ parts.component("ComposerInput");
export const ComposerSend = /* @__PURE__ */ parts.component("ComposerSend");
export const ComposerStop = /* @__PURE__ */ parts.component("ComposerStop");
export const CopyButton = /* @__PURE__ */ parts.component("CopyButton");
export const DefaultInput = /* @__PURE__ */ parts.component("DefaultInput");
export const DefaultMessage = /* @__PURE__ */ parts.component("DefaultMessage");
export const DefaultReasoning = /* @__PURE__ */ parts.component("DefaultReasoning");
export const DefaultStreaming = /* @__PURE__ */ parts.component("DefaultStreaming");
export const ErrorNotice = /* @__PURE__ */ parts.component("ErrorNotice");
export const MessageText = /* @__PURE__ */ parts.component("MessageText");
export const MessageTime = /* @__PURE__ */ parts.component("MessageTime");
export const Question = /* @__PURE__ */ parts.component("Question");
export const QuestionActions = /* @__PURE__ */ parts.component("QuestionActions");
export const Queue = /* @__PURE__ */ parts.component("Queue");
export const RegenerateButton = /* @__PURE__ */ parts.component("RegenerateButton");
export const Thread = /* @__PURE__ */ parts.component("Thread");
export const ThreadLog = /* @__PURE__ */ parts.component("ThreadLog");
export const ToolCard = /* @__PURE__ */ parts.component("ToolCard");
export const Welcome = /* @__PURE__ */ parts.component("Welcome");
