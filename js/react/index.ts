"use client";
// The entry for React applications: everything of the package, and its React layer.
export * from "../src/index.js";
export * from "./hooks/messages.js";
export { GloveProvider, type GloveProviderProps, useGloveClient } from "./hooks/provider.js";
export type { UseGloveConfig } from "./hooks/settings.js";
export type { GloveActions, GloveState, UseGloveReturn } from "./hooks/state.js";
export { useGlove, useMessage, useSlot, useToolCall } from "./hooks/use-glove.js";
export { useSuspenseGlove } from "./hooks/use-suspense-glove.js";
export { DefaultInput, DefaultMessage, DefaultReasoning, DefaultStreaming } from "./render/defaults.js";
export type { Labels, Word } from "./render/labels.js";
export { Render } from "./render/render.js";
export type { Renderers } from "./render/renderer-registry.js";
export type * from "./render/types.js";
export { builtInRenderers, type SlotProps } from "./renderers/index.js";
