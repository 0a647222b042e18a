// Buttons of an answer: whether it was good, where the application wants to know, and reading it aloud.
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { ShownEntry } from "../../src/snapshot/snapshot.js";
import { useHandlePart } from "../hooks/handle-registry.js";
import { useChat } from "../parts/chat-context.js";
import { IconLabel, type IconProps } from "../parts/icons.js";
import { useLabels } from "../render/labels.js";
import type { MessageEntry } from "../render/types.js";
import { keepVerdict, keptVerdict, type Verdict } from "./feedback.js";
import { canSpeak, speak } from "./speech.js";

const thumb = "M7 11v9H4v-9zM7 11l4-8a2.2 2.2 0 0 1 2.2 2.5L12.5 9H19a1.8 1.8 0 0 1 1.8 2.1l-1.3 7.4A1.8 1.8 0 0 1 17.7 20H7";
const icons = {
  up: thumb,
  down: "M17 13V4h3v9zM17 13l-4 8a2.2 2.2 0 0 1-2.2-2.5L11.5 15H5a1.8 1.8 0 0 1-1.8-2.1l1.3-7.4A1.8 1.8 0 0 1 6.3 4H17",
  aloud: "M5 9.5v5h3.5L13 18.5v-13L8.5 9.5zM16.5 9a4 4 0 0 1 0 6M18.8 6.5a7.5 7.5 0 0 1 0 11",
} as const satisfies Readonly<Record<string, IconProps["name"]>>;

const words = { up: "Good answer", down: "Bad answer" } as const;

interface AnswerToolsProps {
  readonly entry: MessageEntry;
  /** All that was said in its turn. */
  readonly text: () => string;
}

export function AnswerTools(props: AnswerToolsProps): ReactNode {
  const { answers } = useChat();
  return (
    <>
      {answers.tell && isShown(props.entry) && <Thumbs entry={props.entry} tell={answers.tell} />}
      {answers.readAloud && canSpeak() && <ReadAloud text={props.text} />}
    </>
  );
}

/** One that is made by hand may have no id. */
const isShown = (entry: MessageEntry): entry is MessageEntry<ShownEntry> => entry.id !== undefined;

interface ThumbsProps {
  readonly entry: MessageEntry<ShownEntry>;
  readonly tell: (entry: MessageEntry<ShownEntry>, verdict: Verdict) => unknown;
}

function Thumbs({ entry, tell }: ThumbsProps): ReactNode {
  const { glove } = useChat();
  const say = useLabels();
  const session = useHandlePart(glove, ({ sessionId }) => sessionId) ?? "";
  const { id } = entry;
  const [verdict, setVerdict] = useState(() => keptVerdict(session, id));
  const latest = useRef(verdict);
  const press = async (pressed: Verdict) => {
    const before = latest.current;
    if (before === pressed) return;
    const show = (shown: Verdict | undefined) => {
      latest.current = shown;
      setVerdict(shown);
      keepVerdict(session, id, shown);
    };
    show(pressed);
    try {
      await tell(entry, pressed);
    } catch (error) {
      // It was not taken, and is not shown as if it were.
      if (latest.current === pressed) show(before);
      reportError(error);
    }
  };
  return (["up", "down"] as const).map((name) => (
    <button
      key={name}
      type="button"
      title={say(words[name])}
      aria-pressed={verdict === name}
      data-glove-verdict={name}
      onClick={() => void press(name)}
    >
      <IconLabel icon={icons[name]} label={say(words[name])} />
    </button>
  ));
}

function ReadAloud({ text }: Pick<AnswerToolsProps, "text">): ReactNode {
  const say = useLabels();
  const [reads, setReads] = useState(false);
  const stop = useRef<() => void>(undefined);
  // What is gone says nothing any more.
  useEffect(() => () => stop.current?.(), []);
  const press = () => {
    if (reads) return stop.current?.();
    setReads(true);
    stop.current = speak(text(), () => setReads(false));
  };
  const label = say(reads ? "Stop reading" : "Read aloud");
  // While it reads, it stays in a long conversation.
  return (
    <button
      type="button"
      title={label}
      data-glove-keep={reads ? "" : undefined}
      data-glove-reads={reads ? "" : undefined}
      onClick={press}
    >
      <IconLabel icon={reads ? "stop" : icons.aloud} label={label} />
    </button>
  );
}
