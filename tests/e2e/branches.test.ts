// Branches in a real browser: a page that is killed at each write of an edit, of a switch, of another answer and of a fork comes back to the branch
// that it showed or to the new one, whole.
import { expect, test } from "vitest";
import { freezing, moments } from "../support/kill-app.js";
import { inPage } from "../support/pages.js";
import { profiles } from "../support/profiles.js";

const { profile } = profiles();

/** A session of a database of its own, so that many of them die side by side. */
const app = `
  const note = (id) => localStorage.setItem(id, 1 + Number(localStorage.getItem(id) ?? 0));
  const app = (id) => {
    const script = ({ messages }) => {
      const asked = messages.findLast(({ sender, tool_results }) => sender === "user" && !tool_results).text;
      const called = messages.at(-1).tool_results;
      return asked === "one" || called ? "answer to " + asked : { toolCalls: [{ name: "pay" }] };
    };
    const tools = [{ name: "pay", description: "", jsonSchema: { type: "object" }, onInterrupted: "fail", do: () => { note(id); return "paid"; } }];
    const database = new SessionDatabase({ name: id });
    const client = new GloveClient({
      createModel: () => createScriptedModel(script), createStore: (session) => new IndexedDBStore(session, database), tools,
      createSessionId: () => "fork",
    });
    return Object.assign(client.session("s"), { client });
  };
  const first = (session) => session.getSnapshot().timeline[0].branches.ids[0];
  const acts = {
    edit: (session) => session.edit(first(session), "eins"),
    switch: (session) => session.switchBranch(first(session)),
    again: (session) => session.regenerate(),
    fork: (session) => session.fork(session.getSnapshot().timeline.at(-1).id),
  };
  const prepare = async (id) => {
    const session = app(id);
    await session.sendMessage("one");
    await session.edit(session.getSnapshot().timeline[0].id, "uno");
    session.client.dispose();
  };
  const act = async (id, name) => {
    const session = app(id);
    await session.start();
    await until(session, ({ timeline }) => timeline.length > 0);
    await acts[name](session);
    session.client.dispose();
  };
  const look = async (id) => {
    const session = app(id);
    await session.start();
    const shown = texts(await until(session, ({ busy, timeline }) => !busy && timeline.length > 0));
    await session.switchBranch(first(session));
    const one = texts(session.getSnapshot());
    await session.switchBranch(session.getSnapshot().timeline[0].branches.ids[1]);
    const uno = texts(session.getSnapshot())[0];
    const fork = session.client.session("fork");
    await fork.start();
    const forked = texts(fork.getSnapshot());
    session.client.dispose();
    return { shown, one, uno, forked, ran: Number(localStorage.getItem(id) ?? 0) };
  };
`;

interface Found {
  readonly shown: string[];
  readonly one: string[];
  readonly uno: string;
  readonly forked: string[];
  readonly ran: number;
}

const one = ["user: one", "agent_text: answer to one"];
const uno = ["user: uno", "pay: success paid", "agent_text: answer to uno"];
/** What each act leads to, and how often the tool has run then. */
const ends: Record<string, [shown: string[], ran: number]> = {
  edit: [["user: eins", "pay: success paid", "agent_text: answer to eins"], 2],
  switch: [one, 1],
  again: [uno, 1],
  fork: [uno, 1],
};

test.each(Object.keys(ends))("a page that is killed at any write of %s loses nothing and runs nothing twice", (name) =>
  profile(async ({ open, context }) => {
    const [shown, ran] = ends[name] ?? [[], 0];
    const points = [1, 2, 3, 4, 5, 6].flatMap((n) => moments.map((moment) => [`${name} ${n} ${moment}`, n, moment] as const));
    const page = await open();
    const frozen = await inPage<string[]>(
      page,
      `${freezing} ${app}
       const dying = ${JSON.stringify(points)};
       await Promise.all(dying.map(([id]) => prepare(id)));
       const ends = await Promise.all(dying.map(([id, n, moment]) => {
         const dies = freezeAt(id, n, moment);
         return Promise.race([dies, act(id, "${name}").then(() => false)]).then((died) => died && id);
       }));
       return ends.filter(Boolean);`,
    );
    expect(frozen.length).toBeGreaterThan(2);
    const devtools = await context.newCDPSession(page);
    const crashed = page.waitForEvent("crash");
    devtools.send("Page.crash").catch(() => {});
    await crashed;
    const found = await inPage<[string, Found][]>(
      await open(),
      `${app} return Promise.all(${JSON.stringify(points)}.map(async ([id]) => [id, await look(id)]));`,
    );
    for (const [id, end] of found) {
      const whole = [uno, shown].map((lines) => lines.join("\n"));
      const text = end.shown.join("\n");
      // A payment that was begun is not made again: the model is told that its outcome is not known.
      expect(whole.includes(text) || (name === "edit" && text.startsWith("user: eins")), `${id}: ${text}`).toBe(true);
      expect(end.ran, id).toBeLessThanOrEqual(ran);
      expect([end.one, end.uno], id).toEqual([one, "user: uno"]);
      expect([[], ...(name === "fork" ? [uno] : [])], id).toContainEqual(end.forked);
      if (!frozen.includes(id)) expect(text, id).toBe(shown.join("\n"));
    }
  }),
);

test("two tabs show the same branch, whichever asks for it, and a reload comes back to it", () =>
  profile(async ({ open }) => {
    const [a, b] = [await open(), await open()];
    const begin = `${app} globalThis.session = app("tabs"); await session.start();`;
    await inPage(
      a,
      `${begin} await session.sendMessage("one"); await session.edit(session.getSnapshot().timeline[0].id, "uno");`,
    );
    await inPage(
      b,
      `${begin} await until(session, ({ timeline }) => timeline.length === 3); await session.switchBranch(session.getSnapshot().timeline[0].branches.ids[0]);`,
    );
    const shows = `return texts(await until(session, ({ timeline }) => timeline[0]?.branches?.index === 0));`;
    expect(await inPage(a, shows)).toEqual(one);
    expect(await inPage(b, shows)).toEqual(one);
    await b.close();
    await a.reload();
    expect(await inPage(a, `${begin} ${shows}`)).toEqual(one);
  }));
