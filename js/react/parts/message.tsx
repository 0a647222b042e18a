// A message: what was said, and what can be done with it.
import type { ReactNode } from "react";
import type { TimelineEntry } from "../../src/snapshot/snapshot.js";
import { AnswerTools } from "../answers/late.js";
import { engineOfHandle, useHandlePart } from "../hooks/handle-registry.js";
import { useLabels } from "../render/labels.js";
import { Long } from "../render/long-text.js";
import type { GloveHandle, MessageEntry } from "../render/types.js";
import { AtLimit } from "../working/late.js";
import { AnswerText } from "./answer-text.js";
import { type PartProps, part } from "./as-child.js";
import { useChat } from "./chat-context.js";
import { MessageFiles } from "./composer/files.js";
import { CopyButton } from "./copy-button.js";
import { IconLabel } from "./icons.js";
import { EditableMessage, EditButton, type EditState } from "./versions/edit.js";
import { MessageEditor } from "./versions/editor.js";
import { BranchPicker, Sources } from "./versions/lazy.js";

/** What `MessageText` takes. */
export interface MessageTextProps {
  /** The message, from the timeline. */
  entry: MessageEntry;
  /** It is still being written. */
  streaming?: boolean | undefined;
}

/** The words and pictures of a message, as an article, and below it why its request failed. */
export function MessageText({ entry, streaming = false }: MessageTextProps): ReactNode {
  const say = useLabels();
  if (entry.kind === "agent_text") {
    const { text, partial = false, stopped, atLimit, error } = entry;
    return (
      <article
        aria-label={say("Assistant")}
        aria-busy={streaming || undefined}
        data-glove-role="agent"
        data-glove-entry={entry.id}
        data-glove-streaming={streaming ? "" : undefined}
        data-glove-cut={partial ? "" : undefined}
        dir="auto"
      >
        <AnswerText text={text} streaming={streaming} sources={entry.sources} />
        {partial && !streaming && (
          <p data-glove-cut-note={stopped ? "stopped" : ""}>
            {say(stopped ? "You stopped this answer." : "This answer was cut off.")}
          </p>
        )}
        {atLimit && !streaming && <AtLimit entry={entry} />}
        <Failed error={error} />
      </article>
    );
  }
  return (
    <>
      <article aria-label={say("You")} data-glove-role="user" data-glove-entry={entry.id} dir="auto">
        <Long text={entry.text} />
        {(entry.images || entry.files) && <MessageFiles entry={entry} />}
      </article>
      <Failed error={entry.error} />
    </>
  );
}

/** Why a request ended that another one followed. */
function Failed({ error }: { readonly error: Error | undefined }): ReactNode {
  return error && <p data-glove-role="failed">{error.message}</p>;
}

/** Asks for the last answer again. Nothing while the agent works, or where the handle cannot. */
export function RegenerateButton(props: PartProps<"button">): ReactNode {
  const { glove, toEnd } = useChat();
  const say = useLabels();
  const busy = useHandlePart(glove, ({ busy }) => busy);
  const { regenerate } = glove;
  if (busy || !regenerate) return null;
  const ask = () => {
    void regenerate();
    toEnd.current?.(true);
  };
  const children = <IconLabel icon="retry" label={say("Answer again")} />;
  return part("button", { type: "button", title: say("Answer again"), onClick: ask, children }, props);
}

/** What `MessageTime` takes: an entry of the timeline, or a time in milliseconds since 1970. */
export type MessageTimeProps = PartProps<"time"> & { entry?: { readonly at?: number | undefined }; at?: number | undefined };

/** When a message was written. Nothing where that is not known. */
export function MessageTime({ entry, at = entry?.at, ...props }: MessageTimeProps): ReactNode {
  if (at === undefined) return null;
  const date = new Date(at);
  const today = new Date().toDateString() === date.toDateString();
  const children = date.toLocaleString(undefined, today ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" });
  return part("time", { dateTime: date.toISOString(), title: date.toLocaleString(), children }, props);
}

export interface MessageProps extends MessageTextProps {
  /** It is the last of the conversation. */
  isLast?: boolean | undefined;
  /** The turn that it belongs to goes on behind it: what can be done with that stands at its end. */
  goesOn?: boolean | undefined;
}

/** All that was said in the turn that ends with an answer. */
function turnOf(glove: GloveHandle, entry: MessageEntry): string {
  const timeline: readonly TimelineEntry[] = (engineOfHandle(glove)?.getSnapshot() ?? glove).timeline;
  const texts: string[] = [];
  for (const one of timeline) {
    // One that was gone on with has the id of its first part.
    if (one === entry || (one.id !== undefined && one.id === entry.id)) break;
    if (one.kind === "agent_text") texts.push(one.text);
    else if (one.kind !== "tool") texts.length = 0;
  }
  return [...texts, entry.text].filter(Boolean).join("\n\n");
}

/** A message of `<Render>`: its text, and below it what can be done with it. */
export function Message({ entry, isLast = false, streaming, goesOn }: MessageProps): ReactNode {
  const isUser = entry.kind === "user";
  const { glove, markdown, answers } = useChat();
  const turn = () => turnOf(glove, entry);
  const ends = entry.text !== "" && !goesOn;
  const draw = (state: EditState) => (
    <div data-glove-message={isUser ? "user" : "agent"} data-glove-last={isLast ? (isUser ? "user" : "agent") : undefined}>
      {state === "idle" ? <MessageText entry={entry} streaming={streaming} /> : <MessageEditor />}
      {entry.kind === "agent_text" && entry.sources && <Sources entry={entry} />}
      {!streaming && state === "idle" && (ends || entry.branches) && (
        <div data-glove-tools="">
          {entry.branches && <BranchPicker entry={entry} />}
          {ends && (
            <>
              <CopyButton text={isUser ? entry.text : turn} markdown={!isUser && markdown === true} />
              {isUser ? <EditButton /> : isLast && <RegenerateButton />}
              {!isUser && (answers.tell || answers.readAloud) && <AnswerTools entry={entry} text={turn} />}
              <MessageTime at={entry.at} />
            </>
          )}
        </div>
      )}
    </div>
  );
  return isUser ? <EditableMessage entry={entry}>{draw}</EditableMessage> : draw("idle");
}
