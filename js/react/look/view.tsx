// The chat that `<Render>` shows: all parts in their places, in one of four arrangements.
import { Fragment, memo, type ReactNode, useCallback, useEffect, useMemo, useState } from "react";
import type { ModelWait, ShownSlot } from "../../src/snapshot/snapshot.js";
import { Finder } from "../finding/late.js";
import { engineOfHandle, type Parts, useHandlePart } from "../hooks/handle-registry.js";
import { isInStep, isQuiet, isRunning, isStreaming, isWriting } from "../parts/activity.js";
import { StreamingToolCard } from "../parts/calls/tool-card.js";
import { back } from "../parts/calls/tool-state.js";
import { ErrorNotice } from "../parts/notices/error-notice.js";
import { useSeconds } from "../parts/notices/use-seconds.js";
import { Queue } from "../parts/queue.js";
import { ThreadLog } from "../parts/reading/thread-log.js";
import { checkHandle, Thread } from "../parts/thread.js";
import { hasGreeting, Welcome } from "../parts/welcome.js";
import { DefaultInput, DefaultSlotContainer, Slots } from "../render/defaults.js";
import { Entries } from "../render/entries.js";
import { useLabels } from "../render/labels.js";
import { renderPart } from "../render/mount-renderer.js";
import { createPlaces, visibleSlots } from "../render/slots.js";
import type { GloveHandle, RenderProps, SlotContainerRenderProps, WrittenCall } from "../render/types.js";
import { ContextMeter, useWhole } from "../working/late.js";
import { css } from "./generated/css.js";
import { Sheet } from "./sheet.js";
import { useVariant } from "./variant.js";

export { loadWords } from "../languages/words.js";
export { loadDetails } from "../parts/calls/tool-card.js";
export { loadFiles } from "../parts/composer/files.js";
export { loadVariant } from "./variant.js";

export function View(props: RenderProps): ReactNode {
  const { glove, strategy = "interleaved", unstyled = false, nonce, renderInput, renderError } = props;
  checkHandle(glove);
  const sheet = useVariant(unstyled ? undefined : props.variant);
  const slots = useVisibleSlots(glove);
  const id = useHandlePart(glove, ({ sessionId }) => sessionId);
  const inOnePlace = slots.length > 0 && (
    <Container slots={slots} renderSlot={glove.renderSlot} renderSlotContainer={props.renderSlotContainer} />
  );
  const after = (
    <>
      {(strategy === "slots-after" || strategy === "slots-only") && inOnePlace}
      <Working glove={glove} rows={!props.renderToolStatus} />
      <ErrorNotice renderError={renderError} />
      <NotKept glove={glove} />
      {strategy !== "slots-only" && <Queue editable={!renderInput} />}
    </>
  );
  return (
    <Thread
      glove={glove}
      strategy={strategy}
      labels={props.labels}
      lang={props.lang}
      enter={props.enter}
      markdown={props.markdown}
      attachments={props.attachments}
      onFeedback={props.onFeedback}
      readAloud={props.readAloud}
      as={props.as}
      rootRef={props.rootRef}
      className={props.className}
      style={props.style}
      styled={!unstyled}
      {...(sheet && { "data-glove-variant": props.variant })}
      {...((strategy === "slots-only" || !hasGreeting(props)) && { "data-glove-empty": undefined })}
    >
      {!unstyled && <Sheet nonce={nonce} css={css} />}
      {sheet && <Sheet nonce={nonce} css={sheet} />}
      {strategy === "slots-before" && inOnePlace}
      {props.find && strategy !== "slots-only" && <Finder bar={props.find !== "key"} />}
      {strategy === "slots-only" ? after : <Conversation {...props} strategy={strategy} slots={slots} after={after} />}
      <Input glove={glove} renderInput={renderInput} />
      <Context glove={glove} contextMeter={props.contextMeter} />
      {props.disclaimer != null && <div data-glove-disclaimer="">{props.disclaimer}</div>}
      {!unstyled && <Ready key={id} glove={glove} />}
    </Thread>
  );
}

/** Entries, the answer that is being written, and what waits. */
function Conversation(props: RenderProps & { slots: ShownSlot[]; after: ReactNode }): ReactNode {
  const { glove, strategy, slots, after, unstyled } = props;
  const streaming = useHandlePart(glove, isStreaming);
  const writing = useHandlePart(glove, isWriting);
  const [timeline, begun] = useWhole(useHandlePart(glove, timelineOf), writing);
  const [place] = useState(createPlaces);
  const placed = useMemo(() => place(strategy === "interleaved" ? slots : [], timeline), [place, strategy, slots, timeline]);
  return (
    <ThreadLog
      after={after}
      boxless={unstyled}
      logRef={props.logRef}
      logClassName={props.logClassName}
      scroll={props.scroll}
      viewRef={props.viewRef}
    >
      <Welcome welcome={props.welcome} suggestions={props.suggestions} />
      <Entries
        timeline={timeline}
        slots={placed.at}
        streaming={streaming}
        live={writing ? glove : undefined}
        begun={begun}
        hasBoxes={!unstyled}
        renderMessage={props.renderMessage}
        renderToolStatus={props.renderToolStatus}
        renderStreaming={props.renderStreaming}
        renderReasoning={props.renderReasoning}
        renderSlot={glove.renderSlot}
        renderToolResult={glove.renderToolResult}
        renderOutput={glove.renderOutput}
      />
      {!props.renderToolStatus && <Calls glove={glove} />}
      <Slots slots={placed.rest} renderSlot={glove.renderSlot} />
    </ThreadLog>
  );
}

const timelineOf = ({ timeline }: Parts) => timeline;
const none: NonNullable<Parts["streamingCalls"]> = [];

const writtenCall: WrittenCall = "a written call";

/** What waits for nothing: without a renderer nothing is drawn. */
const nobodys = { createdAt: 0, displayStrategy: "stay", status: "resolved" } as const;

/** Calls whose arguments are being written. */
function Calls({ glove }: Pick<RenderProps, "glove">): ReactNode {
  const calls = useHandlePart(glove, ({ streamingCalls }) => streamingCalls ?? none);
  const joins = useHandlePart(glove, isInStep);
  // A handle that somebody made draws what it draws of slots.
  const knows = engineOfHandle(glove) !== undefined;
  return calls.map((call, at) => (
    <Fragment key={call.id}>
      <StreamingToolCard call={call} joins={joins && at === 0} />
      {knows &&
        [writtenCall, `${writtenCall} of ${call.name}`].map((renderer) => (
          <Fragment key={renderer}>
            {glove.renderSlot({
              ...nobodys,
              renderer,
              id: `${call.id} written`,
              input: call,
              toolName: call.name,
              toolCallId: call.id,
            })}
          </Fragment>
        ))}
    </Fragment>
  ));
}

/** `rows`: a call that runs says so itself, and this to screen readers only. */
function Working({ glove, rows }: Pick<RenderProps, "glove"> & { readonly rows: boolean }): ReactNode {
  const say = useLabels();
  const quiet = useHandlePart(glove, isQuiet);
  const runs = useHandlePart(glove, isRunning) && rows;
  const undoes = useHandlePart(glove, ({ run }) => run?.phase === "undoing");
  const waiting = useHandlePart(glove, ({ waiting }) => waiting);
  const [over, setOver] = useState<ModelWait>();
  const waits = waiting && waiting !== over;
  return (
    quiet && (
      <div
        role="status"
        aria-label={waits ? undefined : say("Working")}
        data-glove-role="working"
        data-glove-label={runs && !waits ? "" : undefined}
      >
        {waits ? (
          <Wait key={waiting.until} wait={waiting} over={setOver} />
        ) : (
          <span>{say(undoes ? back.runs : "Thinking…")}</span>
        )}
      </div>
    )
  );
}

/** From 70 % on, unless the application decides. */
function Context({ glove, contextMeter }: Pick<RenderProps, "glove" | "contextMeter">): ReactNode {
  const fills = useHandlePart(glove, ({ stats }) => stats !== undefined && stats.contextTokens > stats.contextLimit * 0.7);
  return (contextMeter ?? fills) && <ContextMeter />;
}

/** Says once that an answer is there: nobody hears each piece of it. */
function Ready({ glove }: Pick<RenderProps, "glove">): ReactNode {
  const say = useLabels();
  const busy = useHandlePart(glove, ({ busy }) => busy);
  const answered = useHandlePart(glove, ({ timeline, error }) => !error && timeline.at(-1)?.kind === "agent_text");
  const [hasWorked, setHasWorked] = useState(busy);
  if (busy && !hasWorked) setHasWorked(true);
  return (
    <div aria-live="polite" data-glove-label="">
      {hasWorked && !busy && answered && say("Reply ready")}
    </div>
  );
}

/** Is read out once, and not with each second. After it the model is at work again. */
function Wait({ wait, over }: { readonly wait: ModelWait; readonly over: (wait: ModelWait) => void }): ReactNode {
  const say = useLabels();
  const [seconds] = useState(() => Math.ceil((wait.until - Date.now()) / 1000));
  const left = useSeconds(seconds);
  const isOver = left <= 0;
  useEffect(() => {
    if (isOver) over(wait);
  }, [isOver, over, wait]);
  const busy = /^MODEL_(RATE_LIMIT|OVERLOADED)$/.test(wait.code);
  const word = busy ? "Busy; trying again in {n} s" : "No answer; trying again in {n} s";
  // The number alone is a timer.
  const [before, after] = say(word).split("{n}");
  return (
    <span data-glove-wait="">
      {before}
      <span role="timer">{left}</span>
      {after}
    </span>
  );
}

/** What is said here is gone with the page, and nothing else says so. */
function NotKept({ glove }: Pick<RenderProps, "glove">): ReactNode {
  const say = useLabels();
  const code = useHandlePart(glove, ({ warning }) => warning?.code);
  const isAnswer = code === "STORAGE_PENDING";
  return (
    (isAnswer || code === "STORAGE_MEMORY") && (
      <p role="status" data-glove-role="not-kept">
        {say(isAnswer ? "This answer is not stored yet." : "This conversation is kept only until this page is closed.")}
      </p>
    )
  );
}

function Container({ slots, renderSlot, ...given }: ContainerProps): ReactNode {
  return renderPart(given, "renderSlotContainer", DefaultSlotContainer, { slots, renderSlot }, slots);
}

type ContainerProps = Pick<RenderProps, "renderSlotContainer"> & SlotContainerRenderProps<ShownSlot>;

const Input = memo(function Input({ glove, ...given }: Pick<RenderProps, "glove" | "renderInput">) {
  const busy = useHandlePart(glove, ({ busy }) => busy);
  const { sendMessage, abort } = glove;
  const send = useCallback((...message: Parameters<GloveHandle["sendMessage"]>) => sendMessage(...message), [sendMessage]);
  return renderPart(given, "renderInput", DefaultInput, { send, busy, abort }, busy);
});

function useVisibleSlots(glove: GloveHandle): ShownSlot[] {
  const slots = useHandlePart(glove, ({ slots }) => slots);
  return useMemo(() => visibleSlots(slots), [slots]);
}
