"use client";
// The entry for React applications: everything of the package, and its React layer.
export * from "../src/index.js";
export { DefaultInput, DefaultMessage, DefaultReasoning, DefaultStreaming } from "./defaults.js";
export * from "./messages.js";
export { GloveProvider, type GloveProviderProps, useGloveClient } from "./provider.js";
export { Render } from "./render.js";
export { builtInRenderers, type SlotProps } from "./renderers/index.js";
export type { UseGloveConfig } from "./settings.js";
export type { GloveActions, GloveState, UseGloveReturn } from "./state.js";
export type { Renderers } from "./toolbox.js";
export type * from "./types.js";
export { useGlove, useMessage, useSlot, useToolCall } from "./use-glove.js";
export { useSuspenseGlove } from "./use-suspense-glove.js";
export type { Labels, Word } from "./words.js";
