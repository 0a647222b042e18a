"use client";
// The entry for React applications: everything of the package, and its React layer.
export * from "../src/index.js";
export type * from "../src/snapshot.js";
export * from "./messages.js";
export { Render } from "./render.js";
export { builtInRenderers, type SlotProps } from "./renderers/index.js";
export type * from "./types.js";
