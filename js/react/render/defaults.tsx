// How `<Render>` shows what the application draws no component of its own for: plain elements with stable attributes.
import { type FormEvent, Fragment, type KeyboardEvent, type ReactNode, type RefObject, useRef, useState } from "react";
import type { TimelineEntry } from "../../src/snapshot/snapshot.js";
import { useBrowserLayoutEffect } from "../hooks/use-browser-layout-effect.js";
import type { Guard } from "./boundary.js";
import { useLabels } from "./labels.js";
import { Long, useFront } from "./long-text.js";
import { renderPart } from "./mount-renderer.js";
import type {
  InputRenderProps,
  MessageRenderProps,
  ReasoningRenderProps,
  RenderProps,
  SlotContainerRenderProps,
  StreamingRenderProps,
} from "./types.js";

export function DefaultMessage({ entry }: Pick<MessageRenderProps, "entry">): ReactNode {
  const say = useLabels();
  if (entry.kind === "agent_text") {
    return (
      <article aria-label={say("Assistant")} data-glove-role="agent" dir="auto">
        <Long text={entry.text} />
        <Failed error={entry.error} />
      </article>
    );
  }
  return (
    <article aria-label={say("You")} data-glove-role="user" dir="auto">
      <Long text={entry.text} />
      {entry.images?.map((source, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a message's images never change their places.
        <img key={index} src={source} alt={say("Image you attached")} />
      ))}
      <Failed error={entry.error} />
    </article>
  );
}

/** Why a request ended that another one followed. */
function Failed({ error }: { readonly error: Error | undefined }): ReactNode {
  return error && <p data-glove-role="failed">{error.message}</p>;
}

/** Not read out while it grows: the finished message is. */
export function DefaultStreaming({ text }: StreamingRenderProps): ReactNode {
  const element = useRef<HTMLDivElement>(null);
  const [front, more] = useFront(text);
  return (
    <div ref={element} data-glove-role="agent" data-glove-streaming="" aria-live="off" dir="auto">
      {useGrowing(element, front)}
      {more}
    </div>
  );
}

/**
 * What stands last in an element, but for a button, and grows there. React knows the first piece only: it would set the whole text each time, and what is
 * selected in it would be selected no more.
 */
function useGrowing(element: RefObject<HTMLElement | null>, text: string): string {
  useBrowserLayoutEffect(() => {
    const last = element.current?.lastChild;
    const node = (last?.nodeName === "BUTTON" ? last.previousSibling : last) as Text | undefined;
    // A translator of the browser's may have put an element in its place.
    if (node?.nodeType === 3 && text.startsWith(node.data)) node.appendData(text.slice(node.length));
    else node?.replaceWith(text);
  }, [element, text]);
  return useState(text)[0];
}

/** Closed until somebody wants to read it, and never read out by itself. */
export function DefaultReasoning({ text, streaming }: ReasoningRenderProps): ReactNode {
  const element = useRef<HTMLDetailsElement>(null);
  const say = useLabels();
  const [front, more] = useFront(text);
  return (
    <details ref={element} data-glove-role="reasoning" aria-live="off">
      <summary>{say(streaming ? "Thinking…" : "Thoughts")}</summary>
      {useGrowing(element, front)}
      {more}
    </details>
  );
}

type ReasoningProps = ReasoningRenderProps & Pick<RenderProps, "renderReasoning"> & Pick<Guard, "of">;

export function Reasoning({ of, ...rest }: ReasoningProps): ReactNode {
  const { text, streaming } = rest;
  return text === "" ? null : renderPart(rest, "renderReasoning", DefaultReasoning, { text, streaming }, of);
}

export function DefaultCompaction(_: { entry: Extract<TimelineEntry, { kind: "compaction" }> }): ReactNode {
  const say = useLabels();
  return <div data-glove-role="compaction">{say("Earlier messages were summarised.")}</div>;
}

export function DefaultSlotContainer({ slots, renderSlot }: SlotContainerRenderProps): ReactNode {
  return (
    <div data-glove-role="slots">
      <Slots slots={slots} renderSlot={renderSlot} />
    </div>
  );
}

export function Slots({ slots, renderSlot }: SlotContainerRenderProps): ReactNode {
  return slots.map((slot) => <Fragment key={slot.id}>{renderSlot(slot)}</Fragment>);
}

/** Enter sends, Shift+Enter begins a new line, Escape stops. What is written while the agent works waits for its turn. */
export function DefaultInput({ send, busy, abort }: InputRenderProps): ReactNode {
  const field = useRef<HTMLTextAreaElement>(null);
  const say = useLabels();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = field.current?.value.trim();
    if (!text) return;
    event.currentTarget.reset();
    send(text);
  };
  const keyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    // The Enter that ends the writing of a Japanese or Chinese word sends nothing; Safari tells of it by its key code only.
    const composing = event.nativeEvent.isComposing || event.keyCode === 229;
    if (event.key !== "Enter" || event.shiftKey || composing) return;
    event.preventDefault();
    event.currentTarget.form?.requestSubmit();
  };
  const stop = () => {
    abort();
    // The button goes; the focus must not go with it.
    field.current?.focus();
  };
  return (
    <form data-glove-role="input" aria-label={say("Send a message")} onSubmit={submit}>
      <textarea
        ref={field}
        aria-label={say("Message")}
        name="message"
        rows={1}
        placeholder={say("Type a message")}
        dir="auto"
        autoComplete="off"
        enterKeyHint="send"
        onKeyDown={keyDown}
      />
      <button type="submit">{say("Send")}</button>
      {busy && (
        <button type="button" data-glove-stop="" onClick={stop}>
          {say("Stop")}
        </button>
      )}
    </form>
  );
}
