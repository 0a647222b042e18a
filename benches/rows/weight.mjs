// What a page of each weighs as it travels, with a loop, a hook and a store in it; React is the application's.
import { page } from "../../scripts/size.mjs";
import { brotli, bundle } from "../pages/site.mjs";

export const title = "The weight of a page, brotli";
export const samples = 1;

const pages = {
  ours: page,
  glove: `
    import { Glove, Displaymanager, MemoryStore } from "glove-core";
    import { z } from "zod";
    export { Glove, Displaymanager, MemoryStore, z };
  `,
  "AI SDK": `
    import { DirectChatTransport, stepCountIs, streamText, tool, jsonSchema } from "ai";
    import { useChat } from "@ai-sdk/react";
    export { DirectChatTransport, stepCountIs, streamText, tool, jsonSchema, useChat };
  `,
  TanStack: `
    import { chat, maxIterations, toolDefinition } from "@tanstack/ai";
    import { indexedDBPersistence, stream } from "@tanstack/ai-client";
    import { useChat } from "@tanstack/ai-react";
    export { chat, indexedDBPersistence, maxIterations, stream, toolDefinition, useChat };
  `,
};

export async function open() {
  const of = (text) => async () => {
    const { files, atOnce } = await bundle(text, ["react", "react-dom"]);
    return { "at once, bytes": brotli(atOnce.map((file) => files.get(file))) };
  };
  return { contenders: Object.fromEntries(Object.entries(pages).map(([name, text]) => [name, of(text)])), close() {} };
}
