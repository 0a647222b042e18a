// `confirm`, and the run's own questions: permission, approval, an interrupted call, a budget that is used up.
import { type ReactNode, useId, useRef } from "react";
import { useLabels } from "../render/labels.js";
import { answerLabel, type Option, options, read, type SlotProps, text } from "./props.js";
import { Question } from "./question.js";

export function Confirm(props: SlotProps): ReactNode {
  const { data, status } = props;
  const given = options(data);
  const choices = given.length > 0 ? given : yesOrNo;
  return (
    <Question
      message={text(data, "message") ?? "Please confirm."}
      status={status}
      answer={answerLabel(props, choices)}
      actions={<Choices {...props} choices={choices} />}
    />
  );
}

export function ApprovalRequest({ data, resolve, reject, status }: SlotProps): ReactNode {
  const id = useId();
  const reason = useRef<HTMLInputElement>(null);
  const say = useLabels();
  return (
    <Question
      message={<>Do you approve {tool(data)}?</>}
      status={status}
      actions={
        <>
          <button type="button" onClick={() => resolve(true)}>
            {say("Approve")}
          </button>
          <button type="button" onClick={() => reject(reason.current?.value || undefined)}>
            {say("Reject")}
          </button>
        </>
      }
    >
      <Details data={data} />
      <label htmlFor={id}>{say("Reason for rejecting (optional)")}</label>
      <input id={id} ref={reason} data-glove-optional="" />
    </Question>
  );
}

const choice = (label: string, value: unknown): Option => ({ label, value });
/** No answer: the question is turned down, and what asked may ask again. */
const turnDown = Symbol();
const yesOrNo = [choice("Yes", "yes"), choice("No", "no")];

/** A question of the run about a call, with an answer on each button. */
const decision =
  (message: (data: unknown) => ReactNode, choices: readonly Option[]) =>
  ({ data, status, ...settle }: SlotProps): ReactNode => (
    <Question message={message(data)} status={status} actions={<Choices choices={choices} {...settle} />}>
      <Details data={data} />
    </Question>
  );

export const PermissionRequest = /* @__PURE__ */ decision(
  (data) => <>Allow {tool(data)} to run?</>,
  [choice("Always allow", true), choice("Allow once", "once"), choice("Deny", turnDown), choice("Never allow", false)],
);
export const InterruptedCall = /* @__PURE__ */ decision(
  (data) => <>Run {tool(data)} again?</>,
  [choice("Run again", true), choice("Don't run", false)],
);
export const BudgetReached = /* @__PURE__ */ decision(
  () => "This conversation has reached a limit. Continue?",
  [choice("Continue", true), choice("Stop", false)],
);

type ChoicesProps = Pick<SlotProps, "resolve" | "reject"> & { choices: readonly Option[] };

function Choices({ choices, resolve, reject }: ChoicesProps): ReactNode {
  const say = useLabels();
  return choices.map(({ label, value }) => (
    <button key={label} type="button" onClick={() => (value === turnDown ? reject() : resolve(value))}>
      {say(label)}
    </button>
  ));
}

function tool(data: unknown): ReactNode {
  const title = text(data, "title");
  return title === undefined ? <code>{text(data, "toolName") ?? "this tool"}</code> : `“${title}”`;
}

/** Why it is asked, and what the tool would be called with. */
function Details({ data }: { data: unknown }): ReactNode {
  const reason = text(data, "reason");
  const input = read(data, "toolInput");
  return (
    <>
      {reason !== undefined && <p data-glove-reason="">{reason}</p>}
      <Values of={input} />
    </>
  );
}

/** What a person can read: names and values. Nothing where there is nothing. */
function Values({ of }: { of: unknown }): ReactNode {
  if (typeof of !== "object" || of === null) return of === undefined ? null : <p>{String(of)}</p>;
  const entries = Object.entries(of);
  if (entries.length === 0) return null;
  return (
    <dl>
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{typeof value === "object" && value !== null ? JSON.stringify(value, undefined, 2) : String(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
