// The display stack: what the user sees, the pending answers, and the listeners.
import type {
  DisplayManagerAdapter,
  ListenerFn,
  RejectFn,
  Renderer,
  Resolver,
  Slot,
  SlotRequest,
  UnsubscribeFn,
} from "../ports/display.js";
import { checkWithSchema, issuesText } from "../schema/check.js";
import type { Issue, Schema } from "../schema/types.js";
import { after, isPromise, type Maybe } from "../timing/sync-or-promise.js";
import { GloveError } from "../values/error.js";
import { isEvent, withoutEvent } from "../values/events.js";
import { check, describeValue } from "../values/validate-options.js";

/** The renderer of this name in a display. */
export function rendererOf({ renderers }: DisplayManagerAdapter, name: string | undefined): Renderer | undefined {
  return "get" in renderers ? renderers.get(name ?? "") : renderers.find((renderer) => renderer.name === name);
}

/** The stack of a session, which a display manager shows when it is bound to one. */
export interface DisplayPort {
  slots(): readonly (Slot & { readonly waits: boolean })[];
  show(slot: SlotRequest): Maybe<string>;
  /** Gives the answer. `begins` is called when it is asked, and says whether it is still to be. */
  ask(slot: SlotRequest, begins: () => boolean): Maybe<unknown>;
  resolve(id: string, value: unknown): boolean | Promise<boolean>;
  reject(id: string, error: unknown): boolean | Promise<boolean>;
  remove(id: string): boolean;
  clear(): void;
}

/**
 * A display stack; the last slot is on top. Whoever waits for an answer gets one in every case: a value, a rejection (the
 * value that was given to `reject`, as it is), or an error with the code `DISPLAY_REMOVED` or `DISPLAY_CLEARED`.
 * It works alone, and becomes the view of a session's stack when it is given to an agent.
 */
export class DisplayManager implements DisplayManagerAdapter {
  /** The registered renderers. A later one of the same name takes the place of the earlier one. */
  readonly renderers: Renderer[] = [];
  readonly listeners = new Set<ListenerFn>();
  /** Called with what a listener threw, once for each listener. Without it the console is told. */
  onError: ((error: unknown) => void) | undefined;
  #own: Slot[] = [];
  readonly #waiters = new Map<string, Resolver>();
  /** Who has asked what is not shown yet: its input is being checked, or its session opened. */
  readonly #asking = new Set<RejectFn>();
  #port: DisplayPort | undefined;
  #minted = 0;
  readonly #failed = new WeakSet<ListenerFn>();

  /** What is shown. A new array after each change. */
  get stack(): Slot[] {
    const port = this.#port;
    return port
      ? ([...this.#own, ...port.slots().map(({ id, renderer, input, status }) => ({ id, renderer, input, status }))] as Slot[])
      : this.#own;
  }

  /** Who waits for an answer, by slot. */
  get resolverStore(): Map<string, Resolver> {
    const waiters = new Map(this.#waiters);
    const port = this.#port;
    for (const { id, waits, status } of port?.slots() ?? []) {
      if (!waits || status !== "pending") continue;
      waiters.set(id, { resolve: (value) => port?.resolve(id, value), reject: (error) => port?.reject(id, error) });
    }
    return waiters;
  }

  registerRenderer<I, O>(renderer: Renderer<I, O>): void {
    check("`renderer.name`", renderer?.name, "text");
    const at = this.renderers.findIndex(({ name }) => name === renderer.name);
    if (at < 0) this.renderers.push(renderer);
    else this.renderers[at] = renderer;
  }

  /** Shows something and gives its id. Rejects with `DISPLAY_WRONG_INPUT` when the renderer cannot show it. */
  async pushAndForget<I>(slot: SlotRequest<I>): Promise<string> {
    return after(this.#fitted(slot), (checked) => {
      if (this.#port) return this.#port.show(checked);
      return this.#push(checked).id;
    });
  }

  /** Shows something and waits for its answer. */
  pushAndWait<I, O = unknown>(slot: SlotRequest<I>): Promise<O> {
    return new Promise((resolve, reject) => {
      this.#asking.add(reject);
      const begins = () => this.#asking.delete(reject);
      const wait = (checked: SlotRequest) => {
        if (this.#port) return after(this.#port.ask(checked, begins), (value) => resolve(value as O));
        // It was cleared meanwhile.
        if (!begins()) return undefined;
        // The waiter is there before anybody is told, so that an answer from inside a listener finds it.
        this.#push(checked, { resolve: (value) => resolve(value as O), reject });
        return undefined;
      };
      const failed = (error: unknown) => {
        begins();
        reject(error);
      };
      try {
        const done = after(this.#fitted(slot), wait);
        if (isPromise(done)) done.then(undefined, failed);
      } catch (error) {
        failed(error);
      }
    });
  }

  /** Tells every listener the stack as it is. */
  async notify(): Promise<void> {
    this.#tell();
  }

  /** The listener is called with the stack after every change, not at once. Gives its undo. */
  subscribe(listener: ListenerFn): UnsubscribeFn {
    this.listeners.add(check("The listener", listener, "work"));
    return () => void this.listeners.delete(listener);
  }

  /**
   * Answers a slot; a slot that waits for nothing goes away. False when there is no open slot with this id, or when this
   * cannot be its answer: the slot stays open then. Where a session runs in another tab, a worker or a server, a promise of it.
   */
  resolve<O = unknown>(slot_id: string, value: O): boolean | Promise<boolean> {
    const slot = this.#own.find(({ id }) => id === slot_id);
    if (!slot) return this.#port?.resolve(slot_id, value) ?? false;
    const { renderer } = slot;
    const settle = (parsed: unknown) => this.#settle(slot_id, (waiter) => waiter.resolve(parsed));
    return settleAnswer(renderer, rendererOf(this, renderer)?.outputSchema, value, settle, (error) => this.#report(error));
  }

  /** Rejects a slot; its waiter gets `error` unchanged. Returns false if no open slot has this id; a promise as for `resolve`. */
  reject(slot_id: string, error?: unknown): boolean | Promise<boolean> {
    if (!this.#own.some(({ id }) => id === slot_id)) return this.#port?.reject(slot_id, error) ?? false;
    return this.#settle(slot_id, (waiter) => waiter.reject(withoutEvent(error)));
  }

  /** Takes a slot away; who waits for it is told. False when there is none. */
  removeSlot(id: string): boolean {
    if (!this.#own.some((slot) => slot.id === id)) return this.#port?.remove(id) ?? false;
    return this.#settle(id, (waiter) =>
      waiter.reject(displayError("DISPLAY_REMOVED", "The question was removed before it was answered.")),
    );
  }

  /** Takes everything away, also what is asked and not shown yet; all who wait are told. */
  async clearStack(): Promise<void> {
    const waiters = [...this.#waiters.values(), ...[...this.#asking].map((reject) => ({ reject }))];
    this.#asking.clear();
    const changed = this.#own.length > 0;
    this.#own = [];
    this.#waiters.clear();
    this.#port?.clear();
    for (const { reject } of waiters) {
      reject(displayError("DISPLAY_CLEARED", "The display was cleared before the question was answered."));
    }
    if (changed) this.#tell();
  }

  /** @internal Becomes the view of a session's stack. Gives what tells it of changes. */
  bind(port: DisplayPort): () => void {
    this.#port = port;
    return () => this.#port === port && this.#tell();
  }

  #fitted(slot: SlotRequest): Maybe<SlotRequest> {
    check("The slot", slot, "object");
    return checkSlotInput(slot, rendererOf(this, slot.renderer)?.inputSchema);
  }

  #push({ renderer = "", input }: SlotRequest, waiter?: Resolver): Slot {
    const slot: Slot = { id: `slot_${++this.#minted}`, renderer, input, status: "pending" };
    if (waiter) this.#waiters.set(slot.id, waiter);
    this.#own = [...this.#own, slot];
    this.#tell();
    return slot;
  }

  #settle(id: string, tell: (waiter: Resolver) => void): boolean {
    if (!this.#own.some((slot) => slot.id === id)) return false;
    const waiter = this.#waiters.get(id);
    this.#waiters.delete(id);
    this.#own = this.#own.filter((slot) => slot.id !== id);
    if (waiter) tell(waiter);
    this.#tell();
    return true;
  }

  #tell(): void {
    const stack = this.stack;
    for (const listener of [...this.listeners]) {
      const failed = (error: unknown) => {
        if (this.#failed.has(listener)) return;
        this.#failed.add(listener);
        this.#report(error);
      };
      try {
        const listening = listener(stack);
        if (listening instanceof Promise) listening.catch(failed);
      } catch (error) {
        failed(error);
      }
    }
  }

  #report(error: unknown): void {
    if (this.onError) this.onError(error);
    else console.error(error);
  }
}

/** The same class, by the name that the original's code has. */
export const Displaymanager = DisplayManager;
export type Displaymanager = DisplayManager;

/** For whoever answers; the developer is told more. */
export const notTaken = "This answer could not be taken.";

export function displayError(code: string, message: string): GloveError {
  return new GloveError(code, message);
}

/** A slot with what a schema makes of its input. Throws `DISPLAY_WRONG_INPUT` when it cannot be shown. */
export function checkSlotInput(slot: SlotRequest, schema: Schema | undefined): Maybe<SlotRequest> {
  if (!schema) return slot;
  return after(checkWithSchema(schema, slot.input), (checked) => {
    if ("value" in checked) return { ...slot, input: checked.value };
    const why = issuesText(checked.issues);
    throw new GloveError(
      "DISPLAY_WRONG_INPUT",
      `The input does not match the schema of the renderer "${slot.renderer ?? ""}": ${why}`,
    );
  });
}

/**
 * Settles a question with what a schema makes of its answer; false when that is none, and for the event of a handler. True for an asynchronous schema, which
 * decides later: until then the slot is open.
 */
export function settleAnswer<T>(
  renderer: string,
  schema: Schema | undefined,
  value: unknown,
  settle: (value: unknown) => T,
  refuse: (error: GloveError, why: string, issues?: readonly Issue[]) => void,
): T | boolean {
  if (isEvent(value)) {
    const message = `The answer cannot be ${describeValue(value)}.`;
    refuse(new GloveError("DISPLAY_WRONG_OUTPUT", message), notTaken);
    return false;
  }
  if (!schema) return settle(value);
  const checking = checkWithSchema(schema, value);
  const settled = after(checking, (checked): T | false => {
    if ("value" in checked) return settle(checked.value);
    const why = issuesText(checked.issues);
    refuse(
      new GloveError(
        "DISPLAY_WRONG_OUTPUT",
        `The answer does not match the schema of "${renderer}", so the question stays open: ${why}`,
      ),
      why,
      checked.issues,
    );
    return false;
  });
  return isPromise(checking) ? true : (settled as T | false);
}
