// Buttons, fields and choices by name, for what an application draws itself: they look as its plain elements in a slot do.
import { isValidElement, type ReactNode, useId } from "react";
import { type PartProps, part } from "../parts/as-child.js";

/** How a button looks: what goes on has the accent, and what may do harm is red. */
export type Weight = "go" | "danger" | "plain" | "quiet" | "link";

/** What `Button` takes. */
export interface ButtonProps extends PartProps<"button"> {
  /** `plain` unless it is given. */
  weight?: Weight | undefined;
}

/** A button of the chat's look. It sends no form unless its `type` says so. */
export function Button({ weight = "plain", ...props }: ButtonProps): ReactNode {
  return part("button", { type: "button", "data-glove-weight": weight }, props);
}

/** What `Field` takes, beside the attributes of an `<input>`. */
export interface FieldProps extends Omit<PartProps<"input">, "asChild"> {
  /** What the field is called. */
  label: ReactNode;
  /** Stands below it. */
  note?: ReactNode;
  /** Why what was written is refused. */
  error?: string | undefined;
  /** A `<select>` or a `<textarea>` in the place of the `<input>`. */
  children?: ReactNode;
}

/** A label above its field, and below that what is to be known of it. */
export function Field({ label, note, error, children, ...props }: FieldProps): ReactNode {
  const id = useId();
  const [noteId, errorId] = [`${id}-note`, `${id}-error`];
  const described = [note !== undefined && noteId, error !== undefined && errorId].filter(Boolean).join(" ");
  const own = { id, "aria-invalid": error === undefined ? undefined : true, "aria-describedby": described || undefined };
  const child = isValidElement<{ readonly id?: string }>(children) ? children : undefined;
  return (
    <div data-glove-field="">
      <label htmlFor={child?.props.id ?? props.id ?? id}>{label}</label>
      {part("input", own, { ...props, ...(child && { asChild: true, children: child }) })}
      {note !== undefined && <small id={noteId}>{note}</small>}
      {error !== undefined && (
        <p role="alert" id={errorId} data-glove-error="">
          {error}
        </p>
      )}
    </div>
  );
}

/** What `Choice` takes, beside the attributes of an `<input>`; its label is its child. */
export interface ChoiceProps extends Omit<PartProps<"input">, "asChild"> {
  /** `radio` for one of several, which is the default; `checkbox` for any of them. */
  type?: "radio" | "checkbox" | undefined;
}

/** Something to choose: all of its row can be pressed. */
export function Choice({ type = "radio", children, ...props }: ChoiceProps): ReactNode {
  return (
    <label data-glove-choice="">
      <input type={type} {...props} /> <span>{children}</span>
    </label>
  );
}
