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
  IDBFactory.prototype.open = function (...given) { globalThis.opened = true; return open.apply(this, given); };
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
    expect(await first.evaluate("globalThis.opened")).toBeUndefined();
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
