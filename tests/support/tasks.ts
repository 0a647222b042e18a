// What tests of tasks share: an agent whose model plays a whole task, and its events without what differs from run to run.
import type { TaskAgentConfig, TaskEvent } from "glove-wasm/tasks";
import { createScriptedModel, type ScriptedAnswer, type ScriptedModel } from "glove-wasm/testing";

export const plan = JSON.stringify({ objective: "A brief", steps: [{ title: "Write the brief" }] });

/** Gather, plan, one acting step that writes a file, verify. */
export const script: readonly ScriptedAnswer[] = [
  "Three proposals are open.",
  plan,
  { text: "", toolCalls: [{ name: "fs_write", id: "c1", input: { path: "progress/artifacts/brief.md", content: "# Brief\n" } }] },
  "Written.",
  '{"pass": true, "reasons": ["It is there."]}',
];

export function scripted(answers: readonly ScriptedAnswer[] = script): {
  readonly model: ScriptedModel;
  readonly config: TaskAgentConfig;
} {
  const model = createScriptedModel([...answers]);
  return { model, config: { id: "researcher", createModel: () => model, approvals: "automatic", pollMs: 5 } };
}

/** An event without its time, and without ids that are made anew in each run. */
export const plain = ({ timestamp: _, ...event }: TaskEvent): unknown =>
  JSON.parse(
    JSON.stringify(event)
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
      .replace(/"duration_ms":\d+/g, '"duration_ms":0'),
  );
