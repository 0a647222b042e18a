// The questions of tools that name a renderer: yes or no, a text, one of several options, and something to read.
import type { SlotProps } from "glove-wasm/react";
import { type ReactNode, useId } from "react";

interface Asked {
  readonly message?: string;
  readonly title?: string;
  readonly default?: unknown;
  readonly options?: readonly unknown[];
}

const asked = ({ data }: Pick<SlotProps, "data">) => (data ?? {}) as Asked;

const base =
  "inline-flex h-9 items-center rounded-md px-4 text-sm font-medium focus-visible:outline-2 focus-visible:outline-offset-2";
const plain = `${base} border border-input hover:bg-muted`;
const go = `${base} bg-primary text-primary-foreground hover:bg-primary/90`;
const field = "h-10 w-full rounded-md border border-input bg-background px-3 focus-visible:outline-2";

const optionsOf = ({ options = [] }: Asked) =>
  options.map((option) => {
    const { label, value = option } =
      typeof option === "object" && option !== null ? (option as { label?: string; value?: unknown }) : {};
    return { label: label ?? String(value ?? option), value: value ?? option };
  });

interface FrameProps {
  readonly of: SlotProps;
  readonly children?: ReactNode;
  readonly actions: ReactNode;
  /** The field that the sentence is the label of. */
  readonly labels?: string;
  readonly answered?: string | undefined;
  readonly onSubmit?: (form: FormData) => void;
}

function Frame({ of: { data, status, error }, children, actions, labels, answered, onSubmit }: FrameProps) {
  const id = useId();
  const message = asked({ data }).message ?? asked({ data }).title ?? "Please answer.";
  if (status !== "pending") {
    return (
      <p className="text-sm text-muted-foreground">
        {message} <b className="text-foreground">{status === "resolved" ? (answered ?? "Answered") : "Declined"}</b>
      </p>
    );
  }
  return (
    <form
      aria-labelledby={id}
      data-glove-question=""
      tabIndex={-1}
      className="flex flex-col gap-3 outline-none"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit?.(new FormData(event.currentTarget));
      }}
    >
      {labels ? (
        <label id={id} htmlFor={labels} className="font-semibold">
          {message}
        </label>
      ) : (
        <p id={id} className="font-semibold">
          {message}
        </p>
      )}
      {children}
      {error && (
        <p role="alert" className="text-sm text-destructive">
          {error}
        </p>
      )}
      <div className="flex flex-wrap justify-end gap-2">{actions}</div>
    </form>
  );
}

const Cancel = ({ reject }: SlotProps) => (
  <button type="button" className={plain} onClick={() => reject()}>
    Cancel
  </button>
);
const Answer = () => (
  <button type="submit" className={go}>
    Answer
  </button>
);

function Confirm(props: SlotProps) {
  const given = optionsOf(asked(props));
  const choices = given.length
    ? given
    : [
        { label: "No", value: "no" },
        { label: "Yes", value: "yes" },
      ];
  const answered = choices.find(({ value }) => value === props.answer)?.label;
  const actions = choices.map(({ label, value }, at) => (
    <button
      key={label}
      type="button"
      className={!given.length && at === 1 ? go : plain}
      onClick={() => void props.resolve(value)}
    >
      {label}
    </button>
  ));
  return <Frame of={props} answered={answered} actions={actions} />;
}

function Text(props: SlotProps) {
  const id = useId();
  const first = asked(props).default;
  return (
    <Frame
      of={props}
      labels={id}
      answered={props.answer as string | undefined}
      onSubmit={(form) => void props.resolve(form.get("text"))}
      actions={
        <>
          <Cancel {...props} />
          <Answer />
        </>
      }
    >
      <input
        id={id}
        name="text"
        required
        autoComplete="off"
        defaultValue={first === undefined ? "" : String(first)}
        className={field}
      />
    </Frame>
  );
}

function Select(props: SlotProps) {
  const choices = optionsOf(asked(props));
  const first = choices.findIndex(({ value }) => value === asked(props).default);
  const answered = choices.find(({ value }) => JSON.stringify(value) === JSON.stringify(props.answer))?.label;
  const answer = (form: FormData) => void props.resolve(choices[Number(form.get("option"))]?.value);
  return (
    <Frame
      of={props}
      answered={answered}
      onSubmit={answer}
      actions={
        <>
          <Cancel {...props} />
          <Answer />
        </>
      }
    >
      {choices.map(({ label }, at) => (
        <label
          key={label}
          className="flex cursor-pointer items-center gap-3 rounded-md border border-input px-3 py-2 has-checked:border-primary"
        >
          <input type="radio" name="option" value={at} required defaultChecked={at === first} className="size-4 accent-primary" />{" "}
          {label}
        </label>
      ))}
    </Frame>
  );
}

function Info(props: SlotProps) {
  return (
    <Frame
      of={props}
      answered="Read"
      actions={
        <button type="button" className={go} onClick={() => void props.resolve()}>
          OK
        </button>
      }
    />
  );
}

/** For `renderers` of the provider. */
export const questions = { confirm: Confirm, input: Text, select: Select, info: Info };
