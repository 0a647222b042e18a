// A loop of the application's own: a function that looks at what was done and gives the next step.
import { GloveError } from "../src/values/error.js";
import { check, checkOptions, type Options } from "../src/values/validate-options.js";
import type { TaskPlan, TaskStep, TaskStepSummary, TaskVerdict } from "../src/wire/task-types.js";

/** What a loop sees. */
export interface TaskLoopView {
  readonly goal: string;
  readonly plan?: TaskPlan | null;
  /** Ids of steps of the plan that are ticked off in the todo list, by the task or by a person. */
  readonly ticked: readonly string[];
  /** The steps that ended, in order. */
  readonly steps: readonly TaskStepSummary[];
  /** What the last verification found. */
  readonly verdict?: TaskVerdict | null;
  /** Plans after the first one are refinements: 1 for the first. */
  readonly round: number;
  readonly refinements_left: number;
  /** What is left of the budgets is kept for the verification. */
  readonly only_verify: boolean;
}

/** A step that a loop wants: its name, and what the model is asked or the function of that name does. */
export type TaskNextStep = Pick<TaskStep, "name"> & Partial<Omit<TaskStep, "name" | "id" | "iteration">>;

/** A loop. It must give the same step for the same view: after a reload it is asked again. */
export interface TaskLoop {
  readonly name: string;
  /** Another one where the function does something else: both are part of the signature of results. */
  readonly version: string;
  /** The next step, or nothing at the end. It answers at once. */
  readonly next: (view: TaskLoopView) => TaskNextStep | undefined;
}

const loopOptions = { name: "text", version: "text", next: "work" } as const satisfies Options<TaskLoop>;

const stepOptions = {
  name: "text",
  kind: "text",
  instructions: "text",
  tools: "list",
  output: "text|findings|plan|verdict",
  history: "any",
  plan_step: "text",
  schema_id: "text",
  ext: "any",
} as const satisfies Options<TaskNextStep>;

export function checkLoop(loop: TaskLoop): void {
  check("`loop`", loop, loopOptions);
  for (const [name, kind] of Object.entries(loopOptions)) check(`\`loop.${name}\``, loop[name as keyof TaskLoop], kind);
}

/** The next step as the core reads it. */
export function nextOf(loop: TaskLoop, view: TaskLoopView): string | undefined {
  const step: unknown = loop.next(view);
  if (step === undefined || step === null) return undefined;
  const code = "TASK_LOOP_INVALID";
  if (typeof (step as Promise<unknown>).then === "function") {
    throw new GloveError(code, "`next` must answer at once: do what takes a while in a step.");
  }
  checkOptions(check("The step", step, "object", code) as object, stepOptions, { code });
  const { name, kind = `custom:${name}` } = step as TaskNextStep;
  check("`name` of the step", name, "text", code);
  return JSON.stringify({ ...(step as TaskNextStep), kind });
}
