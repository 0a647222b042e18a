// Tasks in Chromium: their files in the origin's private file system, one runner in all tabs, and pages that die at each write.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser } from "../support/browser.js";
import { isLong } from "../support/long.js";
import { inPage, type Profile, servePackage, withProfile } from "../support/pages.js";
import type { Served } from "../support/server.js";

let browser: Browser;
let server: Served;
beforeAll(async () => {
  [browser, server] = [await openBrowser(), await servePackage()];
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

/** `agent()` answers by what it is asked, so that a second life gets what the first one would have got. */
const application = `
  const tasks = await import(new URL("/pkg/tasks/index.js", document.baseURI));
  const { TaskAgent, openTaskWorkspace, exportWorkspace, importWorkspace } = tasks;
  const call = { tool_name: "fs_write", id: "c1", input_args: { path: "progress/artifacts/brief.md", content: "# Brief" } };
  const answerTo = ({ messages, tools = [] }) => {
    if (messages.at(-1).tool_results) return { text: "Written." };
    if (tools.some(({ name }) => name === "fs_write")) return { text: "", tool_calls: [call] };
    if (tools.length === 0) return { text: '{"objective": "A brief", "steps": [{"title": "Write it"}]}' };
    return { text: /"pass"/.test(messages.at(-1).text) ? '{"pass": true}' : "One page is wanted." };
  };
  const model = () => ({
    name: "by-question",
    setSystemPrompt() {},
    prompt: async (request) => ({ messages: [{ sender: "agent", ...answerTo(request) }], tokens_in: 1, tokens_out: 1 }),
  });
  const agent = (more) => new TaskAgent({ createModel: model, approvals: "automatic", pollMs: 60_000, ...more });
  const plain = ({ timestamp, ...event }) =>
    JSON.stringify(event).replace(/\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z/g, "").replace(/"duration_ms":\\d+/g, "");
  const endOf = async (workspace, task) => ({
    events: task.getSnapshot().events.map(plain),
    files: (await workspace.list("progress")).map(({ path }) => path).sort(),
    brief: new TextDecoder().decode(await workspace.read("progress/artifacts/brief.md")),
  });
  const spec = (id) => ({ goal: "Write a brief", id: "task" });
`;

const run = <T>(page: Page, body: string) => inPage<T>(page, `${application} ${body}`);

const whole = (page: Page, id: string) =>
  run<{ writes: number; end: unknown }>(
    page,
    `const workspace = await openTaskWorkspace("${id}");
     let writes = 0;
     const counted = new Proxy(workspace, { get: (of, name) => {
       if (name === "write" || name === "append") writes++;
       return typeof of[name] === "function" ? of[name].bind(of) : of[name];
     } });
     const task = await agent().startTask(counted, spec());
     await task.run();
     const end = await endOf(workspace, task);
     task.close();
     return { writes, end };`,
  );

const profile = (work: (profile: Profile) => Promise<void>) => withProfile(browser, server, work);

test("a task keeps its files in the page's private file system, and goes on in another page", () =>
  profile(async ({ open }) => {
    const first = await open();
    const before = await run<string[]>(
      first,
      `const task = await agent().startTask("brief", spec());
       await task.stepOnce();
       return [task.workspace.constructor.name, task.getSnapshot().state.phase];`,
    );
    expect(before).toEqual(["DirectoryTaskWorkspace", "gather"]);
    const second = await open();
    const inUse = await run<string>(second, `return agent().resume("brief").catch((error) => error.code);`);
    expect(inUse).toBe("TASK_IN_USE");
    await first.close();
    const ended = await run<unknown>(
      second,
      `const task = await agent().resume("brief");
       const { finish_reason, deliverables } = await task.run();
       task.close();
       return { finish_reason, paths: deliverables.map(({ path }) => path), ids: await tasks.listTaskWorkspaces() };`,
    );
    expect(ended).toEqual({ finish_reason: "completed", paths: ["progress/artifacts/brief.md"], ids: ["brief"] });
    const gone = await run<unknown>(second, `await tasks.deleteTaskWorkspace("brief"); return tasks.listTaskWorkspaces();`);
    expect(gone).toEqual([]);
  }));

test("a workspace that was only looked at, or whose goal was refused, leaves nothing behind", () =>
  profile(async ({ open }) => {
    const ids = await run<unknown>(
      await open(),
      `const codes = await Promise.all([
         agent().resume("unknown"), agent().startTask("refused", { goal: " " }),
       ].map((started) => started.then(() => "begun", (error) => error.code)));
       return [...codes, await tasks.listTaskWorkspaces()];`,
    );
    expect(ids).toEqual(["TASK_MISSING", "TASK_GOAL_INVALID", []]);
  }));

test("private files that cannot be opened for once are an error, and no other tasks", () =>
  profile(async ({ open }) => {
    const page = await open();
    const told = await run<unknown>(
      page,
      `(await agent().startTask("kept", spec())).close();
       const real = navigator.storage.getDirectory;
       navigator.storage.getDirectory = () => Promise.reject(new DOMException("busy", "UnknownError"));
       const code = await tasks.openTaskWorkspace("kept").then(() => "opened", (error) => error.code);
       navigator.storage.getDirectory = real;
       return [code, await tasks.listTaskWorkspaces()];`,
    );
    expect(told).toEqual(["TASK_WORKSPACE_FAILED", ["kept"]]);
  }));

test("a page that dies at any write, before, during or after it, comes to the same events and files", () =>
  profile(async ({ open }) => {
    let page = await open();
    const { writes, end } = await whole(page, "whole");
    expect(writes).toBeGreaterThan(30);
    const all = Array.from({ length: writes }, (_, at) => {
      const moment = ["before", "during", "after"][at % 3];
      return [`die-${at + 1}-${moment}`, at + 1, moment] as const;
    });
    // What each costs grows with all: half of them are a quarter of the wait, with each moment among them as often.
    const points = all.filter((_, at) => isLong || at % 2 === 0);
    const frozen = await run<number>(
      page,
      `const folderOf = async (id, names) => {
         let folder = await (await (await navigator.storage.getDirectory()).getDirectoryHandle("glove-tasks")).getDirectoryHandle(id);
         for (const name of names) folder = await folder.getDirectoryHandle(name, { create: true });
         return folder;
       };
       const begun = async (id, path, content) => {
         const names = path.split("/");
         const folder = await folderOf(id, names.slice(0, -1));
         const writer = await (await folder.getFileHandle(names.at(-1), { create: true })).createWritable();
         await writer.write(content.slice(0, 5));
       };
       const dying = (id, workspace, n, moment, frozen) => {
         let left = n;
         const through = (method) => async (path, content) => {
           if (--left > 0) return workspace[method](path, content);
           if (left === 0 && moment === "after") await workspace[method](path, content);
           if (left === 0 && moment === "during") await begun(id, path, content);
           frozen(true);
           return new Promise(() => {});
         };
         return new Proxy(workspace, { get: (of, name) => {
           if (name === "write" || name === "append") return through(name);
           return typeof of[name] === "function" ? of[name].bind(of) : of[name];
         } });
       };
       const lives = ${JSON.stringify(points)}.map(([id, n, moment]) => new Promise(async (frozen) => {
         const workspace = dying(id, await openTaskWorkspace(id), n, moment, frozen);
         const task = await agent().startTask(workspace, spec());
         task.run().then(() => frozen(false));
       }));
       return (await Promise.all(lives)).filter(Boolean).length;`,
    );
    // How often a step says how far it is depends on time: a few of the last points may not come.
    expect(frozen).toBeGreaterThan(points.length * 0.9);
    await page.close();
    page = await open();
    const ends = await run<[string, unknown][]>(
      page,
      `return Promise.all(${JSON.stringify(points.map(([id]) => id))}.map(async (id) => {
         const task = await agent().resume(id).catch((error) => {
           if (error.code !== "TASK_MISSING") throw new Error(id + ": " + error.message);
           return agent().startTask(id, spec());
         });
         if (task.getSnapshot().state.status !== "finished") await task.run();
         return [id, await endOf(task.workspace, task)];
       }));`,
    );
    expect(ends.filter(([, found]) => JSON.stringify(found) !== JSON.stringify(end))).toEqual([]);
    expect(ends).toHaveLength(points.length);
  }));

test("an empty artifact is a file, also in the private file system", () =>
  profile(async ({ open }) => {
    const found = await run<unknown>(
      await open(),
      `const workspace = await openTaskWorkspace("empty");
       await workspace.write("progress/artifacts/.gitkeep", "");
       await workspace.write("progress/plan/current.json", "");
       return [await workspace.list("progress"), (await workspace.read("progress/artifacts/.gitkeep"))?.length];`,
    );
    expect(found).toEqual([[{ path: "progress/artifacts/.gitkeep", size: 0 }], 0]);
  }));

test("a browser that cannot write to private files keeps them in its database", () =>
  profile(async ({ open }) => {
    const page = await open("delete FileSystemFileHandle.prototype.createWritable;");
    const ended = await run<unknown>(
      page,
      `const task = await agent().startTask("brief", spec());
       const { finish_reason } = await task.run();
       const end = await endOf(task.workspace, task);
       task.close();
       const text = await exportWorkspace(task.workspace);
       const again = await openTaskWorkspace("copy");
       await importWorkspace(again, text);
       const copied = await agent().resume(again);
       const ids = [...await tasks.listTaskWorkspaces()].sort();
       await tasks.deleteTaskWorkspace("brief");
       return {
         kind: task.workspace.constructor.name, finish_reason, brief: end.brief,
         copied: copied.getSnapshot().state.status, ids, left: await tasks.listTaskWorkspaces(),
       };`,
    );
    expect(ended).toEqual({
      kind: "IndexedDBTaskWorkspace",
      finish_reason: "completed",
      brief: "# Brief",
      copied: "finished",
      ids: ["brief", "copy"],
      left: ["copy"],
    });
  }));

test("what an agent remembers is kept in the browser's database, found by its words, and shared by its tabs", () =>
  profile(async ({ open }) => {
    const remembering = `
      const { IndexedDBMemory } = tasks;
      const memory = new IndexedDBMemory();
      const remembers = agent({ id: "researcher", memory, memoryView: [{ kind: "agent", learns: true }, { kind: "user" }] });
      const ada = { kind: "user", id: "ada" };
      const ids = async (...asked) => (await remembers.recall(...asked)).map(({ id }) => id);
    `;
    const first = await open();
    const before = await run<unknown>(
      first,
      `${remembering}
       await remembers.remember(ada, { id: "tone", title: "Tone", text: "Plain words.", pinned: true });
       await remembers.remember(ada, { id: "a", text: "The report is about the café and the sea" });
       await remembers.remember(ada, { id: "b", text: "The sea the sea the report" });
       await remembers.remember({ kind: "user", id: "ad" }, { id: "c", text: "sea of somebody else" });
       await remembers.doTask("remembered", { ...spec(), user_id: "ada" });
       return {
         words: await ids(ada, "CAFE sea"),
         most: await ids(ada, "sea", { most: 1 }),
         pinned: await ids(ada, "", { pinned: true }),
         none: await ids(ada, "whales"),
         others: await ids({ kind: "user", id: "ad" }, "sea"),
         learned: await ids({ kind: "agent", id: "" }, "brief"),
       };`,
    );
    expect(before).toEqual({ words: ["a", "b"], most: ["b"], pinned: ["tone"], none: [], others: ["c"], learned: ["task-task"] });
    const second = await open();
    const after = await run<unknown>(
      second,
      `${remembering}
       const found = await ids(ada, "sea");
       await remembers.remember(ada, { id: "b", text: "The mountains" });
       const gone = [await remembers.forget(ada, "a"), await remembers.forget(ada, "a")];
       const embed = async (texts) => texts.map((text) => [/sea|whale/.test(text) ? 1 : 0, /rock|mountain/.test(text) ? 1 : 0]);
       const meaning = new IndexedDBMemory("glove-meaning", { embed, mostVectors: 1 });
       await meaning.put(ada, { id: "m", text: "high mountains" });
       await meaning.put(ada, { id: "w", text: "large whales" });
       const near = await meaning.query(ada, { name: "x", text: "what lives in the sea", top_k: 1, pinned: false });
       const far = await meaning.query(ada, { name: "x", text: "rock", top_k: 1, pinned: false });
       return [found, gone, await ids(ada, "sea"), await ids(ada, "mountains report"), near.map(({ id }) => id), far];`,
    );
    expect(after).toEqual([["b", "a"], [true, false], [], ["b"], ["w"], []]);
  }));
