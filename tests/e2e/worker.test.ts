// Sessions in a worker of a real page: its database, its tabs, and a worker that ends.
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPlaces, type Places } from "../support/engines.js";
import { inPage } from "../support/pages.js";
import { app, asked, done, shown, tabOf, when } from "../support/tabs.js";

let places: Places;
beforeAll(async () => {
  places = await openPlaces();
});
afterAll(() => places.close());

/** The page's database is not opened, and its `fetch` is not called: both are the worker's. */
const start = `
  const { open } = IDBFactory.prototype;
  // Copies of messages that are not stored yet are the page's.
  IDBFactory.prototype.open = function (...given) { globalThis.opened ||= given[0] !== "glove-sent"; return open.apply(this, given); };
  globalThis.inWorker = true;
  ${app}
  await session.start();`;

test("a session in a worker is stored by it, and goes on after a reload and in another tab", () =>
  places.at(async ({ open }) => {
    const first = await open();
    await inPage(first, start);
    // The reload ends it.
    inPage(first, `await session.sendMessage("form");`).catch(() => {});
    await when(first, "shown.slots.length === 1");
    expect(await first.evaluate("globalThis.opened")).toBeFalsy();
    const slot = await asked(first);
    await first.reload();
    await inPage(first, start);
    await when(first, "shown.slots.length === 1");

    const second = await open();
    await inPage(second, start);
    expect([await tabOf(first), await tabOf(second)]).toEqual(["leader", "follower"]);
    expect(await inPage(second, `return session.resolveSlot("${slot}", "Ada");`)).toBe(true);
    await when(second, "!shown.busy && shown.timeline.length === 3");
    const whole = ["user: form", "form: success said Ada", "agent_text: all done"];
    expect([await shown(first), await shown(second)]).toEqual([whole, whole]);

    await first.close();
    await when(second, `shown.tab === "leader"`);
    expect(await inPage(second, `return (await session.sendMessage("hello")).text;`)).toBe("you said hello");
    // It was entered again after the reload, as its question was open.
    expect(await done(second)).toBe("form form ");
  }));

test("a worker that ends without a word is missed at once, and the session goes on from what is stored", () =>
  places.at(async ({ open }) => {
    const tab = await open();
    const ends = `addEventListener("message", (event) => {
      if (event.data !== "end") return;
      event.stopImmediatePropagation();
      close();
    });`;
    await inPage(
      tab,
      `const { Blob, Worker } = globalThis;
      const isScript = (options) => options?.type === "text/javascript";
      globalThis.Blob = class extends Blob {
        constructor(parts, options) { super(isScript(options) ? [${JSON.stringify(ends)}, ...parts] : parts, options); }
      };
      globalThis.Worker = class extends Worker {
        constructor(...given) { super(...given); globalThis.worker = this; }
      };
      ${start}
      globalThis.sent = errorOf(session.sendMessage("write 2000"));`,
    );
    await when(tab, "shown.streamingText.length > 100");
    expect(await inPage(tab, `worker.postMessage("end"); return sent;`)).toContain("CORE_PANIC");
    await inPage(tab, `await session.start();`);
    await when(tab, "shown.busy");
    await inPage(tab, `session.stop();`);
    await when(tab, "!shown.busy");
    expect(await inPage(tab, `return (await session.sendMessage("hello")).text;`)).toBe("you said hello");
    expect((await shown(tab))[0]).toBe("user: write 2000");
  }));

test("a summary that a reload interrupts is made in the next worker, and what waits behind it is answered", () =>
  places.at(async ({ open }) => {
    const tab = await open();
    const talk = (reloaded: boolean) => `
      globalThis.asked = [];
      const createModel = () => createScriptedModel(({ messages }) => {
        const last = messages.at(-1);
        asked.push(last.is_compaction_request ? "summary" : last.text);
        if (!last.is_compaction_request) return "you said " + last.text;
        return ${reloaded} ? "So far: all is well." : { deltas: ["So ", "far"], until: new Promise(() => {}) };
      });
      const client = new GloveClient({ worker: true, createModel, compaction: { compaction_every_turns: 2 } });
      globalThis.session = client.session("s");
      await session.start();`;
    await inPage(
      tab,
      `${talk(false)}
       for (const text of ["one", "two"]) await session.sendMessage(text);
       for (const text of ["three", "four"]) void session.sendMessage(text).catch(() => {});
       while (!asked.includes("summary")) await new Promise((later) => setTimeout(later, 5));`,
    );
    await tab.reload();
    const end = await inPage(
      tab,
      `${talk(true)}
       const shown = await until(session, ({ busy, queue, timeline }) => !busy && queue.length === 0 && timeline.at(-1)?.text === "you said four");
       const { length } = (await session.messages()).filter(({ is_compaction }) => is_compaction);
       return { asked, summaries: length, said: texts(shown).filter((text) => text.startsWith("user:")) };`,
    );
    expect(end).toMatchObject({ said: ["one", "two", "three", "four"].map((text) => `user: ${text}`) });
    expect(end).toMatchObject({ asked: ["summary", "three", "four"], summaries: 1 });
  }));

test("sessions of a page go on side by side in one worker, each with its own tools, pictures and widgets", () =>
  places.at(async ({ open }) => {
    const tab = await open();
    const ends = await inPage<unknown[]>(
      tab,
      `const { Worker } = globalThis;
       let workers = 0;
       globalThis.Worker = class extends Worker { constructor(...given) { super(...given); workers++; } };
       const pause = (ms) => new Promise((later) => setTimeout(later, ms));
       const load = { name: "load", description: "", jsonSchema: { type: "object" }, async do({ of }, display) {
         for (const part of [1, 2, 3]) {
           const bar = await display.pushAndForget({ renderer: "bar", input: { of, part } });
           await pause(20);
           display.removeSlot(bar);
         }
         return "loaded " + of;
       } };
       const createModel = () => createScriptedModel(({ messages }) => {
         const { text, content } = messages.find(({ sender, tool_results }) => sender === "user" && !tool_results);
         const of = text || content.find(({ type }) => type === "text").text;
         if (!messages.at(-1).tool_results) return { toolCalls: [{ name: "load", input: { of } }] };
         const pictures = content.filter(({ type }) => type === "image").map(({ source }) => atob(source.data));
         return { deltas: [of, " has ", ...pictures], every: 5 };
       });
       const client = new GloveClient({ worker: true, createModel, tools: [load] });
       const ends = await Promise.all(["a", "b", "c"].map(async (id) => {
         const session = client.session(id);
         const parts = new Set();
         session.subscribe(() => { for (const { input } of session.getSnapshot().slots) parts.add(input.of + input.part); });
         const { text } = await session.sendMessage({ text: id, images: [{ data: btoa("picture of " + id), media_type: "image/png" }] });
         const copy = await client.importSession(await client.exportSession(id));
         const again = client.session(copy);
         await again.start();
         return [text, [...parts], texts(again.getSnapshot()).at(-1)];
       }));
       return [...ends, workers];`,
    );
    const end = (id: string) => [
      `${id} has picture of ${id}`,
      [1, 2, 3].map((part) => `${id}${part}`),
      `agent_text: ${id} has picture of ${id}`,
    ];
    expect(ends).toEqual([end("a"), end("b"), end("c"), 1]);
  }));
