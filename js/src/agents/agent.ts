// What an agent that others call is made of.

import type { ModelAdapter } from "../ports/model.js";
import type { Skill } from "../ports/skill.js";
import type { ToolConfig } from "../ports/tool.js";
import type { Budgets, Limits } from "../wire/run-types.js";

/** What an agent that others call is made of. */
export interface AgentDefinition<N extends string = string>
  extends Pick<ToolConfig, "requireApproval" | "requiresPermission" | "title"> {
  /** What the calling model calls it. */
  readonly name: N;
  /** For the model that calls it: what it is good for. */
  readonly description: string;
  /** What its model is told before the task. */
  readonly systemPrompt: string;
  /** What it may call. */
  readonly tools?: readonly ToolConfig[] | undefined;
  /** The skills that it may activate. */
  readonly skills?: readonly Skill[] | undefined;
  /** The model that does the task; default: that of the calling agent. */
  readonly model?: ModelAdapter | undefined;
  /** What one task may use; by default what a request of the calling agent may. */
  readonly budgets?: Budgets | undefined;
  /** Limits of one task. */
  readonly limits?: Limits | undefined;
}
