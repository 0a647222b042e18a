// The composer: a field that grows with its text, and the buttons that send and stop.
import { type FormEvent, type KeyboardEvent, type ReactNode, useContext, useEffect, useRef } from "react";
import type { Engine } from "../../hooks/engine.js";
import { engineOfHandle } from "../../hooks/handle-registry.js";
import { useBrowserLayoutEffect } from "../../hooks/use-browser-layout-effect.js";
import { useLabels } from "../../render/labels.js";
import type { GloveHandle } from "../../render/types.js";
import { type PartProps, part } from "../as-child.js";
import { type Chat, ChatContext } from "../chat-context.js";
import { draftText, saveDraftText, unsentKey } from "../draft-text.js";
import { IconLabel } from "../icons.js";
import { ComposerCommands } from "./commands.js";
import { Attaching } from "./files.js";
import { takeBack, takers, useComposer } from "./use-composer.js";

/** Sends the text of the `ComposerInput` in it. What is written while the agent works waits for its turn. */
export function Composer(props: PartProps<"form">): ReactNode {
  const { send, busy, sessionId, ready } = useComposer();
  const chat = useContext(ChatContext);
  const say = useLabels();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const field = form.querySelector("textarea");
    const text = field?.value.trim() ?? "";
    const sent = takers.get(form)?.(text);
    if (!field || sent === false || !(sent || text)) return;
    write(field, "");
    const keep = () => saveDraftText(unsentKey(sessionId), joined(draftText(unsentKey(sessionId)), text));
    if (!ready && sessionId) keep();
    if (!sent) takeBack(send(text), () => chat?.compose.current?.(text));
    // A hook may take its time, and until it is done the message is nowhere else.
    const engine = chat && engineOfHandle(chat.glove);
    if (!ready || sent || busy || !sessionId || !engine || !isOnItsWay(engine, text)) return chat?.toEnd.current?.();
    keep();
    const stop = engine.subscribe(() => {
      if (isOnItsWay(engine, text)) return;
      saveDraftText(unsentKey(sessionId), "");
      stop();
    });
    chat?.toEnd.current?.();
  };
  const own = { "data-glove-role": "input", "data-busy": busy ? "" : undefined, "aria-label": say("Send a message") };
  // In HTML from a server: with this method a form without a dialog does nothing, where others would load the page again.
  return part("form", { ...own, method: "dialog", onSubmit: submit }, props);
}

/** It calls something, and waits for that. */
const isOnItsWay = (engine: Engine, text: string) =>
  text.includes("/") &&
  engine.getState().commands.length > 0 &&
  engine.getSnapshot().queue.some((message) => message.text === text);

/** A finger is the pointer: a keyboard on the screen has no Shift+Enter, and the button is near. */
const isTouch = () => globalThis.matchMedia?.("(pointer: coarse)").matches ?? false;

/** Enter begins a line, and does not send: as the chat says, or by the pointer where it does not. */
export const beginsLine = (enter: Chat["enter"]): boolean => (enter ? enter === "line" : isTouch());

/** Enter in a field sends its form where it does not begin a line, and Shift+Enter always begins one. */
export function sendOnEnter(event: KeyboardEvent<HTMLTextAreaElement>, enter: Chat["enter"]): void {
  // The Enter that ends the writing of a Japanese or Chinese word sends nothing; Safari tells of it by its key code only.
  const composing = event.nativeEvent.isComposing || event.keyCode === 229;
  if (event.key !== "Enter" || event.shiftKey || composing) return;
  if (beginsLine(enter) && !event.ctrlKey && !event.metaKey) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
}

/** Enter sends, Shift+Enter begins a new line, ArrowUp in an empty field edits the last message. The draft of each conversation survives a reload. */
export function ComposerInput(props: PartProps<"textarea">): ReactNode {
  const { sessionId, ready, waits, written } = useComposer();
  const { compose, glove, enter } = useContext(ChatContext) ?? {};
  const say = useLabels();
  const element = useRef<HTMLTextAreaElement>(null);
  useDraft(element, sessionId, waits);
  // What is in the queue of a store that writes it down comes back with that.
  const safe = ready || (waits && written);
  useEffect(() => {
    if (safe && sessionId) saveDraftText(unsentKey(sessionId), "");
  }, [safe, sessionId]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, for what was typed by then.
  useEffect(() => {
    // Enter in HTML from a server, before React was there.
    const field = element.current;
    if (field?.value.trim() && /\n$/.test(field.value) && field.matches(":focus") && !beginsLine(enter))
      field.form?.requestSubmit();
  }, []);
  useEffect(() => {
    if (!compose) return;
    compose.current = (text) => {
      const field = element.current;
      if (!field) return;
      if (text) write(field, field.value ? `${text}\n${field.value}` : text);
      field.focus();
    };
    return () => {
      compose.current = null;
    };
  }, [compose]);
  useEffect(() => {
    const field = element.current;
    const chat = field?.closest<HTMLElement>("[data-glove-strategy]");
    if (field && beginsLine(enter)) field.enterKeyHint = "enter";
    if (!field || !isTouch()) return;
    let stop: (() => void) | undefined;
    // Without it the page is as it was.
    if (chat) import("./keyboard.js").then(({ keepAbove }) => (stop ??= keepAbove(chat))).catch(() => {});
    return () => {
      stop?.();
      stop = () => {};
    };
  }, [enter]);
  const own = {
    ref: element,
    "aria-label": say("Message"),
    name: "message",
    rows: 1,
    placeholder: say("Type a message"),
    dir: "auto",
    autoComplete: "off",
    enterKeyHint: "send",
    onKeyDown: (event: KeyboardEvent<HTMLTextAreaElement>) => {
      if (event.key === "ArrowUp" && glove && !event.currentTarget.value) void editLast(event.currentTarget, glove);
      sendOnEnter(event, enter);
    },
  };
  return part("textarea", own, props);
}

/** Loaded when it is first asked for. */
const editLast = async (field: Element, glove: GloveHandle) => (await import("./edit-last.js")).editLast(field, glove);

export function ComposerSend(props: PartProps<"button">): ReactNode {
  const say = useLabels();
  return part("button", { type: "submit", "data-glove-send": "", title: say("Send"), children: say("Send") }, props);
}

/** There only while the agent works. */
export function ComposerStop(props: PartProps<"button">): ReactNode {
  const { busy, abort } = useComposer();
  const say = useLabels();
  const stop = (event: { readonly currentTarget: Element }) => {
    // The button goes; the focus must not go with it.
    const field = event.currentTarget.closest("form")?.querySelector("textarea");
    abort();
    field?.focus();
  };
  const own = { type: "button", "data-glove-stop": "", title: say("Stop"), children: say("Stop"), onClick: stop };
  return busy ? part("button", own, props) : null;
}

/** The composer of `<Render>`. */
export function BuiltInComposer(): ReactNode {
  const say = useLabels();
  return (
    <Composer>
      <Attaching />
      <ComposerCommands />
      <ComposerInput />
      <div data-glove-buttons="">
        <ComposerStop>
          <IconLabel icon="stop" label={say("Stop")} />
        </ComposerStop>
        <ComposerSend>
          <IconLabel icon="send" label={say("Send")} />
        </ComposerSend>
      </div>
    </Composer>
  );
}

const joined = (first: string | null, second: string | null) => [first, second].filter(Boolean).join("\n");

/** As if somebody had typed it. */
function write(field: HTMLTextAreaElement, text: string): void {
  // React compares with what it set last, so it is set past React.
  const view = field.ownerDocument.defaultView ?? window;
  Object.getOwnPropertyDescriptor(view.HTMLTextAreaElement.prototype, "value")?.set?.call(field, text);
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Restores and keeps what is in a field, and lets it grow with its text where the style sheet cannot. */
function useDraft(element: { readonly current: HTMLTextAreaElement | null }, session: string, waits: boolean): void {
  const waiting = useRef(waits);
  waiting.current = waits;
  useBrowserLayoutEffect(() => {
    const field = element.current;
    if (!field) return;
    const grows = globalThis.CSS?.supports?.("field-sizing", "content");
    const grow = () => {
      if (grows) return;
      field.style.height = "";
      field.style.height = `${field.scrollHeight}px`;
    };
    const typed = () => {
      if (session) saveDraftText(session, field.value);
      grow();
    };
    // What was typed before the conversation was there is its draft now.
    if (session && field.value === "") {
      // What the page before this one could not give to its core is to be sent again by hand; that of this page still waits.
      const unsent = waiting.current ? null : draftText(unsentKey(session));
      if (unsent) saveDraftText(unsentKey(session), "");
      field.value = joined(unsent, draftText(session));
    }
    typed();
    field.addEventListener("input", typed);
    return () => {
      field.removeEventListener("input", typed);
      // Another conversation has a draft of its own.
      if (session) field.value = "";
    };
  }, [element, session]);
}
