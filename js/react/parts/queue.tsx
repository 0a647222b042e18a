// Messages that wait until the agent has answered the one before: they can be taken back, to change them or for good.
import type { ReactNode } from "react";
import type { QueuedMessage } from "../../src/snapshot/snapshot.js";
import { useHandlePart } from "../hooks/handle-registry.js";
import { useLabels } from "../render/labels.js";
import { Long } from "../render/long-text.js";
import { useChat } from "./chat-context.js";
import { IconLabel } from "./icons.js";
import { EditableMessage, EditButton, type EditState } from "./versions/edit.js";
import { MessageEditor } from "./versions/late.js";

/** A message that waits, and what can be done with it. */
export interface QueuedItem extends QueuedMessage {
  /** Takes it back into the composer; missing where there is none, or where nothing can be taken back. `EditableMessage` edits it in its place. */
  readonly edit?: (() => void) | undefined;
  readonly remove?: (() => void) | undefined;
}

/** What `Queue` takes; the function draws one message. */
export interface QueueProps {
  /** There is a composer that takes a message back. */
  editable?: boolean | undefined;
  children?: ((item: QueuedItem) => ReactNode) | undefined;
}

export function Queue({ editable = true, children = (item) => <Waiting key={item.id} {...item} /> }: QueueProps): ReactNode {
  const { glove, compose } = useChat();
  const queue = useHandlePart(glove, ({ queue }) => queue);
  const { cancelQueued } = glove;
  return queue?.map(({ id, text }) => {
    // Another answer is waited for without a text.
    if (!text) return null;
    if (!cancelQueued) return children({ id, text });
    const remove = () => void cancelQueued(id);
    // One whose turn has come meanwhile is not taken back.
    const edit = () => void (cancelQueued(id) && compose.current?.(text));
    return children({ id, text, remove, ...(editable && { edit }) });
  });
}

function Waiting({ id, text, remove }: QueuedItem): ReactNode {
  const say = useLabels();
  const draw = (state: EditState) => (
    <div data-glove-message="user" data-glove-waits="">
      {state === "idle" ? (
        <div data-glove-role="user" data-glove-queued="" dir="auto">
          <Long text={text} />
        </div>
      ) : (
        <MessageEditor />
      )}
      <div data-glove-tools="">
        <span>{say("Queued")}</span>
        <EditButton />
        {remove && (
          <button type="button" title={say("Remove")} onClick={remove}>
            <IconLabel icon="remove" label={say("Remove")} />
          </button>
        )}
      </div>
    </div>
  );
  return <EditableMessage entry={{ id, text }}>{draw}</EditableMessage>;
}
