// A task that is watched by its files while somebody else runs it.
import { MemoryTaskWorkspace, TaskAgent, type TaskSight, watchTask } from "glove-wasm/tasks";
import { expect, test, vi } from "vitest";
import { scripted } from "../../support/tasks.js";

const until = (watch: ReturnType<typeof watchTask>, fits: (sight: TaskSight) => boolean) =>
  vi.waitUntil(() => fits(watch.getSnapshot()), { timeout: 10_000 });

test("a watcher sees a task begin, wait, go on and end, and decides about it", async () => {
  const workspace = new MemoryTaskWorkspace({ "task/brief.md": "One page." });
  const watch = watchTask(workspace, { pollMs: 20 });
  const undo = watch.subscribe(() => {});
  await until(watch, ({ status }) => status === "missing");
  expect(watch.getSnapshot()).toMatchObject({ leased: false, files: [{ path: "task/brief.md", size: 9 }] });

  const task = await new TaskAgent({ ...scripted().config, approvals: { require_plan: true } }).startTask(workspace, "Write it");
  const running = task.run();
  await until(watch, ({ state }) => state?.status === "waiting");
  expect(watch.getSnapshot().leased).toBe(true);
  await expect(watch.approve("req_0009")).rejects.toMatchObject({ code: "TASK_APPROVAL_UNKNOWN" });
  await watch.approve("req_0001", "ada");
  await expect(watch.deny("req_0001")).rejects.toMatchObject({ code: "TASK_APPROVAL_CLOSED" });
  await running;
  task.close();
  await until(watch, ({ state, leased }) => state?.status === "finished" && leased === false);
  const { events, ticked, files } = watch.getSnapshot();
  expect(events).toEqual(task.getSnapshot().events);
  expect(events.some(({ data }) => Object(data).approved_by === "ada")).toBe(true);
  expect(ticked).toEqual(["s1"]);
  expect(files.map(({ path }) => path)).toContain("progress/artifacts/brief.md");
  undo();
});

test("of watchers that decide at once, one decides and the others hear that it is decided", async () => {
  for (let round = 0; round < 20; round++) {
    const workspace = new MemoryTaskWorkspace();
    const task = await new TaskAgent({ ...scripted().config, approvals: { require_plan: true } }).startTask(
      workspace,
      "Write it",
    );
    const running = task.run();
    await vi.waitUntil(() => task.getSnapshot().state.status === "waiting", { timeout: 10_000 });
    const [first, second] = [watchTask(workspace), watchTask(workspace)];
    const all = await Promise.allSettled([
      first.approve("req_0001", "ada"),
      second.deny("req_0001"),
      task.approve("req_0001", "bob"),
    ]);
    expect(all.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
    expect(all.slice(1)).toMatchObject([1, 2].map(() => ({ reason: { code: "TASK_APPROVAL_CLOSED" } })));
    await running;
    expect(task.getSnapshot().events.some(({ data }) => Object(data).approved_by === "ada")).toBe(true);
    task.close();
  }
}, 60_000);

test("in a frame without an origin, where locks are refused, decisions are made one after the other", async () => {
  const refuse = vi.fn(async () => Promise.reject(new DOMException("Access to the Locks API is denied.", "SecurityError")));
  vi.stubGlobal("navigator", { locks: { query: refuse, request: refuse } });
  try {
    const workspace = new MemoryTaskWorkspace();
    const task = await new TaskAgent({ ...scripted().config, approvals: { require_plan: true } }).startTask(workspace, "Write");
    const running = task.run();
    await vi.waitUntil(() => task.getSnapshot().state.status === "waiting", { timeout: 10_000 });
    const watch = watchTask(workspace);
    const all = await Promise.allSettled([watch.approve("req_0001", "ada"), task.deny("req_0001")]);
    expect(all.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    await running;
    expect(task.getSnapshot().state.status).toBe("finished");
    expect(refuse).toHaveBeenCalled();
    task.close();
  } finally {
    vi.unstubAllGlobals();
  }
});

test("a watcher without listeners reads nothing, and one whose files fail says why and tries again", async () => {
  const workspace = new MemoryTaskWorkspace();
  const list = vi.spyOn(workspace, "list").mockRejectedValueOnce(new Error("the disk is gone"));
  const watch = watchTask(workspace, { pollMs: 5 });
  await new Promise((go) => setTimeout(go, 30));
  expect(list).not.toHaveBeenCalled();
  const seen: unknown[] = [];
  const undo = watch.subscribe(({ status, error }) => seen.push([status, error?.message]));
  await until(watch, ({ status }) => status === "missing");
  expect(seen.slice(0, 2)).toEqual([
    ["loading", "the disk is gone"],
    ["missing", undefined],
  ]);
  undo();
  const looks = list.mock.calls.length;
  await new Promise((go) => setTimeout(go, 30));
  expect(list.mock.calls.length).toBeLessThanOrEqual(looks + 2);
});

test("a watcher stops a task, whoever runs it", async () => {
  const workspace = new MemoryTaskWorkspace();
  const task = await new TaskAgent({ ...scripted().config, approvals: { require_plan: true } }).startTask(workspace, "Write it");
  const running = task.run();
  const watch = watchTask(workspace, { pollMs: 20 });
  const undo = watch.subscribe(() => {});
  await until(watch, ({ state }) => state?.status === "waiting");
  await watch.stop("enough");
  expect(await running).toMatchObject({ status: "paused", finish_reason: "stopped" });
  undo();
  task.close();
});
