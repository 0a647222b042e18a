// One session in several tabs of a real browser: one runs it, the others follow, and one of them takes over.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser } from "../support/browser.js";
import { inPage, type Profile, servePackage, withProfile } from "../support/pages.js";
import type { Served } from "../support/server.js";

let browser: Browser;
let server: Served;

beforeAll(async () => {
  [browser, server] = await Promise.all([openBrowser(), servePackage()]);
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

const profile = <T>(work: (profile: Profile) => Promise<T>) => withProfile(browser, server, work);

/** The application, the same in each tab. What its tools did is noted where all tabs see it. */
const app = `
  const note = (what) => localStorage.setItem("done", (localStorage.getItem("done") ?? "") + what + " ");
  const schema = { type: "object" };
  const tool = (name, run, more) => ({ name, description: "", jsonSchema: schema, do: (_, display) => { note(name); return run(display); }, ...more });
  const tools = [
    tool("look", () => "seen"),
    tool("form", async (display) => "said " + (await display.pushAndWait({ input: "Your name?" })), { onInterrupted: "rerun" }),
    tool("pay", () => "paid", { requiresPermission: true }),
    tool("take", () => "taken", { undo: () => note("undone") }),
  ];
  const words = (count) => Array.from({ length: count }, (_, at) => "word" + at + " ");
  const script = ({ messages }) => {
    const asked = messages.findLast(({ sender, tool_results }) => sender === "user" && !tool_results);
    const results = messages.slice(messages.indexOf(asked)).flatMap(({ tool_results }) => tool_results ?? []).map(({ tool_name }) => tool_name);
    const wanted = asked.text;
    if (wanted.startsWith("write ")) return { deltas: words(Number(wanted.slice(6))), every: 5 };
    if (wanted === "fail") throw new Error("no such luck");
    if (!tools.some(({ name }) => name === wanted)) return "you said " + wanted;
    return results.includes(wanted) ? "all done" : { toolCalls: [{ name: wanted }] };
  };
  globalThis.client = new GloveClient({ createModel: () => createScriptedModel(script), tools });
  globalThis.session = client.session("s");
  globalThis.states = [];
  session.subscribe(() => states.push(session.getSnapshot()));
  globalThis.errorOf = (promise) => promise.then((outcome) => outcome, (error) => error.code + ": " + error.message);
`;
const open = async ({ open }: Profile, before?: string) => {
  const page = await open(before);
  await inPage(page, `${app} await session.start();`);
  return page;
};
const tabOf = (page: Page) => inPage<string>(page, "return session.getSnapshot().tab;");
const done = (page: Page) => page.evaluate(() => localStorage.getItem("done"));
const shown = (page: Page) => inPage<string[]>(page, "return texts(session.getSnapshot());");
/** Waits until the snapshot fits, and gives a part of it. */
const when = <T = unknown>(page: Page, fits: string, what = "null") =>
  inPage<T>(page, `const snapshot = await until(session, (shown) => ${fits}); return ((shown) => ${what})(snapshot);`);

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
    const slot = await when<string>(second, "shown.slots.length === 1", "shown.slots[0].id");
    expect(await inPage(second, `return session.resolveSlot("${slot}", "Ada");`)).toBe(true);
    expect(await outcome).toBe("all done");
    const whole = ["user: form", "form: success said Ada", "agent_text: all done"];
    expect(await when(second, "!shown.busy", "texts(shown)")).toEqual(whole);
    expect(await shown(first)).toEqual(whole);
    expect(await done(first)).toBe("form ");
    // An answer that comes twice, or to nothing, is none.
    expect(await inPage(second, `return [session.resolveSlot("${slot}", "Eve"), session.rejectSlot("none")];`)).toEqual([false, false]);
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
    expect(await inPage(second, "return (await session.messages()).length === JSON.parse(JSON.stringify(await session.prompts())).length;")).toBe(false);
    expect(await inPage(second, "return (await session.messages()).length;")).toBe(await inPage(first, "return (await session.messages()).length;"));
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

/** Ends a page without a word to it. */
const kill = async (page: Page, { context }: Profile) => {
  const devtools = await context.newCDPSession(page);
  const crashed = page.waitForEvent("crash");
  devtools.send("Page.crash").catch(() => {});
  await crashed;
};
const close = (page: Page) => page.close();
const dispose = (page: Page) => inPage(page, "client.dispose();");
const ends: [string, (page: Page, profile: Profile) => Promise<unknown>][] = [
  ["killed", kill],
  ["closed", close],
  ["done with it", dispose],
];

test.each(ends)("when the first tab is %s at a form, the second goes on with the same form", (_, end) =>
  profile(async (profile) => {
    const [first, second] = [await open(profile), await open(profile)];
    await inPage(first, `void session.sendMessage("form").catch(() => {});`);
    const slot = await when<string>(second, "shown.slots.length === 1", "shown.slots[0].id");
    await inPage(second, "states.length = 0; globalThis.since = performance.now();");
    const before = performance.now();
    await end(first, profile);
    await when(second, `shown.tab === "leader"`);
    const took = performance.now() - before;
    console.log("took over after", Math.round(took));
    expect(took).toBeLessThan(2_000);
    const again = await when<string>(second, "shown.slots.length === 1", "shown.slots[0].id");
    expect(again).toBe(slot);
    expect(await inPage(second, "return states.some(({ timeline }) => timeline.length === 0);")).toBe(false);
    expect(await inPage(second, "return states.some(({ slots }) => slots.length === 0);")).toBe(false);
    expect(await inPage(second, `return session.resolveSlot("${again}", "Ada");`)).toBe(true);
    expect(await when(second, "!shown.busy", "texts(shown)")).toEqual([
      "user: form",
      "form: success said Ada",
      "agent_text: all done",
    ]);
  }),
);
