// A message that can be edited in place: whether it is being edited, and the button that begins.
import { type Context, createContext, type ReactNode, useContext, useEffect, useRef, useState } from "react";
import { useLabels } from "../../render/labels.js";
import { type PartProps, part } from "../as-child.js";
import { useChat } from "../chat-context.js";
import { IconLabel } from "../icons.js";

/** `sending` until the edited message has taken the place of the old one. */
export type EditState = "idle" | "editing" | "sending";

/** What `EditableMessage` takes. */
export interface EditableMessageProps {
  /** An entry of the timeline or of the queue. */
  entry: { readonly id?: string | undefined; readonly text: string };
  /** The message as it is read, or a function that draws it as it is read and edited. */
  children?: ReactNode | ((state: EditState) => ReactNode);
}

export interface Edit extends Pick<EditableMessageProps, "entry"> {
  readonly state: EditState;
  readonly set: (state: EditState) => void;
  /** What is typed is kept under this. */
  readonly key: string;
}

export const EditContext: Context<Edit | null> = /* @__PURE__ */ createContext<Edit | null>(null);

/** Holds whether its message is being edited: `EditButton` begins, and `MessageEditor` ends. */
export function EditableMessage({ entry, children }: EditableMessageProps): ReactNode {
  const { editing } = useChat();
  // A message has the id of its request before it leaves the queue, and the place in it later.
  const key = `edit:${entry.id?.replace(/\.m\d+$/, "")}`;
  const [state, set] = useState<EditState>(editing.current === key ? "editing" : "idle");
  return (
    <EditContext.Provider value={{ entry, state, set, key }}>
      {typeof children === "function" ? children(state) : children}
    </EditContext.Provider>
  );
}

/** Begins to edit the message around it. Nothing where the handle cannot, and while it is being edited. */
export function EditButton(props: PartProps<"button">): ReactNode {
  const { glove, editing } = useChat();
  const { entry, state, set, key } = useContext(EditContext) ?? ({} as Partial<Edit>);
  const say = useLabels();
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // It is there again.
    if (state !== "idle" || editing.current !== key) return;
    editing.current = null;
    button.current?.focus();
  }, [state, editing, key]);
  if (state !== "idle" || !glove.edit || !entry?.id) return null;
  const begin = () => {
    editing.current = key as string;
    set?.("editing");
  };
  const children = <IconLabel icon="edit" label={say("Edit")} />;
  return part(
    "button",
    { ref: button, type: "button", "data-glove-edit": entry.id, title: say("Edit"), onClick: begin, children },
    props,
  );
}
