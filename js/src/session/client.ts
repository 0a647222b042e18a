// The client of an application: what its sessions are made of, and the sessions themselves, one engine for each id.

import type { RunOutcome } from "../messages/outcome.js";
import { createEndpointModel } from "../models/endpoint.js";
import type { Core } from "../ports/core.js";
import type { Hook } from "../ports/hook.js";
import type { Middleware } from "../ports/middleware/middleware.js";
import type { ModelAdapter } from "../ports/model.js";
import type { ModelPrices } from "../ports/model-options.js";
import type { AnyPlugin } from "../ports/plugin.js";
import type { CompactionConfig, SessionConfig } from "../ports/session-config.js";
import { counterStyle, sessionOptions } from "../ports/session-config.js";
import type { Skill } from "../ports/skill.js";
import type { StoreAdapter } from "../ports/store.js";
import type { SubscriberAdapter } from "../ports/subscriber.js";
import type { ToolConfig } from "../ports/tool.js";
import { type DatabaseOptions, SessionDatabase } from "../store/indexeddb/database.js";
import { IndexedDBStore } from "../store/indexeddb/store.js";
import { limited } from "../store/limits.js";
import type { ImportOptions, SessionCatalog, SessionInfo } from "../store/sessions.js";
import { GloveError, loadPart } from "../values/error.js";
import { generateSessionId, isInside } from "../values/ids.js";
import { omitUndefined } from "../values/omit-undefined.js";
import { check, checkOptions, type Options } from "../values/validate-options.js";
import type { Budgets, Limits, WhenBusy } from "../wire/run-types.js";
import { GloveSession, type TriggerInput } from "./session.js";
import { type PersistSessionSetting, readSessionId, rememberSessionId } from "./session-id.js";

/** The settings that all sessions of a client share. Either `endpoint` or `createModel` is required. */
export interface GloveClientConfig<
  T extends readonly ToolConfig[] = readonly ToolConfig[],
  P extends readonly AnyPlugin[] = readonly AnyPlugin[],
> {
  /** The URL of a chat endpoint (`createChatHandler`). */
  readonly endpoint?: string | undefined;
  /** Creates the model of a session; takes precedence over `endpoint`. */
  readonly createModel?: (() => ModelAdapter) | undefined;
  /**
   * Makes the store of a session; called once for each. Without it sessions are kept in the browser's database, and where there
   * is none in memory, as long as the client.
   */
  readonly createStore?: ((sessionId: string) => StoreAdapter) | undefined;
  /** The browser's database: its name, and whether to ask the browser to keep it. */
  readonly database?: DatabaseOptions | undefined;
  /** Lists the sessions of `createStore`. */
  readonly catalog?: SessionCatalog | undefined;
  /** What the model is told before each conversation. */
  readonly systemPrompt?: string | undefined;
  /** What the model may call. */
  readonly tools?: T | undefined;
  /** When older messages are summarised. */
  readonly compaction?: CompactionConfig | undefined;
  /** Hear the events of every session. */
  readonly subscribers?: readonly SubscriberAdapter[] | undefined;
  /** What tools work with, such as an API client: `display.services` of each call. It is stored nowhere. */
  readonly services?: unknown;
  /** Whose sessions they are: `display.userId` of each call, and `userId` of the prompts. No model reads it. */
  readonly userId?: string | undefined;
  /** Other models by name, such as `high`, for prompts, plugins and tools that ask for them; the session's own answers everything else. */
  readonly models?: Readonly<Record<string, ModelAdapter>> | undefined;
  /** What adds tools and context before each call of the model: `definePlugin`. */
  readonly plugins?: P | undefined;
  /** What the model, or a person with `/name` in a message, may take up: `defineSkill`. */
  readonly skills?: readonly Skill[] | undefined;
  /** What is done with a message that has `/name` in it, before it is sent: `defineHook`. */
  readonly hooks?: readonly Hook[] | undefined;
  /** What stands around each call of a model and of a tool, the first outermost: `defineMiddleware`. */
  readonly middleware?: readonly Middleware[] | undefined;
  /** What one request may use. */
  readonly budgets?: Budgets | undefined;
  /** Limits of one request. */
  readonly limits?: Limits | undefined;
  /** What models cost, by their names, for the `cost` of prompts and budgets: it counts before what a provider says. */
  readonly prices?: ModelPrices | undefined;
  /** What happens to a message that arrives while another one is answered; default `queue`. */
  readonly whenBusy?: WhenBusy | undefined;
  /** Whether a run that was interrupted by a reload or a lost connection continues by itself; default `auto`. */
  readonly resume?: "auto" | "manual" | undefined;
  /**
   * With `false` no request leaves before the core has come. Otherwise the page itself sends the first message of a new session to the
   * `endpoint`, where that is sure to be what the core would send, and gives the core its answer. Default `true`.
   */
  readonly ahead?: boolean | undefined;
  /** Whether the model gets `glove_update_tasks`: `true` even without other tools, `false` never; by default, only together with other tools. */
  readonly tasks?: boolean | undefined;
  /** Keeps in memory all that a run depends on, from the opening of a session on, for `exportRun()`; default `false`. */
  readonly record?: boolean | undefined;
  /** Runs sessions, their requests and the browser's database in a worker of the page; tools stay in the page. Default `false`. */
  readonly worker?: boolean | undefined;
  /** How the store's `addTokens` is called: with an object or with the sum; unless given, with an object that is the sum for stores that add it. */
  readonly tokenCounterStyle?: "object" | "number" | undefined;
  /** The session to open, if the application knows it. */
  readonly getSessionId?: (() => string | Promise<string>) | undefined;
  /** The id of a new conversation. */
  readonly createSessionId?: (() => string | Promise<string>) | undefined;
  /** Whether a reload returns to the last session: `true` remembers it in `localStorage`, a text under that key, an object in a storage of yours; default `false`. */
  readonly persistSession?: PersistSessionSetting | undefined;
  /** What happens to a run when nothing displays its session any more: it continues, or is stopped; default `continue`. */
  readonly whenUnused?: "continue" | "stop" | undefined;
}

/** Settings of a session that override the client's. */
export interface SessionOverrides extends Partial<SessionConfig> {
  readonly endpoint?: string | undefined;
  readonly store?: StoreAdapter | undefined;
}

const { model: _, ...common } = sessionOptions;
const clientOptions = {
  ...common,
  endpoint: "text",
  createModel: "work",
  createStore: "work",
  database: { name: "text", persist: "flag" } satisfies Options<DatabaseOptions>,
  catalog: "any",
  resume: "auto|manual",
  ahead: "flag",
  tasks: "flag",
  record: "flag",
  worker: "flag",
  tokenCounterStyle: counterStyle,
  getSessionId: "work",
  createSessionId: "work",
  persistSession: "persist",
  whenUnused: "continue|stop",
} as const satisfies Options<GloveClientConfig>;

const inheritedOptions = Object.keys(common) as Exclude<keyof typeof common, "systemPrompt">[];

/** What a session has of its client, where it is not given another one. */
function inherited(config: GloveClientConfig): Partial<SessionConfig> {
  return Object.fromEntries(inheritedOptions.map((option) => [option, config[option]]));
}

const moved = {
  compaction_config: "Use `compaction`.",
  store: "Pass `createStore`.",
  model: "Pass `createModel`.",
  provider: "Pass `createModel`.",
  api: "Use `endpoint`.",
  url: "Use `endpoint`.",
  instructions: "Use `systemPrompt`.",
};

const overrideOptions = { ...sessionOptions, endpoint: "text", store: "store" } as const satisfies Options<SessionOverrides>;

const importOptions = { id: "text", withRun: "flag" } as const satisfies Options<ImportOptions>;

interface RetainedSession {
  readonly session: GloveSession;
  /** Those that show it. */
  users: number;
  watching?: () => void;
  /** Called when somebody shows it. */
  shown?: () => void;
}

/** Who opened a session of a database last in this page. */
const byDatabase = new Map<string, WeakRef<RetainedSession>>();

/**
 * Makes sessions and keeps them: asking twice for one id gives the same session, so that a screen which is mounted twice has
 * one engine. Making a client starts nothing.
 */
export class GloveClient<
  T extends readonly ToolConfig[] = readonly ToolConfig[],
  P extends readonly AnyPlugin[] = readonly AnyPlugin[],
> {
  /** For types alone: it is never there. */
  declare readonly "~plugins"?: P;
  readonly #core: Core;
  /** Of its sessions. */
  readonly #sessions: Core;
  readonly #config: GloveClientConfig<T, P>;
  readonly #retained = new Map<string, RetainedSession>();
  /** Ids that were made here, of sessions that have not been opened: nothing can be stored of them. */
  readonly #fresh = new Set<string>();
  /** Sessions that nobody stores elsewhere; they outlive what shows them. */
  readonly #own: SessionDatabase;

  constructor(config: GloveClientConfig<T, P>, core: Core) {
    checkOptions(config, clientOptions, { moved });
    if (!config?.endpoint && !config?.createModel) {
      throw new GloveError("CLIENT_CONFIG", "GloveClient requires either 'endpoint' or 'createModel'");
    }
    this.#config = config;
    this.#core = core;
    this.#sessions = config.worker && typeof Worker === "function" ? inWorker(core) : core;
    this.#own = new SessionDatabase(config.database, !isPage());
  }

  get systemPrompt(): string | undefined {
    return this.#config.systemPrompt;
  }

  get tools(): T | undefined {
    return this.#config.tools;
  }

  get compaction(): CompactionConfig | undefined {
    return this.#config.compaction;
  }

  get subscribers(): readonly SubscriberAdapter[] | undefined {
    return this.#config.subscribers;
  }

  get persistSession(): PersistSessionSetting | undefined {
    return this.#config.persistSession;
  }

  /** The session with this id. It is kept until the last `retain` is released, or the client is disposed. */
  session(id: string, overrides: SessionOverrides = {}): GloveSession {
    check("`id`", id, "text");
    check("The settings", overrides, "object");
    checkOptions(overrides, overrideOptions);
    return this.#hold(id, overrides).session;
  }

  /** Begins a prompt that nobody wrote in the session with this id; see `trigger` of sessions. */
  async trigger(id: string, input: TriggerInput): Promise<RunOutcome> {
    return this.session(id).trigger(input);
  }

  /**
   * Keeps a session open while a component shows it. Returns the release function. A session without users is closed a moment later (a component
   * that mounts again at once finds it unchanged); `whenUnused` says whether its run continues or stops.
   */
  retain(session: GloveSession): () => void {
    const retained = this.#retained.get(session?.sessionId);
    if (!retained || retained.session !== session) return () => {};
    retained.users++;
    retained.shown?.();
    let undone = false;
    return () => {
      if (undone) return;
      undone = true;
      retained.users--;
      setTimeout(() => this.#letGo(retained), 0);
    };
  }

  /**
   * The session to begin with: the given one, `getSessionId()`, the one that the page was on, or a new one. At once, unless
   * `getSessionId` takes its time.
   */
  firstSessionId(given?: string): string | Promise<string> {
    const { getSessionId, persistSession } = this.#config;
    if (getSessionId) return getSessionId();
    const id = given ?? readSessionId(persistSession, this.database) ?? this.#generateId();
    this.rememberSession(id);
    return id;
  }

  /** Creates the id for a new conversation. */
  async mintSessionId(): Promise<string> {
    return (await this.#config.createSessionId?.()) ?? this.#generateId();
  }

  #generateId(): string {
    const id = generateSessionId();
    this.#fresh.add(id);
    return id;
  }

  /** The id of a session that is begun with messages. */
  async #mintFilledId(): Promise<string> {
    const id = await this.mintSessionId();
    this.#fresh.delete(id);
    return id;
  }

  /** Makes this the session that a reload returns to, if `persistSession` is set. */
  rememberSession(id: string): void {
    rememberSessionId(this.#config.persistSession, id, this.database);
  }

  resolveModel(endpoint = this.#config.endpoint): ModelAdapter {
    if (this.#config.createModel) return check("What `createModel` returned", this.#config.createModel(), "model");
    return createEndpointModel(endpoint ?? "");
  }

  resolveStore(sessionId: string): StoreAdapter {
    const { createStore } = this.#config;
    if (createStore) return createStore(sessionId);
    return new IndexedDBStore(sessionId, this.#own);
  }

  /** The stored sessions, the most recently changed first. */
  async sessions(): Promise<readonly SessionInfo[]> {
    return this.catalog.list();
  }

  /** Sets the title of a session; an empty one resets it to the first message. */
  async renameSession(id: string, title: string): Promise<void> {
    check("`title`", title, "text");
    await this.catalog.rename(check("`id`", id, "text"), title);
  }

  /** Deletes a session. If it is open, it is closed first, even during a run. */
  async deleteSession(id: string): Promise<void> {
    const { catalog } = this;
    const retained = this.#retained.get(check("`id`", id, "text"));
    retained?.watching?.();
    this.#retained.delete(id);
    retained?.session.deleted();
    await catalog.delete(id);
  }

  /** @internal Whether a session is open. */
  get hasSessions(): boolean {
    return this.#retained.size > 0;
  }

  /** @internal Calls it with each session that is open, and with each that is opened. Gives its undo. */
  onSession(listener: (retained: RetainedSession) => void): () => void {
    for (const retained of this.#retained.values()) listener(retained);
    this.#watchers.add(listener);
    return () => void this.#watchers.delete(listener);
  }
  readonly #watchers = new Set<(retained: RetainedSession) => void>();

  /**
   * A session as JSON text, with its attachments but without permissions. For a damaged session it holds what can be read, and `damage`
   * lists what cannot (`SessionDamage`).
   */
  async exportSession(id: string): Promise<string> {
    check("`id`", id, "text");
    const { createStore, catalog } = this.#config;
    if (catalog) return limited(catalog).export(id);
    if (!createStore) return this.#own.export(id, this.#core);
    const { exportStore } = await loadPart(import("../store/maintenance-chunk.js"));
    return exportStore(this.#retained.get(id)?.session.store ?? this.resolveStore(id), this.#core);
  }

  /**
   * Starts a new session from the messages of a damaged one (`STORE_CORRUPT`), and gives its id. Nothing runs again: calls
   * without a result get one that says their outcome is unknown. The damaged session stays as it is, until it is deleted.
   */
  async repairSession(id: string): Promise<string> {
    check("`id`", id, "text");
    const { repair } = await loadPart(import("../store/maintenance-chunk.js"));
    const from = this.#retained.get(id)?.session.store ?? this.resolveStore(id);
    const repaired = await this.#mintFilledId();
    await repair(from, this.session(repaired).store, this.#core);
    return repaired;
  }

  /** Imports the text that `exportSession` returned. Returns the session's id: its own, or a new one if that is already used. */
  async importSession(json: string, options?: ImportOptions): Promise<string> {
    checkOptions(options, importOptions);
    const id = await this.catalog.import(json, options);
    this.#fresh.delete(id);
    return id;
  }

  /** Closes all sessions. */
  dispose(): void {
    for (const { session, watching } of this.#retained.values()) {
      watching?.();
      session.dispose();
    }
    this.#retained.clear();
    this.#own.close();
  }

  /** The database's name where it is not the usual one. */
  get database(): string | undefined {
    const { name } = this.#own;
    return name === "glove" ? undefined : name;
  }

  /** @internal What lists the sessions. */
  get catalog(): SessionCatalog {
    const { createStore, catalog } = this.#config;
    if (!catalog && createStore)
      throw new GloveError("SESSIONS_NOT_LISTED", "Custom stores cannot be listed; give the client a `catalog` too.");
    return catalog ? limited(catalog) : this.#own;
  }

  #hold(id: string, overrides: SessionOverrides): RetainedSession {
    const known = this.#retained.get(id);
    if (known && !known.session.disposed) {
      const { endpoint, store, ...changes } = overrides;
      if (Object.values(changes).some((value) => value !== undefined)) known.session.configure(changes);
      return known;
    }
    const closed = () => void (this.#retained.get(id) === retained && this.#retained.delete(id));
    const retained: RetainedSession = { session: this.#make(id, overrides, closed), users: 0 };
    this.#retained.set(id, retained);
    for (const watcher of this.#watchers) watcher(retained);
    if (!overrides.store && !this.#config.createStore) this.#tellShared(id, retained);
    return retained;
  }

  /** Whoever opens a session that another client of this page has open gets that one's model, prompt and tools: not in silence. */
  #tellShared(id: string, retained: RetainedSession): void {
    const { name, inMemory } = this.#own;
    if (inMemory) return;
    const key = JSON.stringify([name, id]);
    const other = byDatabase.get(key)?.deref();
    byDatabase.set(key, new WeakRef(retained));
    if (!other) return;
    // Without the words for it nothing is missing that runs.
    import("./duplicate-client-warning.js").then(({ warnOfTwo }) => warnOfTwo(id, this.#own, [other, retained])).catch(() => {});
  }

  #make(id: string, { endpoint, store, model, ...own }: SessionOverrides, closed: () => void): GloveSession {
    const { systemPrompt, resume, tasks, record, tokenCounterStyle } = this.#config;
    // This client's prompt and tools are not the agent's: what it has begun waits for it.
    const agentless = isInside(id) && !own.tools;
    const session = new GloveSession(
      {
        ...inherited(this.#config),
        systemPrompt: systemPrompt ?? "",
        ...omitUndefined(own),
        sessionId: id,
        model: model ?? (endpoint ? createEndpointModel(endpoint) : this.resolveModel()),
        store: store ?? this.resolveStore(id),
        resume: agentless ? "manual" : resume,
        tasks,
        record,
        tokenCounterStyle,
      },
      this.#sessions,
      closed,
      async (messages) => {
        const parts = Promise.all([import("../store/salvage.js"), import("./fork-title.js")]);
        const [{ begin }, { nameFork }] = await loadPart(parts);
        const fork = await this.#mintFilledId();
        await begin(this.session(fork).store, messages);
        await nameFork(() => this.catalog, id, fork);
        return fork;
      },
      (inside, config) => {
        const session = this.session(inside, config);
        return { session, release: this.retain(session) };
      },
    );
    session.agentless = agentless;
    const { ahead = true, worker, createStore } = this.#config;
    session.fresh = this.#fresh.delete(id) && ahead && !worker && !store && !createStore && !this.#own.inMemory;
    return session;
  }

  #letGo(retained: RetainedSession): void {
    const { session } = retained;
    if (retained.users > 0 || this.#retained.get(session.sessionId) !== retained || retained.watching) return;
    const done = () => {
      // Another message may have come meanwhile.
      if (retained.watching && runs()) return;
      retained.watching?.();
      delete retained.watching;
      if (retained.users > 0 || session.disposed) return;
      this.#retained.delete(session.sessionId);
      session.dispose();
    };
    // What another tab runs goes on there.
    const runs = () => (session.getSnapshot().busy || session.stopsFirst) && session.getSnapshot().tab === "leader";
    if (!runs()) {
      done();
      return;
    }
    retained.watching = session.subscribe(() => {
      // Later, because this is called from inside of the session, and when whoever sent a message has been told of its end.
      if (!runs()) void Promise.race([session.settled(), new Promise((resolve) => setTimeout(resolve, 1_000))]).then(done);
    });
    if (this.#config.whenUnused === "stop") session.abort();
  }
}

/** For each core of a page, the one in its worker. */
const workers = new WeakMap<Core, Core>();

/** What that takes is loaded with the first session. */
function inWorker(core: Core): Core {
  const openCore = async () => {
    const [{ coreInWorker }] = await Promise.all([loadPart(import("../worker/core.js")), core.opened()]);
    return coreInWorker(core, IndexedDBStore);
  };
  const there: Core = {
    page: core,
    opened: openCore,
    ahead: () => core.ahead?.(),
    load: async () => (await openCore()).load(),
  };
  const known = workers.get(core) ?? there;
  workers.set(core, known);
  return known;
}

/** Servers and scripts keep sessions in memory, without a word about it. */
function isPage(): boolean {
  return typeof document !== "undefined" || "indexedDB" in globalThis;
}
