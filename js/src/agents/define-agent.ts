// `defineAgent`: an agent as a tool of another one.

import { sessionOptions } from "../ports/session-config.js";
import type { ToolConfig } from "../ports/tool.js";
import { checkTool } from "../tools/options.js";
import { loadPart } from "../values/error.js";
import { check, checkOptions, type Options } from "../values/validate-options.js";
import type { AgentDefinition } from "./agent.js";

/** What a model passes to an agent. */
export interface AgentTask {
  readonly task: string;
}

// A function: bundlers leave it out where no agent is defined.
const agentOptions = () =>
  ({
    name: "text",
    description: "text",
    systemPrompt: "text",
    tools: "list",
    skills: "list",
    model: "model",
    budgets: sessionOptions.budgets,
    limits: sessionOptions.limits,
    title: "any",
    requireApproval: "approval",
    requiresPermission: "permission",
  }) satisfies Options<AgentDefinition>;

const taskSchema = {
  type: "object",
  properties: {
    task: { type: "string", description: "What to do, with everything that is needed to know: nothing else is passed on." },
  },
  required: ["task"],
  additionalProperties: false,
} as const;

/**
 * An agent as a tool: the model gives it a task and gets its answer. Its run is a conversation of its own, stored beside the one that calls it, so
 * it goes on after a reload; stopping the outer run stops it. Calls may run at the same time.
 */
export function defineAgent<const N extends string>(
  definition: AgentDefinition<N>,
): ToolConfig<AgentTask> & { readonly name: N } {
  check("The argument of `defineAgent`", definition, "object", "TOOL_INVALID");
  checkOptions(definition, agentOptions(), {
    called: (option) => `\`${option}\` of the agent "${definition.name}"`,
    code: "TOOL_INVALID",
    moved: { instructions: "Use `systemPrompt`." },
  });
  const { name, description, title, requireApproval, requiresPermission } = definition;
  const tool: ToolConfig<AgentTask> & { readonly name: N } = {
    name,
    description,
    jsonSchema: taskSchema,
    ...(title !== undefined && { title }),
    ...(requireApproval !== undefined && { requireApproval }),
    ...(requiresPermission !== undefined && { requiresPermission }),
    // What it has done is stored in its own conversation: entering it again goes on there.
    idempotent: true,
    parallel: true,
    async do({ task }, display, _, signal) {
      const { runAgent } = await loadPart(import("./run-agent.js"));
      return runAgent(definition, task, display, signal);
    },
  };
  checkTool(tool);
  return tool;
}
