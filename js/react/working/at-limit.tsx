// Below an answer that ends where the model may write no more: that it does, and a button that lets it go on.
import { type ReactNode, useRef } from "react";
import { continues, isAtLimit, withContinued } from "../../src/messages/continued.js";
import type { GloveSession } from "../../src/session/session.js";
import type { TimelineEntry } from "../../src/snapshot/snapshot.js";
import { engineOfHandle, type Parts, useHandlePart } from "../hooks/handle-registry.js";
import { adopt } from "../look/adopt.js";
import { css } from "../look/generated/working-css.js";
import { type PartProps, part } from "../parts/as-child.js";
import { useChat } from "../parts/chat-context.js";
import { useLabels } from "../render/labels.js";

/** The entries as they are drawn; while more of the last one is written, that is the second. */
export function drawn<E extends TimelineEntry>(
  timeline: readonly E[],
  writing: boolean,
): readonly [timeline: readonly E[], begun?: E | undefined] {
  const whole = withContinued(timeline);
  const last = whole.at(-1);
  return writing && isAtLimit(last) ? [whole.slice(0, -1), last] : [whole];
}

/** For the model alone. */
const goOn =
  "Your last answer was cut off at the limit of its length. Go on with exactly the next character: your text is put directly behind it. " +
  "Repeat nothing of it, and say nothing about this message.";

const lastOf = ({ timeline, busy }: Parts): TimelineEntry | undefined => (busy ? undefined : withContinued(timeline).at(-1));

/**
 * The id of the request: the same in every tab that asks for more of the same answer, so that the session begins it once. Another one only
 * where the last such request ended without a word.
 */
async function occasionOf(session: GloveSession, part: string): Promise<string> {
  const stem = `${continues}${part.startsWith(continues) ? part.slice(continues.length) : part}.`;
  const prompts = await session.prompts(part.replace(/\.m\d+$/, "")).catch(() => []);
  const asked = prompts.filter(({ id }) => id.startsWith(stem));
  const { state, outputs } = asked.at(-1) ?? {};
  const isOver = state === "completed";
  return `${stem}${isOver && outputs?.length === 0 ? asked.length + 1 : Math.max(1, asked.length)}`;
}

/** Lets the model go on with the last answer. Nothing unless that was cut at its limit, and while the agent works. */
export function ContinueButton(props: PartProps<"button">): ReactNode {
  const { glove } = useChat();
  const say = useLabels();
  /** It is asked once, however often it is pressed. */
  const asked = useRef<TimelineEntry>(undefined);
  const last = useHandlePart(glove, lastOf);
  const session = engineOfHandle(glove)?.getState().session;
  if (!session || !isAtLimit(last)) return null;
  const ask = () => {
    if (last === asked.current) return;
    asked.current = last;
    // What it fails with is shown as the error of the conversation. One that was stopped before its first word can be asked for again.
    const over = () => {
      asked.current = undefined;
    };
    const part = session.getSnapshot().timeline.at(-1)?.id ?? "";
    void occasionOf(session, part)
      .then((id) => session.trigger({ reason: goOn, id }))
      .then(over, over);
  };
  return part("button", { type: "button", "data-glove-go-on": "", children: say("Continue"), onClick: ask }, props);
}

/** What `<Render>` says of such an answer. */
export function AtLimit({ entry }: { readonly entry: TimelineEntry }): ReactNode {
  const { glove, styled } = useChat();
  const say = useLabels();
  const last = useHandlePart(glove, lastOf);
  const dressed = useRef(false);
  const dress = (element: Element | null) => {
    if (element && styled && !dressed.current) adopt(element, css);
    dressed.current ||= element !== null;
  };
  const isLast = last !== undefined && (last === entry || (last.id !== undefined && last.id === entry.id));
  return (
    <div ref={dress} data-glove-at-limit="">
      <p>{say("This answer is as long as the model may write.")}</p>
      {isLast && <ContinueButton />}
    </div>
  );
}
