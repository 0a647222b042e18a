// `ThreadLog`: the part of a chat that scrolls, and the button that leads back to its end.
import { type ReactNode, type Ref, useImperativeHandle, useRef } from "react";
import { useHandlePart } from "../hooks/handle-registry.js";
import { useBrowserLayoutEffect } from "../hooks/use-browser-layout-effect.js";
import { useLabels } from "../render/labels.js";
import { useDisplayContents } from "../render/use-display-contents.js";
import { isStreaming } from "./activity.js";
import { useChat } from "./chat-context.js";
import { Icon } from "./icons.js";
import { useEnd } from "./use-end.js";

/** What `ThreadLog` takes. */
export interface ThreadLogProps {
  children?: ReactNode;
  /** Stands below the messages, and scrolls with them. */
  after?: ReactNode;
  /** Has no boxes of its own unless it has a class. */
  boxless?: boolean | undefined;
  logRef?: Ref<HTMLElement> | undefined;
  logClassName?: string | undefined;
  /** The class of the box that scrolls. */
  className?: string | undefined;
}

/** The messages: a log for screen readers, and a box that keeps to its end until the reader scrolls up. */
export function ThreadLog({ children, after, boxless = false, logRef, logClassName, className }: ThreadLogProps): ReactNode {
  const { glove, toEnd: end } = useChat();
  const scroller = useRef<HTMLDivElement>(null);
  const column = useRef<HTMLDivElement>(null);
  const log = useRef<HTMLDivElement>(null);
  const say = useLabels();
  useDisplayContents(scroller, boxless);
  useDisplayContents(column, boxless);
  useDisplayContents(log, boxless && logClassName === undefined);
  useImperativeHandle(logRef, () => log.current as HTMLElement);
  const streaming = useHandlePart(glove, isStreaming);
  const [atEnd, toEnd] = useEnd(scroller, column);
  useBrowserLayoutEffect(() => {
    end.current = toEnd;
  }, [end, toEnd]);
  // Busy while an answer is written only: what comes while tools run, a question say, is read out at once.
  return (
    <>
      <div ref={scroller} className={className} data-glove-scroller="" tabIndex={boxless ? undefined : 0}>
        <div ref={column} data-glove-column="">
          <div ref={log} role="log" aria-label={say("Conversation")} aria-busy={streaming} className={logClassName}>
            {children}
          </div>
          {after}
        </div>
      </div>
      {!atEnd && !boxless && (
        <div data-glove-jump="">
          <button type="button" aria-label={say("Jump to latest")} title={say("Jump to latest")} onClick={toEnd}>
            <Icon name="down" />
          </button>
        </div>
      )}
    </>
  );
}
