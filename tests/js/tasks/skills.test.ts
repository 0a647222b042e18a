// Skills of tasks in a page: bundles from files and folders, their tools in the sandbox, and their hashes.
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { defineSkill, defineTool } from "glove-wasm";
import { MemoryTaskWorkspace, readSkill, TaskAgent, type TaskSkill } from "glove-wasm/tasks";
import { readSkillFolder } from "glove-wasm/tasks/server";
import { expect, test } from "vitest";
import { z } from "zod";
import names from "../../fixtures/skill-names.json" with { type: "json" };
import { script, scripted } from "../../support/tasks.js";

const manifest = {
  name: "brief",
  description: "Writes briefs.",
  mounts: ["templates"],
  tools: [
    {
      name: "count_words",
      description: "Counts words.",
      code: "count.js",
      phases: ["act"],
      inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
      mounts: { "progress/artifacts": "write" },
    },
  ],
};
const files = {
  "skill.json": JSON.stringify(manifest),
  "instructions.md": "Keep to one page.",
  "templates/page.md": "# Title of four words",
  "count.js": `export default async ({ path }) => {
    const count = (await files.read(path)).split(" ").length;
    await files.write("progress/artifacts/count.txt", String(count));
    return count;
  };`,
};
const skill: TaskSkill = { files };
const hashOf = async (skill: TaskSkill) => {
  const { state } = (
    await new TaskAgent({ ...scripted().config, skills: [skill] }).startTask(new MemoryTaskWorkspace(), "X")
  ).getSnapshot();
  return state.skills?.[0]?.sha256 ?? "";
};

test("a skill stands in every prompt, shows its files, and its tool runs in the sandbox", async () => {
  const seen: unknown[] = [];
  const own = defineTool({
    name: "look",
    description: "Looks",
    inputSchema: z.object({}),
    async do(_, { files }) {
      const listed = await files?.list("skills");
      const refused = await files?.write("skills/brief/templates/page.md", "x").catch((error: { code: string }) => error.code);
      seen.push(listed, new TextDecoder().decode(await files?.read("skills/brief/templates/page.md")), refused);
      seen.push(await files?.read("skills/brief/count.js"));
    },
  });
  const call = (name: string, input: object) => ({ text: "", toolCalls: [{ name, input }] });
  const { config, model } = scripted([
    call("file_read", { path: "skills/brief/templates/page.md" }),
    call("look", {}),
    ...script.slice(0, 2),
    call("count_words", { path: "skills/brief/templates/page.md" }),
    ...script.slice(2),
  ]);
  const agent = new TaskAgent({ ...config, tools: [own] });
  agent.registerSkill(skill);
  const workspace = new MemoryTaskWorkspace();
  const result = await agent.doTask(workspace, "Write", { view: "full" });
  expect(result.finish_reason).toBe("completed");
  expect(model.calls.every(({ systemPrompt }) => systemPrompt.includes("Keep to one page."))).toBe(true);
  expect(JSON.stringify(model.calls[1]?.messages)).toContain("# Title of four words");
  expect(seen).toEqual([
    [{ path: "skills/brief/templates/page.md", size: 21 }],
    "# Title of four words",
    "TASK_PATH_READ_ONLY",
    undefined,
  ]);
  expect(model.calls.map(({ tools }) => tools.includes("count_words"))).toEqual([
    false,
    false,
    false,
    false,
    true,
    true,
    true,
    false,
  ]);
  const calls = result.steps?.flatMap(({ tool_calls }) => tool_calls.map(({ tool, status }) => `${tool} ${status}`));
  expect(calls).toContain("count_words success");
  expect(new TextDecoder().decode(await workspace.read("progress/artifacts/count.txt"))).toBe("5");
});

test("a hash that was not expected, and a task that began with another skill, are refused with both hashes", async () => {
  const hash = await hashOf(skill);
  const changed: TaskSkill = { files: { ...files, "instructions.md": "Keep to two pages." } };
  const start = (skill: TaskSkill) =>
    new TaskAgent({ ...scripted().config, skills: [skill] }).startTask(new MemoryTaskWorkspace(), "X");
  await expect(start({ ...skill, sha256: hash })).resolves.toBeDefined();
  const error = await start({ ...changed, sha256: hash }).catch((error) => error);
  expect(error).toMatchObject({ code: "TASK_SKILL_CHANGED" });
  expect(error.message).toContain(hash);
  expect(error.message).toContain(await hashOf(changed));
  const workspace = new MemoryTaskWorkspace();
  (await new TaskAgent({ ...scripted().config, skills: [skill] }).startTask(workspace, "X")).close();
  for (const skills of [[changed], []]) {
    const refused = new TaskAgent({ ...scripted().config, skills }).resume(workspace);
    await expect(refused).rejects.toMatchObject({ code: "TASK_SKILL_CHANGED", message: expect.stringContaining(hash) });
  }
  const again = await new TaskAgent({ ...scripted().config, skills: [skill] }).resume(workspace);
  expect((await again.run()).finish_reason).toBe("completed");
});

test("what is no skill is refused with a reason", async () => {
  const start = (skills: unknown) => async () =>
    new TaskAgent({ ...scripted().config, skills: skills as TaskSkill[] }).startTask(new MemoryTaskWorkspace(), "X");
  const named = (name: string) => ({ files: { ...files, "skill.json": JSON.stringify({ ...manifest, name }) } });
  const table: [unknown, string, string][] = [
    [[{}], "CONFIG_INVALID", "`files` of a skill"],
    [[{ files: { a: 7 } }], "CONFIG_INVALID", 'files["a"]'],
    [[{ files, hash: "x" }], "CONFIG_INVALID", "hash"],
    [[{ files: {} }], "TASK_SKILL_INVALID", "skill.json"],
    [[{ files: { ...files, "../x": "" } }], "TASK_PATH_INVALID", "leads out"],
    [[skill, skill], "TASK_CONFIG_INVALID", manifest.name],
    [[skill, named("another")], "TASK_CONFIG_INVALID", "count_words"],
  ];
  for (const [skills, code, words] of table) {
    await expect(start(skills)()).rejects.toMatchObject({ code, message: expect.stringContaining(words) });
  }
});

test("names are those of the skills of chats", async () => {
  const chat = (name: string) => defineSkill({ name, description: "b", instructions: "c" });
  for (const name of names.good) expect(chat(name).name).toBe(name);
  for (const name of names.bad) expect(() => chat(name), name).toThrow(expect.objectContaining({ code: "SKILL_INVALID" }));
});

test("folders of this machine and files that a person picked are the same bundle", async () => {
  const folder = await mkdtemp(join(tmpdir(), "glove-skill-"));
  try {
    for (const [path, text] of Object.entries({ ...files, ".git/config": "x" })) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    expect(await readSkillFolder(folder)).toEqual(files);
    await symlink("/etc/hostname", join(folder, "link.md"));
    await expect(readSkillFolder(folder)).rejects.toMatchObject({
      code: "TASK_SKILL_INVALID",
      message: expect.stringContaining("link.md"),
    });
    await expect(readSkillFolder("/nowhere")).rejects.toMatchObject({ code: "TASK_SKILL_INVALID" });
  } finally {
    await rm(folder, { recursive: true });
  }
  const picked = Object.entries({ ...files, ".DS_Store": "x" }).map(([path, text]) => {
    const file = new File([text], path.split("/").at(-1) ?? "");
    return Object.defineProperty(file, "webkitRelativePath", { value: `brief/${path}` });
  });
  expect(await readSkill(picked)).toEqual(files);
  const image = new File([new Uint8Array([0xff, 0xd8])], "a.png");
  await expect(readSkill([image])).rejects.toMatchObject({
    code: "TASK_SKILL_INVALID",
    message: expect.stringContaining("a.png"),
  });
  await expect(readSkill(7 as never)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
});
