// `ThreadLog`: the part of a chat that scrolls, and the button that leads back to its end.
import { type ReactNode, type Ref, useImperativeHandle, useMemo, useRef, useState } from "react";
import { engineOfHandle, type Parts, useHandlePart } from "../../hooks/handle-registry.js";
import { useBrowserLayoutEffect } from "../../hooks/use-browser-layout-effect.js";
import { Loader } from "../../look/loader.js";
import { useLabels } from "../../render/labels.js";
import { useDisplayContents } from "../../render/use-display-contents.js";
import { asksReader, isStreaming } from "../activity.js";
import { useChat } from "../chat-context.js";
import { Icon } from "../icons.js";
import type { ChatView, Scroll } from "./scroll.js";
import { useFollowing } from "./use-following.js";
import { viewsOf } from "./view-of.js";

/** What `ThreadLog` takes. */
export interface ThreadLogProps {
  /** The entries of the conversation. */
  children?: ReactNode;
  /** Stands below the messages, and scrolls with them. */
  after?: ReactNode;
  /** Has no boxes of its own unless it has a class. */
  boxless?: boolean | undefined;
  /** The element with `role=log`. */
  logRef?: Ref<HTMLElement> | undefined;
  /** A class of that element. */
  logClassName?: string | undefined;
  /** The class of the box that scrolls. */
  className?: string | undefined;
  /**
   * `turn`, the default: what was sent rises near the upper edge, and its answer grows below it. `end`: the end is kept in sight. `none`: nothing
   * moves by itself.
   */
  scroll?: Scroll | undefined;
  /** Given what moves the list. */
  viewRef?: Ref<ChatView> | undefined;
}

/** The messages: a log for screen readers, and a box that keeps what is new in sight until the reader goes elsewhere. */
export function ThreadLog(props: ThreadLogProps): ReactNode {
  const { children, after, boxless = false, logRef, logClassName, className, scroll = "turn", viewRef } = props;
  const { glove, styled, toEnd: sends, view: moves } = useChat();
  const scroller = useRef<HTMLDivElement>(null);
  const column = useRef<HTMLDivElement>(null);
  const log = useRef<HTMLDivElement>(null);
  const say = useLabels();
  useDisplayContents(scroller, boxless);
  useDisplayContents(column, boxless);
  useDisplayContents(log, boxless && logClassName === undefined);
  useImperativeHandle(logRef, () => log.current as HTMLElement);
  const streaming = useHandlePart(glove, isStreaming);
  const sessionId = useHandlePart(glove, ({ sessionId }) => sessionId);
  const id = useHandlePart(glove, lastOfUser);
  const busy = useHandlePart(glove, ({ busy }) => busy);
  const needed = useHandlePart(glove, needsReader);
  const [selects, setSelects] = useState(false);
  const turn = { sessionId, id, busy, needed };
  const [atEnd, follower] = useFollowing(scroller, column, scroll, turn, () => setSelects(true));
  const view = useMemo(
    (): ChatView => ({
      async scrollToMessage(id) {
        const { timeline } = engineOfHandle(glove)?.getSnapshot() ?? glove;
        const { goTo } = await import("./go-to.js");
        return log.current !== null && goTo(log.current, timeline, id, follower.stop);
      },
      scrollToEnd: follower.toEnd,
      async print() {
        const { printAll } = await import("./print.js");
        if (log.current) await printAll(log.current);
      },
    }),
    [glove, follower],
  );
  useImperativeHandle(viewRef, () => view, [view]);
  useBrowserLayoutEffect(() => {
    sends.current = follower.sent;
    moves.current = view;
    const engine = engineOfHandle(glove);
    if (engine) viewsOf.set(engine, view);
  }, [sends, follower, moves, view, glove]);
  const asks = useHandlePart(glove, asksReader);
  const jump = () => {
    follower.toEnd();
    const question = asks && scroller.current?.querySelector<HTMLElement>("[data-glove-slot] [data-glove-question]");
    if (!question) return;
    question.scrollIntoView({ block: "nearest" });
    question.focus({ preventScroll: true });
  };
  const label = say(asks ? "Waiting for you" : "Jump to latest");
  // Busy while an answer is written only: what comes while tools run, a question say, is read out at once.
  return (
    <>
      <div
        ref={scroller}
        className={className}
        data-glove-scroller=""
        data-glove-asks={asks ? "" : undefined}
        tabIndex={boxless ? undefined : 0}
      >
        <div ref={column} data-glove-column="">
          <div ref={log} role="log" aria-label={say("Conversation")} aria-busy={streaming} className={logClassName}>
            {children}
          </div>
          {after}
        </div>
      </div>
      {styled && selects && <Quote beside={scroller} />}
      {!atEnd && !boxless && (
        <div data-glove-jump="">
          <button type="button" aria-label={label} title={label} onClick={jump}>
            <Icon name="down" />
            {asks && <span>{label}</span>}
          </button>
        </div>
      )}
    </>
  );
}

const lastOfUser = ({ timeline }: Parts) => timeline.findLast(({ kind }) => kind === "user")?.id;

/** What waits for the reader at the end: a question, or an error. */
const needsReader = (parts: Parts) => parts.error !== undefined || asksReader(parts);

/** Comes with the first selection. */
const Quote = /* @__PURE__ */ new Loader(() => import("./quote.js")).component("Quote");
