// The plugins of a session: what they add before each call of the model, and what they keep. Loaded with the first.

import type { CoreAccess } from "../ports/core.js";
import type { ModelAdapter } from "../ports/model.js";
import { type AnyPlugin, appPrompts, checkPlugin, outsideModels } from "../ports/plugin.js";
import type { HasState, PluginState } from "../ports/plugin-state.js";
import type { Prompt } from "../ports/prompt.js";
import type { SessionPort } from "../ports/session.js";
import type { SessionConfig } from "../ports/session-config.js";
import type { Watcher } from "../ports/subscriber.js";
import type { ToolConfig } from "../ports/tool.js";
import { checkWithSchema, issuesText } from "../schema/check.js";
import { withinTime } from "../timing/time-limit.js";
import { answerTool } from "../tools/answer-tool.js";
import { duplicateName, yielding } from "../tools/combined-tools.js";
import { specOf } from "../tools/spec.js";
import type { Toolbox } from "../tools/toolbox.js";
import { asError, codeOf, GloveError, loadPart, reasonOf } from "../values/error.js";
import { copy, toPlain } from "../values/json.js";
import { check } from "../values/validate-options.js";
import type { CoreSession } from "../wasm/core-api.js";
import type { Skills } from "./skills.js";
import { yielded } from "./yielded.js";

const usualMs = 10_000;

const usualModel = "normal";

/** Answers a call from outside where nothing knows how to make it: no model is asked for words that are not the person's. */
const nobody: ModelAdapter = {
  name: `${outsideModels}nobody`,
  setSystemPrompt() {},
  prompt: async () => ({
    messages: [{ sender: "agent", text: "The call was not made: what it asks for is not there." }],
    tokens_in: 0,
    tokens_out: 0,
  }),
};

/** Which model the rest of a prompt was asked for; kept as the state of a plugin is. */
const choice = { id: "glove.model" };

/** All states of a session together: they are part of each write. */
const maxStateBytes = 64 * 1024;

/** By plugin, then by user: nobody's state is another one's. */
type States = Record<string, Record<string, unknown>>;

/** What a plugin adds to one call of the model. */
interface Share {
  /** Whose state it is, also when the session is another user's meanwhile. */
  readonly user: string;
  readonly context: string[];
  readonly tools: ToolConfig[];
  /** What is told behind the messages. */
  shown?: string;
  model?: string;
  /** What answers in the place of any model. */
  answers?: ModelAdapter;
  /** The state that it has set. */
  state?: { readonly value: unknown };
}

/** The prompt that is answered. */
interface CurrentPrompt {
  readonly id?: string | undefined;
  readonly input?: string | undefined;
  readonly model?: unknown;
}

export class Plugins {
  readonly #session: SessionPort;
  readonly #tools: Toolbox;
  readonly #connection: CoreAccess;
  /** The core whose states these are. */
  #of: CoreSession | undefined;
  #states: States = {};
  #context = "";
  /** The name of the model for the next call. */
  #model = usualModel;
  /** What makes it instead. */
  #answers: ModelAdapter | undefined;
  #currentPrompt: CurrentPrompt = {};
  /** What was prepared last. */
  #prepared: Promise<void> | undefined;
  #skills: Skills | undefined;
  /** Writes of one plugin's state are one after the other. */
  readonly #writes = new Map<AnyPlugin, Promise<unknown>>();
  /** What was said of states that do not match, and of names, is not said again. */
  readonly #reported = new Set<string>();

  constructor(session: SessionPort, tools: Toolbox, connection: CoreAccess) {
    this.#session = session;
    this.#tools = tools;
    this.#connection = connection;
  }

  /** What the settings ask for is there, and checked. */
  async ready(): Promise<readonly AnyPlugin[]> {
    const { plugins = [], skills } = this.#session.config;
    if (skills && !this.#skills) {
      const { Skills } = await loadPart(import("./skills.js"));
      this.#skills ??= new Skills(this.#session, () => this.#connection.own);
    }
    const all = [...(skills ? (this.#skills?.plugins(skills) ?? []) : []), ...plugins];
    this.#check(all);
    return all;
  }

  #check(plugins: readonly AnyPlugin[]): void {
    const ids = new Set<string>();
    for (const plugin of plugins) {
      checkPlugin(plugin);
      if (ids.has(plugin.id))
        throw new GloveError("PLUGIN_ID_TAKEN", `Two plugins have the id "${plugin.id}"; rename one of them.`);
      ids.add(plugin.id);
    }
  }

  /** The settings with what plugins have added. */
  apply(config: SessionConfig, purpose?: "turn" | "summary"): SessionConfig {
    const chosen = this.#answers ?? config.models?.[this.#model] ?? config.model;
    const model = purpose === "summary" && chosen?.name?.startsWith(outsideModels) ? config.model : chosen;
    if (!this.#context && model === config.model) return config;
    const systemPrompt = [config.systemPrompt, this.#context].filter(Boolean).join("\n\n");
    // What is known before is no call of a model.
    const isKnown = model === this.#answers || model?.name?.startsWith(outsideModels);
    return { ...config, model, systemPrompt, ...(isKnown && { middleware: [] }) };
  }

  /** What plugins had added before a reload is there afterwards. */
  prepared(): Promise<unknown> {
    this.#load();
    return (this.#prepared ?? this.prepare()).catch(() => {});
  }

  prepare(): Promise<void> {
    this.#load();
    const preparing = this.#prepare();
    this.#prepared = preparing;
    return preparing;
  }

  async #prepare(): Promise<void> {
    const plugins = await this.ready();
    const stop = new AbortController();
    // Whatever ends the request ends this, and so does the end of the session.
    let over = () => {};
    const working = new Promise<void>((resolve) => {
      over = resolve;
    });
    this.#connection.whileOpen(working).catch(() => stop.abort());
    const watcher: Watcher = {
      watches: true,
      record: (type) => {
        if (type === "request_finished") stop.abort();
      },
    };
    const leave = this.#session.addSubscriber(watcher);
    try {
      const { input, model, id } = await this.#prompt();
      // Each knows nothing of the others, so they need not wait for each other.
      const shares = await Promise.all(plugins.map((plugin) => this.#shareOf(plugin, { id, input }, stop.signal)));
      const tools = await this.#toolsOf(plugins, shares);
      this.#context = shares.flatMap((share) => share?.context ?? []).join("\n\n");
      this.#tools.added = tools;
      for (const { shown } of shares.flatMap((share) => share ?? [])) {
        if (shown === undefined) continue;
        try {
          this.#connection.own.setContext(shown);
        } catch (error) {
          this.#session.report(codeOf(asError(error)), error);
        }
      }
      this.#model = this.#modelFor(id, model, shares);
      const asksNobody =
        id?.startsWith(appPrompts) || (typeof model === "string" && model.startsWith(outsideModels) && !this.#has(model));
      this.#answers = shares.findLast((share) => share?.answers)?.answers ?? (asksNobody ? nobody : undefined);
      await this.#connection.configure();
    } finally {
      over();
      leave();
    }
  }

  /** Nothing of a plugin that has failed. */
  async #shareOf(
    plugin: AnyPlugin,
    { id, input }: Pick<CurrentPrompt, "id" | "input">,
    stopped: AbortSignal,
  ): Promise<Share | undefined> {
    const share: Share = { user: this.#user, context: [], tools: [] };
    const session = this.#session;
    const { userId, services, tools = [] } = session.config;
    try {
      await withinTime(plugin.timeoutMs ?? usualMs, stopped, (signal) =>
        plugin.prepare({
          state: this.#stateIn(plugin, share),
          stateOf: (other) => ({ get: this.stateOf(other, share.user).get }),
          context: {
            add: (text: string) => void share.context.push(check("The context", text, "text")),
            show: (text: string) => {
              share.shown = text;
            },
          },
          tools: {
            add: (...added) => void share.tools.push(...added),
            names: tools.map(({ name }) => name),
          },
          conversation: {
            sessionId: session.sessionId,
            userId,
            messages: () => session.messages(),
            prompts: () => session.prompts(),
          },
          switchModel: (name: string) => {
            share.model = this.#known(name);
          },
          answerBy: (model: ModelAdapter) => {
            share.answers = model;
          },
          report: (error: Error) => session.report(codeOf(error), error),
          input,
          promptId: id,
          services,
          signal,
        }),
      );
      // What it does from now on belongs to no call.
      return { ...share, context: [...share.context], tools: [...share.tools] };
    } catch (error) {
      if (!stopped.aborted) this.#failed(plugin, error);
      return undefined;
    }
  }

  /** Reported; the end of the request where that cannot do without it. */
  #failed(plugin: AnyPlugin, cause: unknown): void {
    const { code, message } = failure(plugin, cause);
    const error = new GloveError(code, message, { cause });
    if (plugin.required) throw error;
    this.#session.report(code, error);
  }

  /** The tools of all that no model or core would refuse, and whose states are kept now. */
  async #toolsOf(plugins: readonly AnyPlugin[], shares: (Share | undefined)[]): Promise<readonly ToolConfig[]> {
    const outside = new Set<string>();
    const taken = new Set([answerTool]);
    for (const tool of this.#session.config.tools ?? []) (yielding.has(tool) ? outside : taken).add(tool.name.toLowerCase());
    const all: ToolConfig[] = [];
    for (const [at, plugin] of plugins.entries()) {
      const own = shares[at]?.tools ?? [];
      const names = new Set<string>();
      try {
        for (const tool of own) {
          const { type } = ((await specOf(tool)).schema ?? {}) as { type?: unknown };
          if (type !== undefined && type !== "object")
            throw new GloveError("TOOL_SCHEMA_INVALID", `The schema of the tool "${tool.name}" must describe an object.`);
          const name = tool.name.trim().toLowerCase();
          if (!name) throw new GloveError("TOOL_NAME_EMPTY", "A tool has no `name`.");
          if (taken.has(name) || names.has(name)) throw duplicateName(tool.name);
          names.add(name);
        }
        const { state, user = "" } = shares[at] ?? {};
        if (state) this.#keep(plugin, state.value, user);
      } catch (error) {
        shares[at] = undefined;
        this.#failed(plugin, error);
        continue;
      }
      for (const name of names) {
        taken.add(name);
        if (!outside.has(name) || this.#reported.has(` ${name}`)) continue;
        this.#reported.add(` ${name}`);
        this.#session.report("TOOL_NAME_TAKEN", yielded(name));
      }
      all.push(...own);
    }
    return all;
  }

  /** What is answered now. Read once for each prompt: it holds all of its messages, which grow with every call of the model. */
  async #prompt(): Promise<CurrentPrompt> {
    const id = this.#current();
    if (id === undefined) return {};
    if (this.#currentPrompt.id === id) return this.#currentPrompt;
    const prompt = (JSON.parse(await this.#connection.own.prompts(id)) as Prompt[]).at(-1);
    const latest: CurrentPrompt = { id, input: prompt?.input ?? prompt?.reason ?? undefined, model: prompt?.model };
    if (prompt?.id === id) this.#currentPrompt = latest;
    return latest;
  }

  /** Its id. */
  #current(): string | undefined {
    const { state } = JSON.parse(this.#connection.own.checkpoint()) as { state: { current?: { id: string } | null } };
    return state.current?.id;
  }

  // ---- models ----------------------------------------------------------------------------------------------------

  /** Has the rest of the prompt answered by this model. */
  switchModel(name: string): void {
    this.#known(name);
    this.#keep(choice, { prompt: this.#current(), name }, this.#user);
  }

  #modelFor(id: string | undefined, requested: unknown, shares: readonly (Share | undefined)[]): string {
    const chosen = this.#states[choice.id]?.[this.#user] as { prompt?: string; name: string } | undefined;
    const own = chosen && chosen.prompt === id ? chosen.name : undefined;
    const name =
      shares.findLast((share) => share?.model)?.model ?? own ?? (typeof requested === "string" ? requested : usualModel);
    try {
      return this.#known(name);
    } catch (error) {
      // It was there when it was asked for.
      this.#session.report("MODEL_UNKNOWN", error);
      return usualModel;
    }
  }

  #has(name: string): boolean {
    return name === usualModel || Object.hasOwn(this.#session.config.models ?? {}, name);
  }

  #known(name: string): string {
    const names = [usualModel, ...Object.keys(this.#session.config.models ?? {})];
    if (!this.#has(name))
      throw new GloveError("MODEL_UNKNOWN", `There is no model "${name}" in \`models\`; there are ${names.join(", ")}.`);
    return name;
  }

  // ---- states ----------------------------------------------------------------------------------------------------

  /** The state of a plugin, for tools. */
  stateOf<S>({ id }: HasState<S>, user = ""): PluginState<S> {
    const plugin = this.#session.config.plugins?.find((own) => own.id === id);
    if (!plugin)
      throw new GloveError("PLUGIN_UNKNOWN", `The plugin "${id}" is not one of this session's; pass it in \`plugins\`.`);
    const get = () => this.#read(plugin, user);
    return this.#access(plugin, get as () => Promise<S>, async (next) => {
      const value = await this.#checked(plugin, next(await get()));
      this.#keep(plugin, value, user);
    });
  }

  #stateIn(plugin: AnyPlugin, share: Share): PluginState<unknown> {
    const read = async () => (share.state ? copy(share.state).value : this.#read(plugin, share.user));
    return this.#access(plugin, read, async (next) => {
      share.state = { value: await this.#checked(plugin, next(await read())) };
    });
  }

  #access<S>(
    plugin: AnyPlugin,
    get: () => Promise<S>,
    write: (next: (before: unknown) => unknown) => Promise<void>,
  ): PluginState<S> {
    return {
      get,
      set: (next) => {
        const work = () =>
          write((before) => (typeof next === "function" ? (next as (before: unknown) => unknown)(before) : next));
        const written = (this.#writes.get(plugin) ?? Promise.resolve()).then(work, work);
        this.#writes.set(plugin, written);
        return written;
      },
    };
  }

  async #read(plugin: AnyPlugin, user: string): Promise<unknown> {
    this.#load();
    const stored = this.#states[plugin.id];
    const fresh = copy({ value: plugin.initialState }).value;
    if (!stored || !Object.hasOwn(stored, user)) return fresh;
    try {
      return await this.#checked(plugin, copy(stored)[user]);
    } catch (error) {
      // After an update of the application. What is stored stays until the plugin sets another.
      const key = `${plugin.id} ${user}`;
      if (!this.#reported.has(key)) this.#session.report(codeOf(error as Error) ?? "PLUGIN_STATE_INVALID", error);
      this.#reported.add(key);
      return fresh;
    }
  }

  async #checked(plugin: AnyPlugin, value: unknown): Promise<unknown> {
    if (!plugin.stateSchema) return value;
    // One that never ends would hold up every state after it.
    const ms = plugin.timeoutMs ?? usualMs;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tooLong = new Promise<never>((_, reject) => {
      const why = `The \`stateSchema\` of the plugin "${plugin.id}" took longer than ${ms} ms.`;
      if (ms < 0x7fff_ffff) timer = setTimeout(() => reject(new GloveError("PLUGIN_STATE_INVALID", why)), ms);
    });
    const checked = await Promise.race([checkWithSchema(plugin.stateSchema, value), tooLong]).finally(() => clearTimeout(timer));
    if (!("issues" in checked)) return checked.value;
    const why = `The state of the plugin "${plugin.id}" does not match its \`stateSchema\`: ${issuesText(checked.issues)}.`;
    throw new GloveError("PLUGIN_STATE_INVALID", why);
  }

  #keep({ id }: { readonly id: string }, value: unknown, user: string): void {
    this.#load();
    const state = value === undefined ? null : toPlain(value, `The state of the plugin "${id}"`);
    const next = { ...this.#states, [id]: { ...this.#states[id], [user]: state } };
    const json = JSON.stringify(next);
    if (json.length > maxStateBytes)
      throw new GloveError(
        "PLUGIN_STATE_TOO_LARGE",
        `The states of all plugins of a session may have ${maxStateBytes} characters together; with this one of the plugin "${id}" they have ${json.length}.`,
      );
    this.#connection.own.setPlugins(json);
    this.#states = next;
  }

  get #user(): string {
    return this.#session.config.userId ?? "";
  }

  /** A core that was started again has read them again. */
  #load(): void {
    const core = this.#connection.own;
    if (this.#of === core) return;
    const { state } = JSON.parse(core.checkpoint()) as { state: { plugins?: States } };
    this.#of = core;
    this.#states = state.plugins ?? {};
    this.#prepared = undefined;
  }
}

function failure(plugin: AnyPlugin, cause: unknown): GloveError {
  const code = codeOf(cause as Error);
  if (code === "SKILL_FAILED") return cause as GloveError;
  const own = code?.startsWith("PLUGIN_") ? code : "PLUGIN_FAILED";
  const why = reasonOf(cause).replace(/\.$/, "") || "it threw nothing that says why";
  return new GloveError(own, `The plugin "${plugin.id}" failed: ${why}.`);
}
