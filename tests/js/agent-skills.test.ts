// Folders with a SKILL.md as skills of a conversation, and skills as such folders.
import { readFileSync } from "node:fs";
import { defineSkill, GloveClient } from "glove-wasm";
import { type AgentSkillFiles, agentSkillAt, agentSkills, skillFiles } from "glove-wasm/skills";
import { createScriptedModel } from "glove-wasm/testing";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { readFrontMatter } from "../../js/skills/front-matter.js";

interface Case {
  readonly what: string;
  readonly text: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly error?: string;
}
const cases = JSON.parse(readFileSync(new URL("../fixtures/front-matter.json", import.meta.url), "utf8")) as readonly Case[];

test.each(cases)("front matter: $what", ({ text, fields, body, error }) => {
  if (error !== undefined) return expect(() => readFrontMatter(text)).toThrow(error);
  const read = readFrontMatter(text);
  expect(Object.fromEntries(read.fields)).toEqual(fields);
  expect(read.body).toBe(body);
  // A parser of all of YAML reads the same.
  const front = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n(?:---|\.\.\.)/.exec(text)?.[1] ?? "";
  const whole = parse(front) as Record<string, unknown>;
  for (const [key, value] of Object.entries(fields ?? {})) expect(String(whole[key] ?? "").trim()).toBe(value);
});

const forms = `---\nname: pdf-forms\ndescription: Fills the forms of PDF files.\n---\n\n# Forms\n\nRead references/fields.md first.\n`;
const files: AgentSkillFiles = {
  "./skills/pdf-forms/SKILL.md": forms,
  "./skills/pdf-forms/references/fields.md": () => Promise.resolve({ default: "A field has a name." }),
  "./skills/pdf-forms/scripts/fill.py": "print(1)",
  "./skills/pdf-forms/.git/config": "secret",
  "./skills/mail/SKILL.md": () =>
    "---\nname: mail\ndescription: Writes mails.\ndisable-model-invocation: true\n---\nShort mails.",
  "./skills/notes.txt": "of no skill",
};

async function says(given: AgentSkillFiles, asked: unknown[]) {
  const skills = await agentSkills(given);
  const calls = asked.map((input) => ({ toolCalls: [{ name: "read_pdf-forms", input }] }));
  const model = createScriptedModel([
    { toolCalls: [{ name: "glove_invoke_skill", input: { name: "pdf-forms" } }] },
    ...calls,
    "Done.",
  ]);
  const client = new GloveClient({ createModel: () => model, skills });
  const session = client.session(crypto.randomUUID());
  await session.sendMessage("Fill this form");
  const outputs = session
    .getSnapshot()
    .timeline.flatMap((entry) => (entry.kind === "tool" && entry.name !== "glove_invoke_skill" ? [entry] : []));
  return { model, outputs };
}

test("a model activates a skill, and reads its files when it needs them", async () => {
  const { model, outputs } = await says(files, [{ path: "./references/fields.md" }, { path: "scripts/fill.py" }]);
  expect(model.calls.map(({ tools }) => tools.includes("read_pdf-forms"))).toEqual([false, true, true, true]);
  expect(model.calls[0]?.systemPrompt ?? "").not.toContain("references/fields.md");
  const prompt = JSON.stringify(model.calls[1]);
  expect(prompt).toContain("Read references/fields.md first.");
  expect(prompt).toContain("- references/fields.md\\n- scripts/fill.py");
  expect(prompt).not.toContain(".git");
  expect(outputs.map(({ output }) => output)).toEqual(["A field has a name.", "print(1)"]);
});

test("each SKILL.md is a skill, and what only a person may activate says so", async () => {
  const [mail, pdf] = await agentSkills(files);
  expect([mail?.name, mail?.exposeToModel, mail?.tools]).toEqual(["mail", false, undefined]);
  expect([pdf?.name, pdf?.exposeToModel]).toEqual(["pdf-forms", true]);
});

test("files of no skill, of another one or above it are not read", async () => {
  const paths = ["../notes.txt", "../mail/SKILL.md", "SKILL.md", ".git/config", "/etc/passwd", "references/none.md", "__proto__"];
  const skills = await agentSkills(files);
  const tool = skills.find(({ name }) => name === "pdf-forms")?.tools?.[0];
  const signal = new AbortController().signal;
  for (const path of paths)
    expect(await tool?.do({ path } as never, { signal } as never), path).toMatchObject({ status: "error" });
});

test("a long file is read in parts, and no letter is cut in two", async () => {
  const text = `a${"👍".repeat(30_000)}`;
  const { outputs } = await says({ "SKILL.md": forms, "long.md": text }, [
    { path: "long.md" },
    { path: "long.md", from: 49_999 },
  ]);
  const [first, second] = outputs.map(({ output }) => String(output));
  expect(first).toMatch(/👍\n\n\(10002 more letters: read on from 49999\)$/);
  expect(text).toBe(first?.split("\n\n(")[0] + (second ?? ""));
});

const unusable: readonly (readonly [string, AgentSkillFiles, RegExp])[] = [
  ["no SKILL.md", { "readme.md": forms }, /no SKILL\.md among its files/],
  ["no front matter", { "SKILL.md": "Hello" }, /must begin with a line `---`/],
  ["no text", { "SKILL.md": () => 7 }, /is no text, got 7/],
  ["a name of its own kind", { "SKILL.md": "---\nname: PDF Forms\ndescription: D\n---\nText" }, /its `name` must be a-z/],
  ["no description", { "SKILL.md": "---\nname: a\n---\nText" }, /`description` must be a text/],
  ["a long description", { "SKILL.md": `---\nname: a\ndescription: ${"x".repeat(1_025)}\n---\nText` }, /at most 1024 letters/],
  ["nothing below", { "SKILL.md": "---\nname: a\ndescription: D\n---\n" }, /no text below/],
  ["a file that does not load", { "SKILL.md": () => Promise.reject(new Error("offline")) }, /offline/],
];

test.each(unusable)("refused with a sentence: %s", async (_, given, message) => {
  await expect(agentSkills(given)).rejects.toMatchObject({
    code: "SKILL_INVALID",
    message: expect.stringMatching(message),
  });
});

test("a skill at an address: its text at once, its files when they are read", async () => {
  const asked: string[] = [];
  const send = ((url: string, init?: RequestInit) => {
    asked.push(`${url} ${new Headers(init?.headers).get("x-key")}`);
    const status = url.endsWith("none.md") ? 404 : 200;
    return Promise.resolve(new Response(url.endsWith("SKILL.md") ? forms : "A field.", { status }));
  }) as typeof fetch;
  const skill = await agentSkillAt("https://example.com/skills/pdf-forms?x=1", { fetch: send, headers: { "x-key": "k" } });
  expect(asked).toEqual(["https://example.com/skills/pdf-forms/SKILL.md k"]);
  const signal = new AbortController().signal;
  const read = (path: string) => skill.tools?.[0]?.do({ path } as never, { signal } as never);
  expect(await read("references/fields 1.md")).toBe("A field.");
  expect(asked[1]).toBe("https://example.com/skills/pdf-forms/references/fields%201.md k");
  expect(await read("none.md")).toMatchObject({ status: "error", message: expect.stringContaining("404") });
  for (const path of [
    "../x",
    "a/../../x",
    "//evil.example/x",
    "https://evil.example/x",
    "a\\..\\x",
    "%2e%2e/x",
    ".env",
    "a//b",
    "",
    "SKILL.md",
  ])
    expect(await read(path), path).toMatchObject({ status: "error", message: expect.stringContaining("has no file") });
  expect(asked).toHaveLength(3);
});

test("an endless file, and a server that does not answer, are given up", async () => {
  const endless = () => new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1_000_000).fill(97)) });
  const tooLong = agentSkillAt("https://example.com/a/", { fetch: () => Promise.resolve(new Response(endless())) });
  await expect(tooLong).rejects.toMatchObject({
    code: "SKILL_INVALID",
    message: expect.stringContaining("more than 5000000 letters"),
  });
  const silent = agentSkillAt("https://example.com/a/", { fetch: () => new Promise(() => {}), timeoutMs: 20 });
  await expect(silent).rejects.toMatchObject({ code: "SKILL_INVALID" });
  await expect(agentSkillAt("https://")).rejects.toMatchObject({ code: "SKILL_INVALID" });
  await expect(agentSkillAt("https://example.com/a/", { files: ["../b"] })).rejects.toMatchObject({ code: "SKILL_INVALID" });
});

test("a skill of an application is written for others, and read again", async () => {
  const mine = defineSkill({
    name: "Send_Mail",
    description: 'Mails: "short", # one',
    instructions: "Write.\n\n---\n\nSend.",
    exposeToModel: false,
  });
  const written = await skillFiles(mine);
  const [again] = await agentSkills(written);
  expect(again).toMatchObject({ name: "send-mail", description: mine.description, exposeToModel: false });
  expect(await again?.load?.({} as never)).toBe(mine.instructions);
  await expect(skillFiles(defineSkill({ name: "é", description: "D", instructions: "T" }))).rejects.toMatchObject({
    code: "SKILL_INVALID",
  });
  const broken = defineSkill({ name: "a", description: "D", load: () => Promise.reject(new Error("gone")) });
  await expect(skillFiles(broken)).rejects.toMatchObject({ code: "SKILL_FAILED", message: expect.stringContaining("gone") });
});
