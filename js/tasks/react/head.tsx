// The head of the board: the goal, where the task stands, what may be done with it, and what it has used.
import { type ReactNode, useEffect, useState } from "react";
import { Icon } from "../../react/parts/icons.js";
import { useLabels } from "../../react/render/labels.js";
import { Name } from "../../react/text/visible.js";
import type { TaskBudgets, TaskSkillUse } from "../../src/wire/task-types.js";
import type { ShownTaskState } from "../remote-task.js";
import { duration, phaseName, shortNumber, standing } from "./labels.js";
import { FailureWords, Mark, useBoard } from "./parts.js";

/** Longer goals are folded. */
const longGoal = 160;

export function Head({ state, runs }: { readonly state: ShownTaskState; readonly runs: boolean }): ReactNode {
  const say = useLabels();
  const { task } = useBoard();
  const { goal } = state.spec;
  const title = goal.trimStart().split("\n", 1)[0]?.slice(0, longGoal) ?? "";
  const [word, tone] = standing(state, task.runner);
  const at = tone === "working" && state.current ? ` · ${phaseName(state.current.name, say)}` : "";
  return (
    <header data-glove-task-head="">
      <div data-glove-task-title="">
        <h2>
          <Name of={title.length < goal.trim().length ? `${title}…` : title} />
        </h2>
        <p role="status" data-glove-standing={tone}>
          <Mark state={tone} />
          {say(word)}
          {at}
        </p>
        {task.runner === "elsewhere" && <p data-glove-quiet="">{say("Runs in another tab or program")}</p>}
      </div>
      <Buttons state={state} runs={runs} />
      {state.error && state.status === "paused" && <FailureWords error={state.error} />}
      {title.length < goal.trim().length && (
        <details>
          <summary>
            {say("The whole goal")}
            <Icon name="chevron" />
          </summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard. */}
          <p data-glove-goal="" tabIndex={0}>
            <Name of={goal} lines />
          </p>
        </details>
      )}
      <Used state={state} />
      <Skills of={state.skills ?? []} />
    </header>
  );
}

function Buttons({ state, runs }: { readonly state: ShownTaskState; readonly runs: boolean }): ReactNode {
  const say = useLabels();
  const { task } = useBoard();
  const { runner, busy } = task;
  const more = moreOf(state);
  const [stopping, setStopping] = useState(false);
  const leased = runner === "here" || runner === "elsewhere";
  const working = leased || (runner === "unknown" && state.status !== "paused");
  useEffect(() => {
    if (!working) setStopping(false);
  }, [working]);
  if (state.status === "finished") return null;
  const stop = () => {
    setStopping(true);
    // If the stop did not reach the task, the button works again; otherwise the task ends after the call in flight.
    void task.stop().then((asked) => asked || setStopping(false));
  };
  return (
    <div data-glove-actions="">
      {working ? (
        <button type="button" disabled={stopping} onClick={stop}>
          {say(stopping ? "Stopping…" : "Stop")}
        </button>
      ) : (
        runs && (
          <>
            <button type="button" data-glove-primary="" disabled={busy} onClick={() => void task.run(more && { budgets: more })}>
              {say(more ? "Go on with as much again" : "Resume")}
            </button>
            {!task.served && !more && (
              <button type="button" disabled={busy} onClick={() => void task.stepOnce()}>
                {say("Do one step")}
              </button>
            )}
          </>
        )
      )}
    </div>
  );
}

/** Where a budget ended the task: as much of it again. Going on with what it had would end at once. */
function moreOf({ finish_reason, spec, used, status }: ShownTaskState): TaskBudgets | undefined {
  if (status !== "paused") return undefined;
  // The state says null where there is no bound.
  const known = Object.entries(spec.budgets ?? {}).map(([name, most]) => [name, most ?? Number.POSITIVE_INFINITY]);
  const budgets = Object.fromEntries(known) as TaskBudgets;
  const { max_steps: steps = used.steps, max_wall_clock_ms: time = 0 } = budgets as Record<string, number>;
  if (finish_reason === "budget_steps") return { ...budgets, max_steps: used.steps + steps };
  if (finish_reason === "budget_wall_clock") return { ...budgets, max_wall_clock_ms: used.wall_clock_ms + time };
  return undefined;
}

/** What is used of the budgets. */
function Used({ state }: { readonly state: ShownTaskState }): ReactNode {
  const say = useLabels();
  const { used, spec } = state;
  const { max_wall_clock_ms: time, max_steps: steps } = spec.budgets ?? {};
  return (
    <dl data-glove-used="">
      <Meter name={say("Steps")} used={used.steps} most={steps} text={String} />
      <Meter name={say("Time")} used={used.wall_clock_ms} most={time} text={duration} />
      <Meter name={say("Tokens")} used={used.usage.tokens_in + used.usage.tokens_out} text={shortNumber} />
    </dl>
  );
}

/** The skills that the task was begun with, by their names and the beginning of their hashes. */
function Skills({ of }: { readonly of: readonly TaskSkillUse[] }): ReactNode {
  const say = useLabels();
  if (of.length === 0) return null;
  return (
    <dl data-glove-skills="">
      <dt>{say("Skills")}</dt>
      {of.map(({ name, sha256 }) => (
        <dd key={name} title={sha256}>
          <Name of={name} /> <code>{sha256.slice(0, shortHash)}</code>
        </dd>
      ))}
    </dl>
  );
}

/** Enough to tell two versions apart. */
const shortHash = 8;

/** The core counts to this where there is no bound. */
const boundless = 0xffff_ffff;

interface MeterProps {
  readonly name: string;
  readonly used: number;
  readonly most?: number | undefined;
  readonly text: (value: number) => string;
}

function Meter({ name, used, most, text }: MeterProps): ReactNode {
  const say = useLabels();
  const bounded = most !== undefined && most < boundless ? most : undefined;
  const share = bounded === undefined ? 0 : Math.min(1, used / Math.max(1, bounded));
  return (
    <div data-full={share >= 1 ? "" : undefined}>
      <dt>{name}</dt>
      <dd>
        {text(used)}
        {bounded !== undefined && ` ${say("of")} ${text(bounded)}`}
      </dd>
      {bounded !== undefined && (
        <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true" data-glove-meter="">
          <path d={`M0 0h${(share * 100).toFixed(1)}v4H0z`} />
        </svg>
      )}
    </div>
  );
}
