// `input`, `secret` and `select`: one answer, written or chosen.
import { type ReactNode, useId } from "react";
import { useLabels } from "../render/labels.js";
import { Name } from "../text/visible.js";
import { answerLabel, options, type SlotProps, text } from "./props.js";
import { Actions, Question } from "./question.js";

export function Input(props: SlotProps): ReactNode {
  const say = useLabels();
  const { data, resolve, reject, status, error } = props;
  const [id, name] = [useId(), useId()];
  return (
    <Question
      id={name}
      message={text(data, "message") ?? say("Please answer:")}
      labels={id}
      error={error}
      status={status}
      answer={answerLabel(props)}
      onSubmit={(form) => resolve(answer(form))}
      actions={<Actions reject={reject} />}
    >
      <input id={id} name={answerField} defaultValue={text(data, "default")} {...invalid(name, error)} />
    </Question>
  );
}

/** The value goes from the field to whoever waits for it, and is kept nowhere here. */
export function Secret({ data, resolve, reject, status, error }: SlotProps): ReactNode {
  const say = useLabels();
  const [id, name] = [useId(), useId()];
  const keyName = text(data, "key_name");
  const submit = (form: HTMLFormElement) => {
    const value = answer(form);
    form.reset();
    resolve(value);
  };
  return (
    <Question
      id={name}
      message={
        text(data, "message") ?? (keyName ? say("Please enter {name}:", { name: keyName }) : say("Please enter the secret:"))
      }
      labels={id}
      error={error}
      status={status}
      onSubmit={submit}
      actions={<Actions reject={reject} />}
    >
      <input
        id={id}
        {...invalid(name, error)}
        name={answerField}
        type="password"
        required
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        // Password managers are asked to leave it alone: it is no login.
        data-1p-ignore=""
        data-lpignore="true"
      />
    </Question>
  );
}

export function Select(props: SlotProps): ReactNode {
  const say = useLabels();
  const { data, resolve, reject, status } = props;
  const id = useId();
  const choices = options(data);
  const preset = text(data, "default");
  return (
    <Question
      id={id}
      message={text(data, "message") ?? say("Please choose:")}
      status={status}
      answer={answerLabel(props, choices)}
      onSubmit={(form) => resolve(choices[Number(answer(form))]?.value)}
      actions={<Actions reject={reject} />}
    >
      <div role="radiogroup" aria-labelledby={id}>
        {choices.map(({ label, value }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: options have no other name, and may be equal.
          <label key={index}>
            <input type="radio" name={answerField} value={index} required defaultChecked={preset === String(value)} />{" "}
            <Name of={label} />
          </label>
        ))}
      </div>
    </Question>
  );
}

/** A field says that its answer was refused, and where it is written why. */
const invalid = (question: string, error: string | undefined) =>
  error === undefined ? {} : { "aria-invalid": true, "aria-describedby": `${question}-error` };

const answerField = "answer";
const answer = (form: HTMLFormElement) => String(new FormData(form).get(answerField) ?? "");
