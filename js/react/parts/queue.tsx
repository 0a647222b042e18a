// Messages that wait until the agent has answered the one before: they can be moved, go in at once, and be taken back, to change them or for good.
import type { ReactNode } from "react";
import type { QueuedMessage } from "../../src/snapshot/snapshot.js";
import { useHandlePart } from "../hooks/handle-registry.js";
import { useLabels } from "../render/labels.js";
import { Long } from "../render/long-text.js";
import { QueueTools } from "../working/late.js";
import { useChat } from "./chat-context.js";
import { IconLabel } from "./icons.js";
import { EditableMessage, EditButton, type EditState } from "./versions/edit.js";
import { MessageEditor } from "./versions/editor.js";

/** A message that waits, and what can be done with it. */
export interface QueuedItem extends QueuedMessage {
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
  /** Draws one message that waits, in your own markup. */
  children?: ((item: QueuedItem) => ReactNode) | undefined;
}

export function Queue({ editable = true, children = (item) => <Waiting key={item.id} {...item} /> }: QueueProps): ReactNode {
  const { glove, compose } = useChat();
  const queue = useHandlePart(glove, ({ queue }) => queue);
  const { cancelQueued } = glove;
  return queue?.map((message) => {
    const { id, text, files } = message;
    // Another answer is waited for, which says nothing.
    if (!text && !files) return null;
    if (!cancelQueued) return children(message);
    const remove = () => void cancelQueued(id);
    // One whose turn has come meanwhile is not taken back.
    const edit = () => void (cancelQueued(id) && compose.current?.(text));
    return children({ ...message, remove, ...(editable && !files && { edit }) });
  });
}

function Waiting({ id, text, files = 0, steers, remove }: QueuedItem): ReactNode {
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
        {remove && <QueueTools id={id} />}
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
