// `confirm`, and the run's own questions: permission, approval, an interrupted call, a budget that is used up.
import { type ReactNode, useRef } from "react";
import { humanName } from "../parts/calls/tool-state.js";
import { Values } from "../parts/calls/values.js";
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
  const reason = useRef<HTMLInputElement>(null);
  const say = useLabels();
  return (
    <Question
      message={ask(data)}
      status={status}
      actions={
        <>
          <button type="button" data-glove-weight="safe" onClick={() => reject(reason.current?.value || undefined)}>
            {say("Reject")}
          </button>
          <button type="button" onClick={() => resolve(true)}>
            {say("Approve")}
          </button>
        </>
      }
    >
      <Details data={data} />
      <details data-glove-why="">
        <summary>{say("Add a reason")}</summary>
        <input ref={reason} aria-label={say("Add a reason")} data-glove-optional="" />
      </details>
    </Question>
  );
}

/** How a button looks: what changes nothing stands out, and what holds for ever never does. */
type Weight = "safe" | "plain" | "quiet";
type Choice = Option & { readonly weight?: Weight };

const choice = (label: string, value: unknown, weight?: Weight): Choice => ({ label, value, ...(weight && { weight }) });
/** No answer: the question is turned down, and what asked may ask again. */
const turnDown = Symbol();
const yesOrNo = [choice("Yes", "yes"), choice("No", "no")];

/** A question of the run about a call, with an answer on each button. */
const decision =
  (message: (data: unknown) => ReactNode, choices: readonly Choice[]) =>
  ({ data, status, ...settle }: SlotProps): ReactNode => (
    <Question message={message(data)} status={status} actions={<Choices choices={choices} {...settle} />}>
      <Details data={data} />
    </Question>
  );

export const PermissionRequest = /* @__PURE__ */ decision(
  (data) => ask(data),
  [
    choice("Deny", turnDown, "safe"),
    choice("Allow once", "once", "plain"),
    choice("Always allow", true, "quiet"),
    choice("Never allow", false, "quiet"),
  ],
);
export const InterruptedCall = /* @__PURE__ */ decision(
  (data) => `${title(data)} was interrupted, and may have taken effect. Run it again?`,
  [choice("Don't run", false, "safe"), choice("Run again", true, "plain")],
);
export const BudgetReached = /* @__PURE__ */ decision(
  () => "This conversation has reached a limit. Continue?",
  [choice("Stop", false, "safe"), choice("Continue", true, "plain")],
);

type ChoicesProps = Pick<SlotProps, "resolve" | "reject"> & { choices: readonly Choice[] };

function Choices({ choices, resolve, reject }: ChoicesProps): ReactNode {
  const say = useLabels();
  return choices.map(({ label, value, weight }) => (
    <button key={label} type="button" data-glove-weight={weight} onClick={() => (value === turnDown ? reject() : resolve(value))}>
      {say(label)}
    </button>
  ));
}

/** What the call does, as the tool says it, or else by the tool's name. */
const title = (data: unknown) => text(data, "title") ?? humanName(text(data, "toolName") ?? "This tool");

/** "Restart Checkout?" */
const ask = (data: unknown) => `${title(data).replace(/[.?!…\s]+$/, "")}?`;

/** Why it is asked, or what the tool does, and what the tool would be called with. */
function Details({ data }: { data: unknown }): ReactNode {
  const reason = text(data, "reason") ?? text(data, "description");
  return (
    <>
      {reason !== undefined && <p data-glove-reason="">{reason}</p>}
      <Values of={read(data, "toolInput")} />
    </>
  );
}
