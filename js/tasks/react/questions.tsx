// What a person is to approve before the task goes on, drawn as the chat's own questions.
import { type ReactNode, useId, useRef, useState } from "react";
import { useValues } from "../../react/parts/calls/values.js";
import { useLabels } from "../../react/render/labels.js";
import { Held, held, Question } from "../../react/renderers/question.js";
import { Name } from "../../react/text/visible.js";
import type { ApprovalRequest, TaskPlan } from "../../src/wire/task-types.js";
import { toolName } from "./labels.js";
import { Sentences, useBoard } from "./parts.js";

export function Questions({
  pending,
  plan,
}: {
  readonly pending: readonly ApprovalRequest[];
  readonly plan: TaskPlan | undefined;
}): ReactNode {
  return (
    <div data-glove-role="slots" aria-live="polite">
      {pending.map((request) => (
        <Request key={request.id} request={request} plan={plan} />
      ))}
    </div>
  );
}

function Request({ request, plan }: { readonly request: ApprovalRequest; readonly plan: TaskPlan | undefined }): ReactNode {
  const say = useLabels();
  const { task } = useBoard();
  const [id, heldId] = [useId(), useId()];
  const reason = useRef<HTMLInputElement>(null);
  const [sent, setSent] = useState(false);
  const { type, interrupted, tool_name, channel, rationale, input, expires_at } = request;
  const decide = (deciding: () => Promise<unknown>) => () => {
    setSent(true);
    // Where it failed it can be decided again.
    void deciding().then(() => setSent(false));
  };
  const { values, folded } = useValues(input);
  const message = type === "plan" ? say("Allow the plan?") : `${toolName((type === "memory" ? channel : tool_name) ?? "", say)}?`;
  return (
    <Question
      decides
      message={message}
      status="pending"
      actions={
        <>
          <button
            type="button"
            data-glove-weight="quiet"
            disabled={sent}
            onClick={decide(() => task.deny(request.id, reason.current?.value || undefined))}
          >
            {say(interrupted ? "Don't run" : "Deny")}
          </button>
          <button
            type="button"
            data-glove-weight={interrupted ? "danger" : "go"}
            {...held(folded, heldId)}
            disabled={sent || folded}
            onClick={decide(() => task.approve(request.id))}
          >
            {say(interrupted ? "Run again" : "Allow")}
          </button>
          <small data-glove-quiet="">
            {say("Expires")} <Until text={expires_at} />
          </small>
          {folded && <Held id={heldId} />}
        </>
      }
    >
      {interrupted ? (
        <p data-glove-reason="">{say("It was interrupted and may have taken effect. Should it run again?")}</p>
      ) : (
        rationale && (
          <p data-glove-reason="">
            <Name of={rationale} lines />
          </p>
        )
      )}
      {type === "plan" && plan && <Proposed plan={plan} asked={rationale} />}
      {values}
      <label htmlFor={id}>{say("Reason for denying (optional)")}</label>
      <input id={id} ref={reason} data-glove-optional="" />
    </Question>
  );
}

/** All of a plan: who allows it has read what it is for, within what, and what must hold at its end. */
function Proposed({ plan, asked }: { readonly plan: TaskPlan; readonly asked: string }): ReactNode {
  const say = useLabels();
  return (
    <>
      {plan.objective && plan.objective !== asked && (
        <p>
          <Name of={plan.objective} lines />
        </p>
      )}
      <ol data-glove-proposed="">
        {plan.steps.map((step) => (
          <li key={step.id}>
            <Name of={step.title} lines />
            {step.instructions && step.instructions !== step.title && (
              <p data-glove-quiet="">
                <Name of={step.instructions} lines />
              </p>
            )}
          </li>
        ))}
      </ol>
      <Sentences as="p" title={say("Within")} of={plan.constraints} />
      <Sentences as="p" title={say("Done when")} of={plan.acceptance?.map(({ criterion }) => criterion)} />
    </>
  );
}

function Until({ text }: { readonly text: string }): ReactNode {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return text;
  const today = at.toDateString() === new Date().toDateString();
  const shown = today
    ? at.toLocaleTimeString([], { timeStyle: "short" })
    : at.toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
  return <time dateTime={text}>{shown}</time>;
}
