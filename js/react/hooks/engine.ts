// The engine behind a hook: chooses the session, keeps its settings up to date, and provides its actions.
import type { GloveActions } from "../../conversation/state.js";
import type { RunOutcome } from "../../src/messages/outcome.js";
import type { ImageInput, MessageInput } from "../../src/messages/request.js";
import type { GloveSession } from "../../src/session/session.js";
import { readSessionId, rememberSessionId } from "../../src/session/session-id.js";
import type { GloveSnapshot } from "../../src/snapshot/snapshot.js";
import { firstPainted, whenIdle } from "../../src/timing/next-frame.js";
import { AbortError, asError, reasonOf } from "../../src/values/error.js";
import { withoutEvent } from "../../src/values/events.js";
import { isInside } from "../../src/values/ids.js";
import { commandsOf } from "../commands/list.js";
import type { RendererRegistry } from "../render/renderer-registry.js";
import { NothingDraws } from "../slots/drawing.js";
import { entryOf } from "../timeline/entry-of.js";
import { Conversation, type SnapshotSource } from "./conversation.js";
import type { ConversationState } from "./engine-context.js";
import type { GloveState } from "./glove-types.js";
import type { UIMessage } from "./messages.js";
import { changesOf, isSame, overridesOf, type Settings } from "./settings.js";

/** How long what was waited for is held: its component has come by then, or never will. */
export const holdMs = 5_000;

/** The same before a session is open and after, so that nothing renders again for it. */
const noMessages: UIMessage[] = [];

/** What a state has more where React draws it. */
export type Drawn = Pick<GloveState, "renderSlot" | "renderToolResult" | "renderOutput">;

/** What draws for an engine. Other frameworks have none, and draw what they read. */
export interface Draws {
  readonly registry: RendererRegistry;
  draw(actions: GloveActions): Drawn;
  /** Loads what draws a question, before one comes. */
  load(): void;
}

/** How many engines show a session. */
const shownBy = new WeakMap<GloveSession, number>();

export class Engine implements SnapshotSource, ConversationState {
  readonly actions: GloveActions;
  readonly #conversation: Conversation;
  readonly #draws: Draws | undefined;
  /** Told what a renderer threw, and whose it is. */
  readonly failed = (error: unknown, name: string): void => {
    const failure = new Error(`The renderer of "${name}" threw: ${reasonOf(error)}`, { cause: error });
    this.#conversation.session?.report("RENDERER_FAILED", error instanceof NothingDraws ? error : failure);
  };
  readonly #states = new WeakMap<GloveSnapshot, GloveState>();
  #drawing: Drawn | undefined;
  #settings: Settings;
  /** The session that was chosen, whether it is open or not. */
  #id: string | undefined;
  /** Counts the choices, so that one that comes late is not taken. */
  #choice = 0;
  #choosing = false;
  #users = 0;
  #letGo: ((stop: boolean) => void) | undefined;
  #told: string | undefined;

  /** `settings` are those of the first render. Nothing begins before `attach`. */
  constructor(settings: Settings, draws?: (failed: (error: unknown, name: string) => void) => Draws) {
    this.#settings = settings;
    this.#draws = draws?.(this.failed);
    this.#conversation = new Conversation(settings.store?.identifier ?? settings.sessionId ?? "");
    this.#setRenderers();
    this.actions = this.#act();
    this.#drawing = this.#draws?.draw(this.actions);
  }

  // ---- what it shows ---------------------------------------------------------------------------------------------

  get subscribe() {
    return this.#conversation.subscribe;
  }

  get getSnapshot() {
    return this.#conversation.getSnapshot;
  }

  get getServerSnapshot() {
    return this.#conversation.getServerSnapshot;
  }

  getState(): GloveState {
    return this.#state(this.getSnapshot());
  }

  getServerState(): GloveState {
    return this.#state(this.getServerSnapshot());
  }

  #state(snapshot: GloveSnapshot): GloveState {
    const known = this.#states.get(snapshot);
    if (known && known.renderSlot === this.#drawing?.renderSlot) return known;
    const shown = snapshot as GloveState;
    const state: GloveState = {
      ...shown,
      ...this.actions,
      ...this.#drawing,
      session: this.#conversation.session ?? null,
      get runnable() {
        return this.session?.runnable ?? null;
      },
      get commands() {
        return commandsOf(this.session?.config);
      },
      get messages() {
        const shown = this.session?.messagesOf(snapshot);
        return shown?.length ? shown : noMessages;
      },
    };
    this.#states.set(snapshot, state);
    return state;
  }

  // ---- its life --------------------------------------------------------------------------------------------------

  /** The settings of the latest render. */
  update(settings: Settings): void {
    const before = this.#settings;
    this.#settings = settings;
    // Functions that draw are new when they would draw other entries than before.
    this.#redraw();
    // Also while it is hidden: `attach` shows what is wanted by then.
    const wanted = wantedAfter(before, settings, this.#id);
    if (wanted !== undefined) this.#enter(wanted);
    else if (this.#users > 0) this.#configure(before, settings);
  }

  /** Shows what is open. Gives its undo. */
  attach(): () => void {
    this.#users++;
    // The first session of a page has nothing to show yet, and a page is drawn sooner without it. Only once: a component that was hidden by
    // Suspense and comes back runs no `useEffect` again.
    if (this.#choice || this.#settings.client.hasSessions) this.begin();
    else void firstPainted();
    return () => {
      this.#users--;
      if (this.#users > 0) return;
      this.#conversation.pause();
      this.#leave(this.#settings.onUnmount === "stop");
    };
  }

  /** The session is there, and what was stored of it has been read. */
  get isReady(): boolean {
    return this.getSnapshot().sessionReady;
  }

  /** Begins for a component that is not on the screen yet. Settles when it can be shown, or when that failed. */
  ready(): Promise<void> {
    if (this.#ready) return this.#ready;
    let end = () => {};
    const ready = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#ready = ready;
    const undo = this.attach();
    this.begin();
    const look = () => {
      if (!this.isReady && !this.getSnapshot().error) return;
      stop();
      this.#ready = undefined;
      end();
      setTimeout(undo, holdMs);
    };
    const stop = this.subscribe(look);
    look();
    return ready;
  }
  #ready: Promise<void> | undefined;

  /** Begins what is attached, or goes on with it. */
  begin(): void {
    if (this.#users > 0 && !this.#letGo) this.#choose();
  }

  /** Opens it. What draws a question is there before one comes, and holds up neither that nor a message. */
  #loadAhead(session: GloveSession): void {
    const { load } = this.#draws ?? {};
    // What goes wrong is in the snapshot.
    session.start().then(
      () => load && whenIdle(load),
      () => {},
    );
  }

  #choose(): void {
    if (this.#id !== undefined) this.#enter(this.#id);
    else if (!this.#choosing) void this.#chooseFirst();
  }

  async #chooseFirst(): Promise<void> {
    const { store, getSessionId, sessionId, persistSession, client } = this.#settings;
    if (store) return this.#enter(store.identifier);
    const choice = ++this.#choice;
    this.#choosing = true;
    try {
      const chosen = getSessionId
        ? getSessionId()
        : (sessionId ?? client.firstSessionId(readSessionId(persistSession, client.database)));
      // What is known at once is shown at once.
      const id = typeof chosen === "string" ? chosen : await chosen;
      if (choice === this.#choice) this.#enter(id);
    } catch (error) {
      if (choice !== this.#choice) return;
      this.#choosing = false;
      this.#conversation.fail(asError(error));
    }
  }

  #enter(id: string): void {
    this.#choice++;
    this.#choosing = false;
    this.#id = id;
    // Who has gone meanwhile finds it when he comes back.
    if (this.#users === 0) return;
    const { client, persistSession, onSessionChange } = this.#settings;
    let session: GloveSession;
    try {
      session = client.session(id, overridesOf(this.#settings, id));
    } catch (error) {
      this.#leave(false);
      this.#conversation.fail(asError(error));
      return;
    }
    try {
      this.#giveTools(session);
    } catch (error) {
      this.#leave(false);
      this.#conversation.fail(asError(error));
      return;
    }
    const release = client.retain(session);
    shownBy.set(session, (shownBy.get(session) ?? 0) + 1);
    this.#conversation.follow(session);
    this.#redraw();
    this.#leave(false);
    this.#letGo = (stop) => {
      release();
      // A component that is mounted again at once has never gone.
      setTimeout(() => (this.#letGo && this.#conversation.session === session) || session.takeTools(this), 0);
      shownBy.set(session, (shownBy.get(session) ?? 1) - 1);
      // A moment later: a component that is mounted again at once has never gone.
      const unused = () => shownBy.get(session) === 0 && session.getSnapshot().tab === "leader";
      if (stop) setTimeout(() => unused() && session.abort(), 0);
    };
    this.#loadAhead(session);
    client.rememberSession(id);
    rememberSessionId(persistSession, id, client.database);
    if (this.#told === id) return;
    this.#told = id;
    try {
      onSessionChange?.(id);
    } catch (error) {
      session.report("LISTENER_FAILED", error);
    }
  }

  #leave(stop: boolean): void {
    const letGo = this.#letGo;
    this.#letGo = undefined;
    letGo?.(stop);
  }

  #setRenderers(): boolean {
    const { tools = [], client, renderers, provided } = this.#settings;
    const { session } = this.#conversation;
    // Its own first: those of another component may be of its last render.
    const all = [...tools, ...(session?.config.tools ?? client.tools ?? [])];
    return this.#draws?.registry.set(all, renderers, provided) ?? false;
  }

  /** What is drawn is drawn anew where it would look otherwise. */
  readonly #redraw = (): void => {
    if (!this.#setRenderers()) return;
    this.#drawing = this.#draws?.draw(this.actions);
    this.#conversation.changed();
  };

  #giveTools(session: GloveSession): void {
    if (!isInside(session.sessionId)) session.giveTools(this, this.#settings.tools ?? [], this.#redraw);
  }

  #configure(before: Settings, after: Settings): void {
    const changes = changesOf(before, after);
    const { session } = this.#conversation;
    try {
      if (session && !isSame(before.tools, after.tools)) {
        if (isInside(session.sessionId)) session.configure({ tools: after.tools ?? [] });
        else this.#giveTools(session);
      }
      if (Object.keys(changes).length > 0) session?.configure(changes);
    } catch (error) {
      // Two tools of one name, say: what held before goes on to hold.
      console.error(error);
    }
  }

  // ---- what is asked of it ---------------------------------------------------------------------------------------

  #act(): GloveActions {
    const conversation = this.#conversation;
    // Start a new session if this one was deleted or closed.
    const renew = () => {
      if (conversation.session?.disposed && this.#users > 0) this.#choose();
    };
    const ask = <T>(act: (session: GloveSession) => T | Promise<T>, isMessage = false): Promise<T> => {
      renew();
      const answer = handled(conversation.with(act, isMessage));
      // A choice that failed is made again by whoever needs it.
      if (!conversation.session && this.#users > 0) this.#choose();
      return answer;
    };
    const switchTo = (id: string) => {
      this.#enter(id);
    };
    const entry = (id: string, part: "id" | "branches") => entryOf(this.getSnapshot().timeline, id, part);
    const abort = () => {
      if (conversation.session) conversation.session.abort();
      else conversation.refuse(new AbortError());
    };
    const loadAhead = (session: GloveSession) => this.#loadAhead(session);
    return {
      sendMessage(...message: readonly [message: string | MessageInput, images?: readonly ImageInput[]]) {
        const send = (session: GloveSession) => {
          const sending = session.sendMessage(...message);
          loadAhead(session);
          return sending;
        };
        return handled(ask(send, true).catch(stopped)) as Promise<never>;
      },
      abort,
      stop: abort,
      cancelQueued: (id) => conversation.session?.cancelQueued(id) ?? false,
      moveQueued: (id, before) => conversation.session?.moveQueued(id, before) ?? false,
      sendNow: (id) => conversation.session?.sendNow(id) ?? false,
      regenerate: () => ask((session) => session.regenerate()),
      edit: (id, message) => handled(ask((session) => session.edit(id, message)).catch(stopped)),
      branches: (id) => conversation.session?.branches(entry(id, "branches")) ?? [],
      switchBranch: (id) => ask((session) => session.switchBranch(entry(id, "branches"))),
      fork: (id) => ask((session) => session.fork(entry(id, "id"))),
      resume: () => ask((session) => session.resume()),
      takeOver: () => ask((session) => session.takeOver()),
      undo: (steps, options) => ask((session) => session.undo(steps, options)),
      approve: (id, options) => conversation.session?.approve(id, options) ?? false,
      reject: (id, reason, options) => conversation.session?.reject(id, reason, options) ?? false,
      resolveSlot: (id, value) => conversation.session?.resolveSlot(id, value) ?? false,
      rejectSlot: (id, reason) => conversation.session?.rejectSlot(id, reason) ?? false,
      clearError: () => {
        renew();
        const { session } = conversation;
        (session ?? conversation).clearError();
        // What could not be opened is tried again.
        if (this.isReady || this.#users === 0) return;
        if (session) session.start().catch(() => {});
        else this.#choose();
      },
      newConversation: async (id) => {
        const fresh = withoutEvent(id) ?? (await this.#settings.client.mintSessionId());
        switchTo(fresh);
        return fresh;
      },
      switchConversation: switchTo,
    };
  }
}

/** A message that was stopped before there was a session ends as one that was stopped in it. */
function stopped(error: unknown): RunOutcome {
  if (error instanceof AbortError) return { type: "aborted" };
  throw error;
}

/** Who does not care for the promise reads the error in the snapshot. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/** The session to go to, when the settings ask for another one than before. */
function wantedAfter(before: Settings, after: Settings, now: string | undefined): string | undefined {
  const id = after.store?.identifier ?? after.sessionId;
  if (after.client !== before.client) return id ?? now;
  // An id that is gone is no reason to leave, and one that stayed no reason to come back.
  return id !== (before.store?.identifier ?? before.sessionId) ? id : undefined;
}
