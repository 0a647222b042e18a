// Tasks in Node: run, stopped, decided about and taken up again, with the workspace in memory.
import { readFileSync } from "node:fs";
import { defineTool } from "glove-wasm";
import {
  type GloveTask,
  importWorkspace,
  MemoryTaskWorkspace,
  TaskAgent,
  type TaskEvent,
  type TaskLoop,
  type TaskLoopView,
  type TaskWorkspace,
  taskOutput,
} from "glove-wasm/tasks";
import { createScriptedModel } from "glove-wasm/testing";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { plain, script, scripted } from "../../support/tasks.js";

const text = async (workspace: TaskWorkspace, path: string) => new TextDecoder().decode(await workspace.read(path));

test("a task goes through its phases and gives what it made", async () => {
  const { config, model } = scripted();
  const workspace = new MemoryTaskWorkspace({ "task/brief.md": "One page." });
  const task = await new TaskAgent(config).startTask(workspace, { goal: "Write a brief", ext: { order: 7 } });
  const events: TaskEvent[] = [];
  task.subscribeEvents((event) => events.push(event));
  const result = await task.run({ view: "full" });
  expect(result).toMatchObject({ status: "finished", finish_reason: "completed", agent_id: "researcher", ext: { order: 7 } });
  expect(result.deliverables).toMatchObject([{ path: "progress/artifacts/brief.md", mime: "text/markdown", size: 8 }]);
  expect(result.steps?.map(({ id, status }) => [id, status])).toEqual([
    ["gather-1", "completed"],
    ["plan-1", "completed"],
    ["act-1-s1", "completed"],
    ["verify-1", "completed"],
  ]);
  expect(await text(workspace, "progress/artifacts/brief.md")).toBe("# Brief\n");
  expect(model.calls[0]?.messages.map((message) => message.text).join()).toContain("One page.");
  const { state, running, events: shown } = task.getSnapshot();
  expect([state.status, running]).toEqual(["finished", false]);
  const stored = (await text(workspace, "progress/events.ndjson")).trimEnd().split("\n");
  expect(shown).toEqual(stored.map((line) => JSON.parse(line)));
  // Those before the subscription are in the journal alone.
  expect(shown.slice(-events.length)).toEqual(events);
  task.close();
});

test("tools of the application have their schemas, services and phases", async () => {
  const seen: unknown[] = [];
  const search = defineTool({
    name: "web_search",
    description: "Searches",
    inputSchema: z.object({ query: z.string().trim() }),
    do: async ({ query }, display) => {
      seen.push(query, display.services, display.userId);
      return display.step("ask", async () => `found ${query}`);
    },
  });
  const { config, model } = scripted([
    { text: "", toolCalls: [{ name: "web_search", id: "s1", input: { query: 3 } }] },
    { text: "", toolCalls: [{ name: "web_search", id: "s2", input: { query: " glove " } }] },
    ...script,
  ]);
  const agent = new TaskAgent({
    ...config,
    tools: [search],
    toolPhases: { web_search: ["gather"] },
    services: "api",
    userId: "ada",
  });
  const result = await agent.doTask(new MemoryTaskWorkspace(), "Search", { view: "full" });
  expect(seen).toEqual(["glove", "api", "ada"]);
  expect(result.steps?.[0]?.tool_calls.map(({ tool, status }) => [tool, status])).toEqual([
    ["web_search", "error"],
    ["web_search", "success"],
  ]);
  expect(JSON.stringify(model.calls[2]?.messages)).toContain("found glove");
  const withSearch = model.calls.map(({ tools }) => tools.includes("web_search"));
  expect(withSearch).toEqual([true, true, true, false, false, false, false]);
});

test("a tool that shows something on a display is told what to do instead", async () => {
  const ask = defineTool({
    name: "ask_person",
    description: "Asks",
    inputSchema: z.object({}),
    do: async (_, display) => display.pushAndWait({ input: {} }),
  });
  const told: string[] = [];
  const { config, model } = scripted([{ text: "", toolCalls: [{ name: "ask_person", id: "a1" }] }, ...script]);
  const agent = new TaskAgent({ ...config, tools: [ask], onError: (code) => told.push(code) });
  const result = await agent.doTask(new MemoryTaskWorkspace(), "Ask", { view: "full" });
  expect(result.finish_reason).toBe("completed");
  expect(JSON.stringify(model.calls[1]?.messages)).toContain("requireApproval");
});

test("functions do phases instead of the model", async () => {
  const { config, model } = scripted(script.slice(0, 4));
  const seen: unknown[] = [];
  const agent = new TaskAgent({
    ...config,
    phases: {
      verify: async ({ step, goal, plan, workspace }) => {
        seen.push(step.name, goal, plan?.steps.length, (await workspace.read("progress/artifacts/brief.md"))?.length);
        return '{"pass": true}';
      },
    },
  });
  const result = await agent.doTask(new MemoryTaskWorkspace(), "Write");
  expect([result.finish_reason, result.verdict?.pass, model.calls.length]).toEqual(["completed", true, 4]);
  expect(seen).toEqual(["verify", "Write", 1, 8]);
});

test("the plan and the tools wait for a person, who approves and denies from the screen", async () => {
  const { config } = scripted([...script.slice(0, 3), "I must not write.", '{"pass": true}']);
  const task = await new TaskAgent({ ...config, approvals: "strict" }).startTask(new MemoryTaskWorkspace(), "Write");
  const waits = await task.run({ leaveWhenWaiting: true });
  expect([waits.status, waits.approvals?.map(({ type }) => type)]).toEqual(["waiting", ["plan"]]);
  const running = task.run();
  await task.approve("req_0001", "ada");
  await vi.waitFor(() => expect(task.getSnapshot().state.pending).toMatchObject([{ id: "req_0002", tool_name: "fs_write" }]));
  await task.deny("req_0002", "Not yet.");
  const result = await running;
  expect([result.finish_reason, result.deliverables ?? []]).toEqual(["completed", []]);
  const decided = task.getSnapshot().events.filter(({ type }) => type === "approval.decided");
  expect(decided.map(({ data }) => (data as { decision: string }).decision)).toEqual(["approved", "denied"]);
  await expect(task.approve("req_0001")).rejects.toMatchObject({ code: "TASK_APPROVAL_CLOSED" });
  await expect(task.approve("req_0009")).rejects.toMatchObject({ code: "TASK_APPROVAL_UNKNOWN" });
});

test("one step at a time, stop, more budget and more to read", async () => {
  const { config, model } = scripted();
  const task = await new TaskAgent(config).startTask(new MemoryTaskWorkspace(), { goal: "Write", budgets: { max_steps: 2 } });
  expect((await task.stepOnce()).steps?.map(({ id }) => id)).toEqual(["gather-1"]);
  await task.stop();
  expect((await task.run()).finish_reason).toBe("stopped");
  await task.pushContext("The deadline is on Friday.");
  expect((await task.run()).finish_reason).toBe("budget_steps");
  await task.setBudgets({ max_steps: 20 });
  expect((await task.run()).finish_reason).toBe("completed");
  expect(JSON.stringify(model.calls[1]?.messages)).toContain("Friday");
});

test("only one runs a task, and a closed one can be taken up", async () => {
  const agent = new TaskAgent(scripted().config);
  const workspace = new MemoryTaskWorkspace();
  await expect(agent.resume(workspace)).rejects.toMatchObject({ code: "TASK_MISSING" });
  const task = await agent.startTask(workspace, "Write");
  await expect(agent.resume(workspace)).rejects.toMatchObject({ code: "TASK_IN_USE" });
  const running = task.run();
  await expect(task.run()).rejects.toMatchObject({ code: "TASK_BUSY" });
  task.close();
  await expect(running).rejects.toMatchObject({ code: "TASK_CLOSED" });
  await expect(task.run()).rejects.toMatchObject({ code: "TASK_CLOSED" });
  await expect(agent.startTask(workspace, "Again")).rejects.toMatchObject({ code: "TASK_EXISTS" });
  const again = await new TaskAgent(scripted().config).resume(workspace);
  expect((await again.run()).finish_reason).toBe("completed");
  again.close();
});

test("the task that the tests of the program take over goes on in a page too", async () => {
  const exported = readFileSync(new URL("../../fixtures/tasks/begun-in-a-page.json", import.meta.url), "utf8");
  const workspace = new MemoryTaskWorkspace();
  await importWorkspace(workspace, exported);
  const task = await new TaskAgent(scripted(script.slice(2)).config).resume(workspace);
  expect((await task.run()).finish_reason).toBe("completed");
  const starts = task.getSnapshot().events.filter(({ type }) => type === "phase.start");
  expect(starts.map(({ step }) => step)).toEqual(["gather-1", "plan-1", "act-1-s1", "verify-1"]);
});

/** Lets so many writes through; what comes after is never heard of again, as in a page that has died. */
class DyingWorkspace extends MemoryTaskWorkspace {
  left: number;
  moment: "before" | "after";
  readonly died: Promise<void>;
  #die!: () => void;
  written = 0;

  constructor(left: number, moment: "before" | "after") {
    super({ "task/brief.md": "One page." });
    this.left = left;
    this.moment = moment;
    this.died = new Promise((die) => {
      this.#die = die;
    });
  }

  /** The lock of a page that has died is free. */
  override async lease(): Promise<() => void> {
    return () => {};
  }

  async #through(write: () => Promise<void>): Promise<void> {
    this.written++;
    if (this.left-- > 0) return write();
    if (this.left === -1 && this.moment === "after") await write();
    this.#die();
    return new Promise(() => {});
  }

  override write(path: string, content: string | Uint8Array): Promise<void> {
    return this.#through(() => super.write(path, content));
  }

  override append(path: string, content: string): Promise<void> {
    return this.#through(() => super.append(path, content));
  }
}

test("a task that dies at any of its writes comes to the same events and the same files", async () => {
  const whole = new DyingWorkspace(Number.POSITIVE_INFINITY, "after");
  const expected = await finished(whole);
  expect(whole.written).toBeGreaterThan(30);
  for (let at = 0; at < whole.written; at++) {
    for (const moment of ["before", "after"] as const) {
      const workspace = new DyingWorkspace(at, moment);
      expect(await finished(workspace), `death ${moment} write ${at}`).toEqual(expected);
    }
  }
});

/** Runs a task to its end, in a second life if its workspace dies; gives its events and its files without times. */
async function finished(workspace: DyingWorkspace): Promise<unknown> {
  const answers = [...script];
  const asked = new Map<string, (typeof script)[number]>();
  const model = scripted([]).model;
  // The same question has the same answer in each life.
  model.prompt = async (request, notify, signal) => {
    const last = JSON.stringify(
      request.messages.map(({ text, tool_calls, tool_results }) => [text, tool_calls, tool_results?.length]),
    );
    if (!asked.has(last)) asked.set(last, answers.shift() ?? "");
    const own = scripted([asked.get(last) ?? ""]).model;
    return own.prompt(request, notify, signal);
  };
  const agent = new TaskAgent({ id: "researcher", createModel: () => model, approvals: "automatic", pollMs: 5 });
  let task: GloveTask | undefined;
  const life = async () => {
    task = await agent.startTask(workspace, { goal: "Write", id: "task-1" });
    await task.run();
  };
  const first = life();
  first.catch(() => {});
  await Promise.race([first, workspace.died]);
  // Its page is gone, and with it all that it had.
  task?.close();
  workspace.left = Number.POSITIVE_INFINITY;
  const second = await agent.resume(workspace).catch(() => agent.startTask(workspace, { goal: "Write", id: "task-1" }));
  if (second.getSnapshot().state.status !== "finished") await second.run();
  const events = second.getSnapshot().events.map(plain);
  const files = (await workspace.list("progress")).map(({ path }) => path).sort();
  const brief = await text(workspace, "progress/artifacts/brief.md");
  second.close();
  return { events, files, brief };
}

test("a task that is closed in the middle of a write keeps others away until the write is done", async () => {
  const { config } = scripted();
  const agent = new TaskAgent(config);
  const workspace = new MemoryTaskWorkspace();
  const write = workspace.write.bind(workspace);
  const task = await agent.startTask(workspace, "Write");
  let finish = () => {};
  const begun = new Promise<void>((began) => {
    workspace.write = async (path, content) => {
      began();
      await new Promise<void>((done) => {
        finish = done;
      });
      return write(path, content);
    };
  });
  const running = task.run();
  await begun;
  task.close();
  await expect(running).rejects.toMatchObject({ code: "TASK_CLOSED" });
  await expect(agent.resume(workspace)).rejects.toMatchObject({ code: "TASK_IN_USE" });
  workspace.write = write;
  finish();
  await vi.waitFor(async () => {
    const again = await agent.resume(workspace);
    expect((await again.run()).finish_reason).toBe("completed");
    again.close();
  });
});

test("a request can be decided as soon as a snapshot shows it", async () => {
  const { config } = scripted();
  const task = await new TaskAgent({ ...config, approvals: "strict" }).startTask(new MemoryTaskWorkspace(), "Write");
  const asked = new Set<string>();
  const refused: unknown[] = [];
  task.subscribe(({ state }) => {
    for (const { id } of state.pending) {
      if (asked.has(id)) continue;
      asked.add(id);
      task.approve(id).catch((error) => {
        refused.push(error);
        void task.stop();
      });
    }
  });
  const { finish_reason } = await task.run();
  expect([refused, finish_reason]).toEqual([[], "completed"]);
  expect(asked.size).toBe(2);
  task.close();
});

test("a model that says nothing after a stop is waited for as long as `stopGraceMs`, and the reason of the stop stands in the journal", async () => {
  const model = createScriptedModel([{ until: new Promise(() => {}) }]);
  const agent = new TaskAgent({ createModel: () => model, pollMs: 5, stopGraceMs: 20 });
  const task = await agent.startTask(new MemoryTaskWorkspace(), "Write the brief");
  const running = task.run();
  await vi.waitUntil(() => model.calls.length === 1, { timeout: 10_000, interval: 5 });
  const began = performance.now();
  await task.stop("enough for today");
  expect(await running).toMatchObject({ status: "paused", finish_reason: "stopped" });
  expect(performance.now() - began).toBeLessThan(2_000);
  expect(task.getSnapshot().events.at(-1)).toMatchObject({ type: "task.stop", message: "enough for today" });
  task.close();
  for (const stopGraceMs of [-1, 1.5, "5"]) {
    expect(() => new TaskAgent({ endpoint: "/api", stopGraceMs: stopGraceMs as number })).toThrow(
      expect.objectContaining({ code: "CONFIG_INVALID" }),
    );
  }
});

test("a loop of the application gives the steps, also after it was taken up, and a tool can be registered later", async () => {
  const views: TaskLoopView[] = [];
  const loop: TaskLoop = {
    name: "triage",
    version: "2",
    next: (view) => {
      views.push(view);
      const steps = [
        { name: "sort", instructions: "Sort the mails.", tools: ["count"] },
        { name: "check", output: "verdict" as const },
      ];
      return steps[view.steps.length];
    },
  };
  const model = createScriptedModel([{ toolCalls: [{ name: "count", id: "c1", input: {} }] }, "Sorted.", '{"pass": true}']);
  const agent = new TaskAgent({ createModel: () => model, pollMs: 5, loop });
  const count = vi.fn(() => ({ status: "success" as const, data: 3 }));
  agent.registerTool({
    name: "count",
    description: "Counts.",
    jsonSchema: { type: "object", properties: {} },
    do: count,
  } as never);
  const workspace = new MemoryTaskWorkspace();
  const task = await agent.startTask(workspace, { goal: "Answer my mails", ext: { ticket: 7 } });
  await task.stepOnce();
  task.close();
  const next = await agent.resume(workspace);
  const result = await next.run({ view: "full" });
  next.close();
  expect(result).toMatchObject({ finish_reason: "completed", loop_name: "triage", loop_version: "2", ext: { ticket: 7 } });
  expect(result.steps?.map(({ name, kind }) => [name, kind])).toEqual([
    ["sort", "custom:sort"],
    ["check", "custom:check"],
  ]);
  expect(count).toHaveBeenCalledTimes(1);
  expect(views[0]).toMatchObject({ goal: "Answer my mails", steps: [], ticked: [], round: 1, only_verify: false });
  expect(views.at(-1)).toMatchObject({ verdict: { pass: true } });
});

test.each<[string, TaskLoop["next"], string]>([
  [
    "throws",
    () => {
      throw new Error("no idea");
    },
    "no idea",
  ],
  ["gives a promise", (async () => undefined) as never, "must answer at once"],
  ["gives no step", () => 7 as never, "must be an object"],
  ["misspells a field", () => ({ name: "x", instruction: "y" }) as never, "Did you mean `instructions`?"],
  ["gives the same step for ever", () => ({ name: "", kind: "x" }), ""],
])("a loop that %s pauses the task with a code", async (_, next, message) => {
  const loop = { name: "odd", version: "1", next };
  const agent = new TaskAgent({ createModel: () => createScriptedModel(() => "Done."), pollMs: 5, loop });
  const result = await agent.doTask(new MemoryTaskWorkspace(), { goal: "x", budgets: { max_steps: 5 } });
  expect(result.status).toBe("paused");
  if (message) expect(result.error).toMatchObject({ code: "TASK_LOOP_INVALID", message: expect.stringContaining(message) });
});

test("a loop that is none is refused", () => {
  for (const loop of [{}, { name: "x", version: "1" }, { name: "x", version: 1, next: () => undefined }]) {
    expect(() => new TaskAgent({ endpoint: "/api", loop: loop as never })).toThrow(
      expect.objectContaining({ code: "CONFIG_INVALID" }),
    );
  }
});

test("an output that does not fit its schema is given again, and what a hand has broken is said when it is read", async () => {
  const output = taskOutput(z.object({ city: z.string(), price: z.number().optional() }));
  const give = (id: string, input: object) => ({ toolCalls: [{ name: "give_output", id, input }] });
  const answers = [
    "Found.",
    '{"steps": [{"title": "Choose"}]}',
    give("c1", { town: "x" }),
    give("c2", { city: "Leipzig" }),
    "Done.",
    '{"pass": true}',
  ];
  const { config, model } = scripted(answers);
  const agent = new TaskAgent({ ...config, tools: [output.tool], toolPhases: { give_output: ["act"] } });
  const workspace = new MemoryTaskWorkspace();
  expect(await output.read(workspace)).toBe(undefined);
  const result = await agent.doTask(workspace, "Choose a city");
  expect(result.deliverables?.map(({ path }) => path)).toEqual(["progress/artifacts/output.json"]);
  expect(result.warnings).toBe(undefined);
  expect(await output.read(workspace)).toEqual({ city: "Leipzig" });
  const refused = model.calls.flatMap(({ messages }) => messages.flatMap(({ tool_results }) => tool_results ?? []));
  expect(refused[0]?.result).toMatchObject({ status: "error", message: "TOOL_INPUT_INVALID" });
  for (const broken of ["{", '{"town": "x"}', "7"]) {
    await workspace.write("progress/artifacts/output.json", broken);
    await expect(output.read(workspace)).rejects.toMatchObject({ code: "TASK_OUTPUT_INVALID" });
  }
  // A schema that does not accept what it gives is found when it is used.
  const priced = taskOutput(z.object({ price: z.string().transform(Number) }));
  const second = scripted(["Found.", '{"steps": [{"title": "Choose"}]}', give("c1", { price: "3" }), "Done.", '{"pass": true}']);
  const other = new MemoryTaskWorkspace();
  const never = await new TaskAgent({ ...second.config, tools: [priced.tool], toolPhases: { give_output: ["act"] } }).doTask(
    other,
    "Choose",
  );
  // It ends without the value, and says so to whoever reads the result or the journal.
  expect(never.warnings).toEqual(["the task ended and never gave its value (progress/artifacts/output.json is missing)"]);
  expect(await text(other, "progress/events.ndjson")).toContain('"type":"output.missing"');
  expect(await priced.read(other)).toBe(undefined);
  expect(JSON.stringify(second.model.calls)).toContain("The output does not fit its schema: price");
});
