// The agent that works on tasks: its model, its tools, and what it starts and resumes.

import { createEndpointModel } from "../src/models/endpoint.js";
import { transportOf } from "../src/models/transport.js";
import type { ModelAdapter } from "../src/ports/model.js";
import type { StoreAdapter } from "../src/ports/store.js";
import type { ToolConfig } from "../src/ports/tool.js";
import { GloveError, loadPart } from "../src/values/error.js";
import { omitUndefined } from "../src/values/omit-undefined.js";
import { check, checkOptions, type Options, withoutInfinity } from "../src/values/validate-options.js";
import { fromCore } from "../src/wasm/core-errors.js";
import { type CoreTask, guard } from "../src/wasm/tasks.js";
import type { Message } from "../src/wire/record.js";
import type {
  MemoryEntry,
  MemoryScope,
  TaskAgentOptions,
  TaskApprovals,
  TaskBudgets,
  TaskResult,
  TaskRunOptions,
  TaskSpec,
  TaskState,
} from "../src/wire/task-types.js";
import { core } from "./core.js";
import type { CredentialBroker } from "./credentials.js";
import { TaskHost, type TaskStepFunction } from "./host.js";
import { checkLoop, type TaskLoop } from "./loop.js";
import { AgentMemory } from "./memory/agent-memory.js";
import type { MemoryChannel, MemoryProvider, NewMemory, RecallOptions } from "./memory/provider.js";
import { budgetOptions, checkApprovals, specOptions } from "./options.js";
import { checkSkill, type TaskSkill } from "./skills/check.js";
import type { OpenSkills } from "./skills/skill.js";
import { GloveTask, storedEvents } from "./task.js";
import { openTaskWorkspace } from "./workspaces/stored.js";
import { checkWorkspace, type TaskWorkspace } from "./workspaces/workspace.js";

/** What an agent for tasks is made of. Either `endpoint` or `createModel` is required; both and `tools` are those of `GloveClient`. */
export interface TaskAgentConfig {
  /** Names the agent over all its tasks. */
  readonly id?: string | undefined;
  /** What people call it; its prompts say so. */
  readonly name?: string | undefined;
  /** Who it is, and how it works: the beginning of every prompt. */
  readonly persona?: string | undefined;
  /** What it can do, in a few words each; its prompts say so. */
  readonly capabilities?: readonly string[] | undefined;
  /** The URL of a chat endpoint (`createChatHandler`). */
  readonly endpoint?: string | undefined;
  /** Creates the model of a task; takes precedence over `endpoint`. */
  readonly createModel?: (() => ModelAdapter) | undefined;
  /** Tools beside those that every task has. They are for all phases but planning. */
  readonly tools?: readonly ToolConfig[] | undefined;
  /** The phases of tools that are for these alone, by the name of the tool: `{ web_search: ["gather"] }`. */
  readonly toolPhases?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Bundles of instructions, files and sandboxed tools for every task. */
  readonly skills?: readonly TaskSkill[] | undefined;
  /** Functions that do a phase instead of the model, by its name: `gather`, `plan`, `act`, `verify`. */
  readonly phases?: Readonly<Record<string, TaskStepFunction>> | undefined;
  /** Gives the steps of every task, instead of the usual loop. */
  readonly loop?: TaskLoop | undefined;
  /** What it remembers over all its tasks. */
  readonly memory?: MemoryProvider | undefined;
  /** The channels that its tasks read; its own and that of the task's user by default. */
  readonly memoryView?: readonly MemoryChannel[] | undefined;
  /** How long the memory may take for one answer; 5,000 ms by default. */
  readonly memoryPatienceMs?: number | undefined;
  /** Asked at each call of a tool for what it may prove itself with: `display.credentials` of that call alone. */
  readonly credentials?: CredentialBroker | undefined;
  /** Makes the store of a session that a task takes its history from (`seed_from_sessions`); the browser's own by default. */
  readonly createStore?: ((sessionId: string) => StoreAdapter) | undefined;
  /** What a person approves, unless a task says it itself; `permissive` by default. */
  readonly approvals?: TaskApprovals | undefined;
  /** What a task may use that says no `budgets` itself. */
  readonly budgets?: TaskBudgets | undefined;
  /** How much results hold where it is not said; `summary` by default. */
  readonly view?: TaskRunOptions["view"];
  /** A conversation that came before all tasks. */
  readonly seedMessages?: readonly Message[] | undefined;
  /** What tools work with: `display.services` of each call. It is stored nowhere. */
  readonly services?: unknown;
  /** Whose tasks they are: `display.userId` of each call. */
  readonly userId?: string | undefined;
  /** How often files are looked at while a step runs or a person is waited for; every 500 ms by default. */
  readonly pollMs?: number | undefined;
  /** How long a model that says nothing is waited for after a stop; 5,000 ms by default. Its call is made again when the task goes on. */
  readonly stopGraceMs?: number | undefined;
  /** Told what went wrong beside the tasks, such as a tool that threw. */
  readonly onError?: ((code: string, error: unknown) => void) | undefined;
}

const agentOptions = {
  id: "text",
  name: "text",
  persona: "text",
  capabilities: "list",
  endpoint: "text",
  createModel: "work",
  tools: "list",
  toolPhases: "any",
  skills: "list",
  phases: "any",
  loop: "any",
  memory: "any",
  memoryView: "any",
  memoryPatienceMs: "whole",
  credentials: "work",
  createStore: "work",
  approvals: "any",
  budgets: budgetOptions,
  view: "minimal|summary|full",
  seedMessages: "list",
  services: "any",
  userId: "text",
  pollMs: "whole",
  stopGraceMs: "whole",
  onError: "work",
} as const satisfies Options<TaskAgentConfig>;

const moved = { systemPrompt: "Use `persona`.", model: "Pass `createModel`." };

const noSkills: OpenSkills = { tools: [], phases: {}, forCore: [], over: (files) => files };

/** Starts tasks and takes them up again. Making one loads and starts nothing. */
export class TaskAgent {
  readonly #config: TaskAgentConfig;
  readonly #tools: ToolConfig[];
  readonly #skills: TaskSkill[];
  readonly #memory: AgentMemory | undefined;
  #seeds: readonly Message[];

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
    if (config.loop !== undefined) checkLoop(config.loop);
    const { id = "agent", memory, memoryView, memoryPatienceMs } = config;
    if (!memory && (memoryView || memoryPatienceMs !== undefined)) {
      throw new GloveError("CONFIG_INVALID", "`memoryView` and `memoryPatienceMs` need a `memory`.");
    }
    if (memory !== undefined) this.#memory = new AgentMemory(id, memory, memoryView, memoryPatienceMs);
    this.#tools = [...(config.tools ?? [])];
    this.#skills = (config.skills ?? []).map(checkSkill);
    for (const capability of config.capabilities ?? []) check("A capability", capability, "text");
    if (config.budgets !== undefined) check("`budgets`", config.budgets, budgetOptions);
    if (config.view !== undefined) check("`view`", config.view, agentOptions.view);
    this.#seeds = [...(config.seedMessages ?? [])];
    this.#config = config;
  }

  /** Adds tools for tasks that are started or resumed later. */
  registerTool(...tools: readonly ToolConfig[]): void {
    for (const tool of tools) check("The tool", tool, "object");
    this.#tools.push(...tools);
  }

  /** Adds skills for tasks that are started later. A task that is resumed needs those that it began with. */
  registerSkill(...skills: readonly TaskSkill[]): void {
    this.#skills.push(...skills.map(checkSkill));
  }

  /** Adds to the conversation that came before, for tasks that are started or resumed later. */
  seedHistory(...messages: readonly Message[]): void {
    for (const message of messages) check("The message", message, "object");
    this.#seeds = [...this.#seeds, ...messages];
  }

  /** Tasks that are started or resumed later have no conversation of the agent's before them; their own stays. */
  clearHistory(): void {
    this.#seeds = [];
  }

  /** Writes an entry into a channel, and gives its id. The same id again replaces the entry. */
  remember(scope: MemoryScope, entry: NewMemory): Promise<string> {
    return this.#remembering((memory) => memory.remember(scope, entry));
  }

  /** The entries of a channel that fit a text best; with `pinned`, those that are pinned. */
  recall(scope: MemoryScope, text: string, options: RecallOptions = {}): Promise<readonly MemoryEntry[]> {
    return this.#remembering((memory) => memory.recall(scope, text, options));
  }

  /** False where there was none. */
  forget(scope: MemoryScope, id: string): Promise<boolean> {
    return this.#remembering((memory) => memory.forget(scope, id));
  }

  /** The memory of this user is read by tasks that are theirs, from the next step on. */
  attachUser(user: string, channel: Omit<MemoryChannel, "kind" | "id"> = {}): void {
    check("`user`", user, "text");
    this.#known().attach({ ...check("The channel", channel, "object"), kind: "user", id: user });
  }

  /** False where the user was not attached. */
  detachUser(user: string): boolean {
    return this.#known().detach({ kind: "user", id: check("`user`", user, "text") });
  }

  /** Steps that begin later read these channels alone. */
  setMemoryView(view: readonly MemoryChannel[]): void {
    this.#known().setView(view);
  }

  #known(): AgentMemory {
    if (this.#memory) return this.#memory;
    throw new GloveError("CONFIG_INVALID", "This agent has no memory: give it one as `memory`.");
  }

  async #remembering<T>(work: (memory: AgentMemory) => Promise<T>): Promise<T> {
    return work(this.#known());
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
    const { createModel, endpoint = "", toolPhases = {}, phases = {}, loop, credentials, createStore } = this.#config;
    const skills = this.#skills.length
      ? await (await loadPart(import("./skills/skill.js"))).openSkills([...this.#skills])
      : noSkills;
    const [tools, memory] = [[...this.#tools, ...skills.tools], this.#memory];
    const { id, name, persona, capabilities, approvals, budgets, pollMs, stopGraceMs, services, userId, onError } = this.#config;
    const model = createModel ? createModel() : createEndpointModel(endpoint);
    check("`createModel()`", model, "model");
    const vault =
      credentials && new (await loadPart(import("./credentials.js"))).Vault(credentials, (...told) => onError?.(...told));
    let task: GloveTask | undefined;
    let coreTask: CoreTask | undefined;
    let forget = () => {};
    const host = new TaskHost({
      model,
      tools,
      phases,
      loop,
      memory,
      vault,
      createStore,
      toolFiles: skills.over,
      services,
      userId,
      persona: persona ?? "",
      workspace,
      core: () => coreTask,
      state: () => task?.getSnapshot().state,
      event: (event) => task?.heard(event),
      wrote: (path) => task?.wrote(path),
      over: () => forget(),
      report: (code, error) => onError?.(code, error),
    });
    const [{ CoreTask }, specs] = await Promise.all([core.load(), host.ready()]);
    const options: TaskAgentOptions = {
      model: transportOf(model)?.options ?? { host: { name: model.name } },
      tools: specs,
      toolPhases: Object.entries({ ...toolPhases, ...skills.phases }).map(([tool, phases]) => ({ tool, phases })),
      functions: Object.keys(phases),
      skills: skills.forCore,
      credentials: credentials !== undefined,
      sessions: createStore !== undefined || "indexedDB" in globalThis,
      ...(loop && { loop: { name: loop.name, version: loop.version } }),
      ...(memory && { memory: memory.options() }),
      ...(this.#seeds.length > 0 && { seedMessages: this.#seeds }),
      ...(budgets && { budgets: withoutInfinity(budgets) }),
      ...omitUndefined({ id, name, persona, capabilities, approvals, pollMs, stopGraceMs }),
    };
    try {
      coreTask = new CoreTask(JSON.stringify(options), host.page(), host.files.port());
      const state = JSON.parse(await guard.untilTrap(begin(coreTask))) as TaskState;
      forget = memory?.opened(coreTask) ?? forget;
      task = new GloveTask(coreTask, host, workspace, state, await storedEvents(workspace), this.#config.view);
      return task;
    } catch (thrown) {
      coreTask?.close();
      host.over();
      throw fromCore(thrown);
    }
  }
}
