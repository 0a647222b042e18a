// The examples of tasks in Node, by an agent and over the handler of a server: the events that the native run gives.
import { createTaskClient } from "glove-wasm/remote";
import { MemoryTaskWorkspace, TaskAgent } from "glove-wasm/tasks";
import { createTaskHandler } from "glove-wasm/tasks/server";
import { createScriptedModel } from "glove-wasm/testing";
import { expect, test, vi } from "vitest";
import { answerOf, examples, expectEvents, type TaskExample } from "../../support/task-examples.js";

const agentFor = (example: TaskExample) =>
  new TaskAgent({
    id: "researcher",
    createModel: () => createScriptedModel(({ messages }) => answerOf(example, messages)),
    approvals: example.approvals,
    pollMs: 5,
  });

async function expectArtifacts(example: TaskExample, workspace: MemoryTaskWorkspace): Promise<void> {
  const found: Record<string, string> = {};
  for (const { path } of await workspace.list("progress/artifacts")) {
    found[path] = new TextDecoder().decode((await workspace.read(path)) as Uint8Array);
  }
  expect(found).toEqual(example.artifacts);
}

test.each(examples)("$name in Node", async (example) => {
  const workspace = new MemoryTaskWorkspace(example.files);
  const task = await agentFor(example).startTask(workspace, { id: "task", goal: example.goal });
  let result = await task.run({ leaveWhenWaiting: true });
  for (const { decision, reason } of example.decisions ?? []) {
    const [request] = result.approvals ?? [];
    if (!request) throw new Error("nothing is asked");
    if (decision === "approved") await task.approve(request.id, "ada");
    else await task.deny(request.id, reason, "ada");
    result = await task.run({ leaveWhenWaiting: true });
  }
  expect(result.finish_reason).toBe("completed");
  expectEvents(example, task.getSnapshot().events, "task");
  await expectArtifacts(example, workspace);
  await task.close();
});

test.each(examples)("$name over the handler of a server", async (example) => {
  const workspace = new MemoryTaskWorkspace();
  const handler = createTaskHandler({
    agent: () => agentFor(example),
    workspace: () => workspace,
    owner: () => "ada",
    pollMs: 5,
  });
  const client = createTaskClient({
    url: "http://server/agent/tasks",
    fetch: (input, init) => handler(new Request(input, init)),
  });
  const { id } = await client.startTask({ goal: example.goal, files: example.files });
  const decided = new Set<string>();
  for (const { decision, reason } of example.decisions ?? []) {
    const request = await vi.waitFor(async () => {
      const { pending } = await client.state(id);
      const open = pending?.find((one) => !decided.has(one.id));
      if (!open) throw new Error("nothing is asked");
      return open.id;
    }, 30_000);
    decided.add(request);
    await client.decide(id, request, decision, reason);
  }
  const events: object[] = [];
  for await (const event of client.events(id)) events.push(event);
  expectEvents(example, events, id);
  await expectArtifacts(example, workspace);
});
