// The conversations that the browser keeps: the one that is shown, the others, a new one, and what can be done with one.
import { type SessionInfo, type UseGloveReturn, useGloveClient } from "glove-wasm/react";
import { type FormEvent, useCallback, useEffect, useId, useRef, useState } from "react";

type Handle = Pick<UseGloveReturn, "sessionId" | "timeline" | "busy" | "newConversation" | "switchConversation">;

export function Sessions({ glove }: { glove: Handle }) {
  const { sessionId, newConversation, switchConversation } = glove;
  const [stored, readAgain] = useStored(glove);
  const first = glove.timeline.find((entry) => entry.kind === "user");
  const title = stored.find(({ id }) => id === sessionId)?.title || first?.text || "New conversation";
  const others = stored.filter(({ id }) => id !== sessionId);
  return (
    <div className="sessions">
      <label>
        <span className="heard">Conversation shown</span>
        <select value={sessionId} onChange={(event) => switchConversation(event.target.value)}>
          <option value={sessionId}>{title}</option>
          {others.map(({ id, title }) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </select>
      </label>
      {first && <Actions key={sessionId} id={sessionId} title={title} changed={readAgain} leave={newConversation} />}
      <button type="button" onClick={() => void newConversation()}>
        New<span className="heard"> conversation</span>
      </button>
    </div>
  );
}

interface ActionsProps {
  readonly id: string;
  readonly title: string;
  readonly changed: () => void;
  readonly leave: () => Promise<string>;
}

function Actions({ id, title, changed, leave }: ActionsProps) {
  const client = useGloveClient();
  const menu = useRef<HTMLFormElement>(null);
  const menuId = useId();
  const rename = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    await client?.renameSession(id, String(new FormData(event.currentTarget).get("title")));
    menu.current?.hidePopover();
    changed();
  };
  const remove = async () => {
    await leave();
    await client?.deleteSession(id);
    changed();
  };
  return (
    <>
      <button type="button" popoverTarget={menuId} aria-label="This conversation">
        …
      </button>
      <form ref={menu} id={menuId} popover="auto" className="menu" onSubmit={rename}>
        <label>
          Title
          <input name="title" key={title} defaultValue={title} />
        </label>
        <div className="menu-actions">
          <button type="submit" className="primary">
            Rename
          </button>
          <button type="button" onClick={remove}>
            Delete it
          </button>
        </div>
      </form>
    </>
  );
}

/** Read again with each change of the conversation, at the end of each run, and when it is asked for. */
function useStored({ sessionId, busy }: Handle): readonly [stored: readonly SessionInfo[], readAgain: () => void] {
  const client = useGloveClient();
  const [stored, setStored] = useState<readonly SessionInfo[]>([]);
  const read = useCallback(() => void client?.sessions().then(setStored, () => {}), [client]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another conversation and the end of a run are reasons to read again.
  useEffect(read, [read, sessionId, busy]);
  return [stored, read];
}
