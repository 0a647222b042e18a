// What the parts of the board share.
import { type Context, createContext, type ReactNode, useContext } from "react";
import { circle, Icon } from "../../react/parts/icons.js";
import { errorMessage } from "../../react/parts/notices/error-messages.js";
import { useLabels } from "../../react/render/labels.js";
import { Name } from "../../react/text/visible.js";
import { GloveError } from "../../src/values/error.js";
import type { Progress, Tone } from "./labels.js";
import type { UseTaskReturn } from "./use-task.js";

export interface Board {
  readonly task: UseTaskReturn;
  /** Shows a file. */
  open(path: string): void;
  readonly Text: (props: { readonly text: string }) => ReactNode;
}

export const BoardContext: Context<Board | null> = /* @__PURE__ */ createContext<Board | null>(null);

export function useBoard(): Board {
  const board = useContext(BoardContext);
  if (!board) throw new GloveError("CLIENT_CONFIG", "The parts of a board must be inside a `<TaskBoard>`.");
  return board;
}

const marks: { readonly [state in Progress | Tone]?: Parameters<typeof Icon>[0]["name"] } = {
  open: circle,
  done: `${circle}m-3.5 9.3 2.5 2.5 4.5-5`,
  failed: "failed",
  waiting: `${circle}M12 7.5V12l3 2`,
  paused: `${circle}M10 9v6m4-6v6`,
  skipped: `${circle}M9 12h6`,
};

/** The picture of a state; a turning circle for what is at work. */
export function Mark({ state }: { readonly state: Progress | Tone }): ReactNode {
  const icon = marks[state];
  return (
    <span data-glove-state-icon="" data-state={state}>
      {icon && <Icon name={icon} />}
    </span>
  );
}

export const fileIcon = "M6 3h8l4 4v14H6zM14 3v4h4";
export const downloadIcon = "M12 4v11m-4.5-4.5L12 15l4.5-4.5M5 19.5h14";

/** A part of the board with its heading. */
export function Section({
  id,
  title,
  aside,
  children,
}: {
  readonly id: string;
  readonly title: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <section aria-labelledby={id} data-glove-section="">
      <h3 id={id}>
        {title}
        {aside !== undefined && <small>{aside}</small>}
      </h3>
      {children}
    </section>
  );
}

interface SentencesProps {
  readonly title: string;
  readonly of?: readonly string[] | undefined;
  /** Within a question, which has no headings. */
  readonly as?: "h4" | "p";
}

/** Sentences of a plan below a heading of their own. */
export function Sentences({ title, of = [], as: Heading = "h4" }: SentencesProps): ReactNode {
  if (of.length === 0) return null;
  return (
    <>
      <Heading>{title}</Heading>
      <ul data-glove-acceptance="">
        {of.map((sentence) => (
          <li key={sentence}>
            <Name of={sentence} lines />
          </li>
        ))}
      </ul>
    </>
  );
}

/** Why a task stands still, in the words of a chat, and below them what happened in those of the code. */
export function FailureWords({ error }: { readonly error: { readonly code?: string; readonly message: string } }): ReactNode {
  const say = useLabels();
  const { text, details } = errorMessage(error, say);
  return (
    <>
      <p data-glove-error="">{text}</p>
      {details !== undefined && details !== text && (
        <details>
          <summary>{say("Details")}</summary>
          <p>
            <Name of={details} lines />
          </p>
        </details>
      )}
    </>
  );
}
