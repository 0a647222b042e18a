// The record: every message as it is stored, word for word.
import { type Message, useGlove, useGloveClient } from "glove-wasm/react";
import { useEffect, useState } from "react";
import { Entry } from "./entry.js";
import type { InsideProps } from "./inspector.js";

export function Recorded({ sessionId }: InsideProps) {
  const messages = useRecord(sessionId);
  if (messages.length === 0) return <p className="quiet">Every message appears here, word for word.</p>;
  return messages.map((message, at) => (
    <Entry key={message.id ?? at} tag={kindOf(message)} gist={gistOf(message)} whole={message} />
  ));
}

export function kindOf({ sender, tool_calls, tool_results }: Message): string {
  if (tool_calls?.length) return "calls";
  if (tool_results?.length) return "results";
  return sender;
}

export function gistOf({ text, tool_calls, tool_results }: Message): string {
  const calls = (tool_calls ?? []).map(({ tool_name, input_args }) => `${tool_name} ${JSON.stringify(input_args)}`);
  const results = (tool_results ?? []).map(({ tool_name, result }) => `${tool_name}: ${result.status}`);
  return [...calls, ...results].join(", ") || text;
}

/** Read again when the timeline has changed. */
export function useRecord(sessionId: string): readonly Message[] {
  const client = useGloveClient();
  const timeline = useGlove((state) => state.timeline);
  const [record, setRecord] = useState<readonly Message[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the timeline is the reason to read again.
  useEffect(() => {
    let current = true;
    if (!sessionId || !client) return;
    const show = (messages: readonly Message[]) => current && setRecord(messages);
    client
      .session(sessionId)
      .messages()
      .then(show, () => show([]));
    return () => {
      current = false;
    };
  }, [client, sessionId, timeline]);
  return record;
}
