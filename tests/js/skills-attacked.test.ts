// Skills and hooks under what people, models and applications do to them: branches, other users, odd names, odd errors.
import { defineAgent, defineHook, defineSkill, defineTool, type Hook, MemoryStore, type Skill } from "glove-wasm";
import { expect, test } from "vitest";
import { z } from "zod";
import { type Scene, scene, until } from "../support/session.js";
import { sharedSession } from "../support/shared-store.js";

const hook = (name: string, run: Hook["run"]) => defineHook({ name, description: "", run });
const skill = (name: string, more: Partial<Skill> = {}) =>
  defineSkill({ name, description: `About ${name}.`, instructions: `Rules of ${name}.`, ...more } as Skill);
const call = (name: string, input: unknown, id = "k1") => ({ toolCalls: [{ name, input, id }] });
const takeUp = (name: string, id?: string) => call("glove_invoke_skill", { name }, id);
const idAt = ({ session }: Scene, at: number) => session.getSnapshot().timeline[at]?.id ?? "";
const inForce = ({ model }: Scene, name: string) =>
  model.calls.map(({ systemPrompt }) => systemPrompt?.includes(`Rules of ${name}.`));
const takenUp = ({ events }: Scene) => events.filter(([type]) => type === "skill_taken_up").length;
const ms = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

test.each([undefined, "ann"])("a skill is in force only on the branches that have taken it up (user: %s)", async (userId) => {
  const store = new MemoryStore("s1");
  const config = { skills: [skill("mail")], createStore: () => store, ...(userId && { userId }) };
  const page = scene(["One.", "Two.", "Three.", "Four.", "Five."], config);
  await page.session.sendMessage("Hi");
  await page.session.sendMessage("/mail Ann");
  const left = idAt(page, 2);
  await page.session.edit(left, "Hello");
  expect(inForce(page, "mail")).toEqual([false, true, false]);
  await page.session.switchBranch(left);
  await page.session.sendMessage("Go on");
  expect(inForce(page, "mail")).toEqual([false, true, false, true]);
  expect(takenUp(page)).toBe(1);
  await page.session.edit(left, "Hello again");
  page.session.dispose();
  const after = scene(["Six."], config);
  await after.session.sendMessage("And after a reload");
  expect(inForce(after, "mail")).toEqual([false]);
});

test("what a model took up for an answer goes with it when the answer is given again", async () => {
  const page = scene([takeUp("mail"), "One.", "Two."], { skills: [skill("mail")] });
  await page.session.sendMessage("Hi");
  await page.session.regenerate();
  expect(inForce(page, "mail")).toEqual([false, true, false]);
});

test("a hook that has answered answers again, and no model is asked", async () => {
  let times = 0;
  const page = scene(["From the model.", "Again."], { hooks: [hook("time", () => ({ answer: `Noon ${++times}.` }))] });
  await page.session.sendMessage({ text: "/time", metadata: { from: "a button" } });
  await page.session.regenerate();
  expect(page.shown()).toEqual(["user: /time", "agent: Noon 2."]);
  expect(page.model.calls).toHaveLength(0);
  expect((await page.session.messages()).filter(({ sender, text }) => sender === "user" && text)).toMatchObject([
    { metadata: { from: "a button" } },
    { metadata: { from: "a button" } },
  ]);
  await page.session.sendMessage("Hi");
  await page.session.regenerate();
  expect(page.model.calls).toHaveLength(2);
});

test("what a model or a tool says, and a file, take up nothing", async () => {
  const secret = skill("secret", { exposeToModel: false });
  const agent = defineAgent({ name: "helper", description: "", systemPrompt: "Help.", skills: [secret] });
  const read = defineTool({ name: "read", description: "", inputSchema: z.object({}), do: () => "/secret now" });
  const page = scene(
    [call("helper", { task: "/secret do it" }, "a1"), "/secret", call("read", {}, "r1"), "/secret", takeUp("secret"), "Done."],
    { tools: [agent, read], skills: [secret, skill("open")] },
  );
  await page.session.sendMessage({ text: "Hi", files: [new File(["/secret"], "a.txt", { type: "text/plain" })] });
  await page.session.sendMessage("And now?");
  expect(inForce(page, "secret")).toEqual([false, false, false, false, false, false]);
});

test("a model that writes the name of the tool in another case has taken up the skill", async () => {
  const page = scene([call("Glove_Invoke_Skill", { name: "mail" }), "Done."], { skills: [skill("mail")] });
  await page.session.sendMessage("Hi");
  expect(inForce(page, "mail")).toEqual([false, true]);
});

test("what was loaded for one user is not in force for the next", async () => {
  const load: Skill["load"] = ({ userId }) => `Law of ${userId}.`;
  const { session, model } = scene(["One.", "Two."], {
    skills: [skill("law", { instructions: undefined, load })],
    userId: "ann",
  });
  await session.sendMessage("/law");
  session.configure({ userId: "bob" });
  await session.sendMessage("Hi");
  expect(model.calls[0]?.systemPrompt).toContain("Law of ann.");
  expect(model.calls[1]?.systemPrompt).toContain("Law of bob.");
  expect(model.calls[1]?.systemPrompt).not.toContain("Law of ann.");
});

test("a message that is taken back does not fail another one that waits for the same skill", async () => {
  let go = () => {};
  const load = () => new Promise<string>((resolve) => (go = () => resolve("Article one.")));
  const { session } = scene(["One."], { skills: [skill("law", { instructions: undefined, load })] });
  const both = [session.sendMessage("/law a"), session.sendMessage("/law b")];
  const { queue } = await until(session, ({ queue }) => queue.length === 2);
  await ms(20);
  session.cancelQueued(queue[0]?.id ?? "");
  await ms(20);
  go();
  expect(await Promise.all(both)).toMatchObject([{ type: "aborted" }, { text: "One." }]);
});

test("a hook that is named twice in a message runs once", async () => {
  const seen: string[] = [];
  const { session } = scene(["One."], { hooks: [hook("log", ({ args }) => void seen.push(args))] });
  await session.sendMessage("/log a /log b");
  expect(seen).toEqual(["a /log b"]);
});

test.each([
  ["/Mail x", "mail"],
  ["a\u00a0/mails", "mails"],
  ["/cafe\u0301", "caf\u00e9"],
  ["/हिंदी", "हिंदी"],
])("`%s` takes up %s alone", async (text, name) => {
  const page = scene(["One."], { skills: ["mail", "mails", "caf\u00e9", "हिंदी"].map((one) => skill(one)) });
  await page.session.sendMessage(text);
  expect(inForce(page, name)).toEqual([true]);
  expect(page.model.calls[0]?.systemPrompt?.match(/Rules of/g)).toHaveLength(1);
});

test("two names that differ by case alone are refused", async () => {
  const { session } = scene(["One."], { skills: [skill("mail"), skill("Mail")] });
  await expect(session.sendMessage("Hi")).rejects.toMatchObject({ code: "COMMAND_NAME_TAKEN" });
});

const fail = (thrown: unknown) => () => {
  throw thrown;
};
test.each<[string, () => unknown]>([
  ["throws a text", fail("boom")],
  ["throws a symbol", fail(Symbol("x"))],
  ["throws null", fail(null)],
  ["throws what cannot be read", fail(Object.create(null))],
  ["gives what cannot be read", () => new Proxy({}, { ownKeys: fail(new Error("no")) })],
])("a hook that %s has failed with a code", async (_, run) => {
  const { session } = scene(["One."], { hooks: [hook("bad", run as Hook["run"])] });
  await expect(session.sendMessage("/bad")).rejects.toMatchObject({ code: "HOOK_FAILED" });
  expect(await session.sendMessage("Hi")).toMatchObject({ text: "One." });
});

test("a hook that gives null has made nothing of the message", async () => {
  const { session } = scene(["One."], { hooks: [hook("nil", () => null as never)] });
  expect(await session.sendMessage("/nil")).toMatchObject({ text: "One." });
});

test("the title of a session is what was written, and not what a hook made of it", async () => {
  const { client, session } = scene(["One."], { hooks: [hook("fr", () => ({ text: "For the model alone" }))] });
  await session.sendMessage("/fr good day");
  expect(await client.sessions()).toMatchObject([{ title: "/fr good day" }]);
});

test("the permission for a tool of a skill is asked for again after a reload, and the tool runs once", async () => {
  let ran = 0;
  const send = defineTool({
    name: "send_mail",
    description: "",
    inputSchema: z.object({}),
    requiresPermission: true,
    do: () => `sent ${++ran}`,
  });
  const load = () => ms(20).then(() => "Rules.");
  const store = new MemoryStore("s1");
  const config = { skills: [skill("mail", { tools: [send], instructions: undefined, load })], createStore: () => store };
  const before = scene([call("send_mail", {}, "m1")], config);
  before.session.sendMessage("/mail").catch(() => {});
  await until(before.session, ({ approvals }) => approvals.length === 1);
  before.session.dispose();
  const after = scene(["Sent."], config);
  await after.session.start();
  const { approvals } = await until(after.session, ({ approvals }) => approvals.length === 1);
  after.session.approve(approvals[0]?.id ?? "");
  await until(after.session, ({ busy }) => !busy);
  expect([ran, after.shown().at(-1)]).toEqual([1, "agent: Sent."]);
});

test("a tab that follows offers and calls skills and hooks as the one that runs the session, and each is taken up once", async () => {
  const store = sharedSession("s1");
  const ran: string[] = [];
  const tab = () =>
    scene(["Hi.", "Dear Ann", "Again."], {
      createStore: () => store(),
      skills: [skill("mail")],
      hooks: [
        hook("loud", ({ args }) => {
          ran.push(args);
          return { text: args.toUpperCase() };
        }),
      ],
    });
  const tabs = [tab(), tab()] as const;
  for (const { session } of tabs) await session.start();
  const [leads, follows] = tabs;
  expect(follows.session.getSnapshot().tab).toBe("follower");
  await leads.session.sendMessage("Hello");
  await follows.session.sendMessage("/mail write to Ann");
  await follows.session.sendMessage("/loud go on");
  expect(inForce(leads, "mail")).toEqual([false, true, true]);
  expect([takenUp(leads), takenUp(follows), ran, follows.model.calls.length]).toEqual([1, 0, ["go on"], 0]);
  expect(leads.model.calls.at(-1)?.messages.at(-1)?.text).toContain("GO ON");
  await until(leads.session, ({ busy }) => !busy);
  expect(leads.shown()).toEqual(follows.shown());
  for (const { client } of tabs) client.dispose();
});
