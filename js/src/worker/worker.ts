// What runs in the worker: the core, its requests and the browser's database. The rest it asks of the page.

import type { RequestHints, RequestTarget } from "../core/host.js";
import type { StoreAdapter } from "../ports/store.js";
import { hostFetch } from "../relay/http.js";
import { isPiece } from "../snapshot/pace.js";
import { bridgeStore } from "../store/bridge.js";
import { sharedDatabase } from "../store/indexeddb/database.js";
import { IndexedDBStore } from "../store/indexeddb/store.js";
import { Limits } from "../store/limits.js";
import type { CoreSession, SessionHost } from "../wasm/core-api.js";
import { guard, openCore } from "../wasm/sessions.js";
import type { CoreEvent } from "../wire/core-types.js";
import { Line, type Post, type Served } from "./line.js";

interface Exports {
  readonly CoreSession: new (options: string, host: SessionHost) => CoreSession;
}

interface Place extends Post {
  onmessage: ((event: MessageEvent) => void) | null;
  onmessageerror: (() => void) | null;
}

const place = globalThis as unknown as Place;
/** What is told before anything else goes out. */
const untold = new Set<() => void>();
let out: unknown[] = [];
const { port1, port2 } = new MessageChannel();
port1.onmessage = send;
function send(): void {
  const messages = out;
  out = [];
  if (messages.length > 0) place.postMessage(messages);
}
/**
 * All of one turn goes out in one message: each wakes the page. So the page has heard what the core told in this turn when it begins a tool, which
 * may hold it, and when it is told the end of a request.
 */
const line = new Line({
  postMessage(message) {
    for (const tell of untold) tell();
    if (out.push(message) === 1) port2.postMessage(undefined);
  },
});
const core = /* @__PURE__ */ openCore(() => Promise.reject(new Error("The page gives the module.")));
const stores = new Map<string, IndexedDBStore>();
let exports: Exports;

/** How long what the page has confirmed holds. */
const certainMs = 1_000;
/** A frame's worth of pieces at a time: each message wakes the page. */
const frameMs = 12;

function eventsOf(name: string): (batch: string) => void {
  let waiting: CoreEvent[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = 0;
  const tell = () => {
    untold.delete(tell);
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length === 0) return;
    const batch = JSON.stringify(waiting);
    waiting = [];
    last = performance.now();
    line.say(name, "events", [batch]);
  };
  return (batch) => {
    const events = JSON.parse(batch) as CoreEvent[];
    for (const event of events) add(waiting, event);
    const wait = last + frameMs - performance.now();
    if (wait <= 0 || !waiting.every(isPiece)) return tell();
    untold.add(tell);
    timer ??= setTimeout(tell, wait);
  };
}

/** Two pieces of one text are one. */
function add(events: CoreEvent[], event: CoreEvent): void {
  const last = events.at(-1);
  const joins =
    last?.kind === "event" && event.kind === "event" && event.type === last.type && /^(text|reasoning)_delta$/.test(event.type);
  if (!joins) {
    events.push(event);
    return;
  }
  const [before, after] = [last.data as { text: string }, event.data as { text: string }];
  events[events.length - 1] = { ...last, data: { ...before, ...after, text: before.text + after.text } } as CoreEvent;
}

interface About {
  readonly store: string | undefined;
  readonly style: "object" | "number" | undefined;
}

function hostOf(name: string, { store, style }: About, limits: Limits, ahead: () => RequestHints): SessionHost {
  const ask = (method: string, args: readonly unknown[], signal?: AbortSignal) => line.ask(name, method, args, { signal });
  const text = ask as (...asked: Parameters<typeof ask>) => Promise<string>;
  const none = ask as (...asked: Parameters<typeof ask>) => Promise<void>;
  let claimed: Promise<void> | undefined;
  let certainAt = Number.NEGATIVE_INFINITY;
  /** The model is called for the first time since that was prepared. */
  let fresh = false;
  const claim = async () => {
    claimed ??= none("claim", []);
    await claimed.catch((error: unknown) => {
      claimed = undefined;
      throw error;
    });
  };
  const changes = {
    tasks: (tasks: unknown) => line.say(name, "changed", ["tasks", tasks]),
    inbox: (inbox: unknown) => line.say(name, "changed", ["inbox", inbox]),
    failed: (error: unknown) => line.say(name, "changed", ["failed", String((error as Error)?.message)]),
  };
  const kept = store === undefined ? undefined : (stores.get(store) as StoreAdapter);
  const rows: Pick<
    SessionHost,
    "load" | "salvage" | "append" | "permission" | "setPermission" | "tasks" | "setTasks" | "inbox" | "consumeInbox"
  > = kept
    ? bridgeStore(kept, style, changes, limits, claim).host
    : {
        load: () => text("load", []),
        salvage: () => text("salvage", []),
        append: (...step) => none("append", step),
        permission: (...asked) => ask("permission", asked) as Promise<"unset">,
        setPermission: (...asked) => none("setPermission", asked),
        tasks: () => text("tasks", []),
        setTasks: (tasks) => none("setTasks", [tasks]),
        inbox: () => text("inbox", []),
        consumeInbox: (ids) => none("consumeInbox", [ids]),
      };
  return {
    events: eventsOf(name),
    permissionOf: (...call) => text("permissionOf", call),
    approval: (...call) => text("approval", call),
    run: (callId, tool, input, validated, signal, key, judged) =>
      text("run", [callId, tool, input, validated, key, judged], signal),
    undo: (callId, tool, input, validated, signal) => none("undo", [callId, tool, input, validated], signal),
    prepare() {
      fresh = true;
      return ahead().prepares ? none("prepare", []) : undefined;
    },
    prompt({ purpose, systemPrompt, from, messages, tools }, delta, signal) {
      const hear = (kind: unknown, piece: unknown) => delta(kind as "text", piece as string);
      return line.ask(name, "prompt", [{ purpose, systemPrompt, from, messages, tools }], { signal, hear }) as Promise<string>;
    },
    async fetch(url, headers, body, signal) {
      const { reach: known } = ahead();
      let reach: RequestTarget | undefined;
      // Of a call that is made again, the page may know more.
      if (fresh && known?.of === url) {
        reach = known;
        line.say(name, "reach", [url]);
      } else reach = (await ask("reach", [url])) as RequestTarget | undefined;
      fresh = false;
      if (!reach) return fetchThere(name, url, headers, body, signal);
      const way = (to: string, init: RequestInit) => {
        for (const [key, value] of Object.entries(reach.headers)) (init.headers as Headers).set(key, value);
        return fetch(to, { ...init, redirect: reach.redirect });
      };
      return hostFetch(way, reach.url, headers, body, signal);
    },
    ...rows,
    // The page looks again before what it begins: it may have stood still meanwhile.
    confirm() {
      if (performance.now() - certainAt < certainMs) return undefined;
      return none("confirm", []).then(() => {
        certainAt = performance.now();
      });
    },
  };
}

/** By the `fetch` that the application gave. */
function fetchThere(
  name: string,
  url: string,
  headers: string,
  body: string,
  signal: AbortSignal,
): ReturnType<NonNullable<SessionHost["fetch"]>> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let push = (chunk: Uint8Array): void => {
      chunks.push(chunk);
    };
    const hear = (first: unknown, sent?: unknown, found?: unknown) => {
      if (first instanceof Uint8Array) return push(first);
      const known = new Map(found as [string, string][]);
      resolve({
        status: first as number,
        sent: sent as string,
        header: (header) => known.get(header),
        headers: known,
        read(to) {
          push = to;
          for (const chunk of chunks.splice(0)) to(chunk);
          return ended as Promise<void>;
        },
        suffices: () => line.say(name, "suffices", [url]),
      });
    };
    const ended = line.ask(name, "fetch", [url, headers, body], { signal, hear });
    ended.catch(reject);
  });
}

const plain = [
  "request",
  "resume",
  "undo",
  "switchBranch",
  "fork",
  "recorded",
  "abort",
  "cancelQueued",
  "moveQueued",
  "keepPartial",
  "answer",
  "configure",
  "pushAndForget",
  "beginStep",
  "endStep",
  "validated",
  "returned",
  "resolveSlot",
  "rejectSlot",
  "removeSlot",
  "clearStack",
  "messages",
  "prompts",
  "checkpoint",
  "setPlugins",
  "setContext",
] as const satisfies readonly (keyof CoreSession)[];

function serveSession(name: string, options: string, about: About): void {
  const limits = new Limits();
  let ahead: RequestHints = { prepares: true };
  const session = new exports.CoreSession(
    options,
    hostOf(name, about, limits, () => ahead),
  );
  type Method = (...args: readonly unknown[]) => unknown;
  type Asked = { readonly id: string; readonly answer: Promise<string> };
  const asked = Object.fromEntries(
    plain.map((method) => [
      method,
      (args: readonly unknown[]) => (session[method] as unknown as Method).apply(session, [...args]),
    ]),
  ) as Served;
  const forget = line.serve(name, {
    ...asked,
    open: () => session.open(),
    ahead([told]) {
      ahead = JSON.parse(told as string) as RequestHints;
    },
    abort() {
      session.abort();
      limits.hurry();
    },
    pushAndWait([owner, renderer, input, clean], { tell }) {
      const { id, answer } = session.pushAndWait(owner as string, renderer as string, input as string, clean as boolean) as Asked;
      tell(id);
      return answer;
    },
    close() {
      session.close();
      session.free();
      forget();
      line.leave(name);
    },
  });
}

line.serve("worker", {
  async start([module, life]) {
    exports = (await core.load(async () => module as WebAssembly.Module)) as unknown as Exports;
    return holds(life as string);
  },
  goesOn() {},
  session: ([name, options, about]) => serveSession(name as string, options as string, about as About),
  store: ([name, id, database]) => serveStore(name as string, id as string, database as object),
});

/** Takes a lock for as long as this worker lives. False where there are none. */
async function holds(life: string): Promise<boolean> {
  return new Promise((resolve) => {
    const held = () => {
      resolve(true);
      return new Promise<never>(() => {});
    };
    const locks = globalThis.navigator?.locks;
    if (locks) locks.request(life, held).catch(() => resolve(false));
    else resolve(false);
  });
}

function serveStore(name: string, id: string, database: object): void {
  const store = new IndexedDBStore(id, sharedDatabase(database));
  stores.set(name, store);
  const undo = [
    store.onNewer(() => line.ask(name, "newer", []) as Promise<void>),
    store.onLate(() => line.say(name, "late", [])),
  ];
  const methods = Object.entries(Object.getOwnPropertyDescriptors(IndexedDBStore.prototype)).map(([method, { value }]) => [
    method,
    async (args: readonly unknown[]) => {
      const answer = (await (value as (...args: readonly unknown[]) => unknown).apply(store, [...args])) as unknown;
      const { storage, warning } = store;
      return { answer, storage, warning: warning && { code: warning.code, message: warning.message } };
    },
  ]);
  const end = () => {
    forget();
    stores.delete(name);
    for (const over of undo) over();
  };
  const forget = line.serve(name, { ...Object.fromEntries(methods), end } as Served);
}

guard.onTrap(() => {
  send();
  place.postMessage("trap");
});
place.onmessage = ({ data }) => line.hear(data);
// The page would wait for its answer.
place.onmessageerror = () => place.postMessage("unread");
