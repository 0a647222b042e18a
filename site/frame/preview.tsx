// What the gallery's code imports as "./preview": a chat that has begun, with a model that answers from a list.
import { GloveClient, GloveProvider, MemoryStore, type ToolConfig, useGlove } from "glove-wasm/react";
import { createScriptedModel, type ScriptedTurn } from "glove-wasm/testing";
import { type ReactNode, useEffect, useState } from "react";
import { storedThreads } from "./stored-threads.js";

export interface PreviewProps {
  /** What the person has said. */
  readonly say?: string;
  readonly script?: readonly (string | ScriptedTurn)[];
  readonly tools?: readonly ToolConfig[];
  /** Titles of conversations, and how many days ago each was had. */
  readonly threads?: Readonly<Record<string, number>>;
  readonly children: ReactNode;
}

export function Preview({ say, script = [], tools = [], threads = {}, children }: PreviewProps) {
  const [client] = useState(() => {
    const answers = [...script];
    const answer = () => answers.shift() ?? "This chat answers from a script, which has ended.";
    return new GloveClient({
      createModel: () => createScriptedModel(answer),
      createStore: (id) => new MemoryStore(id),
      catalog: storedThreads(threads),
      systemPrompt: "You help.",
      tools,
    });
  });
  return (
    <GloveProvider client={client}>
      {say && <Say text={say} />}
      <main data-glove-page="">{children}</main>
    </GloveProvider>
  );
}

function Say({ text }: { text: string }) {
  const { sendMessage, sessionReady, timeline } = useGlove();
  useEffect(() => {
    if (sessionReady && timeline.length === 0) void sendMessage(text);
  }, [sessionReady, timeline.length, sendMessage, text]);
  return null;
}
