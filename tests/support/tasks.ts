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

/** Plays a whole task by what it is asked, so that who goes on needs no place in a script. */
export function workingModel(): ScriptedModel {
  return createScriptedModel(({ messages }) => {
    const last = messages.at(-1);
    const text = last?.text ?? "";
    if (last?.tool_results?.length) return "Written.";
    if (text.includes("Phase: plan.")) return plan;
    if (text.includes("Phase: verify.")) return '{"pass": true}';
    if (!text.includes("Phase: act.")) return "Three proposals are open.";
    const input = { path: "progress/artifacts/brief.md", content: "# Brief\n" };
    return { toolCalls: [{ name: "fs_write", id: "c1", input }] };
  });
}

/** An event without its time, and without ids that are made anew in each run. */
export const plain = ({ timestamp: _, ...event }: TaskEvent): unknown =>
  JSON.parse(
    JSON.stringify(event)
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
      .replace(/"duration_ms":\d+/g, '"duration_ms":0'),
  );
