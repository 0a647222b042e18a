// `questions`: several questions of one call, one at a time, with letters for their options and words of one's own. Loaded with the first.
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useRef, useState } from "react";
import { useBrowserLayoutEffect } from "../hooks/use-browser-layout-effect.js";
import { adopt } from "../look/adopt.js";
import { css } from "../look/generated/questions-css.js";
import { useLabels } from "../render/labels.js";
import type { SlotProps } from "../renderers/props.js";
import { useQuestionFocus } from "../slots/use-question-focus.js";
import { Name } from "../text/visible.js";
import {
  type Asked,
  answerTo,
  type Given,
  isAnswered,
  keep,
  kept,
  labelOf,
  nothing,
  type Progress,
  questionsIn,
} from "./answers.js";

export function Questions({ data, status, answer, ...rest }: SlotProps): ReactNode {
  const asked = useMemo(() => questionsIn(data), [data]);
  if (status !== "pending") return <Answers asked={asked} status={status} answer={answer} />;
  return <OneByOne asked={asked} {...rest} />;
}

type OneByOneProps = Pick<SlotProps, "resolve" | "reject" | "error"> & { readonly asked: readonly Asked[] };

function OneByOne({ asked, resolve, reject, error }: OneByOneProps): ReactNode {
  const say = useLabels();
  const frame = useRef<HTMLDivElement>(null);
  const [name, hint, own] = [useId(), useId(), useId()];
  const [{ at, given }, setProgress] = useState<Progress>(() => ({ at: 0, given: asked.map(() => nothing) }));
  const slot = useRef<string>(undefined);
  // What the slot is called says the element around it, which is there by then. HTML of a server knows no drafts.
  useBrowserLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    if (element.closest("[data-glove-look]")) adopt(element, css);
    slot.current = element.closest("[data-glove-slot]")?.getAttribute("data-glove-slot") ?? undefined;
    const before = slot.current === undefined ? undefined : kept(slot.current, asked);
    if (before) setProgress(before);
  }, []);
  // It is loaded when it is first shown: the slot around it has found no question when it looked for one.
  useQuestionFocus(frame, true);
  const question = asked[at] as Asked;
  const now = given[at] as Given;
  const isLast = at === asked.length - 1;
  const change = (progress: Partial<Progress>) => {
    const next = { at, given, ...progress };
    setProgress(next);
    if (slot.current !== undefined) keep(slot.current, next);
  };
  const changed = (more: Partial<Given>) => given.map((one, index) => (index === at ? { ...one, ...more } : one));
  /** Another question is there: it has the focus. */
  const [moved, setMoved] = useState(0);
  const go = (to: number, given: readonly Given[]) => {
    change({ at: to, given });
    setMoved((count) => count + 1);
  };
  useEffect(() => {
    if (moved === 0) return;
    const fields = [...(frame.current?.querySelectorAll<HTMLInputElement>("input, textarea") ?? [])];
    (fields.find(({ checked, type, value }) => checked || (!/^(radio|checkbox)$/.test(type) && value)) ?? fields[0])?.focus();
  }, [moved]);
  const next = (given: readonly Given[]) => {
    if (!isLast) return go(at + 1, given);
    change({ given });
    void resolve(asked.map((question, index) => answerTo(question, given[index] ?? nothing)));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isAnswered(now)) next(given);
  };
  const choose = (index: number) => {
    const has = now.chosen.includes(index);
    const several = has ? now.chosen.filter((other) => other !== index) : [...now.chosen, index].sort((a, b) => a - b);
    // Of one answer there is one: words of one's own give way to an option.
    change({ given: changed(question.multiple ? { chosen: several } : { chosen: [index], own: "" }) });
  };
  const onKey = (event: KeyboardEvent<HTMLFormElement>) => {
    const { key, target, ctrlKey, metaKey, altKey, nativeEvent } = event;
    if (ctrlKey || metaKey || altKey || nativeEvent.isComposing || !/^[a-z]$/i.test(key)) return;
    if ((target as Element).matches("textarea, input:not([type=radio], [type=checkbox])")) return;
    const index = letters.indexOf(key.toUpperCase());
    const field = frame.current?.querySelectorAll<HTMLElement>("[data-glove-option] input")[index];
    if (field) {
      event.preventDefault();
      field.focus();
      choose(index);
    } else if (question.own && index === question.options.length) {
      event.preventDefault();
      frame.current?.querySelector<HTMLElement>("[data-glove-own] input")?.focus();
    }
  };
  const write = (text: string) =>
    change({ given: changed(question.multiple || text.trim() === "" ? { own: text } : { own: text, chosen: [] }) });
  const alone = question.options.length === 0;
  const group = alone ? {} : { role: question.multiple ? "group" : "radiogroup", "aria-labelledby": name };
  return (
    <div ref={frame} data-glove-own-draft="">
      <form
        data-glove-question=""
        data-glove-questions=""
        aria-labelledby={name}
        aria-describedby={asked.length > 1 ? hint : undefined}
        tabIndex={-1}
        autoComplete="off"
        onSubmit={submit}
        onKeyDown={onKey}
      >
        {asked.length > 1 && (
          <p id={hint} data-glove-step-of="">
            {say("Question {n} of {of}", { n: at + 1, of: asked.length })}
          </p>
        )}
        {alone ? (
          <label id={name} htmlFor={own}>
            <Name of={question.message} lines />
          </label>
        ) : (
          <p id={name}>
            <Name of={question.message} lines />
          </p>
        )}
        <div key={at} {...group}>
          {question.options.map(({ label }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: options have no other name, and may be equal.
            <label key={index} data-glove-option="">
              <input
                type={question.multiple ? "checkbox" : "radio"}
                name={`${name}${at}`}
                checked={now.chosen.includes(index)}
                aria-keyshortcuts={letters[index]}
                onChange={() => choose(index)}
              />
              <Letter at={index} />
              <span>
                <Name of={label} />
              </span>
            </label>
          ))}
          {question.own && (
            <div data-glove-own={alone ? "alone" : ""}>
              {!alone && <Letter at={question.options.length} />}
              <input
                id={own}
                type="text"
                dir="auto"
                value={now.own}
                aria-label={alone ? undefined : say("In your own words")}
                aria-keyshortcuts={alone ? undefined : letters[question.options.length]}
                placeholder={alone ? undefined : say("In your own words")}
                onChange={({ target }) => write(target.value)}
              />
            </div>
          )}
        </div>
        {error !== undefined && (
          <p role="alert" data-glove-error="">
            <Name of={error} lines />
          </p>
        )}
        <div data-glove-actions="">
          <button type="submit" disabled={!isAnswered(now)}>
            {say(isLast ? "Answer" : "Next")}
          </button>
          {!question.required && (
            <button type="button" onClick={() => next(changed(nothing))}>
              {say("Skip")}
            </button>
          )}
          {at > 0 && (
            <button type="button" onClick={() => go(at - 1, given)}>
              {say("Back")}
            </button>
          )}
          <button type="button" onClick={() => reject()}>
            {say("Cancel")}
          </button>
        </div>
      </form>
    </div>
  );
}

const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];

function Letter({ at }: { readonly at: number }): ReactNode {
  return (
    letters[at] && (
      <span aria-hidden="true" data-glove-letter="">
        {letters[at]}
      </span>
    )
  );
}

/** What was asked and answered, to be read again. */
function Answers({
  asked,
  status,
  answer,
}: { readonly asked: readonly Asked[] } & Pick<SlotProps, "status" | "answer">): ReactNode {
  const say = useLabels();
  const all: readonly unknown[] | undefined = Array.isArray(answer) ? answer : undefined;
  return (
    <div data-glove-answers={status}>
      {asked.map((question, index) => {
        const label = labelOf(question, all?.[index]);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
          <p key={index} data-glove-answered={status}>
            <Name of={question.message} lines />{" "}
            <strong>
              {status === "rejected" ? say("Declined") : label === undefined ? say("Skipped") : <Name of={label} lines />}
            </strong>
          </p>
        );
      })}
    </div>
  );
}
