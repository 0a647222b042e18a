// Skills: what a model or a person takes up, what is in force then, and what becomes of those that fail or are gone.
import {
  defineSkill,
  defineTool,
  GloveClient,
  type GloveClientConfig,
  type JsonSchema,
  MemoryStore,
  type Skill,
} from "glove-wasm";
import type { ScriptedAnswer } from "glove-wasm/testing";
import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { scene } from "../support/session.js";

const call = (name: string, input: unknown, id: string) => ({ toolCalls: [{ name, input, id }] });
const takeUp = (name: string, id = "k1") => call("glove_invoke_skill", { name }, id);
const codes = (events: readonly [string, unknown][]) =>
  events.filter(([type]) => type === "error").map(([, data]) => (data as { code: string }).code);
const takenUp = (events: readonly [string, unknown][]) =>
  events.filter(([type]) => type === "skill_taken_up").map(([, data]) => data);

/** A skill with a tool, and how often its tool has run. */
function mailing(more: Partial<Skill> = {}) {
  const sent: string[] = [];
  const send = defineTool({
    name: "send_mail",
    description: "Sends a mail.",
    inputSchema: z.object({ to: z.string() }),
    do: ({ to }) => {
      sent.push(to);
      return "sent";
    },
  });
  const skill = { name: "mail", description: "Writing mails.", instructions: "Write short mails.", tools: [send], ...more };
  return { sent, skill: defineSkill(skill as Skill) };
}
const brand = defineSkill({ name: "brand", description: "The brand's voice.", instructions: "Say `we`." });

/** Pages over one store, one after the other. */
function pages() {
  const store = new MemoryStore("s1");
  return (script: readonly ScriptedAnswer[], skills: readonly Skill[], more: Partial<GloveClientConfig> = {}) =>
    scene(script, { createStore: () => store, skills, ...more });
}

test("a model takes up a skill, has its instructions and tools from then on, and after a reload", async () => {
  const open = pages();
  const { skill, sent } = mailing();
  expectTypeOf(brand.name).toEqualTypeOf<"brand">();
  const before = open([takeUp("mail"), call("send_mail", { to: "ann" }, "m1"), "Sent."], [skill, brand]);
  expect(await before.session.sendMessage("Mail Ann")).toMatchObject({ type: "completed", text: "Sent." });
  const [first, second, third] = before.model.calls;
  expect(first?.tools).toContain("glove_invoke_skill");
  expect(first?.tools).not.toContain("send_mail");
  expect(first?.systemPrompt).not.toContain("Write short mails.");
  for (const later of [second, third]) {
    expect(later?.tools).toContain("send_mail");
    expect(later?.systemPrompt).toContain("Write short mails.");
    expect(later?.systemPrompt).not.toContain("Say `we`.");
  }
  expect(sent).toEqual(["ann"]);
  expect(takenUp(before.events)).toEqual([{ name: "mail", by: "model" }]);
  before.session.dispose();
  const after = open([call("send_mail", { to: "bob" }, "m2"), "Again."], [skill, brand]);
  await after.session.sendMessage("And Bob");
  expect(after.model.calls[0]?.systemPrompt).toContain("Write short mails.");
  expect(sent).toEqual(["ann", "bob"]);
  expect([takenUp(after.events), codes(after.events)]).toEqual([[], []]);
});

test("the model reads of a skill by its name and description, in the same words in each round", async () => {
  const seen: unknown[] = [];
  const { skill } = mailing();
  const script = [takeUp("mail"), "Yes."];
  const { session } = scene(script, {
    skills: [skill, { ...brand, exposeToModel: false }],
    createModel: () => ({
      name: "m",
      setSystemPrompt() {},
      async prompt({ tools = [] }) {
        seen.push(tools.find(({ name }) => name === "glove_invoke_skill"));
        const answer = script[seen.length - 1];
        const of =
          typeof answer === "string"
            ? { text: answer }
            : { text: "", tool_calls: [{ tool_name: "glove_invoke_skill", input_args: { name: "mail" }, id: "k1" }] };
        return { messages: [{ sender: "agent", ...of }], tokens_in: 1, tokens_out: 1 };
      },
    }),
  });
  await session.sendMessage("Hi");
  expect(JSON.stringify(seen[0])).toContain("- mail: Writing mails.");
  expect(JSON.stringify(seen[0])).not.toContain("brand");
  expect(seen[1]).toEqual(seen[0]);
});

test("a person takes up a skill with its name between white space, and the message stays as it was written", async () => {
  const { skill, sent } = mailing();
  const { session, model, shown, events } = scene([call("send_mail", { to: "ann" }, "m1"), "Done."], { skills: [skill, brand] });
  await session.sendMessage("Please /mail Ann");
  expect(model.calls[0]?.systemPrompt).toContain("Write short mails.");
  expect(model.calls[0]?.systemPrompt).not.toContain("Say `we`.");
  expect(model.calls[0]?.messages[0]?.text).toBe("Please /mail Ann");
  expect(shown()[0]).toBe("user: Please /mail Ann");
  expect(sent).toEqual(["ann"]);
  expect(takenUp(events)).toEqual([{ name: "mail", by: "person" }]);
  expect((await session.prompts())[0]).toMatchObject({ input: "Please /mail Ann", skills: ["mail"] });
});

test.each(["/usr/mail", "a/mail", "/mail/x", "/mailing", "mail", "/mail.", "https://x.org/mail"])(
  "`%s` takes up nothing",
  async (text) => {
    const { skill } = mailing();
    const { session, model } = scene(["Yes."], { skills: [skill] });
    await session.sendMessage(text);
    expect(model.calls[0]?.systemPrompt).toBe("You are a test.");
    expect((await session.messages())[0]).not.toHaveProperty("skills");
  },
);

test("several names in one message are all taken up, and again one that is in force changes nothing", async () => {
  const { skill } = mailing();
  const { session, model, events } = scene(["One.", takeUp("brand"), "Two."], { skills: [skill, brand] });
  await session.sendMessage("/mail /brand\n/mail hello");
  expect(model.calls[0]?.systemPrompt).toMatch(/Write short mails\.[\s\S]*Say `we`\./);
  await session.sendMessage("/brand");
  expect(model.calls[2]?.systemPrompt).toBe(model.calls[0]?.systemPrompt);
  expect(takenUp(events)).toEqual([
    { name: "mail", by: "person" },
    { name: "brand", by: "person" },
  ]);
});

test("`load` is asked once when the skill is taken up, with the session, and once more after a reload", async () => {
  const open = pages();
  const asked: unknown[] = [];
  const skill = defineSkill({
    name: "law",
    description: "The law.",
    async load({ sessionId, userId, services, signal }) {
      asked.push([sessionId, userId, services.base, signal.aborted]);
      return "Article one.";
    },
  });
  const more = { userId: "ann", services: { base: "/laws" } };
  const before = open(["One.", "Two.", "Again."], [skill], more);
  await before.session.sendMessage("Hello");
  expect(asked).toEqual([]);
  await before.session.sendMessage("/law please");
  await before.session.sendMessage("More");
  expect(asked).toEqual([["s1", "ann", "/laws", false]]);
  before.session.dispose();
  const after = open(["Three."], [skill], more);
  await after.session.sendMessage("More");
  expect(after.model.calls[0]?.systemPrompt).toContain("Article one.");
  expect(asked).toHaveLength(2);
});

test("a skill that a model cannot take up is an error of its call, and the next try loads it again", async () => {
  let times = 0;
  const skill = defineSkill({
    name: "law",
    description: "The law.",
    load: () => {
      if (times++ === 0) throw new Error("offline");
      return "Article one.";
    },
  });
  const { session, model, events } = scene([takeUp("law"), takeUp("law", "k2"), "Yes."], { skills: [skill] });
  await session.sendMessage("Hi");
  expect(model.calls.map(({ systemPrompt }) => systemPrompt?.includes("Article one."))).toEqual([false, false, true]);
  expect(codes(events)).toContain("SKILL_FAILED");
});

test("a skill that never loads is given up after its time, and what a person sent with it is not sent", async () => {
  let fired = false;
  const skill = defineSkill({
    name: "law",
    description: "The law.",
    timeoutMs: 20,
    load: ({ signal }) => new Promise<string>(() => signal.addEventListener("abort", () => (fired = true))),
  });
  const { session, model } = scene(["Yes."], { skills: [skill] });
  await expect(session.sendMessage("/law please")).rejects.toMatchObject({
    code: "SKILL_FAILED",
    message: expect.stringContaining("20 ms"),
  });
  expect([fired, model.calls.length, (await session.messages()).length]).toEqual([true, 0, 0]);
  expect(session.getSnapshot().error).toMatchObject({ code: "SKILL_FAILED" });
  await session.sendMessage("Without it");
  expect(model.calls.length).toBe(1);
});

test("a skill that is gone after an update is told once, and leaves no tools and no text behind", async () => {
  const open = pages();
  const { skill } = mailing();
  const before = open(["One."], [skill]);
  await before.session.sendMessage("/mail Ann");
  before.session.dispose();
  const after = open(["Two.", "Three."], [brand]);
  await after.session.sendMessage("Hi");
  await after.session.sendMessage("Hi");
  expect(codes(after.events)).toEqual(["SKILL_UNKNOWN"]);
  expect(after.model.calls[0]?.tools).not.toContain("send_mail");
  expect(after.model.calls[0]?.systemPrompt).not.toContain("Write short mails.");
  expect(after.model.calls[0]?.systemPrompt).toContain('The skill "mail" is not available any more.');
  after.session.dispose();
  const again = open(["Four."], [skill]);
  await again.session.sendMessage("Hi");
  expect(again.model.calls[0]?.systemPrompt).toContain("Write short mails.");
});

test("of two skills whose tools have one name, the first is in force whole and the second is reported", async () => {
  const { skill } = mailing();
  const other = mailing({ name: "post", instructions: "Write letters." }).skill;
  const { session, model, events } = scene(["Yes."], { skills: [skill, other] });
  await session.sendMessage("/mail /post");
  expect(model.calls[0]?.systemPrompt).toContain("Write short mails.");
  expect(model.calls[0]?.systemPrompt).not.toContain("Write letters.");
  expect(codes(events)).toEqual(["PLUGIN_FAILED"]);
});

test("skills are in force after a fork, and while what a model reads was summarised", async () => {
  const { skill } = mailing();
  const { client, session, model } = scene(["One.", "Summary.", "Two.", "Three."], {
    skills: [skill],
    compaction: { compaction_every_turns: 1 },
  });
  await session.sendMessage("/mail Ann");
  await session.sendMessage("Go on");
  expect(model.calls.at(-1)?.systemPrompt).toContain("Write short mails.");
  const [, answer] = session.getSnapshot().timeline;
  const fork = client.session(await session.fork(answer?.id ?? ""));
  await fork.sendMessage("Here too");
  expect(model.calls.at(-1)?.systemPrompt).toContain("Write short mails.");
});

test("a trigger takes up nothing: nobody has written it", async () => {
  const { skill } = mailing();
  const { session, model } = scene(["Yes."], { skills: [skill] });
  await session.trigger({ reason: "/mail came" });
  expect(model.calls[0]?.systemPrompt).toBe("You are a test.");
});

const schema: JsonSchema = { type: "object" };
test.each<[string, unknown, string]>([
  ["no name", { description: "", instructions: "" }, "SKILL_INVALID"],
  ["a name with a space", { name: "a b", description: "", instructions: "" }, "SKILL_INVALID"],
  ["neither text nor `load`", { name: "a", description: "" }, "SKILL_INVALID"],
  ["both", { name: "a", description: "", instructions: "", load: () => "" }, "SKILL_INVALID"],
  ["no description", { name: "a", instructions: "" }, "SKILL_INVALID"],
  [
    "an unknown option",
    { name: "a", description: "", instructions: "", tool: [{ name: "x", jsonSchema: schema }] },
    "SKILL_INVALID",
  ],
])("a skill with %s is refused where it is defined", (_, skill, code) => {
  expect(() => defineSkill(skill as Skill)).toThrow(expect.objectContaining({ code }));
});

test.each([null, undefined, "brand", {}, { name: 7 }])("%j among the skills is refused with words", async (no) => {
  const { session } = scene(["Yes."], { skills: [brand, no as never] });
  await expect(session.sendMessage("Hi")).rejects.toMatchObject({ code: "CONFIG_INVALID" });
});

test.each([{ instructions: "x".repeat(200_001) }, { load: () => "x".repeat(200_001) }])(
  "instructions that would fill every call of the model are refused",
  async (long) => {
    const { session } = scene(["Yes."], { skills: [defineSkill({ name: "long", description: "", ...long } as Skill)] });
    await expect(session.sendMessage("/long")).rejects.toMatchObject({ code: "SKILL_TOO_LONG" });
    expect(await session.sendMessage("Hi")).toMatchObject({ text: "Yes." });
  },
);

test("two skills of one name are refused when the session opens", async () => {
  const { session } = scene(["Yes."], { skills: [brand, { ...brand }] });
  await expect(session.sendMessage("Hi")).rejects.toMatchObject({ code: "COMMAND_NAME_TAKEN" });
});

test("the tool by which skills are taken up is nobody else's", async () => {
  const own = { name: "Glove_Invoke_Skill", description: "", jsonSchema: { type: "object" }, do: () => "" };
  const client = new GloveClient({
    createModel: () => ({ name: "none", prompt: () => Promise.reject(new Error("not asked")), setSystemPrompt() {} }),
    tools: [own],
  });
  expect(() => client.session("own")).toThrow(expect.objectContaining({ code: "TOOL_NAME_TAKEN" }));
});
