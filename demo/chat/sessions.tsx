// The conversations that the browser keeps: the one that is shown, the others, and a new one.
import { type SessionInfo, type UseGloveReturn, useGloveClient } from "glove-wasm/react";
import { useEffect, useState } from "react";

type Handle = Pick<UseGloveReturn, "sessionId" | "timeline" | "busy" | "newConversation" | "switchConversation">;

export function Sessions({ glove }: { glove: Handle }) {
  const { sessionId, newConversation, switchConversation } = glove;
  const others = useStored(glove).filter(({ id }) => id !== sessionId);
  const first = glove.timeline.find((entry) => entry.kind === "user");
  return (
    <div className="sessions">
      <label>
        <span className="heard">Conversation shown</span>
        <select value={sessionId} onChange={(event) => switchConversation(event.target.value)}>
          <option value={sessionId}>{first?.text ?? "New conversation"}</option>
          {others.map(({ id, title }) => (
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

/** Read again with each change of the conversation, and at the end of each run. */
function useStored({ sessionId, busy }: Handle): readonly SessionInfo[] {
  const client = useGloveClient();
  const [stored, setStored] = useState<readonly SessionInfo[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another conversation and the end of a run are reasons to read again.
  useEffect(() => {
    let current = true;
    client?.sessions().then(
      (sessions) => current && setStored(sessions),
      () => {},
    );
    return () => {
      current = false;
    };
  }, [client, sessionId, busy]);
  return stored;
}
