/* @if scripted */
// The chat endpoint: a script answers, so it needs no key.
import { createChatHandler } from "glove-wasm/server";
import { createScriptedModel } from "glove-wasm/testing";
import { answer } from "../../script";

export const POST = createChatHandler({ createModel: () => createScriptedModel(answer) });
/* @else */
// The chat endpoint: it asks {{providerName}}. What it needs to do so never leaves the server.
import { createChatHandler } from "glove-wasm/server";

// Anyone who reaches it may ask at your cost: before you deploy, let `authorize` say who may.
/* @if address */
export const POST = createChatHandler({
  provider: "{{provider}}",
  baseURL: "{{baseURL}}",
  /* @if model */
  model: "{{model}}",
  /* @end */
});
/* @else */
/* @if model */
export const POST = createChatHandler({ provider: "{{provider}}", model: "{{model}}" });
/* @else */
export const POST = createChatHandler({ provider: "{{provider}}" });
/* @end */
/* @end */
/* @end */
