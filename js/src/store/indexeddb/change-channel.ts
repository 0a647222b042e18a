// What other tabs are told of the sessions in a database, by whoever listens to none.
import { isHidden } from "../../timing/next-frame.js";
import { version } from "../../values/tab-version.js";
import { listName } from "../sessions.js";

/** What is needed of a database. */
export interface Watched {
  readonly name: string;
  readonly inMemory: boolean;
  readonly watchers: ReadonlySet<(id: string) => void>;
}

/** Every tab: in a moment, if that `canWait`. */
export function tellChanged({ name, inMemory, watchers }: Watched, id: string, canWait = false): void {
  for (const watcher of watchers) watcher(id);
  if (!inMemory) postChange(listName(name), id, canWait);
}

/** A channel is kept for so long after the first message: to open one costs a quarter of a stored step. */
const keptMs = 250;
const channels = new Map<string, Line>();

/** What is told again within this time is told once more at its end: a message costs a sixth of a stored step. */
const joinedMs = 50;

interface Line {
  readonly channel: BroadcastChannel;
  /** The ids that were told a moment ago, and whether they are to be told again. */
  readonly notified: Map<string, boolean>;
  timer?: ReturnType<typeof setTimeout> | undefined;
}

/** Tells all tabs that have it open. */
export function tellDeleted(name: string): void {
  lineOf(name)?.channel.postMessage({ v: version, kind: "deleted" });
}

/** Tells of a change to what has this id: in a moment, if it was told just now and it `canWait`. Timers of hidden pages are slow. */
export function postChange(name: string, id: string, canWait: boolean): void {
  const line = lineOf(name);
  if (!line) return;
  if (canWait && line.notified.has(id) && !isHidden()) return void line.notified.set(id, true);
  line.notified.set(id, false);
  line.channel.postMessage({ id });
  line.timer ??= setTimeout(() => tellAgain(line), joinedMs);
}

/** Tells what waits, from where another time begins. */
function tellAgain(line: Line): void {
  clearTimeout(line.timer);
  line.timer = undefined;
  const waiting = [...line.notified].filter(([, waits]) => waits);
  line.notified.clear();
  for (const [id] of waiting) {
    line.channel.postMessage({ id });
    line.notified.set(id, false);
  }
  if (waiting.length > 0) line.timer = setTimeout(() => tellAgain(line), joinedMs);
}

function lineOf(name: string): Line | undefined {
  return typeof BroadcastChannel === "function" ? (channels.get(name) ?? keep(name)) : undefined;
}

function keep(name: string): Line {
  const line: Line = { channel: new BroadcastChannel(name), notified: new Map() };
  const tellNow = () => isHidden() && tellAgain(line);
  const close = () => {
    globalThis.removeEventListener?.("pagehide", close);
    globalThis.document?.removeEventListener("visibilitychange", tellNow);
    clearTimeout(closing);
    tellAgain(line);
    clearTimeout(line.timer);
    channels.delete(name);
    line.channel.close();
  };
  const closing = setTimeout(close, keptMs);
  // A message to a page that the browser keeps for the way back would throw it away.
  globalThis.addEventListener?.("pagehide", close);
  globalThis.document?.addEventListener("visibilitychange", tellNow);
  channels.set(name, line);
  return line;
}
