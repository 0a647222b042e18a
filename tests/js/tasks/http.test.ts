// Tasks over HTTP: the handler as a server has it, and the client that pages have.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTaskClient } from "glove-wasm/remote";
import { MemoryTaskWorkspace, TaskAgent, type TaskSpec } from "glove-wasm/tasks";
import { createTaskHandler, FolderTaskWorkspace, type TaskHandlerConfig } from "glove-wasm/tasks/server";
import { expect, test, vi } from "vitest";
import { serve } from "../../support/server.js";
import { scripted, workingModel } from "../../support/tasks.js";

const plans = { require_plan: true };

async function copyOf(workspace = new MemoryTaskWorkspace()): Promise<MemoryTaskWorkspace> {
  const copy = new MemoryTaskWorkspace();
  for (const folder of ["task", "progress"]) {
    for (const { path } of await workspace.list(folder)) {
      await copy.write(path, (await workspace.read(path)) as Uint8Array);
    }
  }
  return copy;
}

function served(
  more: Partial<TaskHandlerConfig> = {},
  approvals: "strict" | "permissive" | { require_plan: boolean } = "permissive",
) {
  const workspaces = new Map<string, MemoryTaskWorkspace>();
  const config: TaskHandlerConfig = {
    agent: () => new TaskAgent({ createModel: workingModel, pollMs: 5, approvals }),
    workspace: (id, owner) => {
      const key = `${owner}/${id}`;
      if (!workspaces.has(key)) workspaces.set(key, new MemoryTaskWorkspace());
      return workspaces.get(key) as MemoryTaskWorkspace;
    },
    pollMs: 10,
    ...more,
  };
  const handler = createTaskHandler(config);
  const requests: Request[] = [];
  const send = (input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(input, init);
    requests.push(request);
    return handler(request);
  };
  const clientOf = (headers: HeadersInit = {}) => createTaskClient({ url: "http://server/agent/tasks", headers, fetch: send });
  return { workspaces, handler, send, clientOf, client: clientOf(), requests };
}

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  new Request(`http://server/agent/${path}`, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { "content-type": "application/json", ...headers },
  });

test("a client begins a task, reads all its events once, and gets its result and its files", async () => {
  const { client, workspaces } = served();
  const seen: string[] = [];
  const result = await client.doTask(
    { goal: "Write the brief", files: { "task/brief.md": "One page.", "task/logo.png": { base64: "AAEC" } } },
    { view: "full", onEvent: ({ id }) => seen.push(id) },
  );
  expect(result).toMatchObject({ status: "finished", finish_reason: "completed" });
  expect(result.steps?.length).toBeGreaterThan(2);
  expect(seen).toEqual(seen.map((_, at) => `ev_${String(at + 1).padStart(6, "0")}`));
  const [[key, workspace] = ["", new MemoryTaskWorkspace()]] = workspaces;
  expect(await workspace.read("task/logo.png")).toEqual(new Uint8Array([0, 1, 2]));
  const id = key.slice(1);
  const file = await client.file(id, result.deliverables?.[0]?.path ?? "");
  expect(file.size).toBe(result.deliverables?.[0]?.size);
  await expect(client.file(id, "progress/state.json")).rejects.toMatchObject({ code: "TASK_FILE_MISSING", status: 404 });
  const events = [];
  for await (const event of client.events(id, { after: seen.at(-2) })) events.push(event.id);
  expect(events).toEqual(seen.slice(-1));
  for (const no of [client.resume(id), client.stop(id)]) {
    await expect(no).rejects.toMatchObject({ code: "TASK_FINISHED", status: 409 });
  }
  expect(await client.state(id)).toMatchObject({ task_id: id, status: "finished" });
});

test("the same over real connections, one of which is cut", async () => {
  const { handler, workspaces } = served({ heartbeatMs: 20 }, { require_plan: true });
  const routes = new Proxy({}, { get: (_, path) => (String(path).startsWith("/agent/tasks") ? handler : undefined) });
  const server = await serve("/", { routes });
  try {
    const leaving = new AbortController();
    const client = createTaskClient({ url: `${server.url}/agent/tasks` });
    const { id } = await client.startTask({ goal: "Write the brief", files: { "task/brief.md": "One page." } });
    let last = "";
    const reading = (async () => {
      for await (const event of client.events(id, { signal: leaving.signal })) {
        last = event.id;
        if (event.type === "approval.requested") leaving.abort();
      }
    })();
    await expect(reading).rejects.toMatchObject({ code: "ABORTED" });
    const [request] = (await client.state(id)).pending;
    await client.decide(id, request?.id ?? "", "approved");
    const more = [];
    for await (const event of client.events(id, { after: last })) more.push(event);
    expect(more[0]?.id).toBe(`ev_${String(Number(last.slice(3)) + 1).padStart(6, "0")}`);
    expect(more.at(-1)?.type).toBe("finish");
    const { deliverables = [] } = await client.result(id);
    expect(await (await client.file(id, deliverables[0]?.path ?? "")).text()).toBe("# Brief\n");
    expect(workspaces.size).toBe(1);
  } finally {
    await server.close();
  }
});

test("a plan waits for its approval, which is decided by a client, and the owner is told as who decided", async () => {
  const owner = (request: Request) => request.headers.get("x-user") ?? "";
  const { clientOf } = served({ owner }, { require_plan: true });
  const [ada, eve] = [clientOf({ "x-user": "ada" }), clientOf({ "x-user": "eve" })];
  const { id } = await ada.startTask("Write the brief");
  await vi.waitUntil(async () => (await ada.state(id)).pending.length > 0, { timeout: 10_000 });
  const { pending } = await ada.state(id);
  const request = pending[0]?.id ?? "";
  // Whose it is not finds nothing.
  for (const of of [eve.state(id), eve.result(id), eve.decide(id, request, "approved"), eve.stop(id), eve.resume(id)]) {
    await expect(of).rejects.toMatchObject({ code: "TASK_MISSING", status: 404 });
  }
  await expect(ada.decide(id, "req_0009", "approved")).rejects.toMatchObject({ code: "TASK_APPROVAL_UNKNOWN" });
  await ada.decide(id, request, "approved");
  await expect(ada.decide(id, request, "denied")).rejects.toMatchObject({ code: "TASK_APPROVAL_CLOSED" });
  const events = [];
  for await (const event of ada.events(id)) events.push(event);
  expect(events.some(({ data }) => Object(data).approved_by === "ada")).toBe(true);
  expect(await ada.result(id, "minimal")).toMatchObject({ status: "finished" });
});

test("`do` comes back with what waits for a person, is decided by the address without a task, and goes on", async () => {
  const { handler, client } = served({}, { require_plan: true });
  const left = await handler(post("tasks/do?view=minimal", { goal: "Write the brief" }));
  const { id, status, approvals } = (await left.json()) as { id: string; status: string; approvals: { id: string }[] };
  expect(status).toBe("waiting");
  const at = `approvals/${approvals[0]?.id}/decision`;
  expect((await handler(post(at, { decision: "approved" }))).status).toBe(400);
  expect((await handler(post(at, { decision: "approved", task_id: id }))).status).toBe(200);
  await client.resume(id);
  const types = [];
  for await (const { type } of client.events(id)) types.push(type);
  expect(types.at(-1)).toBe("finish");
});

test("a task whose steps are used up goes on with more of them, as far as the server gives them, and a stop is written first", async () => {
  const task = (wanted: TaskSpec) => ({
    ...wanted,
    budgets: { ...wanted.budgets, max_steps: Math.min(wanted.budgets?.max_steps ?? 50, 20) },
  });
  const { client, workspaces } = served({ task });
  const { id } = await client.startTask({ goal: "Write the brief", budgets: { max_steps: 2 } });
  const rests = async () => ["paused", "finished"].includes((await client.state(id)).status) && !(await client.state(id)).running;
  await vi.waitUntil(rests, { timeout: 10_000 });
  expect(await client.state(id)).toMatchObject({ status: "paused", finish_reason: "budget_steps" });
  const wrong = { budgets: { steps: 10 } as object };
  await expect(client.resume(id, wrong)).rejects.toMatchObject({ code: "REQUEST_INVALID", status: 400 });
  await client.resume(id, { budgets: { max_steps: 40 } });
  await vi.waitUntil(rests, { timeout: 10_000 });
  expect(await client.state(id)).toMatchObject({
    finish_reason: "completed",
    spec: { budgets: { max_steps: 20, refinements: 1 } },
  });
  expect(workspaces.size).toBe(1);

  const mean = served({ task: (wanted) => ({ ...wanted, budgets: { max_steps: 2 } }) });
  const { id: other } = await mean.client.startTask("Write the brief");
  await vi.waitUntil(
    async () => (await mean.client.state(other)).status === "paused" && !(await mean.client.state(other)).running,
  );
  const more = mean.client.resume(other, { budgets: { max_steps: 9 } });
  await expect(more).rejects.toMatchObject({ code: "TASK_BUDGET_REFUSED", status: 403 });

  const asking = served({}, { require_plan: true });
  const { id: waits } = await asking.client.startTask("Write the brief");
  await vi.waitUntil(async () => (await asking.client.state(waits)).status === "waiting");
  await asking.client.stop(waits, "too dear");
  const stop = await asking.workspaces.get(`/${waits}`)?.read("progress/STOP");
  expect(new TextDecoder().decode(stop)).toBe("too dear\n");
});

test("an id in a decision names a task of the caller, and never a path to the folder of another", async () => {
  const folder = mkdtempSync(join(tmpdir(), "glove-tasks-"));
  try {
    const { handler, clientOf } = served(
      {
        workspace: (id, owner) => new FolderTaskWorkspace(`${folder}/of-${encodeURIComponent(owner)}/${id}`),
        owner: (request) => request.headers.get("x-user") ?? "",
      },
      plans,
    );
    const [ada, eve] = [clientOf({ "x-user": "ada" }), clientOf({ "x-user": "eve" })];
    const { id } = await ada.startTask("Write the brief");
    await eve.startTask("Something else");
    await vi.waitUntil(async () => (await ada.state(id)).pending.length > 0, { timeout: 10_000 });
    for (const task_id of [`../of-ada/${id}`, `..\\of-ada\\${id}`, `${id}/../${id}`, "x".repeat(65), ""]) {
      const response = await handler(post("approvals/req_0001/decision", { decision: "approved", task_id }, { "x-user": "eve" }));
      expect([response.status, (await response.json()).error.code]).toEqual(
        task_id ? [404, "TASK_MISSING"] : [400, "REQUEST_INVALID"],
      );
    }
    expect((await ada.state(id)).pending).toHaveLength(1);
    await ada.decide(id, "req_0001", "approved");
    await vi.waitUntil(async () => (await ada.state(id)).status === "finished", { timeout: 10_000 });
    await Promise.allSettled([eve.stop((await eve.startTask("x")).id)]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("events are lines of JSON where they are asked for, and end at once without `follow`", async () => {
  const { handler, client } = served({}, { require_plan: true });
  const { id } = await client.startTask("Write the brief");
  await vi.waitUntil(async () => (await client.state(id)).status === "waiting", { timeout: 10_000 });
  const headers = { accept: "application/x-ndjson" };
  const response = await handler(new Request(`http://server/agent/tasks/${id}/events?follow=false`, { headers }));
  expect(response.headers.get("content-type")).toBe("application/x-ndjson");
  const lines = (await response.text()).trim().split("\n");
  expect(lines.map((line) => JSON.parse(line).type)).toContain("plan.proposed");
  await client.stop(id, "enough");
  await vi.waitUntil(async () => (await client.state(id)).status === "paused", { timeout: 10_000 });
  const all = async () => (await handler(new Request(`http://server/agent/tasks/${id}/events?follow=false`, { headers }))).text();
  const before = await all();
  expect(await client.result(id)).toMatchObject({ status: "paused", finish_reason: "stopped" });
  // Looking at it changed nothing.
  expect(await all()).toBe(before);
});

test("a client whose connection breaks off reads on after the last event that it has", async () => {
  const { client, send, requests } = served();
  const { id } = await client.startTask("Write the brief");
  let breaks = 3;
  const broken = createTaskClient({
    url: "http://server/agent/tasks",
    fetch: async (input, init) => {
      const response = await send(input, init);
      if (breaks-- <= 0 || !response.body) return response;
      const reader = response.body.getReader();
      let left = 2;
      const body = new ReadableStream({
        async pull(controller) {
          if (left-- === 0) return controller.error(new TypeError("network error"));
          const { value, done } = await reader.read();
          if (done) return controller.close();
          controller.enqueue(value);
        },
      });
      return new Response(body, response);
    },
  });
  const ids: string[] = [];
  for await (const event of broken.events(id)) ids.push(event.id);
  expect(ids).toEqual(ids.map((_, at) => `ev_${String(at + 1).padStart(6, "0")}`));
  const asked = requests.filter(({ url }) => url.endsWith("/events")).map(({ headers }) => headers.get("last-event-id"));
  expect(asked.slice(0, 3)).toEqual([null, "ev_000002", "ev_000004"]);
});

test("nothing is answered that `authorize` does not let through, and nothing at other addresses", async () => {
  const { handler } = served({ authorize: (request) => request.headers.has("authorization") });
  for (const path of ["tasks/do", "tasks/do/async", "tasks/x/stop", "tasks/x/resume", "tasks/x/upload", "approvals/x/decision"]) {
    expect((await handler(post(path, { goal: "x" }))).status).toBe(401);
  }
  for (const path of ["tasks/x", "tasks/x/events", "tasks/x/result", "tasks/x/file?path=a"]) {
    expect((await handler(new Request(`http://server/agent/${path}`))).status).toBe(401);
  }
  expect((await handler(new Request("http://server/agent/tasks/../x"))).status).toBe(404);
});

test("a task whose client leaves while it waits for the result stops, and can be resumed", async () => {
  const { handler, client, workspaces } = served({}, { require_plan: true });
  const leaving = new AbortController();
  leaving.abort();
  const request = post("tasks/do", { goal: "Write the brief" });
  Object.defineProperty(request, "signal", { value: leaving.signal });
  const response = await handler(request);
  // Its body was never read.
  expect(response.status).toBe(499);
  expect(workspaces.size).toBe(0);

  const later = new AbortController();
  const left = handler(new Request(post("tasks/do", { goal: "Write the brief" }), { signal: later.signal }));
  await vi.waitUntil(() => workspaces.size === 1, { timeout: 10_000 });
  later.abort();
  await left;
  const id = [...workspaces.keys()][0]?.slice(1) ?? "";
  expect(["paused", "waiting"]).toContain((await client.state(id)).status);
});

test("a slow reader of events is not written ahead of, and one that leaves ends the looking", async () => {
  const { handler, client, workspaces } = served();
  const result = await client.doTask("Write the brief");
  const workspace = workspaces.get(`/${result.task_id}`) as MemoryTaskWorkspace;
  const list = vi.spyOn(workspace, "list");
  const { body } = await handler(new Request(`http://server/agent/tasks/${result.task_id}/events`));
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const first = await reader.read();
  expect(new TextDecoder().decode(first.value)).toMatch(/^id: ev_000001\ndata: \{.*\}\n\n$/);
  await reader.cancel();
  const looks = list.mock.calls.length;
  await new Promise((go) => setTimeout(go, 60));
  expect(list.mock.calls.length).toBeLessThanOrEqual(looks + 2);
});

test("a server works on no more tasks than it may, those that wait for a person do not count, and `task` decides what starts", async () => {
  const task = vi.fn((wanted: object) => ({ ...wanted, goal: "Another goal" }));
  const { client, handler, clientOf } = served(
    { mostRunning: 1, task, owner: (request) => request.headers.get("x-user") ?? "" },
    plans,
  );
  const ids: string[] = [];
  for (let count = 0; count < 10; count++) {
    const { id } = await client.startTask("Write the brief");
    await vi.waitUntil(async () => (await client.state(id)).status === "waiting", { timeout: 10_000, interval: 5 });
    ids.push(id);
  }
  expect(task).toHaveBeenCalledWith({ goal: "Write the brief" }, "");
  const more = await handler(post("tasks/do/async", { goal: "x" }));
  expect([more.status, (await more.json()).error]).toMatchObject([429, { code: "TASK_LIMIT", retryable: true }]);
  await expect(clientOf({ "x-user": "eve" }).resume(ids[0] as string)).rejects.toMatchObject({ code: "TASK_MISSING" });
  await Promise.all(ids.map((id) => client.stop(id)));
  for (const id of ids) {
    await vi.waitUntil(async () => !(await client.state(id)).running, { timeout: 10_000, interval: 5 });
  }
});

test("of two who decide about a request at once, one is told that it is decided", async () => {
  const { client } = served({}, plans);
  const { id } = await client.startTask("Write the brief");
  await vi.waitUntil(async () => (await client.state(id)).pending.length > 0, { timeout: 10_000, interval: 5 });
  const deciding = Array.from({ length: 8 }, (_, at) => client.decide(id, "req_0001", at % 2 === 0 ? "approved" : "denied"));
  const ended = await Promise.allSettled(deciding);
  expect(ended.filter(({ status }) => status === "fulfilled").length).toBe(1);
  const codes = ended.flatMap((one) => (one.status === "rejected" ? [(one.reason as { code: string }).code] : []));
  expect(codes).toEqual(Array(7).fill("TASK_APPROVAL_CLOSED"));
});

test("a stop that meets a resume is not lost", async () => {
  let opened = () => {};
  let goOn = () => {};
  const isOpened = new Promise<void>((resolve) => {
    opened = resolve;
  });
  const mayGoOn = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const task = async (spec: TaskSpec) => {
    if (spec.budgets?.max_steps === 30) {
      opened();
      await mayGoOn;
    }
    return spec;
  };
  const { client, workspaces } = served({ task }, plans);
  const { id } = await client.startTask("Write the brief");
  const paused = async () => {
    const { status, running } = await client.state(id);
    return status === "paused" && !running;
  };
  await vi.waitUntil(async () => (await client.state(id)).status === "waiting", { timeout: 10_000, interval: 5 });
  await client.stop(id);
  await vi.waitUntil(paused, { timeout: 10_000, interval: 5 });
  const resuming = client.resume(id, { budgets: { max_steps: 30 } });
  // The task is open and its old STOP file still there when somebody stops it once more, with the same words.
  await isOpened;
  await client.stop(id);
  goOn();
  await resuming;
  await vi.waitUntil(paused, { timeout: 10_000, interval: 5 });
  expect((await client.state(id)).finish_reason).toBe("stopped");
  expect(await workspaces.get(`/${id}`)?.read("progress/STOP")).toBeDefined();
  // Who goes on now does not want it.
  await client.resume(id);
  await vi.waitUntil(async () => (await client.state(id)).status === "waiting", { timeout: 10_000, interval: 5 });
  await client.decide(id, "req_0001", "approved");
  await vi.waitUntil(async () => (await client.state(id)).status === "finished", { timeout: 10_000, interval: 5 });
});

test("the result of a task that nobody runs is read from its files, and its lease stays free", async () => {
  const { client, workspaces } = served({}, plans);
  const { id } = await client.startTask("Write the brief");
  await vi.waitUntil(async () => (await client.state(id)).status === "waiting", { timeout: 10_000, interval: 5 });
  await client.stop(id);
  await vi.waitUntil(async () => !(await client.state(id)).running, { timeout: 10_000, interval: 5 });
  const workspace = workspaces.get(`/${id}`) as MemoryTaskWorkspace;
  const release = await workspace.lease();
  expect(release).toBeTypeOf("function");
  // Somebody else runs it.
  expect(await client.result(id, "full")).toMatchObject({ status: "paused", finish_reason: "stopped" });
  expect((await client.state(id)).running).toBe(true);
  await expect(client.resume(id)).rejects.toMatchObject({ code: "TASK_IN_USE" });
});

test("events that their runner had no time to write are told from the state, and a reader that does not follow comes to an end", async () => {
  const { client, handler, workspaces } = served();
  const { task_id: id } = await client.doTask("Write the brief");
  const workspace = workspaces.get(`/${id}`) as MemoryTaskWorkspace;
  const text = async (path: string) => new TextDecoder().decode(await workspace.read(path));
  const all = async (query = "?follow=false") => {
    const response = await handler(
      new Request(`http://server/agent/tasks/${id}/events${query}`, { headers: { accept: "application/x-ndjson" } }),
    );
    return (await response.text()).trim().split("\n");
  };
  const told = await all();
  const lines = (await text("progress/events.ndjson")).trim().split("\n");
  const state = JSON.parse(await text("progress/state.json")) as object;
  await workspace.write("progress/events.ndjson", `${lines.slice(0, -1).join("\n")}\n{"id":"ev_0`);
  await workspace.write("progress/state.json", JSON.stringify({ ...state, outbox: [JSON.parse(lines.at(-1) as string)] }));
  expect(await all()).toEqual(told);
  expect(await all("")).toEqual(told);
  // One that is lost for good is none to wait for.
  await workspace.write("progress/state.json", JSON.stringify({ ...state, outbox: [] }));
  expect(await all("")).toEqual(told.slice(0, -1));
  // The state before it is as good.
  await workspace.write("progress/state.json", "{");
  expect((await client.state(id)).task_id).toBe(id);
  expect((await all()).length).toBeGreaterThan(2);
  await workspace.write("progress/state.previous.json", "{");
  for (const asked of [client.state(id), client.result(id)]) {
    await expect(asked).rejects.toMatchObject({ code: "TASK_STATE_BROKEN", status: 500 });
  }
});

test("`doTask` fails with a code when the server is started anew, and the task goes on with `resume`", async () => {
  const before = served({ heartbeatMs: 20 }, plans);
  const routes = new Proxy({}, { get: (_, path) => (String(path).startsWith("/agent/tasks") ? handler : undefined) });
  let { handler } = before;
  const server = await serve("/", { routes });
  try {
    const client = createTaskClient({ url: `${server.url}/agent/tasks` });
    let id = "";
    const done = client.doTask("Write the brief", {
      onEvent: ({ type }, of) => {
        id = of;
        if (type !== "approval.requested") return;
        // Another process has the same files, and nobody's lease.
        const copies = new Map<string, MemoryTaskWorkspace>();
        handler = served(
          {
            workspace: async (of, owner) => {
              const key = `${owner}/${of}`;
              const known = copies.get(key) ?? (await copyOf(before.workspaces.get(key)));
              copies.set(key, known);
              return known;
            },
          },
          plans,
        ).handler;
        server.cut();
      },
    });
    await expect(done).rejects.toMatchObject({ code: "TASK_INTERRUPTED", message: expect.stringContaining("resume") });
    expect(await client.state(id)).toMatchObject({ running: false, status: "waiting" });
    await client.resume(id);
    await client.decide(id, "req_0001", "approved");
    const types = [];
    for await (const { type } of client.events(id)) types.push(type);
    expect(types.at(-1)).toBe("finish");
  } finally {
    await server.close();
  }
});

/** Turns the clock until the promise has settled: requests between two turns take real time. */
async function whileTurning<T>(ms: number, promise: Promise<T>): Promise<T> {
  let settled = false;
  const watched = promise.finally(() => {
    settled = true;
  });
  watched.catch(() => {});
  await vi.waitUntil(() => vi.advanceTimersByTimeAsync(ms).then(() => settled), { timeout: 20_000, interval: 5 });
  return watched;
}

test("`doTask` does not wait for ever for a task whose files have failed", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const workspace = new MemoryTaskWorkspace();
  const write = workspace.write.bind(workspace);
  workspace.write = async (path, content) => {
    if (path.startsWith("progress/plan/")) throw new Error("the disk is full");
    return write(path, content);
  };
  const onError = vi.fn();
  const { client } = served({ workspace: () => workspace, onError });
  try {
    const done = client.doTask("Write the brief");
    const end = expect(done).rejects.toMatchObject({ code: "TASK_INTERRUPTED" });
    await whileTurning(15_000, end);
    expect(onError.mock.calls[0]?.[0]).toMatchObject({ message: "The disk is full" });
  } finally {
    vi.useRealTimers();
  }
});

test("a workspace that never answers ends a request after a minute, and no request of another task", async () => {
  const silent = new MemoryTaskWorkspace();
  const { client, send } = served({
    workspace: (id) => (id === "silent" ? silent : new MemoryTaskWorkspace()),
    onError: () => {},
  });
  vi.spyOn(silent, "read").mockReturnValue(new Promise(() => {}));
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    const asked = Promise.all(
      ["", "/events", "/result", "/files"].map((what) =>
        send(`http://server/agent/tasks/silent${what}`).then(({ status }) => status),
      ),
    );
    await expect(client.state("other")).rejects.toMatchObject({ code: "TASK_MISSING" });
    expect(await whileTurning(60_000, asked)).toEqual([500, 500, 500, 500]);
  } finally {
    vi.useRealTimers();
  }
});

test("what an application gets wrong is said when it makes a handler or a client", () => {
  const agent = new TaskAgent(scripted().config);
  const workspace = () => new MemoryTaskWorkspace();
  for (const config of [
    undefined,
    {},
    { agent },
    { workspace },
    { agent, workspace, authorise: () => true },
    { agent, workspace, pollMs: -1 },
  ]) {
    expect(() => createTaskHandler(config as never)).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
  }
  expect(() => createTaskClient({} as never)).toThrow(expect.objectContaining({ code: "CLIENT_CONFIG" }));
});

test("pages of other origins change nothing, also where nobody has to sign in", async () => {
  const { handler, client } = served();
  const { id } = await client.startTask("A page about bees");
  const ask = (headers: Record<string, string>, what = "stop") =>
    handler(new Request(`http://server/agent/tasks/${id}/${what}`, { method: "POST", headers }));
  for (const headers of [
    { "sec-fetch-site": "cross-site", origin: "https://evil.example" },
    { "sec-fetch-site": "same-site", origin: "http://other.server" },
    { origin: "https://evil.example" },
    { origin: "http://server.evil.example" },
    { origin: "null" },
  ]) {
    for (const what of ["stop", "resume"]) {
      const response = await ask(headers as Record<string, string>, what);
      expect(response.status, JSON.stringify(headers)).toBe(403);
      expect(await response.json()).toMatchObject({ error: { code: "FORBIDDEN" } });
    }
  }
  for (const headers of [{}, { "sec-fetch-site": "same-origin", origin: "https://behind.proxy" }, { origin: "http://server" }]) {
    expect([200, 409]).toContain((await ask(headers as Record<string, string>)).status);
  }
});

test("those that `cors` names may, and who signs in with a header", async () => {
  const from = { "sec-fetch-site": "cross-site", origin: "https://app.example" };
  for (const [more, headers, status] of [
    [{ cors: "https://app.example" }, from, 404],
    [{ cors: "https://other.example" }, from, 403],
    [{ authorize: () => true }, from, 403],
    [{ authorize: () => true }, { ...from, authorization: "Bearer x" }, 404],
    // An old browser behind a proxy: who signs in is for `authorize` to know.
    [{ authorize: () => true }, { origin: "https://app.example" }, 404],
  ] as const) {
    const { handler } = served(more);
    const response = await handler(new Request("http://server/agent/tasks/unknown/stop", { method: "POST", headers }));
    expect(response.status, JSON.stringify([more, headers])).toBe(status);
  }
});
