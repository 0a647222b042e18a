// The board of a task that a budget ended: it says so, and goes on with as much again.
import { fireEvent, render, screen } from "@testing-library/react";
import { MemoryTaskWorkspace, TaskAgent } from "glove-wasm/tasks";
import { TaskBoard } from "glove-wasm/tasks/react";
import { expect, test } from "vitest";
import { workingModel } from "../../support/tasks.js";

test("a task whose steps are used up goes on with as many again", async () => {
  const workspace = new MemoryTaskWorkspace();
  const agent = new TaskAgent({ createModel: workingModel, pollMs: 5, approvals: "automatic" });
  const task = await agent.startTask(workspace, { goal: "Write the brief", budgets: { max_steps: 2, verify_percent: 0 } });
  expect(await task.run()).toMatchObject({ status: "paused", finish_reason: "budget_steps" });
  task.close();
  render(<TaskBoard task={workspace} agent={agent} markdown={false} unstyled />);
  await screen.findByText("The steps are used up", { selector: "header *" });
  expect(screen.queryByRole("button", { name: "Resume" })).toBe(null);
  fireEvent.click(screen.getByRole("button", { name: "Go on with as much again" }));
  await screen.findByText("Completed", { selector: "header *" });
  const state = JSON.parse(new TextDecoder().decode(await workspace.read("progress/state.json")));
  expect([state.spec.budgets.max_steps, state.used.steps]).toEqual([4, 4]);
});
