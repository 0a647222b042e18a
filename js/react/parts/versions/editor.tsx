// `MessageEditor`: takes the place of a message while it is edited.
import { type FormEvent, type KeyboardEvent, type ReactNode, useContext, useEffect, useRef } from "react";
import { GloveError } from "../../../src/values/error.js";
import { type Parts, useHandlePart } from "../../hooks/handle-registry.js";
import { useLabels } from "../../render/labels.js";
import { type PartProps, part } from "../as-child.js";
import { useChat } from "../chat-context.js";
import { beginsLine, sendOnEnter } from "../composer/composer.js";
import { draftText, saveDraftText } from "../draft-text.js";
import { EditContext } from "./edit.js";
import { loadVersions } from "./lazy.js";

function useEditor() {
  const edit = useContext(EditContext);
  const { glove, editing, compose, toEnd } = useChat();
  if (!edit) throw new GloveError("CLIENT_CONFIG", "The parts of an editor must be inside an `<EditableMessage>`.");
  const { entry, state, set, key } = edit;
  const send = async (text: string) => {
    editing.current = null;
    set("sending");
    toEnd.current?.();
    // The focus goes where the conversation goes on.
    compose.current?.("");
    try {
      const outcome = (await glove.edit?.(entry.id as string, text)) as { readonly type?: string } | undefined;
      set(outcome?.type === "aborted" ? "editing" : "idle");
    } catch {
      // Why is in `error`; what was typed stays.
      set("editing");
    }
  };
  const cancel = () => {
    saveDraftText(key, "");
    set("idle");
  };
  return { entry, state, key, send, cancel };
}

/** A form with the text of the message. There only while it is being edited; `data-state` says how far that is. */
export function MessageEditor(props: PartProps<"form">): ReactNode {
  const { entry, state, key, cancel, send } = useEditor();
  const sent = useRef(false);
  sent.current = state === "sending";
  // The edited message has taken the place of this one.
  useEffect(() => () => void (sent.current && saveDraftText(key, "")), [key]);
  if (state === "idle") return null;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = event.currentTarget.querySelector("textarea")?.value.trim();
    if (text && state === "editing") void send(text);
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
    // It does not stop the agent as well.
    event.preventDefault();
    if (state === "editing") cancel();
  };
  const children = (
    <>
      <EditorInput />
      <Interrupts />
      <div data-glove-actions="">
        <EditorCancel data-glove-weight="quiet" />
        <EditorSend />
      </div>
    </>
  );
  const own = { "data-glove-question": "", "data-glove-editor": entry.id, "data-state": state, autoComplete: "off" };
  return part("form", { ...own, onSubmit: submit, onKeyDown: keyDown, children }, props);
}

/** Its text. Enter sends, Shift+Enter begins a new line; what is typed survives a reload. */
export function EditorInput(props: PartProps<"textarea">): ReactNode {
  const { entry, state, key } = useEditor();
  const say = useLabels();
  const { enter } = useChat();
  const element = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const field = element.current;
    void loadVersions();
    field?.focus();
    field?.setSelectionRange(field.value.length, field.value.length);
  }, []);
  const text = draftText(key) ?? entry.text;
  const own = {
    ref: element,
    "aria-label": say("Edit message"),
    name: "message",
    // Where the style sheet cannot let it grow with its text.
    rows: Math.min(12, text.split("\n").length + 1),
    dir: "auto",
    enterKeyHint: beginsLine(enter) ? "enter" : "send",
    defaultValue: text,
    readOnly: state === "sending",
    onInput: (event: FormEvent<HTMLTextAreaElement>) => saveDraftText(key, event.currentTarget.value),
    onKeyDown: (event: KeyboardEvent<HTMLTextAreaElement>) => sendOnEnter(event, enter),
  };
  return part("textarea", own, props);
}

/** Sends the edited message in the place of the old one. */
export function EditorSend(props: PartProps<"button">): ReactNode {
  const { state, entry } = useEditor();
  const { glove } = useChat();
  const say = useLabels();
  const waits = useHandlePart(glove, isQueued(entry.id));
  const label = say(waits ? "Save" : "Save & send");
  return part("button", { type: "submit", disabled: state === "sending", children: label }, props);
}

const isQueued =
  (own: string | undefined) =>
  ({ queue }: Parts) =>
    queue?.some(({ id }) => id === own) ?? false;

/** Leaves the message as it is. */
export function EditorCancel(props: PartProps<"button">): ReactNode {
  const { state, cancel } = useEditor();
  const say = useLabels();
  const own = { type: "button", disabled: state === "sending", onClick: cancel, children: say("Cancel") };
  return part("button", own, props);
}

/** What becomes of the answer that is being written. */
function Interrupts(): ReactNode {
  const { glove } = useChat();
  const { entry } = useEditor();
  const say = useLabels();
  const stops = useHandlePart(glove, (parts) => parts.busy && !isQueued(entry.id)(parts));
  return stops && <p role="status">{say("Sending stops the current answer. It stays as another version.")}</p>;
}
