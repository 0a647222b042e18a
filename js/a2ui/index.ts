"use client";
// The entry for interfaces that a model composes of the application's components.
export { A2ui, type A2uiOptions, a2ui } from "./a2ui.js";
export { defineFunction, type SurfaceFunction, type SurfaceFunctions } from "./calls.js";
export { type Catalog, definePart, type Part, type PartProps } from "./catalog.js";
export type { SurfaceAction } from "./shown.js";
