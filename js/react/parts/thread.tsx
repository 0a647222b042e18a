// `Thread`: the element around a chat, and what all parts in it share.
import { type JSX, type KeyboardEvent, type ReactNode, type Ref, useEffect, useMemo, useRef, useState } from "react";
import { GloveError } from "../../src/values/error.js";
import { EngineContext } from "../hooks/engine-context.js";
import { engineOfHandle, useHandlePart } from "../hooks/handle-registry.js";
import { useWords } from "../languages/words.js";
import { LabelsContext } from "../render/labels.js";
import type { GloveHandle, RenderProps } from "../render/types.js";
import { isEmpty } from "./activity.js";
import { loadMarkdown } from "./answer-text.js";
import { type Chat, ChatContext } from "./chat-context.js";

/** What `Thread` takes. */
export interface ThreadProps
  extends Pick<
    RenderProps,
    | "glove"
    | "strategy"
    | "labels"
    | "lang"
    | "enter"
    | "markdown"
    | "attachments"
    | "onFeedback"
    | "readAloud"
    | "as"
    | "rootRef"
    | "className"
    | "style"
  > {
  /** Marks the element for the built-in style sheet. */
  styled?: boolean | undefined;
  /** The parts of the chat. */
  children?: ReactNode;
}

/** Holds the parts of a chat. By itself it is one element without a look. */
export function Thread(props: ThreadProps): ReactNode {
  const {
    glove,
    strategy = "interleaved",
    markdown = true,
    attachments = true,
    labels,
    enter,
    onFeedback,
    readAloud,
    ...drawn
  } = props;
  const { as = "div", rootRef, styled = false, ...rest } = drawn;
  checkHandle(glove);
  const words = useWords(props.lang, labels);
  const engine = engineOfHandle(glove);
  const busy = useHandlePart(glove, ({ busy }) => busy);
  const empty = useHandlePart(glove, isEmpty);
  const keyDown = stopKey(glove, busy);
  // Its first answer finds it there.
  useEffect(() => {
    if (busy && markdown === true) void loadMarkdown();
  }, [busy, markdown]);
  const compose = useRef<((text: string) => void) | null>(null);
  const toEnd = useRef<((again?: boolean) => void) | null>(null);
  const view = useRef<Chat["view"]["current"]>(null);
  const [[editing, picked]] = useState((): [Chat["editing"], Chat["picked"]] => [{ current: null }, { current: null }]);
  const feedback = useRef(onFeedback);
  feedback.current = onFeedback;
  const asks = onFeedback !== undefined;
  const chat = useMemo(() => {
    const answers = {
      tell: asks ? (...of: Parameters<NonNullable<typeof onFeedback>>) => feedback.current?.(...of) : undefined,
      readAloud,
    };
    return { glove, styled, enter, markdown, attachments, answers, compose, toEnd, view, editing, picked };
  }, [glove, styled, enter, markdown, attachments, asks, readAloud, editing, picked]);
  const Element = as as "div" & keyof JSX.IntrinsicElements;
  const content = (
    <ChatContext.Provider value={chat}>
      <LabelsContext.Provider value={words}>
        <Element
          data-glove-empty={empty ? "" : undefined}
          {...rest}
          ref={rootRef as Ref<HTMLDivElement>}
          data-glove-strategy={strategy}
          data-glove-look={styled ? "" : undefined}
          onKeyDown={keyDown}
        />
      </LabelsContext.Provider>
    </ChatContext.Provider>
  );
  return engine ? <EngineContext.Provider value={engine}>{content}</EngineContext.Provider> : content;
}

/** Whoever draws a chat may give it anything. */
export function checkHandle(glove: GloveHandle): void {
  if (Array.isArray(glove?.timeline) && Array.isArray(glove.slots)) return;
  throw new GloveError("CLIENT_CONFIG", "`glove` must be what `useGlove()` returns, or an object like it.");
}

/** Escape stops the agent, except in a slot, where it may have a meaning of its own, and in a widget, which it closes. */
const stopKey =
  (glove: GloveHandle, busy: boolean) =>
  ({ key, target, defaultPrevented, nativeEvent }: KeyboardEvent): void => {
    if (key !== "Escape" || !busy || defaultPrevented || nativeEvent.isComposing) return;
    // Its document may be that of another window, with classes of its own.
    if ((target as Element).closest?.("[data-glove-slot], [data-glove-widget]")) return;
    glove.abort();
  };
