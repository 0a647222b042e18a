// An open session: its tools, slots, models and plugins, and all calls except sending a message.

import { SlotController } from "../display/slot-controller.js";
import { createMessages } from "../messages/messages.js";
import { outcomeOf, type RunOutcome } from "../messages/outcome.js";
import { answers } from "../messages/request.js";
import { PageModels } from "../models/page-models.js";
import type { Plugins } from "../plugins/plugins.js";
import type { Core, CoreAccess } from "../ports/core.js";
import type { Prompt } from "../ports/prompt.js";
import type { SessionConfig, SessionParts } from "../ports/session-config.js";
import type { StoreAdapter } from "../ports/store.js";
import type { ToolAttachments } from "../ports/tool.js";
import type { Schema } from "../schema/types.js";
import { reduce } from "../snapshot/reducer.js";
import type { SnapshotStore } from "../snapshot/snapshot-store.js";
import { Limits, limited } from "../store/limits.js";
import type { SharedSession } from "../tabs/shared-session.js";
import type { Maybe } from "../timing/sync-or-promise.js";
import { Toolbox } from "../tools/toolbox.js";
import { AbortError, codeOf, GloveError, loadPart } from "../values/error.js";
import { agentNotRunning } from "../values/refusals.js";
import { check } from "../values/validate-options.js";
import type { AwaitedCalls, CoreSession, HostPrompt } from "../wasm/core-api.js";
import { fromCore } from "../wasm/core-errors.js";
import type { Guard } from "../wasm/guard.js";
import type { CoreOutcome } from "../wire/core-types.js";
import type { Message } from "../wire/record.js";
import type { SessionPage } from "./page.js";
import type { Subscribers } from "./subscribers.js";

/** The connection that it belongs to. */
export interface ConnectionAccess extends CoreAccess {
  /** The session is closed. */
  readonly disposed: boolean;
  /** Tells the display manager that other slots are shown. */
  readonly stackChanged: () => void;
  /** It may be opened now, by itself. */
  again(): void;
  /** It has to be opened again. */
  lost(): void;
  /** Stops what runs. */
  stop(): void;
}

/** `SessionLifecycle` starts and ends its core. */
export class OpenSession {
  readonly page: SessionPage;
  readonly parts: SessionParts;
  readonly snapshots: SnapshotStore;
  readonly subscribers: Subscribers;
  readonly tools: Toolbox;
  readonly slots: SlotController;
  readonly models: PageModels;
  /** What is shown, as messages. */
  readonly messagesOf = createMessages();
  /** The core of this page; nothing where another tab or a server runs the session, and while it is started. */
  core: CoreSession | undefined;
  /** The other tabs that have the session open, where its store is one that they share. Without them no tab can have taken over. */
  tabs: SharedSession | undefined;
  /** Where the session is stored: in a worker, where its core is in one. */
  place: StoreAdapter;
  readonly limits = new Limits();
  /** The same, within its limits. */
  readonly store: StoreAdapter;
  /** Of what runs the session. */
  readonly guard: Guard;
  protected readonly access: ConnectionAccess;
  readonly #files: Core;
  #plugins: Plugins | undefined;

  constructor(page: SessionPage, access: ConnectionAccess, files: Core, guard: Guard) {
    const { parts, snapshots, subscribers, session } = page;
    this.page = page;
    this.parts = parts;
    this.snapshots = snapshots;
    this.subscribers = subscribers;
    this.access = access;
    this.#files = files;
    this.guard = guard;
    this.place = parts.store;
    this.store = limited(this.place, this.limits, () => this.place);
    const { report } = session;
    this.tools = new Toolbox({
      display: (call) => this.slots.forCall(call),
      agent: () => session.runnable,
      skillTools: () => session.config.skills?.flatMap(({ tools = [] }) => tools) ?? [],
      services: () => ({
        ...session.config,
        sessionId: session.sessionId,
        attachments: this.#attachments,
        outer: session,
        plugins: this.#plugins,
      }),
      validated: (callId, validated) => access.own.validated(callId, validated),
      returned: (callId, outcome) => access.own.returned(callId, outcome),
      report,
      hasAll: () => this.tells && !this.#plugins && !session.agentless,
      changed: () => snapshots.dispatch({ kind: "tools" }),
      messages: () => this.messages(),
      result: async (callId) => {
        const results = (await this.messages()).flatMap((message) => message.tool_results ?? []);
        return results.findLast(({ call_id }) => call_id === callId)?.result.data;
      },
    });
    const tool = (name: string) => this.tools.find(name);
    this.slots = new SlotController(session.displayManager, access, {
      snapshot: () => (access.disposed ? snapshots.empty : snapshots.snapshot),
      changed: access.stackChanged,
      tool,
      report,
      progressed: (call, now) => {
        const { [call]: before, ...others } = snapshots.progress;
        if (now ?? before) snapshots.apply({ kind: "progress", progress: now ? { ...others, [call]: now } : others });
      },
      refused: (slot, refusal, error, issues) => {
        snapshots.dispatch({ kind: "refused", slot, error, issues: issues ?? [] });
        if (!issues) report(codeOf(refusal), refusal);
        // The person who fills in the form reads it there: it is no error of the application.
        else subscribers.tell("error", { code: "DISPLAY_WRONG_OUTPUT", message: refusal.message });
      },
    });
    snapshots.setReducer(reduce, {
      strategy: (renderer) => tool(renderer)?.displayStrategy ?? "stay",
      title: (name, input) => this.tools.title(name, input),
      description: (name) => tool(name)?.description,
      asks: (name, input) => this.tools.asks(name, input),
      live: (id) => this.slots.live(id),
    });
    this.tools.replace(session.config.tools ?? []);
    this.models = new PageModels({
      model: (purpose) => this.config(purpose).model,
      tool,
      show: (kind, text, call) => {
        subscribers.tell(kind === "text" ? "text_delta" : "reasoning_delta", { text });
        snapshots.apply({ kind: "piece", of: kind, text, call });
      },
    });
  }

  /** What tools read of the record. */
  readonly #attachments: ToolAttachments = {
    list: async () => (await filesOfRecord()).attachmentsOf(await this.messages()),
    read: async (id, options) => (await filesOfRecord()).attachmentCalled(await this.messages(), id, options),
  };

  // ---- who runs it -----------------------------------------------------------------------------------------------

  /** The session is closed. */
  get disposed(): boolean {
    return this.access.disposed;
  }

  /** What is done once for a run is done in this page. */
  get tells(): boolean {
    return !!(this.core || this.store.elsewhere);
  }

  // ---- what it is made of ----------------------------------------------------------------------------------------

  /** The settings with what plugins have added. */
  config(purpose?: HostPrompt["purpose"]): SessionConfig {
    const { config, sessionId } = this.page.session;
    const now = this.#plugins?.apply(config, purpose) ?? config;
    return now.middleware?.length ? this.models.within({ ...now, sessionId }) : now;
  }

  /** What plugins take, where there are any. */
  async ready(): Promise<void> {
    const { session } = this.page;
    const { plugins, models, skills } = session.config;
    if (!plugins?.length && !models && !skills) return;
    const { Plugins } = await loadPart(import("../plugins/plugins.js"));
    this.#plugins ??= new Plugins(session, this.tools, this.access);
    await this.#plugins.ready();
  }

  /** There is something to do before a call of the model. */
  get prepares(): boolean {
    return this.page.session.agentless || this.#plugins !== undefined;
  }

  /** Before each call of the model. Another tab may ask for something. */
  prepare(): Promise<void> | undefined {
    return this.page.session.agentless ? Promise.reject(agentNotRunning()) : this.#plugins?.prepare();
  }

  // ---- what is asked of it ---------------------------------------------------------------------------------------

  /** The outcome of a message, with the value that its schema describes. */
  async outcome(coreOutcome: string, id: string, output: Schema | undefined): Promise<RunOutcome> {
    const result = outcomeOf(JSON.parse(coreOutcome) as CoreOutcome, this.snapshots.error);
    if (!output || result.type !== "completed") return result;
    return { ...result, ...(await (await answers()).answerOf(this.page.session, id, output, result.messages)) };
  }

  /** Returns the message to send, or nothing if a paused or interrupted request continues. */
  async regenerated(): Promise<{ readonly text: string } | { readonly regenerate: true } | undefined> {
    const { phase, snapshot } = this.snapshots;
    if (phase === "paused" || phase === "interrupted") return undefined;
    if (!snapshot.timeline.some(({ kind }) => kind === "user")) {
      throw new GloveError("NOTHING_TO_REGENERATE", "There is no user message to regenerate from.");
    }
    const { session } = this.page;
    const again =
      session.config.hooks?.length && (await (await loadPart(import("../plugins/regenerate-with-hook.js"))).saidToHook(session));
    return again || { regenerate: true };
  }

  async switchBranch(messageId: string): Promise<void> {
    const coreOutcome = await this.#tell((session) => session.switchBranch(messageId));
    if (coreOutcome.outcome === "aborted") throw new AbortError();
    if (coreOutcome.outcome !== "switched") outcomeOf(coreOutcome, this.snapshots.error);
  }

  async path(messageId: string): Promise<Message[]> {
    return JSON.parse(await this.#read((session) => session.fork(messageId))) as Message[];
  }

  resume(): Promise<RunOutcome> {
    return this.#ask((session) => session.resume());
  }

  undo(steps: number, last?: string): Promise<RunOutcome> {
    return this.#ask((session) => session.undo(check("`steps`", steps, "whole"), last));
  }

  async messages(): Promise<Message[]> {
    return JSON.parse(await this.#read((session) => session.messages(0))) as Message[];
  }

  async prompts(since: string): Promise<Prompt[]> {
    return JSON.parse(await this.#read((session) => session.prompts(check("`since`", since, "text")))) as Prompt[];
  }

  async exportRun(redact: ((text: string) => string) | undefined): Promise<string> {
    const { runFile } = await loadPart(import("../recording/run-file.js"));
    const recorded = await this.#read((session) => session.recorded());
    return runFile(await (this.#files.page ?? this.#files).load(), recorded, redact);
  }

  async #ask(ask: (session: AwaitedCalls) => Promise<string>): Promise<RunOutcome> {
    try {
      return outcomeOf(await this.#tell(ask), this.snapshots.error);
    } catch (error) {
      if (error instanceof AbortError) return { type: "aborted" };
      throw error;
    }
  }

  /** Asks for a change, and shows why there is none. */
  async #tell(ask: (session: AwaitedCalls) => Promise<string>): Promise<CoreOutcome> {
    this.snapshots.set({ error: undefined });
    try {
      return JSON.parse(await this.#read(ask)) as CoreOutcome;
    } catch (error) {
      if (!(error instanceof AbortError)) this.snapshots.set({ error: error as Error });
      throw error;
    }
  }

  async #read(ask: (session: AwaitedCalls) => Maybe<string>): Promise<string> {
    try {
      return await this.access.whileOpen(this.access.answer(ask));
    } catch (thrown) {
      throw fromCore(thrown);
    }
  }
}

const filesOfRecord = () => loadPart(import("../messages/tool-attachments.js"));
