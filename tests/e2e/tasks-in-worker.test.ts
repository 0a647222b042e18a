// A task in a worker of a page in Chromium: its files are the origin's, a page watches and decides, and another worker goes on with it.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser } from "../support/browser.js";
import { inPage, servePackage, withProfile } from "../support/pages.js";
import type { Served } from "../support/server.js";

/** What a module of the application would be: the agent, and the task that it is told of. */
const worker = `
import { IndexedDBMemory, openTaskWorkspace, TaskAgent } from "/pkg/tasks/index.js";
import { sandboxExec } from "/pkg/tools/index.js";

const code = "await files.write('progress/artifacts/brief.md', '# ' + (await files.read('task/brief.md'))); return 1";
const answerTo = ({ messages, tools = [] }) => {
  if (messages.at(-1).tool_results) return { text: "Written." };
  const { text } = messages.at(-1);
  if (text.includes("Phase: act.")) return { text: "", tool_calls: [{ tool_name: "sandbox_exec", id: "c1", input_args: { code } }] };
  if (text.includes("Phase: plan.")) return { text: '{"objective": "A brief", "steps": [{"title": "Write it"}]}' };
  return { text: text.includes("Phase: verify.") ? '{"pass": true}' : "One page is wanted." };
};
const read = [];
const agent = new TaskAgent({
  id: "researcher",
  createModel: () => ({
    name: "by-question",
    setSystemPrompt() {},
    prompt: async (request) => {
      read.push(request.messages.map(({ text }) => text));
      return { messages: [{ sender: "agent", ...answerTo(request) }], tokens_in: 1, tokens_out: 1 };
    },
  }),
  memory: new IndexedDBMemory(),
  memoryView: [{ kind: "agent", learns: true }],
  tools: [sandboxExec({ mounts: { task: "read", "progress/artifacts": "write" } })],
  toolPhases: { sandbox_exec: ["act"] },
  approvals: { require_plan: true },
});

addEventListener("message", async ({ data: { id, goal } }) => {
  try {
    if (goal) await (await openTaskWorkspace(id)).write("task/brief.md", "Whales");
    const task = goal
      ? await agent.startTask(id, { goal, seed_from_sessions: ["chat"] })
      : await agent.resume(id);
    const { finish_reason, deliverables } = await task.run();
    const kind = task.workspace.constructor.name;
    task.close();
    const learned = (await agent.recall({ kind: "agent", id: "researcher" }, "brief")).map(({ title }) => title);
    postMessage({ finish_reason, made: deliverables.map(({ path, size }) => [path, size]), kind, read, learned });
  } catch (error) {
    postMessage({ code: error.code, message: error.message });
  }
});
postMessage("ready");
`;

let browser: Browser;
let server: Served;
beforeAll(async () => {
  [browser, server] = [await openBrowser(), await servePackage({ "/worker.js": worker })];
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

const start = `
  const { openTaskWorkspace, watchTask } = await import(new URL("/pkg/tasks/index.js", document.baseURI));
  const started = async (told) => {
    const worker = new Worker("/worker.js", { type: "module" });
    const next = () => new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = (event) => reject(new Error(event.message));
    });
    await next();
    worker.postMessage(told);
    return { worker, ends: next() };
  };`;

test("a task runs in a worker, a page approves its plan, and a second worker goes on when the first one is gone", () =>
  withProfile(browser, server, async ({ open }) => {
    const page = await open();
    const { watched, again } = await inPage<{ watched: unknown; again: Record<string, unknown> }>(
      page,
      `const client = new GloveClient({ createModel: () => createScriptedModel(["Plain."]) });
       await client.session("chat").sendMessage("Which tone?");
       ${start}
       const first = await started({ id: "in-worker", goal: "Write a brief" });
       const watch = watchTask(await openTaskWorkspace("in-worker"));
       const seen = (fits) => new Promise((resolve) => {
         const look = () => fits(watch.getSnapshot()) && (undo(), resolve(watch.getSnapshot()));
         const undo = watch.subscribe(look);
         look();
       });
       const failed = first.ends.then((end) => Promise.reject(new Error(JSON.stringify(end))));
       const waits = await Promise.race([seen(({ state }) => state?.pending.length), failed]);
       const watched = [waits.leased, waits.state.pending[0].type];
       first.worker.terminate();
       await seen(({ leased }) => !leased);
       await watch.approve(waits.state.pending[0].id, "ada@example.com");
       const second = await started({ id: "in-worker" });
       const again = await second.ends;
       second.worker.terminate();
       return { watched, again };`,
    );
    expect(watched).toEqual([true, "plan"]);
    expect(again).toMatchObject({
      finish_reason: "completed",
      made: [["progress/artifacts/brief.md", 8]],
      kind: "DirectoryTaskWorkspace",
      learned: ["Write a brief"],
    });
    for (const texts of again.read as string[][]) expect(texts.join("\n")).toContain("Which tone?\nPlain.");
  }));
