// The parts of `<Render>` that an application may draw around, under the names that the original has for them.
import { Fragment, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import type { TimelineEntry } from "../../src/snapshot/snapshot.js";
import { BuiltInComposer } from "../parts/composer/composer.js";
import { ComposerContext } from "../parts/composer/use-composer.js";
import { Icon } from "../parts/icons.js";
import { Message } from "../parts/message.js";
import type { Guard } from "./boundary.js";
import { useLabels } from "./labels.js";
import { Long, useFront, useGrowing } from "./long-text.js";
import { renderPart } from "./mount-renderer.js";
import type {
  InputRenderProps,
  MessageRenderProps,
  ReasoningRenderProps,
  RenderProps,
  SlotContainerRenderProps,
  StreamingRenderProps,
} from "./types.js";

export function DefaultMessage({ entry, isLast }: Pick<MessageRenderProps, "entry"> & Partial<MessageRenderProps>): ReactNode {
  return <Message entry={entry} isLast={isLast} />;
}

export function DefaultStreaming({ text }: StreamingRenderProps): ReactNode {
  return <Message entry={{ kind: "agent_text", text }} streaming />;
}

/** Closed until somebody wants to read it, and never read out by itself. */
export function DefaultReasoning({ text, streaming }: ReasoningRenderProps): ReactNode {
  const element = useRef<HTMLDetailsElement>(null);
  const say = useLabels();
  const [front, more] = useFront(text);
  const seconds = useDuration(streaming);
  const said = text.trimEnd();
  return (
    <details
      ref={element}
      data-glove-role="reasoning"
      data-glove-step=""
      data-state={streaming ? "streaming" : "done"}
      aria-live="off"
    >
      <summary>
        <span data-glove-state-icon="" />
        <span>{streaming ? say("Thinking…") : seconds > 0 ? say("Thought for {n} s", { n: seconds }) : say("Thoughts")}</span>
        {streaming && <small>{said.slice(said.lastIndexOf("\n") + 1).slice(-60)}</small>}
        <Icon name="chevron" />
      </summary>
      {useGrowing(element, front)}
      {more}
    </details>
  );
}

/** In seconds, how long something was so, as far as it was seen: nothing is known of it after a reload. */
function useDuration(on: boolean): number {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const began = Date.now();
    return on ? () => setSeconds(Math.round((Date.now() - began) / 1000)) : undefined;
  }, [on]);
  return seconds;
}

type ReasoningProps = ReasoningRenderProps & Pick<RenderProps, "renderReasoning"> & Pick<Guard, "of">;

export function Reasoning({ of, ...rest }: ReasoningProps): ReactNode {
  const { text, streaming } = rest;
  return text === "" ? null : renderPart(rest, "renderReasoning", DefaultReasoning, { text, streaming }, of);
}

export function DefaultCompaction({ entry }: { entry: Extract<TimelineEntry, { kind: "compaction" }> }): ReactNode {
  const say = useLabels();
  return (
    <details data-glove-role="compaction" dir="auto">
      <summary>
        {say("Earlier messages were summarised")} <Icon name="chevron" />
      </summary>
      {/* Without the line by which a model knows it. */}
      <Long text={entry.text.replace(/^\[.*\]\s+/, "")} />
    </details>
  );
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
  const composer = useMemo(() => ({ send, busy, abort }), [send, busy, abort]);
  return (
    <ComposerContext.Provider value={composer}>
      <BuiltInComposer />
    </ComposerContext.Provider>
  );
}
