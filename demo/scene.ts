// A scene: a small application of its own, with its tools, its state, and its conversations.
import { GloveClient, SessionDatabase, type ToolConfig } from "glove-wasm/react";
import type { ComponentType } from "react";
import type { IconName } from "./chat/icons.js";
import { JournaledStore } from "./inspector/journal.js";
import { modelOf } from "./model/choice.js";
import type { Assistant } from "./network/script.js";

export interface SceneParts {
  readonly id: string;
  readonly name: string;
  /** What the empty conversation says. */
  readonly title: string;
  /** What it is good for, in one sentence. */
  readonly about: string;
  /** Up to four messages to begin with, and what they show. */
  readonly tries: readonly { readonly say: string; readonly see: string }[];
  /** What could be said next, below the conversation; up to four. */
  readonly suggestions: readonly string[];
  readonly systemPrompt: string;
  readonly tools: readonly ToolConfig[];
  readonly assistant: Assistant;
  /** The application beside the conversation. */
  readonly panel?: { readonly name: string; readonly icon: IconName; readonly View: ComponentType };
}

export interface Scene extends SceneParts {
  readonly client: GloveClient;
}

/** When a prompt gets longer than this, older messages give way to a summary. Low, so that it can be seen. */
export const contextLimit = 8_000;

export function openScene(parts: SceneParts): Scene {
  const name = `demo-${parts.id}`;
  const database = new SessionDatabase({ name });
  const client = new GloveClient({
    createModel: () => modelOf(parts.id, parts.assistant),
    systemPrompt: parts.systemPrompt,
    tools: parts.tools,
    // Conversations are kept in the browser's database even without this; here each write is noted for the inspector.
    createStore: (id) => new JournaledStore(id, database),
    catalog: database,
    // The page comes back to the conversation that it was on.
    persistSession: name,
    compaction: { compaction_context_limit: contextLimit },
  });
  return { ...parts, client };
}
