// The client: who answers, what the assistant is told, and its tools.
import { GloveClient } from "glove-wasm/react";
/* @if vite */
/* @if scripted */
import { createScriptedModel } from "glove-wasm/testing";
import { answer } from "./script";
/* @end */
/* @end */
/* @if approvals */
import { borrowBook, findBooks } from "./tools";
/* @else */
import { findBooks } from "./tools";
/* @end */

export const client = new GloveClient({
  /* @if vite */
  /* @if scripted */
  createModel: () => createScriptedModel(answer),
  /* @else */
  endpoint: "/api/chat",
  /* @end */
  /* @end */
  /* @if next */
  endpoint: "/api/chat",
  /* @end */
  /* @if approvals */
  systemPrompt: "You work in a library. Find books with the tool, and borrow one when the person wants it.",
  tools: [findBooks, borrowBook],
  /* @else */
  systemPrompt: "You work in a library. Find books with the tool.",
  tools: [findBooks],
  /* @end */
  // A reload comes back to the same conversation. It is kept in the browser.
  persistSession: true,
});
