// `<Render>`: a conversation with its slots and its input, in one of four arrangements.
import {
  type KeyboardEvent,
  memo,
  type ReactNode,
  type Ref,
  useCallback,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from "react";
import type { ShownSlot } from "../../src/snapshot/snapshot.js";
import { EngineContext } from "../hooks/engine-context.js";
import { engineOfHandle, type Parts, useHandlePart } from "../hooks/handle-registry.js";
import { DefaultInput, DefaultSlotContainer, DefaultStreaming, Reasoning, Slots } from "./defaults.js";
import { Entries } from "./entries.js";
import { type Labels, LabelsContext, useLabels } from "./labels.js";
import { Long } from "./long-text.js";
import { renderPart } from "./mount-renderer.js";
import { createPlaces, visibleSlots } from "./slots.js";
import type { GloveHandle, RenderProps, SlotContainerRenderProps } from "./types.js";
import { useDisplayContents } from "./use-display-contents.js";

/** Draws a conversation: messages, tools with their components, questions, and the input. */
export function Render(props: RenderProps): ReactNode {
  const { glove, strategy = "interleaved", as: Root = "div", className, style, renderInput } = props;
  const engine = engineOfHandle(glove);
  const slots = useVisibleSlots(glove);
  const keyDown = useStopKey(glove);
  const inOnePlace = slots.length > 0 && (
    <Container slots={slots} renderSlot={glove.renderSlot} renderSlotContainer={props.renderSlotContainer} />
  );
  const Element = Root as "div";
  const content = (
    <Element
      ref={props.rootRef as Ref<HTMLDivElement>}
      className={className}
      style={style}
      data-glove-strategy={strategy}
      onKeyDown={keyDown}
    >
      {strategy === "slots-before" && inOnePlace}
      {strategy !== "slots-only" && <Conversation {...props} strategy={strategy} slots={slots} />}
      {(strategy === "slots-after" || strategy === "slots-only") && inOnePlace}
      <Working glove={glove} />
      <Problem glove={glove} renderError={props.renderError} />
      <Input glove={glove} renderInput={renderInput} />
    </Element>
  );
  const inWords = <LabelsContext.Provider value={props.labels ?? english}>{content}</LabelsContext.Provider>;
  return engine ? <EngineContext.Provider value={engine}>{inWords}</EngineContext.Provider> : inWords;
}

const english: Labels = {};

/** Entries, the answer that is being written, and what waits. */
function Conversation(props: RenderProps & { slots: ShownSlot[] }): ReactNode {
  const { glove, strategy, slots, renderMessage, renderToolStatus, renderStreaming, renderReasoning } = props;
  const { logRef, logClassName } = props;
  const element = useRef<HTMLDivElement>(null);
  const say = useLabels();
  useDisplayContents(element, logClassName === undefined);
  useImperativeHandle(logRef, () => element.current as HTMLElement);
  const timeline = useHandlePart(glove, timelineOf);
  const streaming = useHandlePart(glove, isStreaming);
  const [place] = useState(createPlaces);
  const placed = useMemo(() => place(strategy === "interleaved" ? slots : [], timeline), [place, strategy, slots, timeline]);
  // Busy while an answer is written only: what comes while tools run, a question say, is read out at once.
  return (
    <div ref={element} role="log" aria-label={say("Conversation")} aria-busy={streaming} className={logClassName}>
      <Entries
        timeline={timeline}
        slots={placed.at}
        streaming={streaming}
        renderMessage={renderMessage}
        renderToolStatus={renderToolStatus}
        renderReasoning={renderReasoning}
        renderSlot={glove.renderSlot}
        renderToolResult={glove.renderToolResult}
      />
      <Thinking glove={glove} renderReasoning={renderReasoning} />
      <Streaming glove={glove} renderStreaming={renderStreaming} />
      <Slots slots={placed.rest} renderSlot={glove.renderSlot} />
      <Queue glove={glove} />
    </div>
  );
}

const timelineOf = ({ timeline }: Parts) => timeline;
const isStreaming = ({ streamingText, streamingReasoning = "", streamingCalls = [] }: Parts) =>
  streamingText + streamingReasoning !== "" || streamingCalls.length > 0;

/** The agent works, and nothing else says so. */
function Working({ glove }: Pick<RenderProps, "glove">): ReactNode {
  const say = useLabels();
  const quiet = useHandlePart(glove, isQuiet);
  return (
    quiet && (
      <div role="status" aria-label={say("Working")} data-glove-role="working">
        …
      </div>
    )
  );
}

const isQuiet = (parts: Parts) =>
  parts.busy && !isStreaming(parts) && !parts.slots.some(({ waits, status }) => waits && status === "pending");

const Thinking = memo(function Thinking({ glove, renderReasoning }: Pick<RenderProps, "glove" | "renderReasoning">) {
  const text = useHandlePart(glove, ({ streamingReasoning }) => streamingReasoning ?? "");
  const streaming = useHandlePart(glove, ({ streamingText }) => streamingText === "");
  return <Reasoning text={text} streaming={streaming} renderReasoning={renderReasoning} />;
});

const Streaming = memo(function Streaming({ glove, ...given }: Pick<RenderProps, "glove" | "renderStreaming">) {
  const text = useHandlePart(glove, ({ streamingText }) => streamingText);
  if (text === "") return null;
  // It is not tried again at each piece: the message would be read out each time.
  return renderPart(given, "renderStreaming", DefaultStreaming, { text });
});

function Container({ slots, renderSlot, ...given }: ContainerProps): ReactNode {
  return renderPart(given, "renderSlotContainer", DefaultSlotContainer, { slots, renderSlot }, slots);
}

type ContainerProps = Pick<RenderProps, "renderSlotContainer"> & SlotContainerRenderProps<ShownSlot>;

const Input = memo(function Input({ glove, ...given }: Pick<RenderProps, "glove" | "renderInput">) {
  const busy = useHandlePart(glove, ({ busy }) => busy);
  const { sendMessage, abort } = glove;
  const send = useCallback((...message: Parameters<GloveHandle["sendMessage"]>) => void sendMessage(...message), [sendMessage]);
  return renderPart(given, "renderInput", DefaultInput, { send, busy, abort }, busy);
});

/** Messages that were sent while the agent works. */
function Queue({ glove }: Pick<RenderProps, "glove">): ReactNode {
  const queue = useHandlePart(glove, ({ queue }) => queue);
  // Another answer is waited for without a text.
  return queue?.map(
    ({ id, text }) =>
      text && (
        <div key={id} data-glove-role="user" data-glove-queued="" dir="auto">
          <Long text={text} />
        </div>
      ),
  );
}

/** Why the last request failed, or that it stands still, and a way to go on. */
function Problem({ glove, ...given }: Pick<RenderProps, "glove" | "renderError">): ReactNode {
  const say = useLabels();
  const error = useHandlePart(glove, ({ error }) => error);
  const tab = useHandlePart(glove, ({ tab }) => tab);
  const still = useHandlePart(glove, ({ run, busy }) => !busy && (run?.phase === "paused" || run?.phase === "interrupted"));
  const ready = useHandlePart(glove, ({ sessionReady }) => sessionReady);
  const { resume, takeOver, clearError: dismiss } = glove;
  const [blocked, outdated] = [tab === "blocked", tab === "outdated"];
  let retry: (() => unknown) | undefined = outdated ? () => location.reload() : blocked ? takeOver : resume;
  // There is nothing to go on with: a message that was refused, say.
  if (!blocked && !outdated && !still && dismiss) retry = ready ? undefined : dismiss;
  if (!error && !(still && resume)) return null;
  const own = error && renderPart(given, "renderError", null, { error, retry, dismiss }, error);
  if (own) return own;
  const act = retry ?? dismiss;
  return (
    <div role={error ? "alert" : "status"} data-glove-role={error ? "error" : "paused"}>
      <p>{error ? error.message : say("The last request did not finish.")}</p>
      {act && (
        <div data-glove-actions="">
          <button type="button" onClick={() => void act()}>
            {say(outdated ? "Reload the page" : blocked ? "Use here" : !retry ? "Dismiss" : error ? "Try again" : "Continue")}
          </button>
        </div>
      )}
    </div>
  );
}

function useVisibleSlots(glove: GloveHandle): ShownSlot[] {
  const slots = useHandlePart(glove, ({ slots }) => slots);
  return useMemo(() => visibleSlots(slots), [slots]);
}

/** Escape stops the agent, except in a slot: there it may have a meaning of its own. */
function useStopKey(glove: GloveHandle): (event: KeyboardEvent) => void {
  const busy = useHandlePart(glove, ({ busy }) => busy);
  return ({ key, target, defaultPrevented, nativeEvent }) => {
    if (key !== "Escape" || !busy || defaultPrevented || nativeEvent.isComposing) return;
    // Its document may be that of another window, with classes of its own.
    if ((target as Element).closest?.("[data-glove-slot]")) return;
    glove.abort();
  };
}
