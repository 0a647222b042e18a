// The button on a card that takes its call back. What came after it is taken back first: that is said, and asked, before.
import { type ReactNode, useId, useRef, useState } from "react";
import type { TimelineEntry, ToolEntry, UndoableCall } from "../../../src/snapshot/snapshot.js";
import { engineOfHandle, usePartOf } from "../../hooks/handle-registry.js";
import { useBrowserLayoutEffect } from "../../hooks/use-browser-layout-effect.js";
import { useLabels } from "../../render/labels.js";
import { Name } from "../../text/visible.js";
import { visibleText } from "../../text/visible-text.js";
import type { Chat } from "../chat-context.js";
import { Icon, undone as undoIcon } from "../icons.js";
import { errorMessage } from "../notices/error-messages.js";
import { aboutCall, back, toolTitle } from "./tool-state.js";

export interface UndoProps {
  readonly id: string;
  readonly title: string;
  /** It was taken back. */
  readonly undone: boolean;
  readonly chat: Chat;
}

type Calls = readonly UndoableCall[];
const none: Calls = [];

/** What is taken back with a call: the last one first, and the call at the end. */
function upTo(id: string, undoable: Calls): Calls {
  return undoable.slice(0, undoable.findIndex(({ toolCallId }) => toolCallId === id) + 1);
}

const same = (a: Calls, b: Calls) => a.length === b.length && a.every(({ toolCallId }, at) => b[at]?.toolCallId === toolCallId);

export function Undo({ id, title, undone, chat: { glove } }: UndoProps): ReactNode {
  const say = useLabels();
  // A run that stands still would be given up.
  const busy = usePartOf(glove, ({ busy, run }) => busy || (run?.phase ?? "idle") !== "idle");
  const undoable = usePartOf(glove, ({ undoable }) => undoable) ?? none;
  const calls = upTo(id, undoable);
  /** What somebody is asked about; it is asked anew when something else is the last by then. */
  const [asked, ask] = useState<Calls>();
  const [runs, setRuns] = useState(false);
  const [failure, fail] = useState<string>();
  /** It was pressed here: its end is told here. */
  const [pressed, press] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const region = useRef<HTMLSpanElement>(null);
  const [confirm, question] = [useRef<HTMLButtonElement>(null), useId()];
  const asks = asked !== undefined && !busy && !runs && calls.length > 1 && same(asked, calls);

  useBrowserLayoutEffect(() => {
    if (asks) confirm.current?.focus();
  }, [asks]);
  useBrowserLayoutEffect(() => {
    const document = region.current?.ownerDocument;
    // The button is gone, and who pressed it goes on at the row.
    if (undone && pressed && document?.activeElement === document?.body)
      region.current?.closest("[data-glove-step]")?.querySelector("summary")?.focus();
  }, [undone, pressed]);

  const run = async (shown: Calls) => {
    const now = engineOfHandle(glove)?.getSnapshot() ?? glove;
    // Exactly what was shown, and nothing that came since.
    if (now.busy || runs || !same(shown, upTo(id, now.undoable ?? none))) return;
    ask(undefined);
    fail(undefined);
    press(true);
    setRuns(true);
    // The one that confirms it goes.
    button.current?.focus();
    let error: string | undefined;
    try {
      const outcome = (await glove.undo?.(shown.length, { last: shown[0]?.toolCallId })) as
        | { readonly error?: string }
        | undefined;
      error = outcome?.error;
    } catch (thrown) {
      error = errorMessage(thrown as Error, say).text;
    }
    setRuns(false);
    fail(error);
  };
  const close = () => {
    ask(undefined);
    button.current?.focus();
  };
  const later = calls.length - 1;
  const label = later > 0 ? say(later > 1 ? back.many : back.two, { n: later }) : say("Undo");
  const shown = calls.length > 0 && (!busy || runs) && !undone;
  return (
    <>
      {shown && (
        <button
          ref={button}
          type="button"
          // It is none of the plain buttons that an application draws there.
          className=""
          data-glove-undo={later > 0 ? "more" : ""}
          aria-disabled={runs || undefined}
          aria-expanded={later > 0 && !runs ? asks : undefined}
          aria-label={runs ? undefined : `${label}: ${visibleText(title)}`}
          title={label}
          onClick={later > 0 && !runs ? () => (asks ? close() : ask(calls)) : () => run(calls)}
        >
          <Icon name={undoIcon} />
          {say(runs ? back.runs : "Undo")}
        </button>
      )}
      {asks && (
        <fieldset
          aria-labelledby={question}
          data-glove-undo-asks=""
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            // For this alone, not for the agent.
            event.stopPropagation();
            event.preventDefault();
            close();
          }}
        >
          <p id={question}>{say(back.these)}</p>
          <Titles of={calls} chat={glove} />
          <div data-glove-actions="">
            <button ref={confirm} type="button" data-glove-weight="go" onClick={() => run(asked)}>
              {label}
            </button>
            <button type="button" data-glove-weight="quiet" onClick={close}>
              {say("Cancel")}
            </button>
          </div>
        </fieldset>
      )}
      {failure !== undefined && !undone && !runs && (
        <p data-glove-undo-failed="">
          <Name of={failedWords(failure)} lines />
        </p>
      )}
      <span ref={region} role="status" data-glove-label="">
        {pressed &&
          (runs ? say(back.runs) : undone ? `${say("Undone")}: ${visibleText(title)}` : failure && failedWords(failure))}
      </span>
    </>
  );

  /** Of several, the one that could not be taken back is the last now. */
  function failedWords(reason: string): string {
    const call = undoable[0];
    return say(back.failed, { title: call ? titleOf(call, glove.timeline, say) : title, reason });
  }
}

function Titles({ of: calls, chat }: { readonly of: Calls; readonly chat: Chat["glove"] }): ReactNode {
  const say = useLabels();
  const timeline = usePartOf(chat, ({ timeline }) => timeline) ?? [];
  return (
    <ol>
      {calls.map((call) => (
        <li key={call.toolCallId}>
          <Name of={titleOf(call, timeline, say)} />
        </li>
      ))}
    </ol>
  );
}

function titleOf(
  { toolCallId, toolName }: UndoableCall,
  timeline: readonly TimelineEntry[],
  say: (word: string) => string,
): string {
  // Ids that a provider uses again belong to its latest call.
  const entry = timeline.findLast((one): one is ToolEntry => one.kind === "tool" && one.id === toolCallId);
  const title = entry?.title ?? toolTitle(toolName, say);
  const about = entry && aboutCall(entry);
  return about === undefined ? title : `${title} · ${about}`;
}
