// What is shown to a person, and what an application offers to show it.
import type { Schema } from "../schema/types.js";

/** Something that is shown: which renderer draws it, and with what. */
export interface Slot<I = unknown> {
  readonly id: string;
  readonly renderer: string;
  readonly input: I;
  /** A display of the application's own kind may not say. One that stands alone shows what is `pending`. */
  readonly status?: "pending" | "resolved" | "rejected";
}

/** A slot before it is shown. */
export interface SlotRequest<I = unknown> {
  readonly renderer?: string | undefined;
  readonly input: I;
  /** Of a question: nobody waits for its answer any more. It is taken away then, and the waiting ends with an error. */
  readonly withdrawn?: AbortSignal | undefined;
}

/** What a renderer of this name can show, and what it may answer. Both are enforced. */
export interface Renderer<I = unknown, O = unknown> {
  readonly name: string;
  readonly inputSchema?: Schema<unknown, I>;
  readonly outputSchema?: Schema<unknown, O>;
}

/** Called with the slots whenever they change. */
export type ListenerFn = (stack: Slot[]) => unknown;
/** Ends a subscription. */
export type UnsubscribeFn = () => void;
/** Answers a slot that waits. */
export type ResolverFn<RI = unknown> = (value: RI) => void;
/** Refuses a slot that waits. */
export type RejectFn = (error: unknown) => void;
/** What answers one slot. */
export interface Resolver {
  readonly resolve: ResolverFn;
  readonly reject: RejectFn;
}

/** What a display stack offers to tools and to a user interface. */
export interface DisplayManagerAdapter {
  readonly renderers: readonly Renderer[] | ReadonlyMap<string, Renderer>;
  readonly stack: Slot[];
  readonly listeners: Set<ListenerFn>;
  readonly resolverStore: Map<string, Resolver>;
  registerRenderer<I, O>(renderer: Renderer<I, O>): void;
  pushAndForget<I>(slot: SlotRequest<I>): Promise<string>;
  pushAndWait<I, O = unknown>(slot: SlotRequest<I>): Promise<O>;
  notify(): Promise<void>;
  subscribe(listener: ListenerFn): UnsubscribeFn;
  resolve<O = unknown>(slot_id: string, value: O): unknown;
  reject(slot_id: string, error?: unknown): unknown;
  removeSlot(id: string): unknown;
  clearStack(): Promise<void>;
}
