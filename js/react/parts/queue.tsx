// Messages that wait until the agent has answered the one before: they can be moved, go in at once, and be taken back, to change them or for good.
import type { ReactNode } from "react";
import type { QueuedMessage } from "../../src/snapshot/snapshot.js";
import { useHandlePart } from "../hooks/handle-registry.js";
import { useLabels } from "../render/labels.js";
import { Long } from "../render/long-text.js";
import { QueueTools } from "../working/late.js";
import type { QueueMoves } from "../working/queue-tools.js";
import { useChat } from "./chat-context.js";
import { IconLabel } from "./icons.js";
import { EditableMessage, EditButton, type EditState } from "./versions/edit.js";
import { MessageEditor } from "./versions/editor.js";

/** A message that waits, and what can be done with it. */
export interface QueuedItem extends QueuedMessage, QueueMoves {
  /**
   * Takes its text back into the composer; missing where there is none, where nothing can be taken back, and where the message has files.
   * `EditableMessage` edits it in its place, and keeps its files.
   */
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
  const { cancelQueued, moveQueued, sendNow } = glove;
  // Another answer may be waited for, which says nothing.
  const shown = queue?.filter(({ text, files }) => text || files);
  return shown?.map((message, at) => {
    const { id, text, files, steers } = message;
    if (!cancelQueued) return children(message);
    const remove = () => void cancelQueued(id);
    // One whose turn has come meanwhile is not taken back.
    const edit = () => void (cancelQueued(id) && compose.current?.(text));
    const before = shown[at - 1];
    const after = shown[at + 1];
    return children({
      ...message,
      remove,
      ...(editable && !files && { edit }),
      ...(sendNow && !steers && { sendNow: () => void sendNow(id) }),
      ...(moveQueued && before && !steers && !before.steers && { moveUp: () => void moveQueued(id, before.id) }),
      ...(moveQueued && after && !steers && { moveDown: () => void moveQueued(after.id, id) }),
    });
  });
}

function Waiting(item: QueuedItem): ReactNode {
  const { id, text, files = 0, steers, remove } = item;
  const say = useLabels();
  const draw = (state: EditState) => (
    <div data-glove-message="user" data-glove-waits="" data-glove-steers={steers ? "" : undefined}>
      {state === "idle" ? (
        <div data-glove-role="user" data-glove-queued="" dir="auto">
          {text && <Long text={text} />}
          {files > 0 && <div data-glove-file-count="">{files === 1 ? say("1 file") : say("{n} files", { n: files })}</div>}
        </div>
      ) : (
        <MessageEditor />
      )}
      <div data-glove-tools="">
        <span>{say(steers ? "After this step" : "Queued")}</span>
        {(item.sendNow || item.moveUp || item.moveDown) && <QueueTools {...item} />}
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
