/* @if scripted */
// The chat endpoint: a script answers, so it needs no key.
/* @else */
// The chat endpoint: it asks {{providerName}}. What it needs to do so never leaves the server.
/* @end */
import { existsSync } from "node:fs";
import { createChatHandler } from "glove-wasm/server";
/* @if scripted */
import { createScriptedModel } from "glove-wasm/testing";
/* @end */
import { listener } from "./listener.ts";
/* @if server */
/* @if scripted */
import { answer } from "./script.ts";
/* @end */
/* @if approvals */
import { borrowBook, findBooks } from "./tools.ts";
/* @else */
import { findBooks } from "./tools.ts";
/* @end */
/* @end */

if (existsSync(".env")) process.loadEnvFile(".env");

// Anyone who reaches it may ask at your cost: before you deploy, let `authorize` say who may.
export const chat = listener(
  createChatHandler({
    /* @if scripted */
    createModel: () => createScriptedModel(answer),
    /* @else */
    provider: "{{provider}}",
    /* @if address */
    baseURL: "{{baseURL}}",
    /* @end */
    /* @if model */
    model: "{{model}}",
    /* @end */
    /* @end */
    /* @if server */
    /* @if approvals */
    tools: [findBooks, borrowBook],
    systemPrompt: "You work in a library. Find books with the tool, and borrow one when the person wants it.",
    /* @else */
    tools: [findBooks],
    systemPrompt: "You work in a library. Find books with the tool.",
    /* @end */
    cors: (process.env.ORIGINS || "http://localhost:5173").split(","),
    /* @end */
  }),
);
