// A page with the board of a task that a scripted model works through.
import { MemoryTaskWorkspace, openTaskWorkspace, TaskAgent, type TaskAgentConfig, type TaskSpec } from "glove-wasm/tasks";
import { TaskBoard, type TaskBoardProps } from "glove-wasm/tasks/react";
import { createScriptedModel, type ScriptedAnswer } from "glove-wasm/testing";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

const style = new CSSStyleSheet();
style.replaceSync("body { margin: 0; }");
document.adoptedStyleSheets = [style];

const root = createRoot(document.body.appendChild(document.createElement("main")));

const look = {
  agent: (answers: readonly ScriptedAnswer[], config: Partial<TaskAgentConfig> = {}) =>
    new TaskAgent({ createModel: () => createScriptedModel([...answers]), pollMs: 50, ...config }),
  memory: (files: Readonly<Record<string, string | Uint8Array>>) => new MemoryTaskWorkspace(files),
  open: openTaskWorkspace,
  /** Begins and runs it outside of the board. */
  async begin(agent: TaskAgent, workspace: MemoryTaskWorkspace, spec: TaskSpec, steps = Number.POSITIVE_INFINITY) {
    const task = await agent.startTask(workspace, spec);
    try {
      if (steps === Number.POSITIVE_INFINITY) await task.run({ leaveWhenWaiting: true });
      for (let done = 0; done < steps && steps < 100; done++) await task.stepOnce();
    } finally {
      task.close();
    }
  },
  show: (board: TaskBoardProps) =>
    root.render(
      <StrictMode>
        <TaskBoard {...board} />
      </StrictMode>,
    ),
};

Object.assign(globalThis, { look });
