// How much of the model's context is used, and what becomes of older messages when it is full.
import { type ReactNode, useId } from "react";
import { type Parts, useHandlePart } from "../hooks/handle-registry.js";
import { adopt } from "../look/adopt.js";
import { css } from "../look/generated/working-css.js";
import { useChat } from "../parts/chat-context.js";
import { useLabels } from "../render/labels.js";

/** In parts of a hundred; nothing where no provider tells how long a prompt was. */
const usedOf = ({ stats }: Parts): number | undefined =>
  stats && stats.contextTokens > 0 && stats.contextLimit > 0
    ? Math.min(100, Math.round((stats.contextTokens / stats.contextLimit) * 100))
    : undefined;

/** A line that opens to a sentence. Nothing before the first answer whose provider tells of its tokens. */
export function ContextMeter(): ReactNode {
  const { glove, styled } = useChat();
  const say = useLabels();
  const id = useId();
  const used = useHandlePart(glove, usedOf);
  if (used === undefined) return null;
  const label = say("{n} % of the context used", { n: used });
  return (
    <details ref={(element) => void (element && styled && adopt(element, css))} data-glove-context={used >= 90 ? "full" : ""}>
      <summary id={id}>
        <span data-glove-bar="" aria-hidden="true">
          <span style={{ inlineSize: `${used}%` }} />
        </span>
        {label}
      </summary>
      <p>
        {say(
          "When it is full, older messages are summarised for the model. You still see all of them, and what was said last stays word for word.",
        )}
      </p>
    </details>
  );
}
