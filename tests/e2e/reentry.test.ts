// Tools whose page goes away in the middle of what they ask: entered again, they go on where they waited, or a person is asked.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { inPage, type Profile } from "../support/pages.js";
import { profiles } from "../support/profiles.js";

const { profile } = profiles();

/** The application, as each of its pages starts it. What its tools did is noted beside the session. None is idempotent. */
const app = (config = "") => `
  const note = (what) => localStorage.setItem("done", (localStorage.getItem("done") ?? "") + what + ", ");
  const tool = (name, work) => ({ name, description: "", jsonSchema: { type: "object" }, do: work });
  const later = (ms) => new Promise((done) => setTimeout(done, ms));
  const tools = [
    tool("order", async (_, display) => {
      note("enter");
      localStorage.setItem("keys", (localStorage.getItem("keys") ?? "") + display.idempotencyKey + " ");
      await display.pushAndForget({ renderer: "card", input: { of: "order" } });
      const where = await display.pushAndWait({ input: { ask: "where" } });
      const number = await display.step("reserve", async () => { note("reserve"); await later(5); return 7; });
      const when = await display.pushAndWait({ input: { ask: "when" } });
      note("order");
      return [where, number, when].join(" ");
    }),
    tool("fetching", async (_, display) => {
      note("enter");
      await display.pushAndWait({ input: { ask: "one" } });
      await fetch("data:,x");
      note("fetched");
      await display.pushAndWait({ input: { ask: "two" } });
      return "done";
    }),
    tool("timing", async (_, display) => {
      await later(0);
      await display.pushAndWait({ input: { ask: "one" } });
      return "done";
    }),
    tool("worded", async (_, display) => {
      note("enter");
      const said = await display.pushAndWait({ input: { ask: "before" } });
      note("said " + said);
      return said;
    }),
    tool("charge", async (_, display) => {
      const sure = await display.pushAndWait({ input: { ask: "sure" } });
      const receipt = await display.step("charge", () => { note("charge"); return localStorage.getItem("hangs") ? new Promise(() => {}) : { sure, paid: true }; });
      return receipt;
    }),
  ];
  const script = ({ messages }) => {
    const results = messages.flatMap(({ tool_results }) => tool_results ?? []);
    return results.length ? "all done" : { toolCalls: [{ name: messages[0].text }] };
  };
  globalThis.client = new GloveClient({ createModel: () => createScriptedModel(script), tools, ${config} });
  globalThis.session = client.session("s");
`;
const helpers = `
  const open = ({ slots }) => slots.filter(({ status, renderer }) => status === "pending" && renderer !== "card");
  const asks = async (what) => {
    await until(session, (shown) => shown.run.phase === "waiting" && open(shown)[0]?.input.ask === what);
    // What is shown is on its way to the disk.
    await new Promise((stored) => setTimeout(stored, 50));
    return session.getSnapshot();
  };
  const say = (value) => session.resolveSlot(open(session.getSnapshot())[0].id, value);
  const question = () => until(session, ({ approvals }) => approvals[0]?.kind === "interrupted");
  const end = async () => texts(await until(session, ({ busy }) => !busy));
`;
const run = <T>(page: Page, body: string) => inPage<T>(page, `${helpers} ${body}`);
const start = <T>(page: Page, wanted: string, body: string, config?: string) =>
  run<T>(page, `${app(config)} void session.sendMessage("${wanted}").catch(() => {}); ${body}`);
const again = <T>(page: Page, body: string, config?: string) => run<T>(page, `${app(config)} await session.start(); ${body}`);
const done = (page: Page) => page.evaluate(() => localStorage.getItem("done")?.split(", ").filter(Boolean));

test.each([
  ["in the page", ""],
  ["in a worker", "worker: true,"],
])("a form of two questions is there again in the middle, however often its page is reloaded: with the core %s", (_, config) =>
  profile(async ({ open }) => {
    const page = await open();
    const slots = `session.getSnapshot().slots.map(({ id, renderer, input, toolName, toolCallId, createdAt, status }) =>
      ({ id, renderer, input, toolName, toolCallId, createdAt, status }))`;
    const before = await start<unknown[]>(
      page,
      "order",
      `await asks("where"); say("home"); await asks("when"); return ${slots};`,
      config,
    );
    expect(before).toMatchObject([
      { renderer: "card", status: "pending", toolName: "order" },
      { renderer: "order", status: "resolved", input: { ask: "where" } },
      { renderer: "order", status: "pending", input: { ask: "when" } },
    ]);
    for (let times = 0; times < 2; times++) {
      await page.reload();
      const shown = await again<{ slots: unknown; phase: string; approvals: number }>(
        page,
        `await asks("when");
         const { run, approvals } = await until(session, ({ run }) => run.phase === "waiting");
         return { slots: ${slots}, phase: run.phase, approvals: approvals.length };`,
        config,
      );
      expect(shown).toEqual({ slots: before, phase: "waiting", approvals: 0 });
    }
    const texts = await run(page, `say("today"); return end();`);
    expect(texts).toEqual(["user: order", "order: success home 7 today", "agent_text: all done"]);
    expect(await done(page)).toEqual(["enter", "reserve", "enter", "enter", "order"]);
    const keys = await page.evaluate(() => new Set(localStorage.getItem("keys")?.trim().split(" ")).size);
    expect(keys).toBe(1);
    // What stays on the display is there for the next page too, until it is taken away.
    await page.reload();
    expect(await again(page, `return ${slots};`, config)).toMatchObject([
      { renderer: "card", status: "pending" },
      { status: "resolved", input: { ask: "where" } },
      { status: "resolved", input: { ask: "when" } },
    ]);
    await run(
      page,
      `const [card] = session.getSnapshot().slots; session.resolveSlot(card.id);
       await until(session, ({ slots }) => slots.length === 2); await new Promise((stored) => setTimeout(stored, 50));`,
    );
    await page.reload();
    expect(await again(page, `return ${slots}.map(({ renderer }) => renderer);`, config)).toEqual(["order", "order"]);
  }),
);

test("a tool that waited for the network or a timer is asked about, and its answers are kept", () =>
  profile(async ({ open }) => {
    const page = await open();
    await start(page, "fetching", `await asks("one"); say(1); await asks("two");`);
    await page.reload();
    const shown = await again(
      page,
      `const { approvals, slots } = await question(); return [approvals[0].toolName, open({ slots }).filter(({ renderer }) => renderer === "fetching")];`,
    );
    expect(shown).toEqual(["fetching", []]);
    expect(await done(page)).toEqual(["enter", "fetched"]);
    const end = await run(
      page,
      `session.approve(session.getSnapshot().approvals[0].id); await asks("two"); say(2); return end();`,
    );
    expect(end).toEqual(["user: fetching", "fetching: success done", "agent_text: all done"]);
    expect(await done(page)).toEqual(["enter", "fetched", "enter", "fetched"]);
  }));

test("a timer before the first question is something that nobody knows of", () =>
  profile(async ({ open }) => {
    const page = await open();
    await start(page, "timing", `await asks("one");`);
    await page.reload();
    expect(await again(page, `return (await question()).approvals[0].toolName;`)).toBe("timing");
  }));

test("a step that was cut off is asked about, and done again only when the person says so", () =>
  profile(async ({ open }) => {
    const page = await open();
    await page.evaluate(() => localStorage.setItem("hangs", "yes"));
    await start(page, "charge", `await asks("sure"); say(true); while (!localStorage.getItem("done")) await later(5);`);
    await page.evaluate(() => localStorage.removeItem("hangs"));
    await page.reload();
    await again(page, `await question();`);
    expect(await done(page)).toEqual(["charge"]);
    // The answer is not asked for again.
    const end = await run(page, `session.approve(session.getSnapshot().approvals[0].id); return end();`);
    expect(end).toEqual(["user: charge", 'charge: success {"sure":true,"paid":true}', "agent_text: all done"]);
    expect(await done(page)).toEqual(["charge", "charge"]);
  }));

test("a run that is to be resumed by hand waits as `interrupted`, and then shows its form", () =>
  profile(async ({ open }) => {
    const page = await open();
    await start(page, "worded", `await asks("before");`);
    await page.reload();
    const shown = await run(
      page,
      `${app('resume: "manual"')} await session.start(); const { run, slots, busy } = session.getSnapshot(); return [run.phase, slots.length, busy];`,
    );
    expect(shown).toEqual(["interrupted", 0, false]);
    const end = await run(page, `void session.resume(); await asks("before"); say("it"); return end();`);
    expect(end).toEqual(["user: worded", "worded: success it", "agent_text: all done"]);
  }));

const departures: [string, (page: Page, profile: Profile) => Promise<unknown>][] = [
  [
    "is left and come back to",
    async (page, { url }) => {
      await page.goto("about:blank");
      await page.goto(url);
    },
  ],
  [
    "is left and come back to by the history",
    async (page) => {
      await page.goto("about:blank");
      await page.goBack();
    },
  ],
  ["lets go of its session", (page) => page.evaluate("client.dispose()")],
  [
    "hears pagehide and is hidden",
    (page) =>
      page.evaluate(() => {
        window.dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }));
        Object.defineProperty(document, "visibilityState", { value: "hidden" });
        document.dispatchEvent(new Event("visibilitychange"));
      }),
  ],
  [
    "is frozen",
    // As the browser tells it; a headless one takes each page for one that is seen, and freezes none.
    (page) =>
      page.evaluate(() => {
        for (const type of ["freeze", "resume"]) document.dispatchEvent(new Event(type));
      }),
  ],
];

test.each(departures)("nothing of a run ends because its page %s", (_, leave) =>
  profile(async (profile) => {
    const page = await profile.open();
    await start(page, "order", `await asks("where"); say("home"); await asks("when");`);
    await leave(page, profile);
    const next = await profile.open();
    const shown = await again<string[]>(next, `const snapshot = await asks("when"); return texts(snapshot);`);
    expect(shown).toEqual(["user: order", "order: running "]);
    const messages = await run<{ tool_results?: unknown }[]>(next, "return session.messages();");
    expect(messages.some(({ tool_results }) => tool_results)).toBe(false);
    // Only Stop ends it.
    const end = await run(next, `session.abort(); return end();`);
    expect(end).toEqual(["user: order", expect.stringContaining("order: aborted")]);
  }),
);

test("tasks, the inbox, what can be undone and what waits in the queue come back", () =>
  profile(async ({ open }) => {
    const page = await open();
    const parts = `
      const count = (by) => localStorage.setItem("count", Number(localStorage.getItem("count")) + by);
      const schema = { type: "object" };
      const tools = [
        { name: "add", description: "", jsonSchema: schema, do: () => { count(1); return "added"; }, undo: () => count(-1) },
        { name: "ask", description: "", jsonSchema: schema, do: (_, display) => display.pushAndWait({ input: { ask: "now" } }) },
      ];
      const todo = { todos: [{ content: "Pay", activeForm: "Paying", status: "in_progress" }] };
      const script = ({ messages }) => {
        const last = messages.at(-1);
        if (last.tool_results) return "done " + last.tool_results.map(({ tool_name }) => tool_name).join();
        if (last.text === "first") return { toolCalls: [{ name: "glove_update_tasks", input: todo }, { name: "add" }] };
        return last.text === "second" ? { toolCalls: [{ name: "ask" }] } : "heard " + last.text;
      };
      globalThis.client = new GloveClient({ createModel: () => createScriptedModel(script), tools });
      globalThis.session = client.session("s");
    `;
    await run(
      page,
      `${parts} await session.sendMessage("first");
       await session.store.addInboxItem({ id: "i1", tag: "mail", request: "Answer it", status: "pending", blocking: false, created_at: new Date().toISOString() });
       void session.sendMessage("second").catch(() => {}); await asks("now");
       void session.sendMessage("third").catch(() => {}); void session.sendMessage("fourth").catch(() => {});
       await until(session, ({ queue }) => queue.length === 2);
       await new Promise((stored) => setTimeout(stored, 50));`,
    );
    await page.reload();
    const back = await run(
      page,
      `${parts} await session.start(); await asks("now"); const { tasks, inbox, queue, run } = session.getSnapshot();
       return { tasks: tasks.map(({ content }) => content), inbox: inbox.map(({ request }) => request), queue: queue.map(({ text }) => text), phase: run.phase };`,
    );
    expect(back).toEqual({ tasks: ["Pay"], inbox: ["Answer it"], queue: ["third", "fourth"], phase: "waiting" });
    const end = await run(
      page,
      `say("yes"); await end(); const undone = await session.undo(); return [texts(session.getSnapshot()), undone.steps];`,
    );
    expect(end).toEqual([
      [
        "user: first",
        expect.stringContaining("glove_update_tasks: success"),
        "add: success added",
        "agent_text: done glove_update_tasks,add",
        "user: second",
        "ask: success yes",
        "agent_text: done ask",
        "user: third",
        "agent_text: heard third",
        "user: fourth",
        "agent_text: heard fourth",
      ],
      1,
    ]);
    expect(await page.evaluate(() => localStorage.getItem("count"))).toBe("0");
  }));
