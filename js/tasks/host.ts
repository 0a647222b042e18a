// What the page does for a task: its models, its tools, HTTP, and the steps that are functions.

import { DisplayManager } from "../src/display/manager.js";
import { PageModels } from "../src/models/page-models.js";
import { transportOf } from "../src/models/transport.js";
import type { ModelAdapter } from "../src/ports/model.js";
import type { StoreAdapter } from "../src/ports/store.js";
import type { IGloveRunnable, ToolConfig, ToolFiles } from "../src/ports/tool.js";
import { hostFetch } from "../src/relay/http.js";
import { limited } from "../src/store/limits.js";
import type { CallPort } from "../src/tools/call-display.js";
import { Toolbox } from "../src/tools/toolbox.js";
import { GloveError, loadPart } from "../src/values/error.js";
import { decodeUtf8 } from "../src/values/utf8.js";
import type { HostPrompt } from "../src/wasm/core-api.js";
import { type CoreTask, guard } from "../src/wasm/tasks.js";
import type { PageTool } from "../src/wire/core-types.js";
import type { Message } from "../src/wire/record.js";
import type { TaskEvent, TaskPlan, TaskPrompt, TaskState, TaskStep } from "../src/wire/task-types.js";
import { type Teller, tellerOf } from "./channel.js";
import type { Vault } from "./credentials.js";
import { WorkspaceFiles } from "./files.js";
import { nextOf, type TaskLoop, type TaskLoopView } from "./loop.js";
import type { AgentMemory } from "./memory/agent-memory.js";
import { taskClosed } from "./workspaces/refusals.js";
import type { TaskWorkspace } from "./workspaces/workspace.js";

/** What a function that does a step is given. */
export interface TaskStepContext {
  readonly step: TaskStep;
  readonly goal: string;
  readonly plan: TaskPlan | undefined;
  /** What a model would read. */
  readonly prompt: TaskPrompt;
  readonly workspace: TaskWorkspace;
}

/** Does a step instead of the model. Its text counts as the model's would: a plan and a verdict are JSON. */
export type TaskStepFunction = (context: TaskStepContext) => string | Promise<string>;

/** What a task of the page is made of. */
export interface TaskParts {
  readonly model: ModelAdapter;
  readonly tools: readonly ToolConfig[];
  readonly phases: Readonly<Record<string, TaskStepFunction>>;
  readonly loop: TaskLoop | undefined;
  readonly memory: AgentMemory | undefined;
  /** The secrets of its tools. */
  readonly vault: Vault | undefined;
  readonly createStore: ((sessionId: string) => StoreAdapter) | undefined;
  /** The files of the task as its tools reach them. */
  readonly toolFiles: (files: ToolFiles) => ToolFiles;
  readonly services: unknown;
  readonly userId: string | undefined;
  readonly persona: string;
  readonly workspace: TaskWorkspace;
  core(): CoreTask | undefined;
  state(): TaskState | undefined;
  event(event: TaskEvent): void;
  /** The task has written this file. */
  wrote(path: string): void;
  /** Whoever has let go of the task. */
  over(): void;
  report(code: string, error: unknown): void;
}

const showsNothing = (tool: string) =>
  new GloveError(
    "TASK_TOOL_SHOWS",
    `The tool "${tool}" shows something on a display, which tasks have not: let its calls be approved instead (\`requireApproval\`).`,
  );

/** Where chats of the page are kept. */
const pageStore = async (session: string): Promise<StoreAdapter> => {
  const { IndexedDBStore } = await loadPart(import("../src/store/indexeddb/store.js"));
  return new IndexedDBStore(session);
};

export class TaskHost {
  readonly #parts: TaskParts;
  readonly #tools: Toolbox;
  readonly #models: PageModels;
  readonly #display = new DisplayManager();
  readonly files: WorkspaceFiles;
  readonly #teller: Teller;

  constructor(parts: TaskParts) {
    this.#parts = parts;
    this.#teller = tellerOf(parts.workspace.name);
    this.files = new WorkspaceFiles(parts.workspace, (path) => {
      parts.wrote(path);
      this.#teller.wrote(path);
    });
    const core = () => {
      const core = parts.core();
      if (!core) throw taskClosed();
      return core;
    };
    const strike = (text: string) => (parts.vault ? core().strike(text) : text);
    this.#tools = new Toolbox({
      display: ({ tool, id }): CallPort => {
        const refuse = () => Promise.reject(showsNothing(tool.name));
        const credentials = parts.vault?.of(id);
        return { manager: this.#display, keeps: false, show: refuse, ask: refuse, core, guard, credentials };
      },
      agent: () => this.#runnable(),
      services: () => ({
        services: parts.services,
        userId: parts.userId,
        files: parts.toolFiles(this.files.forTools(strike, () => parts.state()?.current?.id)),
      }),
      validated: (callId, validated) => core().validated(callId, validated),
      returned: (callId, outcome) => core().returned(callId, outcome),
      report: parts.report,
      messages: () => this.#messages(),
      result: async (callId) => {
        const results = (await this.#messages()).flatMap((message) => message.tool_results ?? []);
        return results.findLast(({ call_id }) => call_id === callId)?.result.data;
      },
    });
    this.#tools.replace(parts.tools);
    this.#models = new PageModels({ model: () => parts.model, tool: (name) => this.#tools.find(name), show: () => {} });
  }

  /** What has to be there before anything runs, and the tools as the core is told of them. */
  async ready(): Promise<PageTool[]> {
    await this.#models.ready(this.#parts.model);
    return this.#tools.specs();
  }

  /** Releases the lease after the core has been released. */
  over(): void {
    this.#parts.over();
    this.#models.forget();
    this.files.freed();
    this.#teller.close();
  }

  /** What the core asks of the page. */
  page() {
    const { phases, workspace, model, loop, memory, createStore, vault } = this.#parts;
    return {
      ...memory?.port(),
      ...(loop && { next: (view: string) => nextOf(loop, JSON.parse(view) as TaskLoopView) }),
      events: (event: string) => this.#parts.event(JSON.parse(event) as TaskEvent),
      permissionOf: this.#tools.permissionOf,
      approval: this.#tools.approval,
      run: async (...call: Parameters<Toolbox["run"]>) => {
        try {
          return await this.#tools.run(...call);
        } finally {
          vault?.forget(call[0]);
        }
      },
      credentials: async (request: string) => vault?.ask(request) ?? "{}",
      record: async (session: string) => {
        const store = createStore ? createStore(session) : await pageStore(session);
        return JSON.stringify(await limited(store).getMessages());
      },
      undo: this.#tools.undo,
      prompt: (request: HostPrompt, delta: (kind: "text" | "reasoning" | "notice", text: string) => void, signal: AbortSignal) =>
        this.#models.prompt(request, delta, signal),
      fetch: (url: string, headers: string, body: string, signal: AbortSignal) =>
        hostFetch(transportOf(model)?.fetch, url, headers, body, signal),
      phase: async (name: string, context: string) => {
        const told = JSON.parse(context) as Omit<TaskStepContext, "workspace" | "plan"> & { plan?: TaskPlan | null };
        const text: unknown = await phases[name]?.({ ...told, plan: told.plan ?? undefined, workspace });
        if (typeof text === "string") return text;
        throw new GloveError(
          "TASK_LOOP_INVALID",
          `The function of the phase "${name}" must return a string, got ${typeof text}.`,
        );
      },
    };
  }

  /** The record of the step that runs. */
  async #messages(): Promise<readonly Message[]> {
    const step = this.#parts.state()?.current?.id;
    const content = step && (await this.#parts.workspace.read(`progress/steps/${step}/session.ndjson`));
    if (!content) return [];
    const lines = decodeUtf8(content)
      .split("\n")
      .slice(0, -1)
      .filter((line) => line !== "");
    return lines.flatMap((line) => (JSON.parse(line) as { messages?: readonly Message[] }).messages ?? []);
  }

  /** What tools that were written for sessions may ask of theirs: of a task they may only look. */
  #runnable(): IGloveRunnable {
    const { model, persona, tools } = this.#parts;
    const refuse = (): never => {
      throw new GloveError("TASK_TOOL_SHOWS", "A tool of a task cannot change or ask the agent that calls it.");
    };
    return {
      processRequest: async () => refuse(),
      setModel: refuse,
      setSystemPrompt: refuse,
      getSystemPrompt: () => persona,
      addSubscriber: refuse,
      removeSubscriber: refuse,
      replaceTools: refuse,
      undo: async () => refuse(),
      displayManager: this.#display,
      model,
      store: undefined,
      tools,
      systemPrompt: persona,
    };
  }
}
