// What is going on inside: the record as it is stored, and the events as they are told.
import { type Message, useGlove, useGloveClient } from "glove-wasm/react";
import { useEffect, useState } from "react";

const tabs = ["Record", "Events"] as const;

export function Inspector({ sessionId }: { sessionId: string }) {
  const [tab, setTab] = useState<(typeof tabs)[number]>("Record");
  const events = useEvents(sessionId);
  const record = useRecord(sessionId);
  return (
    <>
      <fieldset className="tabs">
        <legend className="heard">What to inspect</legend>
        {tabs.map((name) => (
          <button key={name} type="button" aria-pressed={tab === name} onClick={() => setTab(name)}>
            {name} <span className="quiet">{name === "Record" ? record.length : events.length}</span>
          </button>
        ))}
      </fieldset>
      <section className="entries" aria-label={tab}>
        {tab === "Record" ? <Record messages={record} /> : <Events events={events} />}
      </section>
    </>
  );
}

function Record({ messages }: { messages: readonly Message[] }) {
  if (messages.length === 0) return <p className="quiet">Every message is recorded here, word for word.</p>;
  return messages.map((message, at) => (
    <details key={message.id ?? at}>
      <summary>
        <span className="tag" data-sender={message.sender}>
          {kindOf(message)}
        </span>{" "}
        <span className="gist">{gist(message)}</span>
      </summary>
      <pre>{JSON.stringify(message, undefined, 2)}</pre>
    </details>
  ));
}

function kindOf({ sender, tool_calls, tool_results }: Message): string {
  if (tool_calls?.length) return "calls";
  if (tool_results?.length) return "results";
  return sender;
}

function gist({ text, tool_calls, tool_results }: Message): string {
  const calls = (tool_calls ?? []).map(({ tool_name, input_args }) => `${tool_name} ${JSON.stringify(input_args)}`);
  const results = (tool_results ?? []).map(({ tool_name, result }) => `${tool_name}: ${result.status}`);
  return [...calls, ...results].join(", ") || text;
}

interface SeenEvent {
  readonly id: number;
  readonly type: string;
  readonly data: string;
  /** Pieces of text that followed each other are one line. */
  readonly pieces: number;
}

function Events({ events }: { events: readonly SeenEvent[] }) {
  if (events.length === 0) return <p className="quiet">Say something, and the events come by.</p>;
  return (
    <ol className="events">
      {events.map(({ id, type, data, pieces }) => (
        <li key={id}>
          <span className="tag">{pieces > 1 ? `${type} × ${pieces}` : type}</span> <span className="gist">{data}</span>
        </li>
      ))}
    </ol>
  );
}

/** The record, read again when the timeline has changed. */
function useRecord(sessionId: string): readonly Message[] {
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

const none: readonly SeenEvent[] = [];

function useEvents(sessionId: string): readonly SeenEvent[] {
  const client = useGloveClient();
  const [seen, setSeen] = useState<ReadonlyMap<string, readonly SeenEvent[]>>(new Map());
  useEffect(() => {
    if (!sessionId || !client) return;
    const record = (type: string, data: unknown) =>
      setSeen((before) => new Map(before).set(sessionId, append(before.get(sessionId) ?? none, type, data)));
    return client.session(sessionId).addSubscriber({ record });
  }, [client, sessionId]);
  return seen.get(sessionId) ?? none;
}

function append(events: readonly SeenEvent[], type: string, data: unknown): readonly SeenEvent[] {
  const last = events.at(-1);
  if (type === "text_delta" && last?.type === type) {
    const joined = { ...last, data: last.data + textOf(data), pieces: last.pieces + 1 };
    return [...events.slice(0, -1), joined];
  }
  const shown = type === "text_delta" ? textOf(data) : JSON.stringify(data);
  return [...events, { id: (last?.id ?? 0) + 1, type, data: shown, pieces: 1 }];
}

const textOf = (data: unknown) => String((data as { text?: unknown }).text ?? "");
