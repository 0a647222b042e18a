// Another answer in the place of the last one, in a page that is left and comes back.
import { expect, test } from "vitest";
import { inPage } from "../support/pages.js";
import { profiles } from "../support/profiles.js";

const { profile } = profiles();

const app = `
  const note = (what) => localStorage.setItem("done", (localStorage.getItem("done") ?? "") + what + " ");
  const schema = { type: "object" };
  const tools = [
    { name: "add", description: "", jsonSchema: schema, do: () => { note("add"); return { id: 7 }; },
      undo: async (_, { id }) => { note("remove-" + id); if (localStorage.getItem("hangs")) await new Promise(() => {}); } },
  ];
  let answers = 0;
  const script = ({ messages }) => {
    const results = messages.flatMap(({ tool_results }) => tool_results ?? []);
    return results.length ? "added " + ++answers : { toolCalls: [{ name: "add" }] };
  };
  globalThis.session = new GloveClient({ createModel: () => createScriptedModel(script), tools }).session("s");
  await session.start();
`;

test("what was replaced is gone after a reload too, and its actions are taken back once", () =>
  profile(async ({ open }) => {
    const page = await open();
    const before = await inPage<string[]>(
      page,
      `${app} await session.sendMessage("Add it"); await session.regenerate(); return texts(session.getSnapshot());`,
    );
    expect(before).toEqual(["user: Add it", 'add: success {"id":7}', "agent_text: added 2"]);
    await page.reload();
    const { shown, stored } = await inPage<{ shown: string[]; stored: number }>(
      page,
      `${app} const { timeline } = await until(session, ({ timeline }) => timeline.length === 3);
       return { shown: texts({ timeline }), stored: (await session.messages()).length };`,
    );
    expect([shown, stored > 6]).toEqual([before, true]);
    expect(await page.evaluate(() => localStorage.getItem("done"))).toBe("add remove-7 add ");
  }));

test("a page that dies while an action is taken back does not take it back again unasked", () =>
  profile(async ({ open }) => {
    const page = await open();
    await inPage(
      page,
      `${app} await session.sendMessage("Add it"); localStorage.setItem("hangs", "1");
       void session.regenerate().catch(() => {});
       await until(session, ({ run }) => run.phase === "undoing");
       while (!localStorage.getItem("done").includes("remove")) await new Promise((later) => setTimeout(later, 5));`,
    );
    await page.reload();
    const shown = await inPage<string[]>(
      page,
      `${app} return texts(await until(session, ({ busy, timeline }) => !busy && timeline.length));`,
    );
    expect(shown).toEqual(["user: Add it", 'add: success {"id":7}', "agent_text: added 1"]);
    expect(await page.evaluate(() => localStorage.getItem("done"))).toBe("add remove-7 ");
  }));

test("a session is exported and imported by what is loaded for that alone", () =>
  profile(async ({ open }) => {
    const page = await open();
    const loaded = () =>
      page.evaluate(() => performance.getEntriesByType("resource").some(({ name }) => name.includes("/maintenance-chunk-")));
    await inPage(page, `${app} await session.sendMessage("Add it");`);
    expect(await loaded()).toBe(false);
    const listed = await inPage<string[]>(
      page,
      `const database = new SessionDatabase(); await database.import(await database.export("s"), { id: "copy" });
       return (await database.list()).map(({ id }) => id).sort();`,
    );
    expect([listed, await loaded()]).toEqual([["copy", "s"], true]);
  }));
