// One session in several tabs of a real browser: one runs it, the others follow, and one of them takes over.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { openBrowser } from "../support/browser.js";
import { inPage, type Profile, withProfile } from "../support/pages.js";
import { profiles } from "../support/profiles.js";
import { app, asked, cores, done, kill, noLocks, open, shown, tabOf, takeOver, when } from "../support/tabs.js";

const { profile, server } = profiles();

test("the first tab runs a session, the second follows it live and sees what it sees", () =>
  profile(async (profile) => {
    const first = await open(profile);
    await inPage(first, `await session.sendMessage("hello");`);
    const second = await open(profile);
    expect(await tabOf(first)).toBe("leader");
    expect(await tabOf(second)).toBe("follower");
    expect(await shown(second)).toEqual(["user: hello", "agent_text: you said hello"]);

    void inPage(first, `await session.sendMessage("write 60");`);
    const frames = await inPage<{ pieces: number; snapshots: number; frames: number; joined: boolean }>(
      second,
      `let frames = 0, going = true;
       const frame = () => { frames++; if (going) requestAnimationFrame(frame); };
       requestAnimationFrame(frame);
       await until(session, ({ streamingText }) => streamingText !== "");
       await until(session, ({ busy }) => !busy);
       going = false;
       const pieces = states.filter(({ streamingText }) => streamingText !== "").map(({ streamingText }) => streamingText);
       return { pieces: new Set(pieces).size, snapshots: pieces.length, frames, joined: pieces.every((piece) => words.startsWith(piece)) };`.replace(
        "words.startsWith",
        `Array.from({ length: 60 }, (_, at) => "word" + at + " ").join("").startsWith`,
      ),
    );
    expect(frames.pieces).toBeGreaterThan(3);
    expect(frames.snapshots).toBeLessThanOrEqual(frames.frames + 4);
    expect(frames.joined).toBe(true);
    expect(await shown(second)).toEqual(await shown(first));
  }));

test("who follows answers a form of the tool that runs in the first tab", () =>
  profile(async (profile) => {
    const [first, second] = [await open(profile), await open(profile)];
    const outcome = inPage(first, `return (await session.sendMessage("form")).text;`);
    const slot = await asked(second);
    expect(await inPage(second, `return session.resolveSlot("${slot}", "Ada");`)).toBe(true);
    expect(await outcome).toBe("all done");
    const whole = ["user: form", "form: success said Ada", "agent_text: all done"];
    expect(await when(second, "!shown.busy", "texts(shown)")).toEqual(whole);
    expect(await shown(first)).toEqual(whole);
    expect(await done(first)).toBe("form ");
    // An answer that comes twice, or to nothing, is none.
    expect(await inPage(second, `return [session.resolveSlot("${slot}", "Eve"), session.rejectSlot("none")];`)).toEqual([
      false,
      false,
    ]);
  }));

test("who follows allows a call, sends messages that the first tab answers, stops one, and takes an action back", () =>
  profile(async (profile) => {
    const [first, second] = [await open(profile), await open(profile)];
    const sent = inPage(second, `return session.sendMessage("pay");`);
    await when(first, `shown.approvals[0]?.kind === "permission"`);
    await when(second, `shown.approvals[0]?.kind === "permission"`);
    await inPage(second, "session.approve(session.getSnapshot().approvals[0].id);");
    expect(await sent).toMatchObject({ type: "completed", text: "all done" });
    expect(await done(first)).toBe("pay ");

    const stopped = inPage(second, `return session.sendMessage("write 2000");`);
    await when(second, `shown.streamingText.includes("word5 ")`);
    expect(await inPage(second, "return session.getSnapshot().status;")).toBe("streaming");
    await inPage(second, "session.stop();");
    expect(await stopped).toEqual({ type: "aborted" });
    expect(await when(first, "!shown.busy", "shown.timeline.at(-1).partial")).toBe(true);
    expect(await when(second, "!shown.busy", "texts(shown)")).toEqual(await shown(first));

    // A request of the first tab is stopped by the second as well.
    const own = inPage(first, `return session.sendMessage("write 2000");`);
    await when(second, `shown.streamingText.includes("word3 ")`);
    await inPage(second, "session.stop();");
    expect(await own).toEqual({ type: "aborted" });

    await inPage(second, `await session.sendMessage("take");`);
    expect(await inPage(second, "return session.undo();")).toEqual({ type: "undone", steps: 1 });
    expect(await done(first)).toBe("pay take undone ");
    expect(
      await inPage(
        second,
        "return (await session.messages()).length === JSON.parse(JSON.stringify(await session.prompts())).length;",
      ),
    ).toBe(false);
    expect(await inPage(second, "return (await session.messages()).length;")).toBe(
      await inPage(first, "return (await session.messages()).length;"),
    );
  }));

test("a failure is shown in every tab, told to the one who asked, and cleared from any", () =>
  profile(async (profile) => {
    const [first, second] = [await open(profile), await open(profile)];
    const failure = await inPage(second, `return errorOf(session.sendMessage("fail"));`);
    expect(failure).toMatch(/^MODEL_ADAPTER: .*no such luck/);
    expect(await when(first, "shown.error", "[shown.status, shown.error.code]")).toEqual(["error", "MODEL_ADAPTER"]);
    expect(await when(second, "shown.error", "[shown.status, shown.error.code]")).toEqual(["error", "MODEL_ADAPTER"]);
    await inPage(second, "session.clearError();");
    expect(await when(first, "!shown.error", "shown.status")).toBe("ready");
    expect(await inPage(second, "return session.getSnapshot().status;")).toBe("ready");
  }));

/** Answers the form; again where the answer came before its tool was entered again. */
const answer = (page: Page, value: string) =>
  inPage<boolean>(
    page,
    `for (let tries = 0; tries < 40; tries++) {
       const { slots, timeline } = session.getSnapshot();
       if (timeline.findLast(({ kind }) => kind === "tool").status === "success") return true;
       const open = slots.findLast(({ status }) => status === "pending");
       if (open) session.resolveSlot(open.id, "${value}");
       await new Promise((later) => setTimeout(later, 50));
     }
     return false;`,
  );

const close = (page: Page) => page.close();
const dispose = (page: Page) => inPage(page, "client.dispose();");
/** What a browser tells a page before it lets it stand still. A headless one freezes no page that was not left. */
const freeze = (page: Page) => page.evaluate(() => void document.dispatchEvent(new Event("freeze")));
const thaw = (page: Page) => page.evaluate(() => void document.dispatchEvent(new Event("resume")));
const ends: [string, (page: Page, profile: Profile) => Promise<unknown>][] = [
  ["killed", kill],
  ["closed", close],
  ["done with it", dispose],
  ["frozen", freeze],
];

test.each(ends)("when the first tab is %s at a form, the second has the form and goes on", (_, end) =>
  profile(async (profile) => {
    const [first, second] = [await open(profile), await open(profile)];
    await inPage(first, `void session.sendMessage("form").catch(() => {});`);
    const slot = await asked(second);
    await takeOver(second, () => end(first, profile));
    await inPage(second, "await new Promise((later) => setTimeout(later, 100));");
    // What it showed was never empty.
    expect(
      await inPage(second, "return states.some(({ timeline, slots }) => timeline.length === 0 || slots.length === 0);"),
    ).toBe(false);
    // It is the same question, so what was typed into it is there.
    expect(await inPage(second, `return states.every(({ slots }) => slots.length === 1 && slots[0].id === "${slot}");`)).toBe(
      true,
    );
    const answered = await answer(second, "Ada");
    expect(answered).toBe(true);
    const whole = ["user: form", "form: success said Ada", "agent_text: all done"];
    expect(await when(second, "!shown.busy", "texts(shown)")).toEqual(whole);
    expect(await done(second)).toBe("form form ");
  }),
);

test("when the first tab is killed at a permission, the second asks the same question, and the tool runs once", () =>
  profile(async (profile) => {
    const [first, second] = [await open(profile), await open(profile)];
    await inPage(first, `void session.sendMessage("pay").catch(() => {});`);
    const question = await when<string>(second, "shown.approvals.length === 1", "shown.approvals[0].id");
    await takeOver(second, () => kill(first, profile));
    expect(await inPage(second, "return session.getSnapshot().approvals.map(({ id }) => id);")).toEqual([question]);
    expect(await inPage(second, `return states.every(({ approvals }) => approvals[0]?.id === "${question}");`)).toBe(true);
    await inPage(second, `session.approve("${question}");`);
    expect(await when(second, "!shown.busy", "texts(shown)")).toEqual(["user: pay", "pay: success paid", "agent_text: all done"]);
    expect(await done(second)).toBe("pay ");
  }));

test("when the first tab is killed while a model answers, the second asks the model again and shows one answer", () =>
  profile(async (profile) => {
    const [first, second] = [await open(profile), await open(profile)];
    await inPage(first, `void session.sendMessage("write 100").catch(() => {});`);
    await when(second, `shown.streamingText.includes("word9 ")`);
    await takeOver(second, () => kill(first, profile));
    // The text that was there stays until it is written anew, as it was or as a partial entry.
    expect(
      await inPage(
        second,
        `return states.every(({ streamingText, timeline, busy }) => !busy || (streamingText || timeline.at(-1).text).startsWith("word0 "));`,
      ),
    ).toBe(true);
    expect(
      await inPage(
        second,
        `const { timeline } = await until(session, ({ busy }) => !busy); return timeline.map(({ text }) => text.split(" ").length);`,
      ),
    ).toEqual([2, 101]);
    expect(await inPage(second, "return (await session.messages()).length;")).toBe(2);
  }));

test("a message that was sent from the second tab is made once, whatever becomes of the first, and its promise is kept", () =>
  profile(async (profile) => {
    const [first, second] = [await open(profile), await open(profile)];
    await inPage(second, `globalThis.sent = errorOf(session.sendMessage("write 100"));`);
    await when(first, `shown.streamingText.includes("word9 ")`);
    await inPage(second, `globalThis.next = errorOf(session.sendMessage("after it"));`);
    await when(first, "shown.queue.length === 1");
    await takeOver(second, () => kill(first, profile));
    // This one comes while the second tab is only just beginning.
    expect(await inPage(second, "return [(await sent).type, (await next).text];")).toEqual(["completed", "you said after it"]);
    expect(await inPage(second, "return (await session.messages()).map(({ sender }) => sender);")).toEqual([
      "user",
      "agent",
      "user",
      "agent",
    ]);
  }));

test("what cannot be asked twice is refused when nobody knows how far it came", () =>
  profile(async (profile) => {
    const slow = `tools.find(({ name }) => name === "take").undo = () => new Promise(() => note("undoing"));`;
    const [first, second] = [await profile.open(), await open(profile)];
    await inPage(second, "client.dispose();");
    await inPage(first, `${app.replace("globalThis.client", `${slow} globalThis.client`)} await session.start();`);
    await inPage(second, `${app} await session.start();`);
    expect(await tabOf(second)).toBe("follower");
    await inPage(second, `await session.sendMessage("take"); globalThis.undone = errorOf(session.undo());`);
    await first.waitForFunction(() => localStorage.getItem("done")?.includes("undoing"));
    await takeOver(second, () => kill(first, profile));
    expect(await inPage(second, "return undone;")).toMatch(/^SESSION_MOVED: /);
  }));

test("a frozen tab that comes back follows the one that has taken over, and nothing was ended", () =>
  profile(async (profile) => {
    const [first, second] = [await open(profile), await open(profile)];
    await inPage(first, `globalThis.sent = errorOf(session.sendMessage("form"));`);
    await when(second, "shown.slots.length === 1");
    await takeOver(second, () => freeze(first));
    await when(second, "shown.slots.length === 1 && shown.run.phase !== 'idle'");
    await thaw(first);
    expect(
      await when(first, `shown.tab === "follower"`, "[shown.error, shown.slots.length, shown.timeline.at(-1).status]"),
    ).toEqual([undefined, 1, "running"]);
    expect(await answer(first, "Ada")).toBe(true);
    expect(await inPage(first, "return (await sent).text;")).toBe("all done");
    expect(await shown(first)).toEqual(await shown(second));
  }));

test("a tab that is frozen alone keeps what it does, and gives its session away when it does nothing", () =>
  profile(async (profile) => {
    const first = await open(profile);
    await inPage(first, `globalThis.sent = errorOf(session.sendMessage("form"));`);
    await when(first, "shown.slots.length === 1");
    await freeze(first);
    await thaw(first);
    expect(await inPage(first, `session.resolveSlot(session.getSnapshot().slots[0].id, "Ada"); return (await sent).text;`)).toBe(
      "all done",
    );
    expect(await done(first)).toBe("form ");
    await freeze(first);
    const second = await open(profile);
    expect(await tabOf(second)).toBe("leader");
    await thaw(first);
    expect(await when(first, `shown.tab === "follower"`, "shown.timeline.length")).toBe(3);
  }));

test.each(cores)(
  "a page with its core %s that its browser kept follows the one that has taken over, when it is come back to",
  async (_, core) => {
    const keeping = await openBrowser({ keepsPages: true });
    try {
      await withProfile(keeping, server(), async (profile) => {
        const [first, second] = [await open(profile, core), await open(profile, core)];
        await inPage(first, `globalThis.sent = errorOf(session.sendMessage("pay"));`);
        await when(second, "shown.approvals.length === 1");
        expect(first.workers().length).toBe(core ? 1 : 0);
        await takeOver(second, () => first.goto(`${profile.url}/?other`));
        await first.evaluate(() => history.back());
        await first.waitForFunction(() => "sent" in globalThis);
        expect(await when(first, `shown.tab === "follower"`, "[shown.approvals.length, shown.error]")).toEqual([1, undefined]);
        await inPage(first, "session.approve(session.getSnapshot().approvals[0].id);");
        // It was asked for before the page was left.
        expect(await inPage(first, "return (await sent).text;")).toBe("all done");
        expect(await shown(first)).toEqual(await shown(second));
        expect(await done(second)).toBe("pay ");

        // Alone it has its session again too, and asks what it asked.
        await second.close();
        await when(first, `shown.tab === "leader"`);
        await inPage(first, `globalThis.next = errorOf(session.sendMessage("form"));`);
        await when(first, "shown.slots.length === 1");
        await first.goto(`${profile.url}/?other`);
        await first.evaluate(() => history.back());
        await first.waitForFunction(() => "next" in globalThis);
        await when(first, `shown.slots.length === 1 && shown.run.phase !== "idle"`);
        expect(await answer(first, "Ada")).toBe(true);
        expect(await inPage(first, "return (await next).text;")).toBe("all done");
      });
    } finally {
      await keeping.close();
    }
  },
);

test("a session that another tab leaves for another one is taken over, and each is followed where it is", () =>
  profile(async (profile) => {
    const [first, second] = [await open(profile), await open(profile)];
    await inPage(first, `client.retain(session)(); globalThis.other = client.session("t"); await other.sendMessage("here");`);
    expect(await when(second, `shown.tab === "leader"`, "shown.tab")).toBe("leader");
    expect(
      await inPage(
        second,
        `const other = client.session("t"); await other.start(); return [other.getSnapshot().tab, texts(other.getSnapshot())];`,
      ),
    ).toEqual(["follower", ["user: here", "agent_text: you said here"]]);
    // Whoever comes back follows.
    expect(await inPage(first, `const again = client.session("s"); await again.start(); return again.getSnapshot().tab;`)).toBe(
      "follower",
    );
  }));

test("the lock of a killed tab is free within a second", () =>
  profile(async (profile) => {
    const first = await open(profile);
    const second = await profile.open();
    const name = `glove ["glove","s"]`;
    expect(await second.evaluate(async () => (await navigator.locks.query()).held?.map(({ name }) => name))).toContain(name);
    const free = second.evaluate((name) => navigator.locks.request(name, () => performance.now() + performance.timeOrigin), name);
    const before = performance.now() + performance.timeOrigin;
    await kill(first, profile);
    expect((await free) - before).toBeLessThan(1_000);
  }));

test.each([2, 8])("%d tabs that write to one session at once lose nothing and mix nothing up", (count) =>
  profile(async (profile) => {
    const pages = await Promise.all(Array.from({ length: count }, () => open(profile)));
    const each = Math.ceil(120 / count);
    await Promise.all(
      pages.map((page, at) =>
        inPage(page, `await Promise.all(Array.from({ length: ${each} }, (_, n) => session.sendMessage("m${at}." + n)));`),
      ),
    );
    const [first] = pages as [Page];
    const stored = await inPage<{ sender: string; text: string }[]>(
      first,
      `client.dispose(); const store = new IndexedDBStore("s"); return (await store.getMessages()).map(({ sender, text }) => ({ sender, text }));`,
    );
    expect(stored).toHaveLength(2 * each * count);
    for (let at = 0; at < stored.length; at += 2) {
      expect(stored[at]?.sender).toBe("user");
      expect(stored[at + 1]).toEqual({ sender: "agent", text: `you said ${stored[at]?.text}` });
    }
    const wanted = pages.flatMap((_, at) => Array.from({ length: each }, (_, n) => `m${at}.${n}`));
    expect(
      stored
        .filter(({ sender }) => sender === "user")
        .map(({ text }) => text)
        .sort(),
    ).toEqual(wanted.sort());
  }),
);

test("without locks one tab runs the session all the same, and a tab that leaves gives it to the next", () =>
  profile(async (profile) => {
    const [first, second] = [await open(profile, noLocks), await open(profile, noLocks)];
    expect([await tabOf(first), await tabOf(second)]).toEqual(["leader", "follower"]);
    await inPage(second, `await session.sendMessage("hello");`);
    await first.reload();
    await when(second, `shown.tab === "leader"`);
    await inPage(first, `${app} await session.start();`);
    expect(await tabOf(first)).toBe("follower");
    expect(await shown(first)).toEqual(["user: hello", "agent_text: you said hello"]);
  }));

test.each([
  ["the time of its holder runs out", "0"],
  ["the clock is set back", "Date.now() + 86_400_000"],
])("without locks a tab whose holder does not answer says so and runs nothing, until %s", (_, until) =>
  profile(async (profile) => {
    const first = await open(profile, noLocks);
    await kill(first, profile);
    const second = await profile.open(noLocks);
    const told = await inPage(
      second,
      `${app} return [await errorOf(session.start()), await errorOf(session.sendMessage("hello")), session.getSnapshot().tab];`,
    );
    expect(told).toEqual([
      expect.stringMatching(/^SESSION_OPEN_ELSEWHERE: /),
      expect.stringMatching(/^SESSION_OPEN_ELSEWHERE: /),
      "blocked",
    ]);
    expect(await inPage(second, "return session.getSnapshot().error.code;")).toBe("SESSION_OPEN_ELSEWHERE");
    // Here it is made so.
    await inPage(
      second,
      `const db = await raw(); db.transaction("extras", "readwrite").objectStore("extras").put(["gone", ${until}], ["s", "lease"]); db.close();`,
    );
    expect(await when(second, `shown.tab === "leader"`, "shown.error")).toBe(undefined);
    expect(await inPage(second, `return (await session.sendMessage("hello")).text;`)).toBe("you said hello");
  }),
);

test("a call that is being written is shown in every tab, and once", () =>
  profile(async (profile) => {
    const app = `
      const said = new TextEncoder();
      const body = new ReadableStream({ start: (to) => void (globalThis.say = (delta) =>
        to.enqueue(said.encode("data: " + JSON.stringify({ type: "tool_input_delta", id: "c", name: "plan", delta }) + "\\n\\n"))) });
      const fetch = async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
      globalThis.writing = new GloveClient({ createModel: () => createEndpointModel("/chat", { fetch }) }).session("w");
      await writing.start();`;
    const [first, second] = [await open(profile), await open(profile)];
    for (const page of [first, second]) await inPage(page, app);
    await inPage(first, `void writing.sendMessage("plan").catch(() => {}); say('{"days":[{"to":"Ro'); say("m");`);
    const input = (page: Page, to: string) =>
      inPage(
        page,
        `return (await until(writing, ({ streamingCalls: [call] }) => call?.input.days?.[0]?.to === "${to}")).streamingCalls;`,
      );
    const written = (to: string, at: string) => [{ id: "c", name: "plan", input: { days: [{ to }] }, at }];
    for (const page of [first, second]) expect(await input(page, "Rom")).toEqual(written("Rom", "/days/0/to"));
    await inPage(first, `say('e"}');`);
    for (const page of [first, second]) expect(await input(page, "Rome")).toEqual(written("Rome", "/days"));
  }));

test("a session in memory knows of no other tab", () =>
  profile(async ({ open }) => {
    const page = await open();
    const told = await inPage(
      page,
      `${app.replace("createModel:", "createStore: (id) => new glove.MemoryStore(id), createModel:")} await session.sendMessage("hello");
       return [session.getSnapshot().tab, (await navigator.locks.query()).held.filter(({ name }) => name.startsWith("glove [")).length];`,
    );
    expect(told).toEqual(["leader", 0]);
  }));
