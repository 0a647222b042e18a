// The folder of a task in Node: whole files, no way out, and the lock of the program.
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, open, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TaskAgent } from "glove-wasm/tasks";
import { FolderTaskWorkspace } from "glove-wasm/tasks/server";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { workingModel } from "../../support/tasks.js";

let base: string;
let count = 0;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "glove-folder-"));
});
afterAll(() => rm(base, { recursive: true, force: true }));

const place = () => join(base, String(++count));
const agent = (more = {}) => new TaskAgent({ createModel: workingModel, pollMs: 5, ...more });

test("a task runs in a folder, whose files are as the program writes them, and is taken up by another object", async () => {
  const folder = place();
  await mkdir(join(folder, "task"), { recursive: true });
  await writeFile(join(folder, "task/brief.md"), "One page.");
  const task = await agent({ approvals: { require_plan: true } }).startTask(new FolderTaskWorkspace(folder), "Write the brief");
  expect((await task.run({ leaveWhenWaiting: true })).status).toBe("waiting");
  const other = new FolderTaskWorkspace(`${folder}/../${count}`);
  expect(await other.leased()).toBe(true);
  await expect(agent().resume(other)).rejects.toMatchObject({ code: "TASK_IN_USE" });
  task.close();
  const next = await agent().resume(other);
  await next.approve("req_0001");
  expect(await next.run()).toMatchObject({ finish_reason: "completed" });
  next.close();
  expect(await readFile(join(folder, "progress/artifacts/brief.md"), "utf8")).toBe("# Brief\n");
  expect(JSON.parse(await readFile(join(folder, "progress/state.json"), "utf8"))).toMatchObject({ status: "finished" });
  const listed = (await other.list("progress")).map(({ path }) => path);
  expect(listed.filter((path) => /\.lock|\.glove-/.test(path))).toEqual([]);
  expect(await new FolderTaskWorkspace(folder).leased()).toBe(false);
});

test("the lock is the operating system's: others respect it, and it goes with a process that dies", async () => {
  const folder = place();
  const workspace = new FolderTaskWorkspace(folder);
  const release = await workspace.lease();
  const lock = join(folder, "progress/.lock");
  const flock = (...what: string[]) =>
    new Promise<number>((resolve) => spawn("flock", ["-n", lock, ...what]).once("exit", (code) => resolve(code ?? -1)));
  expect(await flock("true")).toBe(1);
  release?.();
  expect(await workspace.leased()).toBe(false);
  const script = `
    const { FolderTaskWorkspace } = await import("glove-wasm/tasks/server");
    await new FolderTaskWorkspace(${JSON.stringify(folder)}).lease();
    console.log("held");
    setInterval(() => {}, 1000);`;
  const holder = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  await new Promise((held) => holder.stdout.once("data", held));
  expect(await workspace.leased()).toBe(true);
  expect(await workspace.lease()).toBe(undefined);
  const died = new Promise((gone) => holder.once("exit", gone));
  holder.kill("SIGKILL");
  await died;
  await expect.poll(() => workspace.leased(), { timeout: 10_000 }).toBe(false);
});

test("no path and no link leads out of the folder, and where the task works no link is followed", async () => {
  const folder = place();
  const outside = join(base, "secret.txt");
  await writeFile(outside, "secret");
  const workspace = new FolderTaskWorkspace(folder);
  await workspace.write("progress/notes.md", "Mind the gap.");
  for (const path of ["../secret.txt", "task/../../secret.txt", "/etc/passwd", "task/a\\b", ""]) {
    await expect(workspace.read(path), path).rejects.toMatchObject({ code: "TASK_PATH_INVALID" });
    await expect(workspace.write(path, "x"), path).rejects.toMatchObject({ code: "TASK_PATH_INVALID" });
  }
  await symlink(outside, join(folder, "task/link.txt"));
  await symlink(base, join(folder, "task/away"));
  await mkdir(join(folder, "progress/approvals/decisions"), { recursive: true });
  await mkdir(join(folder, "progress/artifacts"), { recursive: true });
  await symlink("../approvals/decisions", join(folder, "progress/artifacts/in"));
  for (const path of ["task/link.txt", "task/away/secret.txt", "progress/artifacts/in/req_0001.json"]) {
    await expect(workspace.read(path), path).rejects.toMatchObject({ code: "TASK_WORKSPACE_FAILED" });
    await expect(workspace.write(path, "x"), path).rejects.toMatchObject({ code: "TASK_WORKSPACE_FAILED" });
  }
  expect(await readFile(outside, "utf8")).toBe("secret");
  expect((await workspace.list("task")).map(({ path }) => path)).toEqual([]);
  await expect(workspace.read("progress/artifacts")).rejects.toThrow("not a regular file");
  expect(await workspace.read("progress/none.md")).toBe(undefined);
  expect(await workspace.read("progress/notes.md/none")).toBe(undefined);
});

test("a write that fails leaves the old content and nothing beside it", async () => {
  const folder = place();
  const workspace = new FolderTaskWorkspace(folder);
  await workspace.write("progress/a.bin", new Uint8Array([0, 255]));
  expect(await workspace.read("progress/a.bin")).toEqual(new Uint8Array([0, 255]));
  await workspace.append("progress/log.txt", "a\n");
  await workspace.append("progress/log.txt", "b\n");
  expect(await readFile(join(folder, "progress/log.txt"), "utf8")).toBe("a\nb\n");
  await mkdir(join(folder, "progress/b"));
  await expect(workspace.write("progress/b", "x")).rejects.toMatchObject({ code: "TASK_WORKSPACE_FAILED" });
  await expect(workspace.write("progress/a.bin/c", "x")).rejects.toMatchObject({ code: "TASK_WORKSPACE_FAILED" });
  expect((await workspace.list("progress")).map(({ path }) => path).sort()).toEqual(["progress/a.bin", "progress/log.txt"]);
  await workspace.remove("progress/a.bin");
  await workspace.remove("progress/a.bin");
  expect(await workspace.read("progress/a.bin")).toBe(undefined);
  // Looking makes nothing.
  const none = join(base, "none");
  expect(await new FolderTaskWorkspace(none).list("progress")).toEqual([]);
  expect(await new FolderTaskWorkspace(none).leased()).toBe(false);
  await expect(stat(none)).rejects.toMatchObject({ code: "ENOENT" });
  expect(() => new FolderTaskWorkspace("")).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
});

test("a line that could not be written whole is taken back before the next one", async () => {
  const folder = place();
  const workspace = new FolderTaskWorkspace(folder);
  await workspace.append("progress/events.ndjson", "one\n");
  const handle = await open(join(folder, "progress/events.ndjson"));
  const full = vi.spyOn(Object.getPrototypeOf(handle), "datasync").mockRejectedValueOnce(new Error("ENOSPC: no space left"));
  await expect(workspace.append("progress/events.ndjson", "half of")).rejects.toMatchObject({ code: "TASK_WORKSPACE_FAILED" });
  expect(full).toHaveBeenCalledOnce();
  await workspace.append("progress/events.ndjson", "two\n");
  expect(await readFile(join(folder, "progress/events.ndjson"), "utf8")).toBe("one\ntwo\n");
  await handle.close();
  vi.restoreAllMocks();
});

test("of several that write over one file at once one is told that it did, and what it wrote stands", async () => {
  const folder = place();
  const path = "progress/approvals/decisions/req_0001.json";
  const bytes = (text: string) => new TextEncoder().encode(text);
  const race = (before: Uint8Array | undefined, round: string) =>
    Promise.all(
      [1, 2, 3, 4].map(async (number) => {
        const text = `${round} ${number}`;
        return (await new FolderTaskWorkspace(folder).swap(path, before, text)) ? text : undefined;
      }),
    );
  const [first, ...more] = (await race(undefined, "first")).filter((text) => text !== undefined);
  expect(more).toEqual([]);
  expect(await readFile(join(folder, path), "utf8")).toBe(first);
  expect(await race(undefined, "late")).toEqual([undefined, undefined, undefined, undefined]);
  const [second, ...others] = (await race(bytes(first as string), "second")).filter((text) => text !== undefined);
  expect(others).toEqual([]);
  expect(await readFile(join(folder, path), "utf8")).toBe(second);
  expect((await new FolderTaskWorkspace(folder).list("progress")).map((entry) => entry.path)).toEqual([path]);
});
