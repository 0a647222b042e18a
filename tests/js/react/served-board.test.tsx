// The board of a task that a server runs: everything is asked over HTTP, and no files are here.
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { createTaskClient } from "glove-wasm/remote";
import { MemoryTaskWorkspace, TaskAgent, type TaskAgentConfig, taskOutput } from "glove-wasm/tasks";
import { TaskBoard, useTask } from "glove-wasm/tasks/react";
import { createTaskHandler } from "glove-wasm/tasks/server";
import { expect, test } from "vitest";
import { z } from "zod";
import { workingModel } from "../../support/tasks.js";

function server(
  refused: () => boolean = () => false,
  unreachable: () => boolean = () => false,
  more: Partial<TaskAgentConfig> = {},
) {
  const workspaces = new Map<string, MemoryTaskWorkspace>();
  const handler = createTaskHandler({
    agent: new TaskAgent({ createModel: workingModel, pollMs: 5, approvals: { require_plan: true }, ...more }),
    workspace: (id) => {
      const workspace = workspaces.get(id) ?? new MemoryTaskWorkspace();
      workspaces.set(id, workspace);
      return workspace;
    },
    authorize: () => !refused(),
    pollMs: 10,
    heartbeatMs: 50,
  });
  const asked: string[] = [];
  const client = createTaskClient({
    url: "http://server/agent/tasks",
    // The signals of jsdom are none of Node's.
    fetch: async (url, { signal, ...init } = {}) => {
      if (unreachable()) throw new TypeError("Failed to fetch");
      asked.push(`${init.method} ${String(url).replace(/.*\/tasks\/[^/]*/, "")}`);
      return handler(new Request(url as string, init));
    },
  });
  return { client, workspaces, asked };
}

test("a person watches a task of a server, edits its notes, approves its plan, and opens what it made", async () => {
  const { client, workspaces, asked } = server();
  const { id } = await client.startTask({ goal: "Write the brief", files: { "task/brief.md": "One page." } });
  function Page() {
    const task = useTask({ client, id });
    return (
      <>
        <TaskBoard task={task} markdown={false} unstyled />
        <button type="button" onClick={() => void task.write("progress/notes.md", "Mind the gap.")}>
          Take a note
        </button>
      </>
    );
  }
  const { unmount } = render(<Page />);
  await screen.findByText("Waiting for you", { selector: "header *" });
  expect(screen.getByText("brief.md")).toBeTruthy();
  expect(screen.getAllByText("Write the brief").length).toBeGreaterThan(0);
  // What governs the task is not for its clients.
  expect(screen.queryByText(/state\.json|session\.ndjson/)).toBe(null);
  expect(screen.queryByRole("button", { name: "Do one step" })).toBe(null);
  fireEvent.click(screen.getByRole("button", { name: "Take a note" }));
  await waitFor(async () => {
    const notes = await workspaces.get(id)?.read("progress/notes.md");
    expect(new TextDecoder().decode(notes)).toBe("Mind the gap.");
  });
  fireEvent.click(screen.getByRole("button", { name: "Allow" }));
  await screen.findByText("Completed", { selector: "header *" });
  await screen.findAllByText(/artifacts\/brief\.md|brief\.md/);
  expect(await screen.findByText("Written.")).toBeTruthy();
  unmount();
  // Nobody looks, so nothing is asked.
  await new Promise((go) => setTimeout(go, 700));
  const count = asked.length;
  await new Promise((go) => setTimeout(go, 700));
  expect(asked.length).toBe(count);
});

test("a value that a task never gave is told on the board", async () => {
  const choice = taskOutput(z.object({ city: z.string() }));
  const tools = { approvals: "automatic", tools: [choice.tool], toolPhases: { give_output: ["act"] } } as const;
  const { client } = server(undefined, undefined, tools);
  const { id } = await client.startTask("Choose a city");
  render(<TaskBoard task={{ client, id }} markdown={false} unstyled />);
  await screen.findByText("Completed", { selector: "header *" });
  await screen.findByText("the task ended and never gave its value (progress/artifacts/output.json is missing)", {
    selector: "[data-glove-verdict] *",
  });
  await screen.findByText("The result was not given");
});

test("a stopped task is resumed by the server, and a request that is refused is shown", async () => {
  let refuses = false;
  const { client } = server(() => refuses);
  const { id } = await client.startTask("Write the brief");
  render(<TaskBoard task={{ client, id }} markdown={false} unstyled />);
  await screen.findByText("Waiting for you", { selector: "header *" });
  fireEvent.click(screen.getByRole("button", { name: "Stop" }));
  fireEvent.click(await screen.findByRole("button", { name: "Resume" }));
  await screen.findByText("Waiting for you", { selector: "header *" });
  refuses = true;
  fireEvent.click(await screen.findByRole("button", { name: "Allow" }));
  await screen.findByRole("alert");
  refuses = false;
  fireEvent.click(screen.getByRole("button", { name: "Dismiss" }));
  fireEvent.click(screen.getByRole("button", { name: "Deny" }));
  await screen.findByText("Plan denied", { selector: "header *" });
});

test("what could not be saved stays in the editor, and a stop that did not arrive can be asked for again", async () => {
  let away = false;
  const { client, workspaces } = server(undefined, () => away);
  const { id } = await client.startTask("Write the brief");
  render(<TaskBoard task={{ client, id }} markdown={false} unstyled />);
  await screen.findByText("Waiting for you", { selector: "header *" });
  fireEvent.click(await screen.findByRole("button", { name: /notes\.md/ }));
  fireEvent.click(await screen.findByText("Edit"));
  const editor = screen.getByLabelText("progress/notes.md");
  fireEvent.change(editor, { target: { value: "Mind the gap." } });
  away = true;
  fireEvent.click(screen.getByText("Save"));
  await screen.findByText(/^The file could not be saved\. /);
  expect(screen.getByLabelText("progress/notes.md")).toMatchObject({ value: "Mind the gap." });
  // Escape asks to close the dialog.
  expect(fireEvent(screen.getByRole("dialog", { hidden: true }), new Event("cancel", { cancelable: true }))).toBe(false);
  away = false;
  fireEvent.click(screen.getByText("Save"));
  await waitFor(() => expect(screen.queryByLabelText("progress/notes.md")).toBe(null));
  expect(new TextDecoder().decode(await workspaces.get(id)?.read("progress/notes.md"))).toBe("Mind the gap.");
  fireEvent.click(screen.getByLabelText("Close"));
  away = true;
  fireEvent.click(screen.getByRole("button", { name: "Stop" }));
  await screen.findByRole("alert");
  away = false;
  fireEvent.click(await screen.findByRole("button", { name: "Stop" }));
  await screen.findByRole("button", { name: "Resume" });
});

test("a board that opens while the server is away shows the task when it is there", async () => {
  let away = false;
  const { client } = server(undefined, () => away);
  const { id } = await client.startTask("Write the brief");
  away = true;
  render(<TaskBoard task={{ client, id }} markdown={false} unstyled />);
  await screen.findByRole("alert");
  away = false;
  await screen.findByText("Waiting for you", { selector: "header *" });
  expect(screen.queryByRole("alert")).toBe(null);
});

test("a board whose token was refused follows the task again once there is a new one", async () => {
  let refuses = true;
  const { client } = server(() => refuses);
  refuses = false;
  const { id } = await client.startTask("Write the brief");
  refuses = true;
  render(<TaskBoard task={{ client, id }} markdown={false} unstyled />);
  await screen.findByRole("alert");
  refuses = false;
  await screen.findByText("Waiting for you", { selector: "header *" }, { timeout: 30_000 });
  expect(screen.queryByRole("alert")).toBe(null);
  // Its events are followed, too.
  await client.decide(id, "req_0001", "approved");
  await screen.findByText("Completed", { selector: "header *" }, { timeout: 30_000 });
}, 60_000);

test("a task that the server does not know is missing, and what is no task of a server is refused", async () => {
  const { client } = server();
  render(<TaskBoard task={{ client, id: "nobody" }} markdown={false} unstyled />);
  await screen.findByText("There is no task here yet.");
  function Wrong() {
    useTask({ client: {}, id: "x" } as never);
    return null;
  }
  expect(() => render(<Wrong />)).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
});
