// In a browser's database: nothing that is awaited of a session is left without an answer when the session is closed or deleted
// at any moment. All methods and the traps of the core are in tests/js/all-settles.test.ts.
import { expect, test } from "vitest";
import { inPage } from "../support/pages.js";
import { profiles } from "../support/profiles.js";

const { profile } = profiles();

test("all settles, whenever the session is closed or deleted", () =>
  profile(async ({ open }) => {
    const page = await open();
    const hung = await inPage<string[]>(
      page,
      `
      const sent = (session) => {
        session.sendMessage("Hi").catch(() => {});
        return session.getSnapshot().timeline.at(-1)?.id ?? "none";
      };
      const asks = {
        start: (session) => session.start(),
        sendMessage: (session) => session.sendMessage("Hi"),
        regenerate: (session) => session.regenerate(),
        edit: (session) => session.edit(sent(session), "Hello"),
        switchBranch: (session) => session.switchBranch(sent(session)),
        fork: (session) => session.fork(sent(session)),
        resume: (session) => session.resume(),
        undo: (session) => session.undo(),
        answerInbox: (session) => session.answerInbox("i", "yes"),
        takeOver: (session) => session.takeOver(),
        messages: (session) => session.messages(),
        pushAndWait: (session) => session.displayManager.pushAndWait({ input: 1 }),
        pushAndForget: (session) => session.displayManager.pushAndForget({ input: 1 }),
      };
      const model = () => createScriptedModel(() => ({ deltas: ["a piece"], until: new Promise(() => {}) }));
      let count = 0;
      const hung = [];
      const one = async (name, ends, started, wait) => {
        const id = "s" + count++;
        const client = new GloveClient({ createModel: model, systemPrompt: "" });
        const session = client.session(id);
        if (started) await session.start();
        const asked = asks[name](session).then(() => true, () => true);
        if (wait < 20) for (let n = 0; n < wait; n++) await undefined;
        else await new Promise((later) => setTimeout(later, wait - 20));
        if (ends === "dispose") session.dispose();
        else await client.deleteSession(id);
        const late = new Promise((late) => setTimeout(late, 20_000, false));
        if (!(await Promise.race([asked, late]))) hung.push([name, ends, started ? "started" : "new", wait].join(" "));
        client.dispose();
      };
      for (const wait of [0, 1, 2, 3, 5, 8, 13, 20, 25, 40])
        for (const ends of ["dispose", "delete"])
          await Promise.all(Object.keys(asks).flatMap((name) => [true, false].map((started) => one(name, ends, started, wait))));
      return hung;
      `,
    );
    expect(hung).toEqual([]);
  }));
