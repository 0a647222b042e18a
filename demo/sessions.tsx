// The conversations of this page: the one that is shown, the others, and a new one.
import type { UseGloveReturn } from "glove-wasm/react";
import { useEffect, useState } from "react";

type Handle = Pick<UseGloveReturn, "sessionId" | "timeline" | "newConversation" | "switchConversation">;

export function Sessions({ glove }: { glove: Handle }) {
  const { sessionId, timeline, newConversation, switchConversation } = glove;
  const [titles, setTitles] = useState<ReadonlyMap<string, string>>(new Map());
  const first = timeline.find((entry) => entry.kind === "user");
  const title = first?.text ?? "New conversation";
  useEffect(() => {
    if (sessionId) setTitles((before) => new Map(before).set(sessionId, title));
  }, [sessionId, title]);
  return (
    <div className="sessions">
      <label>
        <span className="heard">Conversation shown</span>
        <select value={sessionId} onChange={(event) => switchConversation(event.target.value)}>
          {[...titles].map(([id, title]) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <button type="button" onClick={() => void newConversation()}>
        New<span className="heard"> conversation</span>
      </button>
    </div>
  );
}
