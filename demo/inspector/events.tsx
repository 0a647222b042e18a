// The events, as a subscriber hears them.
import { useGloveClient } from "glove-wasm/react";
import { useEffect, useState } from "react";
import type { InsideProps } from "./inspector.js";

export interface Heard {
  readonly id: number;
  readonly type: string;
  readonly data: string;
  /** Pieces of text that followed each other are one line. */
  readonly pieces: number;
}

export function Events({ events }: InsideProps) {
  if (events.length === 0) return <p className="quiet">Send a message, and its events appear here.</p>;
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

export function useEvents(sessionId: string): readonly Heard[] {
  const client = useGloveClient();
  const [heard, setHeard] = useState<readonly Heard[]>([]);
  useEffect(() => {
    setHeard([]);
    if (!sessionId || !client) return;
    const record = (type: string, data: unknown) => setHeard((before) => append(before, type, data));
    return client.session(sessionId).addSubscriber({ record });
  }, [client, sessionId]);
  return heard;
}

const kept = 300;

function append(events: readonly Heard[], type: string, data: unknown): readonly Heard[] {
  const last = events.at(-1);
  if (type === "text_delta" && last?.type === type) {
    return [...events.slice(0, -1), { ...last, data: last.data + textOf(data), pieces: last.pieces + 1 }];
  }
  const shown = type === "text_delta" ? textOf(data) : JSON.stringify(data);
  return [...events.slice(1 - kept), { id: (last?.id ?? 0) + 1, type, data: shown, pieces: 1 }];
}

const textOf = (data: unknown) => String((data as { text?: unknown }).text ?? "");
