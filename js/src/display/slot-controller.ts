// The slots of a session: pushed into the core's stack, answered out of it, with the live values that JSON cannot hold.

import type { CoreAccess } from "../ports/core.js";
import type { DisplayManagerAdapter, SlotRequest } from "../ports/display.js";
import type { ToolConfig } from "../ports/tool.js";
import type { Issue } from "../schema/types.js";
import type { CallProgress, GloveSnapshot, ShownSlot } from "../snapshot/snapshot.js";
import { after, type Maybe } from "../timing/sync-or-promise.js";
import type { CallPort, RunningCall } from "../tools/call-display.js";
import { reasonOf } from "../values/error.js";
import { withoutEvent } from "../values/events.js";
import { answerJson, shownJson } from "../values/json.js";
import { fromCore } from "../wasm/core-errors.js";
import { checkSlotInput, DisplayManager, type DisplayPort, notTaken, rendererOf, settleAnswer } from "./manager.js";

export interface SlotSession {
  /** What is shown: nothing of a session that is closed. */
  snapshot(): Pick<GloveSnapshot, "slots" | "approvals">;
  /** Tells the display manager that other slots are shown. */
  changed(): void;
  tool(name: string): ToolConfig | undefined;
  report(code: string, error: unknown): void;
  /** Shows how far a call is; nothing any more without. */
  progressed(call: string, progress: CallProgress | undefined): void;
  /** A person's answer to a slot is none, and why. Without `issues` it is the application that gave none. */
  refused(id: string, error: Error, why: string, issues?: readonly Issue[]): void;
}

/** What JSON may not hold of a slot; of one that a display of the application's own was asked, nothing. */
interface Live {
  readonly input?: unknown;
  answer?: { readonly value: unknown };
  rejection?: { readonly value: unknown };
}

export class SlotController implements DisplayPort {
  readonly manager: DisplayManagerAdapter;
  readonly #access: CoreAccess;
  readonly #session: SlotSession;
  readonly #lives = new Map<string, Live>();

  constructor(manager: DisplayManagerAdapter, access: CoreAccess, session: SlotSession) {
    this.manager = manager;
    this.#access = access;
    this.#session = session;
  }

  /** Other slots are shown. */
  changed(): void {
    const ids = new Set(this.slots().map(({ id }) => id));
    for (const id of this.#lives.keys()) if (!ids.has(id)) this.#lives.delete(id);
    this.#session.changed();
    this.askOutside();
  }

  live(id: string): { readonly input?: unknown } | undefined {
    return this.#lives.get(id);
  }

  /** The display for one call of a tool. */
  forCall(call: RunningCall): CallPort {
    const { manager } = this;
    const { guard } = this.#access;
    const core = () => this.#access.own;
    // What comes after the end is no part of the call, which may be running another time.
    const owner = () => (call.ended ? undefined : call.id);
    const progress: CallPort["progress"] = (progress) => this.#session.progressed(call.id, progress);
    if (!(manager instanceof DisplayManager)) {
      const show: CallPort["show"] = (slot) => manager.pushAndForget(slot);
      return { manager, keeps: false, show, ask: (slot) => manager.pushAndWait(slot), core, guard, progress };
    }
    return {
      manager,
      keeps: true,
      show: (slot, clean) => after(this.#fits(slot), (checked) => this.#show(owner(), checked, clean)),
      ask: (slot, clean) => after(this.#fits(slot), (checked) => this.#ask(owner(), checked, clean)),
      core,
      guard,
      progress,
    };
  }

  // ---- as the display manager sees it ------------------------------------------------------------------------------

  slots(): readonly ShownSlot[] {
    return this.#session.snapshot().slots;
  }

  show(slot: SlotRequest): Maybe<string> {
    return this.#begun(() => this.#show(undefined, slot));
  }

  ask(slot: SlotRequest, begins: () => boolean): Maybe<unknown> {
    // Whoever asked has been told that it was cleared.
    return this.#begun(() => (begins() ? this.#ask(undefined, slot) : undefined));
  }

  /** Whatever needs the session starts it. */
  #begun<T>(act: () => Maybe<T>): Maybe<T> {
    return this.#access.session ? act() : this.#access.ready().then(act);
  }

  resolve(id: string, value: unknown): boolean | Promise<boolean> {
    const slot = this.#open(id);
    if (!slot) return false;
    if (!slot.waits) return this.remove(id);
    const refuse = (...refusal: Refusal) => this.#session.refused(id, ...refusal);
    if (this.#isQuestion(id)) return settleAnswer("", undefined, value, (given) => this.#settle(id, consent(given)), refuse);
    const { renderer } = slot;
    const schema = this.#session.tool(renderer)?.resolveSchema ?? rendererOf(this.manager, renderer)?.outputSchema;
    const settle = (parsed: unknown) => this.#settle(id, parsed);
    return settleAnswer(renderer, schema, value, settle, refuse);
  }

  reject(id: string, given: unknown): boolean | Promise<boolean> {
    const error = withoutEvent(given);
    const slot = this.#open(id);
    if (!slot) return false;
    if (!slot.waits) return this.remove(id);
    const live = this.#lives.get(id);
    const settled = this.#access.session?.rejectSlot(id, reasonOf(error) || undefined) ?? false;
    // The first answer counts, here as in the core.
    if (live && settled) keepWhile(settled, live, "rejection", error);
    return settled;
  }

  remove(id: string): boolean {
    return this.#access.session?.removeSlot(id) ?? false;
  }

  clear(): void {
    this.#access.session?.clearStack();
  }

  // ---- into the core -----------------------------------------------------------------------------------------------

  #open(id: string): ShownSlot | undefined {
    return this.slots().find((slot) => slot.id === id && slot.status === "pending");
  }

  /** The run itself asks this, and not a tool. */
  #isQuestion(id: string): boolean {
    return this.#session.snapshot().approvals.some((approval) => approval.id === id);
  }

  #settle(id: string, value: unknown): boolean | Promise<boolean> {
    const live = this.#lives.get(id);
    const json = this.#json(id, value);
    if (json === undefined) return false;
    try {
      const settled = this.#access.session?.resolveSlot(id, json) ?? false;
      if (live && settled) keepWhile(settled, live, "answer", value);
      return settled;
    } catch (error) {
      // What the core itself asks has an answer of a certain kind.
      const refusal = fromCore(error);
      this.#session.refused(id, refusal, refusal.message, []);
      return false;
    }
  }

  /** Nothing for what cannot be kept. */
  #json(id: string, value: unknown): string | undefined {
    try {
      return answerJson(value);
    } catch (error) {
      this.#session.refused(id, error as Error, notTaken);
      return undefined;
    }
  }

  #show(owner: string | undefined, { renderer = "", input }: SlotRequest, clean = false): Maybe<string> {
    const shown = this.#access.own.pushAndForget(owner, renderer, shownJson(input), clean);
    return after(this.#whileOpen(shown), (id) => {
      // A tool that does not show what it showed before does not go on: a person is asked about its call.
      if (id === undefined) return new Promise(() => {});
      this.#lives.set(id, { input });
      return id;
    });
  }

  #ask(owner: string | undefined, { renderer = "", input, withdrawn }: SlotRequest, clean = false): Maybe<unknown> {
    const asked = this.#access.own.pushAndWait(owner, renderer, shownJson(input), clean);
    return after(this.#whileOpen(asked), ({ id, answer }) => {
      const remove = () => this.remove(id);
      if (withdrawn?.aborted) remove();
      withdrawn?.addEventListener("abort", remove);
      return this.#answered(id, answer, input);
    });
  }

  /** A core in a worker says a moment later what it takes, and by then the session may be closed. */
  #whileOpen<T>(told: Maybe<T>): Maybe<T> {
    return told instanceof Promise ? this.#access.whileOpen(told) : told;
  }

  #answered(id: string, answer: Promise<string>, input: unknown): Promise<unknown> {
    const live: Live = { input };
    this.#lives.set(id, live);
    return this.#access.whileOpen(this.#access.guard.untilTrap(answer)).then(
      (text) => (live.answer ? live.answer.value : (JSON.parse(text) as unknown)),
      (error: unknown) => {
        throw live.rejection ? live.rejection.value : fromCore(error);
      },
    );
  }

  #fits(slot: SlotRequest): Maybe<SlotRequest> {
    const name = slot.renderer ?? "";
    return checkSlotInput(slot, this.#session.tool(name)?.displayPropsSchema ?? rendererOf(this.manager, name)?.inputSchema);
  }

  /** A display of the application's own is asked what the core asks. */
  askOutside(): void {
    const { manager } = this;
    if (manager instanceof DisplayManager) return;
    for (const { id, renderer, input } of this.slots()) {
      if (!this.#isQuestion(id) || this.#lives.has(id)) continue;
      this.#lives.set(id, {});
      manager.pushAndWait({ renderer, input }).then(
        (value) => this.resolve(id, value),
        (error: unknown) => this.reject(id, error),
      );
    }
  }
}

/** It is what was answered, unless it is heard later that something else was. */
function keepWhile(taken: true | Promise<boolean>, live: Live, as: "answer" | "rejection", value: unknown): void {
  const kept = { value };
  live[as] = kept;
  if (taken === true) return;
  void taken.then((taken) => {
    if (!taken && live[as] === kept) delete live[as];
  });
}

type Refusal = [error: Error, why: string, issues?: readonly Issue[]];

/** The answer to a question of the run: what might be a yes is none; the core refuses it, and the question stays. */
function consent(value: unknown): unknown {
  if (!value || value === "no") return false;
  return value === "yes" ? true : value;
}
