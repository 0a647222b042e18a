// The agent that works on tasks: its model, its tools, and what it starts and resumes.
import { GloveError } from "../src/error.js";
import { createEndpointModel, transportOf } from "../src/models/endpoint.js";
import type { ModelAdapter } from "../src/models/model.js";
import type { ToolConfig } from "../src/tools/tool.js";
import { omitUndefined } from "../src/values/omit-undefined.js";
import { check, checkOptions, type Options, withoutInfinity } from "../src/values/validate-options.js";
import { fromCore } from "../src/wasm/core-errors.js";
import { type CoreTask, guard } from "../src/wasm/tasks.js";
import type { Message } from "../src/wire/record.js";
import type { TaskAgentOptions, TaskApprovals, TaskResult, TaskRunOptions, TaskSpec, TaskState } from "../src/wire/task-types.js";
import { core } from "./core.js";
import { TaskHost, type TaskStepFunction } from "./host.js";
import { checkApprovals, specOptions } from "./options.js";
import { GloveTask, storedEvents } from "./task.js";
import { openTaskWorkspace } from "./workspaces/stored.js";
import { checkWorkspace, type TaskWorkspace } from "./workspaces/workspace.js";

/** What an agent for tasks is made of. Either `endpoint` or `createModel` is required; both and `tools` are those of `GloveClient`. */
export interface TaskAgentConfig {
  /** Names the agent over all its tasks. */
  readonly id?: string | undefined;
  /** Who it is, and how it works: the beginning of every prompt. */
  readonly persona?: string | undefined;
  /** The URL of a chat endpoint (`createChatHandler`). */
  readonly endpoint?: string | undefined;
  /** Creates the model of a task; takes precedence over `endpoint`. */
  readonly createModel?: (() => ModelAdapter) | undefined;
  /** Tools beside those that every task has. They are for all phases but planning. */
  readonly tools?: readonly ToolConfig[] | undefined;
  /** The phases of tools that are for these alone, by the name of the tool: `{ web_search: ["gather"] }`. */
  readonly toolPhases?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Functions that do a phase instead of the model, by its name: `gather`, `plan`, `act`, `verify`. */
  readonly phases?: Readonly<Record<string, TaskStepFunction>> | undefined;
  /** What a person approves, unless a task says it itself; `permissive` by default. */
  readonly approvals?: TaskApprovals | undefined;
  /** A conversation that came before all tasks. */
  readonly seedMessages?: readonly Message[] | undefined;
  /** What tools work with: `display.services` of each call. It is stored nowhere. */
  readonly services?: unknown;
  /** Whose tasks they are: `display.userId` of each call. */
  readonly userId?: string | undefined;
  /** How often files are looked at while a step runs or a person is waited for; every 500 ms by default. */
  readonly pollMs?: number | undefined;
  /** Told what went wrong beside the tasks, such as a tool that threw. */
  readonly onError?: ((code: string, error: unknown) => void) | undefined;
}

const agentOptions = {
  id: "text",
  persona: "text",
  endpoint: "text",
  createModel: "work",
  tools: "list",
  toolPhases: "any",
  phases: "any",
  approvals: "any",
  seedMessages: "list",
  services: "any",
  userId: "text",
  pollMs: "whole",
  onError: "work",
} as const satisfies Options<TaskAgentConfig>;

const moved = { systemPrompt: "Use `persona`.", model: "Pass `createModel`." };

/** Starts tasks and takes them up again. Making one loads and starts nothing. */
export class TaskAgent {
  readonly #config: TaskAgentConfig;

  constructor(config: TaskAgentConfig) {
    check("The options", config, "object");
    checkOptions(config, agentOptions, { moved });
    if (!config.endpoint && !config.createModel) {
      throw new GloveError("CONFIG_INVALID", "TaskAgent requires either `endpoint` or `createModel`.");
    }
    checkApprovals(config.approvals);
    for (const [name, phases] of Object.entries(check("`toolPhases`", config.toolPhases ?? {}, "object"))) {
      check(`\`toolPhases.${name}\``, phases, "list");
      if (!config.tools?.some((tool) => tool.name === name)) {
        throw new GloveError("CONFIG_INVALID", `\`toolPhases\` names "${name}", which is none of \`tools\`.`);
      }
    }
    for (const [name, work] of Object.entries(check("`phases`", config.phases ?? {}, "object"))) {
      check(`\`phases.${name}\``, work, "work");
    }
    this.#config = config;
  }

  /**
   * Begins a task in a workspace that has none, or in the one with this id (`openTaskWorkspace`). Nothing runs before `run` or
   * `stepOnce`. A text is the goal of a task with the usual budgets.
   */
  async startTask(workspace: TaskWorkspace | string, task: TaskSpec | string): Promise<GloveTask> {
    const spec = typeof task === "string" ? { goal: task } : task;
    check("The task", spec, "object");
    checkOptions(spec, specOptions);
    check("`goal`", spec.goal, "text");
    checkApprovals(spec.approvals);
    const told = { ...spec, ...(spec.budgets && { budgets: withoutInfinity(spec.budgets) }) };
    return this.#open(workspace, (core) => core.start(JSON.stringify(told)));
  }

  /** Takes up the task of a workspace: one that was stopped, that waits, or whose page has gone. */
  async resume(workspace: TaskWorkspace | string): Promise<GloveTask> {
    return this.#open(workspace, (core) => core.resume());
  }

  /** Begins a task, runs it to its end or to a stop, and gives what came of it. */
  async doTask(workspace: TaskWorkspace | string, task: TaskSpec | string, options: TaskRunOptions = {}): Promise<TaskResult> {
    const started = await this.startTask(workspace, task);
    try {
      return await started.run(options);
    } finally {
      started.close();
    }
  }

  async #open(given: TaskWorkspace | string, begin: (core: CoreTask) => Promise<string>): Promise<GloveTask> {
    const workspace = typeof given === "string" ? await openTaskWorkspace(given) : checkWorkspace(given);
    const { createModel, endpoint = "", tools = [], toolPhases = {}, phases = {} } = this.#config;
    const { id, persona, approvals, seedMessages, pollMs, services, userId, onError } = this.#config;
    const model = createModel ? createModel() : createEndpointModel(endpoint);
    check("`createModel()`", model, "model");
    let task: GloveTask | undefined;
    let opened: CoreTask | undefined;
    const host = new TaskHost({
      model,
      tools,
      phases,
      services,
      userId,
      persona: persona ?? "",
      workspace,
      core: () => opened,
      state: () => task?.getSnapshot().state,
      event: (event) => task?.heard(event),
      wrote: (path) => task?.wrote(path),
      report: (code, error) => onError?.(code, error),
    });
    const [{ CoreTask }, specs] = await Promise.all([core.load(), host.ready()]);
    const options: TaskAgentOptions = {
      model: transportOf(model)?.options ?? { host: { name: model.name } },
      tools: specs,
      toolPhases: Object.entries(toolPhases).map(([tool, phases]) => ({ tool, phases })),
      functions: Object.keys(phases),
      ...omitUndefined({ id, persona, seedMessages, approvals, pollMs }),
    };
    try {
      opened = new CoreTask(JSON.stringify(options), host.page(), host.files.port());
      const state = JSON.parse(await guard.untilTrap(begin(opened))) as TaskState;
      task = new GloveTask(opened, host, workspace, state, await storedEvents(workspace));
      return task;
    } catch (thrown) {
      opened?.close();
      host.over();
      throw fromCore(thrown);
    }
  }
}
