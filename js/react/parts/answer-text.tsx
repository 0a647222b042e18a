// The text of an answer: as markdown where it has any, which is loaded with the first request, or when the first such text is shown.
import { type ComponentType, type ReactNode, useContext, useRef, useSyncExternalStore } from "react";
import { Listeners } from "../hooks/listeners.js";
import { Long, useFront, useGrowing } from "../render/long-text.js";
import { mountRenderer } from "../render/mount-renderer.js";
import type { TextRenderProps } from "../render/types.js";
import { ChatContext } from "./chat-context.js";
import { withoutMarks } from "./without-marks.js";

export function AnswerText({ text, streaming, sources }: TextRenderProps): ReactNode {
  const wanted = useContext(ChatContext)?.markdown ?? false;
  const marked = useIsMarkdown(text);
  const BuiltIn = useBuiltIn(wanted === true && marked);
  if (typeof wanted !== "boolean") return mountRenderer(wanted, { text, streaming, sources }, { name: "markdown", of: text });
  if (BuiltIn) return <BuiltIn text={text} streaming={streaming} sources={sources} />;
  const words = BuiltIn === null ? withoutMarks(text) : text;
  return streaming ? <Growing text={words} /> : <Long text={words} />;
}

/** Not read out while it grows: the finished message is. */
function Growing({ text }: { readonly text: string }): ReactNode {
  const element = useRef<HTMLSpanElement>(null);
  const [front, more] = useFront(text);
  return (
    <span ref={element} aria-live="off">
      {useGrowing(element, front)}
      {more}
    </span>
  );
}

const marks = /[`*_#[\]|~<>\\&]|^ *(?:[-+]|\d+[.)]) |^ *[-=]{2}|\n\n|https?:|www\.|\$/m;

/** Whether a text may contain markdown. For a growing text, only the new part is checked. */
function useIsMarkdown(text: string): boolean {
  const seen = useRef({ to: 0, found: false });
  if (text.length < seen.current.to) seen.current = { to: 0, found: false };
  if (!seen.current.found && text.length > seen.current.to) {
    // From the line before: a mark may have come in two pieces.
    const from = text.lastIndexOf("\n", seen.current.to - 2) + 1;
    seen.current = { to: text.length, found: marks.test(text.slice(Math.max(from, seen.current.to - 100))) };
  }
  return seen.current.found;
}

const loaded = new Listeners();
/** `null` as long as it may still come. */
let component: ComponentType<TextRenderProps> | undefined | null = null;
let loading: Promise<unknown> | undefined;

/** Loads what draws markdown. Without it, on a page without a bundler say, texts stay as they are. */
export const loadMarkdown = (): Promise<unknown> =>
  (loading ??= import("../markdown/index.js")
    .then(
      (module) => module.Markdown,
      () => undefined,
    )
    .then((found) => {
      component = found;
      loaded.changed();
    }));

function useBuiltIn(wanted: boolean): typeof component {
  const found = useSyncExternalStore(
    wanted ? loaded.subscribe : never,
    () => component,
    () => null,
  );
  if (wanted && found === null && typeof document !== "undefined") void loadMarkdown();
  return wanted ? found : undefined;
}

const never = () => () => {};
