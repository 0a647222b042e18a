// What the gallery's code imports as "./preview": a chat that has begun, with a model that answers from a list.
import { GloveClient, GloveProvider, MemoryStore, type ToolConfig, useGlove } from "glove-wasm/react";
import { createScriptedModel, type ScriptedTurn } from "glove-wasm/testing";
import { type ReactNode, useEffect, useState } from "react";

export interface PreviewProps {
  /** What the person has said. */
  readonly say?: string;
  readonly script?: readonly (string | ScriptedTurn)[];
  readonly tools?: readonly ToolConfig[];
  readonly children: ReactNode;
}

export function Preview({ say, script = [], tools = [], children }: PreviewProps) {
  const [client] = useState(() => {
    const answers = [...script];
    const answer = () => answers.shift() ?? "This chat answers from a script, which has ended.";
    return new GloveClient({
      createModel: () => createScriptedModel(answer),
      createStore: (id) => new MemoryStore(id),
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
