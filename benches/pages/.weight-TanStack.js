import { chat, maxIterations, toolDefinition } from "@tanstack/ai";
import { indexedDBPersistence, stream } from "@tanstack/ai-client";
import { useChat } from "@tanstack/ai-react";

export { chat, indexedDBPersistence, maxIterations, stream, toolDefinition, useChat };
