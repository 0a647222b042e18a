// Why the last request failed, or that it stands still, and a way to go on.
import { type ReactNode, useRef } from "react";
import { codeOf } from "../../../src/values/error.js";
import { type Parts, useHandlePart } from "../../hooks/handle-registry.js";
import { useLabels } from "../../render/labels.js";
import { renderPart } from "../../render/mount-renderer.js";
import type { RenderProps } from "../../render/types.js";
import { useChat } from "../chat-context.js";
import { Icon, stopped } from "../icons.js";
import { errorMessage } from "./error-messages.js";
import { useSeconds } from "./use-seconds.js";

/** An error, or a run that stands still, in words, with what can be done. */
export interface Notice {
  readonly kind: "error" | "paused";
  readonly text: string;
  /** What happened in the words of the code. */
  readonly details?: string | undefined;
  /** What helps, and the word for it. */
  readonly action?: { readonly label: string; readonly run: () => unknown } | undefined;
  /** In seconds: another try is of no use before. */
  readonly wait?: number | undefined;
}

/** What `ErrorNotice` takes: `renderError`, or a function that draws the notice. */
export type ErrorNoticeProps = Pick<RenderProps, "renderError"> & {
  /** Draws the notice in your own markup. */
  children?: ((notice: Notice) => ReactNode) | undefined;
};

export function ErrorNotice({ renderError, children = (notice) => <Panel {...notice} /> }: ErrorNoticeProps): ReactNode {
  const { glove } = useChat();
  const say = useLabels();
  const now = useHandlePart(glove, ({ error }) => error);
  const tab = useHandlePart(glove, ({ tab }) => tab);
  const still = useHandlePart(glove, ({ run, busy }) => !busy && (run?.phase === "paused" || run?.phase === "interrupted"));
  const ready = useHandlePart(glove, ({ sessionReady }) => sessionReady);
  const leftOut = useHandlePart(glove, lastLeftOut);
  const cut = useHandlePart(glove, brokeOff);
  // An edit of a message that waits takes the error away, and not what the run stands still for.
  const { sessionId } = glove;
  const last = useRef<readonly [of?: string | undefined, error?: Error | undefined]>([]);
  if (now || !still || sessionId !== last.current[0]) last.current = [sessionId, now];
  const [, error] = last.current;
  const { resume, takeOver, clearError: dismiss } = glove;
  const missed = codeOf(error) === "PART_NOT_LOADED";
  const tried = useRef(false);
  if (ready && !missed) tried.current = false;
  // A file that was missed once comes with the next page only, in some browsers; so does one that does not answer.
  const hopeless = missed && ((tried.current && navigator.onLine) || error?.cause instanceof Promise);
  const [blocked, outdated] = [tab === "blocked", tab === "outdated" || hopeless];
  let retry: (() => unknown) | undefined = outdated ? () => location.reload() : blocked ? takeOver : resume;
  // There is nothing to go on with: a message that was refused, say.
  if (!blocked && !outdated && !still && dismiss) retry = ready && !missed ? undefined : dismiss;
  if (!error && !(still && resume)) return null;
  const own = error && renderPart({ renderError }, "renderError", null, { error, retry, dismiss }, error);
  if (own) return own;
  const run = retry ?? dismiss;
  const word = outdated
    ? "Reload the page"
    : blocked
      ? "Use here"
      : !retry
        ? "Dismiss"
        : retry === resume && leftOut
          ? "Send without the files"
          : error
            ? "Try again"
            : "Continue";
  const words = error
    ? errorMessage(error, say, cut)
    : // Its files say why.
      { text: say(retry === resume && leftOut ? "This message was not answered." : "The answer was interrupted.") };
  const act = () => {
    tried.current = missed;
    return run?.();
  };
  return children({ kind: error ? "error" : "paused", ...words, action: run && { label: say(word), run: act } });
}

/** What the last message brought is too large, or was refused: going on is going on without it. */
const lastLeftOut = ({ timeline }: Parts) => (timeline.findLast(({ kind }) => kind === "user") as { leftOut?: boolean })?.leftOut;

/** A part of the answer is shown. */
const brokeOff = ({ timeline }: Parts) => (timeline.at(-1) as { partial?: boolean } | undefined)?.partial === true;

/** It hangs on the thread of the call before it. */
const endsInCall = ({ timeline }: Parts) => timeline.at(-1)?.kind === "tool";

function Panel({ kind, text, details, action, wait }: Notice): ReactNode {
  const say = useLabels();
  const left = useSeconds(wait);
  const { glove } = useChat();
  const joins = useHandlePart(glove, endsInCall);
  return (
    <div
      role={kind === "error" ? "alert" : "status"}
      data-glove-role={kind}
      data-glove-step=""
      data-glove-joins={joins ? "" : undefined}
      data-state={kind === "error" ? "failed" : "cut"}
    >
      <span data-glove-state-icon="">
        <Icon name={kind === "error" ? "failed" : stopped} />
      </span>
      <p>{text}</p>
      {details !== undefined && details !== text && (
        <details>
          <summary>
            {say("Details")} <Icon name="chevron" />
          </summary>
          <p dir="auto">{details}</p>
        </details>
      )}
      {action && (
        <div data-glove-actions="">
          {/* Each second would be read out. */}
          <button type="button" aria-live="off" disabled={left > 0} onClick={() => void action.run()}>
            {left > 0 ? say("Try again in {n} s", { n: left }) : action.label}
          </button>
        </div>
      )}
    </div>
  );
}
