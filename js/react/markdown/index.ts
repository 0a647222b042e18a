"use client";
// The entry for those who set something of the markdown in `<Render>`, and what `<Render>` loads by itself.
import { createMarkdown } from "./markdown.js";

export { createMarkdown, type MarkdownOptions } from "./markdown.js";

/** Draws markdown without settings. */
export const Markdown = /* @__PURE__ */ createMarkdown();
