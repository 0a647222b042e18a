// What lists of sessions in other tabs are told of one that changes: the last state always, and not each step of a run.
import { afterEach, expect, test, vi } from "vitest";

const { postChange } = (await import(
  new URL("../../pkg/src/store/indexeddb/change-channel.js", import.meta.url).href
)) as typeof import("../../js/src/store/indexeddb/change-channel.js");

const undo: (() => void)[] = [];
afterEach(() => {
  for (const step of undo.splice(0)) step();
  vi.unstubAllGlobals();
});

let names = 0;
/** What other tabs hear on a channel of its own. */
function overheard() {
  const name = `list ${++names}`;
  const channel = new BroadcastChannel(name);
  const heard: string[] = [];
  channel.onmessage = ({ data }) => void heard.push((data as { id: string }).id);
  undo.push(() => channel.close());
  return { name, heard, hears: (ids: string[]) => vi.waitFor(() => expect(heard).toEqual(ids)) };
}

const later = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** A page, as far as it is hidden. */
function page() {
  const document = Object.assign(new EventTarget(), { visibilityState: "visible" });
  const window = new EventTarget();
  vi.stubGlobal("document", document);
  for (const name of ["addEventListener", "removeEventListener"] as const) vi.stubGlobal(name, window[name].bind(window));
  return { document, window };
}

test("the first change is told at once, and those that can wait once more when they are over", async () => {
  const { name, heard, hears } = overheard();
  for (let step = 0; step < 20; step++) postChange(name, "a", true);
  postChange(name, "b", true);
  await hears(["a", "b", "a"]);
  await later(120);
  expect(heard).toEqual(["a", "b", "a"]);
});

test("a run of half a second is told of some ten times, and its last step is never missed", async () => {
  const { name, heard } = overheard();
  let told = 0;
  const since = performance.now();
  for (; performance.now() - since < 500; ) {
    told = heard.length;
    postChange(name, "a", true);
    await later(1);
  }
  await vi.waitFor(() => expect(heard.length).toBeGreaterThan(told));
  await later(120);
  expect(heard.length).toBeLessThan(20);
});

test("what cannot wait is told at once, with what waits", async () => {
  const { name, heard, hears } = overheard();
  for (const canWait of [true, true, false]) postChange(name, "a", canWait);
  await hears(["a", "a"]);
  await later(120);
  expect(heard).toEqual(["a", "a"]);
});

test("a page that is hidden or left tells what waits, and lets nothing wait while nobody sees it", async () => {
  const { document, window } = page();
  const { name, heard, hears } = overheard();
  postChange(name, "a", true);
  postChange(name, "a", true);
  document.visibilityState = "hidden";
  document.dispatchEvent(new Event("visibilitychange"));
  await hears(["a", "a"]);
  postChange(name, "a", true);
  await hears(["a", "a", "a"]);
  document.visibilityState = "visible";
  postChange(name, "a", true);
  window.dispatchEvent(new Event("pagehide"));
  await hears(["a", "a", "a", "a"]);
  await later(120);
  expect(heard).toHaveLength(4);
});
