// The frame of every question: its sentence, what belongs to it, and its buttons; and how it looks when it is answered.
import { type FormEvent, type ReactNode, useId, useRef } from "react";
import { Icon } from "../parts/icons.js";
import { useLabels } from "../render/labels.js";
import { useOneOpen } from "../slots/one-open.js";
import { Name } from "../text/visible.js";
import type { SlotProps } from "./props.js";

/** What `Question` takes. */
export interface QuestionProps extends Pick<SlotProps, "status"> {
  /** The question. */
  message: ReactNode;
  /** The id that the sentence gets. */
  id?: string;
  /** For what has one field: the sentence is its label. */
  labels?: string;
  /** Sent with Enter or a submit button. */
  onSubmit?: (form: HTMLFormElement) => void;
  /** Stands between the sentence and the buttons. */
  children?: ReactNode;
  /** The buttons below it. */
  actions: ReactNode;
  /** What was answered, where it may be shown. */
  answer?: string | undefined;
  /** It decides what runs: a ticket, with what runs above the line and the answers below it. */
  decides?: boolean;
  /** Why the last answer was refused: it stands at the field that `labels` names. */
  error?: string | undefined;
}

/** The frame of the built-in questions: a form with the sentence as its name. */
export function Question(props: QuestionProps): ReactNode {
  const { id: given, labels, onSubmit, children, actions, status, answer, error, decides } = props;
  const message = typeof props.message === "string" ? <Name of={props.message} lines /> : props.message;
  const own = useId();
  const say = useLabels();
  const id = given ?? own;
  const form = useRef<HTMLFormElement>(null);
  const [folded, open] = useOneOpen(form, status === "pending");
  if (status !== "pending") {
    return (
      <p data-glove-answered={status}>
        {message}{" "}
        <strong>{status === "resolved" ? answer ? <Name of={answer} lines /> : say("Answered") : say("Declined")}</strong>
      </p>
    );
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSubmit?.(event.currentTarget);
  };
  return (
    <form
      ref={form}
      data-glove-question=""
      data-glove-folded={folded ? "" : undefined}
      data-glove-decision={decides ? "" : undefined}
      aria-labelledby={id}
      tabIndex={-1}
      autoComplete="off"
      onSubmit={submit}
    >
      {folded ? (
        <button type="button" id={id} data-glove-unfold="" aria-expanded="false" onClick={open}>
          <span>{message}</span>
          <Icon name="chevron" />
        </button>
      ) : labels === undefined ? (
        <p id={id}>{message}</p>
      ) : (
        <label id={id} htmlFor={labels}>
          {message}
        </label>
      )}
      {children}
      {error !== undefined && (
        <p role="alert" id={`${id}-error`} data-glove-error="">
          <Name of={error} lines />
        </p>
      )}
      <div data-glove-actions="">{actions}</div>
    </form>
  );
}

/** Turns the question down, or sends the form: what goes on is the last button everywhere. */
export function Actions({ reject }: Pick<SlotProps, "reject">): ReactNode {
  const say = useLabels();
  return (
    <>
      <button type="button" data-glove-weight="quiet" onClick={() => reject()}>
        {say("Cancel")}
      </button>
      <button type="submit" data-glove-weight="go">
        {say("Answer")}
      </button>
    </>
  );
}

/** A button that lets something run, while a part of that is folded. */
export const held = (folded: boolean, id: string): { disabled?: true; "aria-describedby"?: string } =>
  folded ? { disabled: true, "aria-describedby": id } : {};

/** Why it is off. */
export function Held({ id }: { readonly id: string }): ReactNode {
  const say = useLabels();
  return (
    <small id={id} data-glove-held="">
      {say("Show all of it before you allow it.")}
    </small>
  );
}
