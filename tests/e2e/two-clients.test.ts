// Two clients on one page: what they share unless they have databases of their own, and that nobody shares it in silence.
import { expect, test } from "vitest";
import { inPage } from "../support/pages.js";
import { profiles } from "../support/profiles.js";

const { profile } = profiles();

/** Clients whose models say whose they are, and what the console was told. */
const clients = `
  // Long waits pass four times as fast, in the same order.
  const timeout = globalThis.setTimeout;
  globalThis.setTimeout = (work, ms, ...args) => timeout(work, ms >= 5_000 && ms <= 10_000 ? ms / 4 : ms, ...args);
  const warnings = [];
  console.warn = (text) => warnings.push(text);
  const make = (who, more) =>
    new GloveClient({ createModel: () => createScriptedModel(() => "I am " + who), systemPrompt: "", persistSession: true, ...more });
  const ask = async (client, id) => (await client.session(id ?? (await client.firstSessionId())).sendMessage("Who are you?")).text;
  const aWhile = () => new Promise((later) => setTimeout(later, 7_000));
`;

test("clients with databases of their own remember and answer their own sessions", () =>
  profile(async ({ open }) => {
    const answers = `${clients}
      const [a, b] = [make("a"), make("b", { database: { name: "b" } })];
      const said = [await ask(a), await ask(b)];
      await aWhile();
      return [said, (await a.sessions()).length, (await b.sessions()).length, a.firstSessionId() === b.firstSessionId(), warnings];
    `;
    const page = await open();
    const own = [["I am a", "I am b"], 1, 1, false, []];
    expect(await inPage(page, answers)).toEqual(own);
    // A page that comes back finds the same two.
    await page.reload();
    expect(await inPage(page, answers)).toEqual(own);
  }));

test("two clients on one session of one database are told of it, once", () =>
  profile(async ({ open }) => {
    const [texts, warnings] = (await inPage(
      await open(),
      `${clients}
       const [a, b, c] = [make("a"), make("b"), make("c")];
       const said = [await ask(a), await ask(b), await ask(c)];
       await aWhile();
       return [said, warnings];`,
    )) as [string[], string[]];
    expect(texts).toEqual(["I am a", "I am a", "I am a"]);
    expect(warnings).toEqual([expect.stringMatching(/^Two clients of this page have .*`database: \{ name \}`/)]);
  }));

test("a client that takes another one's place is told nothing, also while the one before ends what runs", () =>
  profile(async ({ open }) => {
    const found = await inPage(
      await open(),
      `${clients}
       const slow = make("a", { createModel: () => createScriptedModel([{ text: "slow", after: 8_000 }]) });
       const [closed, next, other] = [make("closed"), make("next"), make("other")];
       await ask(closed, "s");
       closed.dispose();
       const release = slow.retain(slow.session("s"));
       slow.session("s").sendMessage("Hi");
       await until(slow.session("s"), ({ run }) => run.phase === "model");
       next.retain(next.session("s"));
       next.session("s").start();
       release();
       // Sessions that only have the same id, in memory of the application or of their own databases.
       const { MemoryStore } = glove;
       for (const who of ["x", "y"]) await ask(make(who, { createStore: (id) => new MemoryStore(id) }), "s");
       await ask(other, "t");
       await aWhile();
       const { timeline } = await until(next.session("s"), ({ busy, timeline }) => !busy && timeline.length === 4);
       return [timeline.at(-1).text, await ask(next, "s"), warnings];`,
    );
    expect(found).toEqual(["slow", "I am next", []]);
  }));
