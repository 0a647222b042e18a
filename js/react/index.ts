"use client";
// The entry for React applications: everything of the package, and its React layer.
export * from "../src/index.js";
export * from "./hooks/messages.js";
export { GloveProvider, type GloveProviderProps, useGloveClient } from "./hooks/provider.js";
export type { UseGloveConfig } from "./hooks/settings.js";
export type { GloveActions, GloveState, UseGloveReturn } from "./hooks/state.js";
export { useGlove, useMessage, useSlot, useToolCall } from "./hooks/use-glove.js";
export { useSuspenseGlove } from "./hooks/use-suspense-glove.js";
export type { AsChild, PartProps } from "./parts/as-child.js";
export { ToolCard, type ToolCardProps, type ToolCardState } from "./parts/calls/tool-card.js";
export type { ToolState } from "./parts/calls/tool-state.js";
export { Composer, ComposerInput, ComposerSend, ComposerStop } from "./parts/composer.js";
export { CopyButton } from "./parts/copy-button.js";
export {
  MessageText,
  type MessageTextProps,
  MessageTime,
  RegenerateButton,
} from "./parts/message.js";
export { ErrorNotice, type ErrorNoticeProps, type Notice } from "./parts/notices/error-notice.js";
export { Queue, type QueuedItem, type QueueProps } from "./parts/queue.js";
export { Thread, type ThreadProps } from "./parts/thread.js";
export { ThreadLog, type ThreadLogProps } from "./parts/thread-log.js";
export { Welcome, type WelcomeProps } from "./parts/welcome.js";
export { DefaultInput, DefaultMessage, DefaultReasoning, DefaultStreaming } from "./render/defaults.js";
export type { Labels, Word } from "./render/labels.js";
export { preloadRender, Render } from "./render/render.js";
export type { Renderers } from "./render/renderer-registry.js";
export type * from "./render/types.js";
export { builtInRenderers, type SlotProps } from "./renderers/index.js";
export { Actions as QuestionActions, Question, type QuestionProps } from "./renderers/question.js";
