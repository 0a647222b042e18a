// The core of a page in a worker: the same sessions, asked over messages. Tools and whatever needs the page stay here.

import type { WorkerParts } from "../core/host.js";
import type { Core, OpenCore } from "../ports/core.js";
import type { StoreAdapter } from "../ports/store.js";
import type { IndexedDBStore } from "../store/indexeddb/store.js";
import { Limits } from "../store/limits.js";
import type { Method } from "../tabs/command-rules.js";
import { inBackground } from "../timing/in-background.js";
import { asError, codeOf, GloveError, reasonOf } from "../values/error.js";
import { generateId } from "../values/ids.js";
import { sessionClosed } from "../values/refusals.js";
import type { CoreSession, SessionHost } from "../wasm/core-api.js";
import { fromCore } from "../wasm/core-errors.js";
import { crashed, Guard } from "../wasm/guard.js";
import { text } from "./generated/worker.js";
import { type Call, Line, type Served } from "./line.js";
import { WorkerStore } from "./store.js";

/** A worker, and the way to it. */
interface Running {
  readonly line: Line;
  /** Its core has started. */
  readonly started: Promise<unknown>;
  /** A session, or a store, is in it. Gives the undo. */
  use(): () => void;
  /** It is used in a moment. */
  touch(): void;
}

/** How long a worker is kept that nothing is in. */
const idleMs = 30_000;
/** How often one that something is waited for is asked whether it goes on, and how often in a row it may say nothing. */
const beatMs = 5_000;
const maxMissed = 3;

/** One for each core of a page, whatever number of clients it has. Its guard is not that of the core in the page, which goes on. */
const workers = new WeakMap<OpenCore, Running>();
let names = 0;
const fresh = () => `${++names}`;

const cores = new WeakMap<Core, Promise<OpenCore>>();

/** The core of a page with its sessions in a worker. `Store` is the class of the stores that may go there. */
export function coreInWorker(core: Core, Store: typeof IndexedDBStore): Promise<OpenCore> {
  const known = cores.get(core) ?? makeCore(core, Store);
  cores.set(core, known);
  // The next use may try again.
  known.catch(() => cores.delete(core));
  return known;
}

async function makeCore(core: Core, Store: typeof IndexedDBStore): Promise<OpenCore> {
  const there: OpenCore = {
    ...(await core.opened()),
    // What ends one of them does not end the other.
    guard: new Guard(),
    load: () => load(there),
    place: async (store) => (isPlain(store, Store) ? placeOf(there, store) : store),
  };
  return there;
}

/** One of a class, or with a method, of the application's own stays where it is. */
function isPlain(store: StoreAdapter, Store: typeof IndexedDBStore): store is IndexedDBStore {
  return Object.getPrototypeOf(store) === Store.prototype && Object.keys(store).every((key) => key === "identifier");
}

function running(core: OpenCore): Running {
  const known = workers.get(core);
  known?.touch();
  if (known) return known;
  const starting = start(core);
  workers.set(core, starting);
  return starting;
}

function start(core: OpenCore): Running {
  const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  let worker: Worker;
  try {
    worker = new Worker(url, { name: "glove" });
  } catch (cause) {
    throw unavailable(cause);
  }
  const line = new Line(worker);
  let over = false;
  let users = 0;
  let idle: ReturnType<typeof setTimeout> | undefined;
  const touch = () => {
    clearTimeout(idle);
    if (users === 0 && !over) idle = inBackground(setTimeout(() => end(sessionClosed()), idleMs));
  };
  const use = () => {
    users++;
    touch();
    let undone = false;
    return () => {
      if (undone) return;
      undone = true;
      users--;
      touch();
    };
  };
  let missed = 0;
  // In ticks: a page that sleeps loses one of them.
  const beat = inBackground(
    setInterval(() => {
      if (!runs || !line.waits) missed = 0;
      else if (missed === maxMissed) end(hangs());
      else {
        missed++;
        const goesOn = () => {
          missed = 0;
        };
        line.ask("worker", "goesOn", []).then(goesOn, () => {});
      }
    }, beatMs),
  );
  const end = (error: GloveError) => {
    if (over) return;
    over = true;
    workers.delete(core);
    clearInterval(beat);
    clearTimeout(idle);
    worker.terminate();
    URL.revokeObjectURL(url);
    line.end(error);
    core.guard.tell(error);
  };
  let runs = false;
  worker.onmessage = ({ data }) => {
    if (data === "trap") end(crashed());
    else if (data === "unread") end(unavailable("it cannot read what the page sends"));
    else for (const message of data) line.hear(message);
  };
  const broke = (event: Event) => end(runs ? crashed() : unavailable((event as ErrorEvent).message || event.type));
  worker.onerror = broke;
  worker.onmessageerror = broke;
  const life = `glove worker ${generateId()}`;
  const started = core
    .module()
    .then((module) => line.ask("worker", "start", [module, life]))
    .then((holds) => {
      runs = true;
      // Had when the worker has ended, whatever ended it: one without memory does so without a word.
      if (holds) navigator.locks.request(life, () => end(crashed())).catch(() => {});
    });
  // The next use starts another one: this one would hold the database.
  started.catch((thrown: unknown) => {
    const error = fromCore(thrown);
    end(error instanceof GloveError ? error : unavailable(error));
  });
  touch();
  return { line, started, use, touch };
}

/** As `core.load()`: what sessions are made with. */
async function load(core: OpenCore): ReturnType<OpenCore["load"]> {
  const { line, started, use } = running(core);
  await started;
  class Away extends PortSession {
    constructor(options: string, host: SessionHost, workerParts: WorkerParts) {
      super(line, options, host, workerParts, use());
    }
  }
  return { CoreSession: Away } as never;
}

const places = new WeakMap<StoreAdapter, WorkerStore>();

/** The store in the worker that stands for one of the page. */
async function placeOf(core: OpenCore, store: IndexedDBStore): Promise<StoreAdapter> {
  const place = places.get(store) ?? new WorkerStore(store);
  places.set(store, place);
  const { line, use } = running(core);
  place.connect(line, fresh(), use);
  // The error is reported to the next caller, and to those who listen for a database that opens late.
  await new Limits().within(place.ask("shared", [])).catch(() => {});
  if (place.storage === "indexeddb") return place as unknown as StoreAdapter;
  // Without a database it is in the page's memory, where the list of sessions is: a worker may end before the page.
  place.release();
  return store;
}

const calls = ["request", "resume", "undo", "switchBranch", "fork", "recorded", "pushAndForget", "messages", "prompts"] as const;
/** What comes of these is waited for by nobody. */
const notifications = [
  "keepPartial",
  "abort",
  "configure",
  "validated",
  "returned",
  "clearStack",
  "setPlugins",
  "setContext",
  "close",
] as const;
/** They are said to be taken, but for answers; that they came too late is told a moment later. */
const sent = ["cancelQueued", "moveQueued", "answer", "resolveSlot", "rejectSlot", "removeSlot"] as const;
/** Of those, what answers a question. */
const answers: readonly Method[] = ["answer", "resolveSlot", "rejectSlot"];

type WorkerMethod = (typeof calls | typeof notifications | typeof sent)[number];

class PortSession {
  readonly #line: Line;
  readonly #name = fresh();
  readonly #host: SessionHost;
  readonly #workerParts: WorkerParts;
  readonly #forget: () => void;
  readonly #unuse: () => void;
  readonly #made: Promise<unknown>;

  /** `unuse` tells that it is in the worker no more. */
  constructor(line: Line, options: string, host: SessionHost, workerParts: WorkerParts, unuse: () => void) {
    this.#line = line;
    this.#unuse = unuse;
    this.#host = host;
    this.#workerParts = workerParts;
    const work = served(host, workerParts);
    this.#forget = line.serve(this.#name, {
      ...work,
      run: async (...call) => {
        const answer = await work.run(...call);
        this.ahead();
        return answer;
      },
      prepare: async () => {
        await this.#look();
        return host.prepare();
      },
    });
    const { store, style } = workerParts;
    const name = store instanceof WorkerStore ? store.name : undefined;
    this.#made = line.ask("worker", "session", [this.#name, options, { store: name, style }]);
    this.#made.catch(() => {});
  }

  async open(): Promise<unknown> {
    await this.#made;
    const damage = await this.ask("open");
    await this.#look();
    return damage;
  }

  /** As it was when the session was opened, or before the last call of the model. */
  checkpoint(): string {
    return this.#checkpoint;
  }
  #checkpoint = "";

  /** Only plugins read it, and at once. */
  async #look(): Promise<void> {
    const { plugins, models, skills } = this.#workerParts.page.config();
    if (plugins || models || skills) this.#checkpoint = (await this.ask("checkpoint")) as string;
  }

  async pushAndWait(...args: Parameters<CoreSession["pushAndWait"]>) {
    return new Promise((resolve, reject) => {
      const hear = (id: unknown) => resolve({ id: id as string, answer: this.#certain(answer) });
      const answer = this.#line.ask(this.#name, "pushAndWait", args, { hear });
      answer.catch(reject);
    });
  }

  async beginStep(...args: Parameters<CoreSession["beginStep"]>): Promise<unknown> {
    return this.#certain(this.ask("beginStep", ...args));
  }

  async endStep(...args: Parameters<CoreSession["endStep"]>): Promise<unknown> {
    return this.#certain(this.ask("endStep", ...args));
  }

  /** This page may have stood still while the answer was on its way. */
  async #certain<T>(answer: Promise<T>): Promise<T> {
    const given = await answer;
    await this.#host.confirm();
    return given;
  }

  /** What has changed of it. Headers and addresses may have changed without a word. */
  ahead(): void {
    const ahead = this.#workerParts.ahead();
    if (ahead === this.#sentHints) return;
    this.#sentHints = ahead;
    this.#line.say(this.#name, "ahead", [ahead]);
  }
  #sentHints = "";

  ask(method: string, ...args: readonly unknown[]): Promise<unknown> {
    this.ahead();
    return this.#line.ask(this.#name, method, args);
  }

  /** One answer for each question: until the worker has told that it is over, a second one is none. */
  send(method: Method, ...args: readonly unknown[]): boolean | Promise<boolean> {
    const question = answers.includes(method) && args[0];
    if (question && this.#answered.has(question)) return false;
    this.#answered.add(question);
    const late = (error: unknown) => this.#workerParts.page.subscribers.report(codeOf(asError(fromCore(error))), error);
    const done = async (value: unknown) => {
      if (value !== false) return true;
      // It is in the file that has opened the session.
      const { rulesOf } = await import("../core/session-chunk.js");
      const error = rulesOf(method)?.late?.(args);
      if (error) late(error);
      return false;
    };
    const taken = this.ask(method, ...args)
      .finally(() => this.#answered.delete(question))
      .then(done)
      .catch((error: unknown) => {
        late(error);
        return false;
      });
    return answers.includes(method) ? taken : true;
  }
  readonly #answered = new Set<unknown>();

  free(): void {
    this.#forget();
    this.#line.leave(this.#name);
    this.#unuse();
  }
}

for (const method of calls) define(method, (session, args) => session.ask(method, ...args));
for (const method of notifications) {
  define(method, (session, args) => {
    session.ask(method, ...args).catch(() => {});
  });
}
for (const method of sent) define(method, (session, args) => session.send(method as Method, ...args));

function define(name: WorkerMethod, call: (session: PortSession, args: readonly unknown[]) => unknown): void {
  Object.defineProperty(PortSession.prototype, name, {
    value(this: PortSession, ...args: readonly unknown[]) {
      return call(this, args);
    },
  });
}

/** What the worker asks of the page. */
function served(host: SessionHost, workerParts: WorkerParts) {
  type Work = (...args: readonly unknown[]) => unknown;
  const as = (work: unknown) => (args: readonly unknown[]) => (work as Work)(...args);
  const names = [
    "events",
    "permissionOf",
    "approval",
    "confirm",
    "load",
    "salvage",
    "append",
    "permission",
    "setPermission",
    "tasks",
    "setTasks",
    "inbox",
    "consumeInbox",
  ] as const;
  const suffice = new Map<string, () => void>();
  return {
    ...Object.fromEntries(names.map((name) => [name, as(host[name])])),
    claim: () => workerParts.claim(),
    changed: ([what, value]) => workerParts.changes[what as keyof WorkerParts["changes"]](value as never),
    reach: ([url]) => workerParts.reach(url as string),
    async run([callId, tool, input, validated, key, judged], { signal }) {
      // What the worker confirmed may have been long ago.
      await host.confirm();
      const [known, stored] = [validated as string | undefined, judged as string | undefined];
      return host.run(callId as string, tool as string, input as string, known, signal, key as string, stored);
    },
    async undo([callId, tool, input, validated], { signal }) {
      await host.confirm();
      return host.undo(callId as string, tool as string, input as string, validated as string | undefined, signal);
    },
    prompt: ([request], { signal, tell }) => host.prompt?.(request as never, tell, signal),
    async fetch([url, headers, body], { signal, tell }: Call) {
      const response = await host.fetch?.(url as string, headers as string, body as string, signal);
      if (!response) return;
      tell(response.status, response.sent, [...response.headers]);
      suffice.set(url as string, () => response.suffices());
      await response.read((chunk) => tell(chunk));
    },
    suffices: ([url]) => suffice.get(url as string)?.(),
  } satisfies Served;
}

function hangs(): GloveError {
  return new GloveError(
    "CORE_PANIC",
    "The worker of the core has not answered for a while, and was ended. Stored data is safe: the next call starts a new core and continues from there.",
  );
}

function unavailable(cause: unknown): GloveError {
  const message = `The worker of \`worker: true\` does not start (${reasonOf(cause)}): allow \`worker-src blob:\` in the content security policy, or leave the option out.`;
  return new GloveError("WORKER_UNAVAILABLE", message, { cause });
}
