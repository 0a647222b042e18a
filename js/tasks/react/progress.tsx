// How far the task is: its phases, and the steps of its plan.
import { type ReactNode, useId } from "react";
import { useLabels } from "../../react/render/labels.js";
import { Name } from "../../react/text/visible.js";
import type { ShownTaskState } from "../remote-task.js";
import type { TaskRunner } from "./control.js";
import { type Progress, phaseName, progressWords } from "./labels.js";
import { Mark, Section, Sentences, useBoard } from "./parts.js";

/** The phases of the built-in loop; those of others are known when they begin. */
const usual = ["gather", "plan", "act", "verify"];

const ended = { completed: "done", failed: "failed", skipped: "skipped" } as const;

/** What a step in the works is: it also waits for people, and stands still where nobody runs it. */
function current({ status }: ShownTaskState, runner: TaskRunner): Progress {
  if (status === "waiting") return "waiting";
  return status === "paused" || runner === "nobody" ? "open" : "working";
}

function phases(state: ShownTaskState, runner: TaskRunner): readonly (readonly [name: string, Progress])[] {
  const { steps, current: now, plan_waits, loop_name, pending } = state;
  const seen = [...steps.map(({ name }) => name), ...(now ? [now.name] : [])];
  const names = new Set([...(loop_name === "gather-plan-act-verify" ? usual : []), ...seen]);
  return [...names].map((name) => {
    if (now?.name === name) return [name, current(state, runner)] as const;
    if (name === "plan" && plan_waits && pending.length > 0) return [name, "waiting"] as const;
    const last = steps.findLast((step) => step.name === name);
    return [name, last ? ended[last.status] : "open"] as const;
  });
}

export function Phases({ state }: { readonly state: ShownTaskState }): ReactNode {
  const say = useLabels();
  const { task } = useBoard();
  return (
    <ol aria-label={say("Phases")} data-glove-phases="">
      {phases(state, task.runner).map(([name, progress]) => (
        <li key={name} data-state={progress} aria-current={progress === "working" || progress === "waiting" ? "step" : undefined}>
          <Mark state={progress} />
          <span>
            {phaseName(name, say)}
            <small>{say(progressWords[progress])}</small>
          </span>
        </li>
      ))}
    </ol>
  );
}

export function Plan({ state }: { readonly state: ShownTaskState }): ReactNode {
  const say = useLabels();
  const id = useId();
  const { task } = useBoard();
  if (!state.plan) return null;
  const { plan, version } = state.plan;
  const progressOf = (step: string): Progress => {
    if (state.current?.plan_step === step) return current(state, task.runner);
    const last = state.steps.findLast(({ plan_step }) => plan_step === step);
    return task.ticked.includes(step) ? "done" : last ? ended[last.status] : "open";
  };
  return (
    <Section id={id} title={say("Plan")} aside={version > 1 ? `${say("Version")} ${version}` : undefined}>
      {plan.objective && (
        <p>
          <Name of={plan.objective} lines />
        </p>
      )}
      <ol data-glove-plan="">
        {plan.steps.map((step) => {
          const progress = progressOf(step.id);
          return (
            <li key={step.id} data-state={progress}>
              <Mark state={progress} />
              <div>
                <p>
                  <Name of={step.title} lines />
                  <span data-glove-label=""> {say(progressWords[progress])}</span>
                </p>
                {step.instructions && step.instructions !== step.title && (
                  <p data-glove-quiet="">
                    <Name of={step.instructions} lines />
                  </p>
                )}
              </div>
            </li>
          );
        })}
      </ol>
      <Sentences title={say("Within")} of={plan.constraints} />
      <Sentences title={say("Done when")} of={plan.acceptance?.map(({ criterion }) => criterion)} />
    </Section>
  );
}
