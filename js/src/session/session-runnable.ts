// A session's agent, in types that the packages written for glove take as their own `IGloveRunnable`.
import type { DisplayManagerAdapter, Renderer } from "../ports/display.js";
import type { StoreAdapter } from "../ports/store.js";
import type { IGloveRunnable, ToolConfig } from "../ports/tool.js";
import type { Message } from "../wire/record.js";

/**
 * What glove's declarations are stricter about than code that was written for them: which letters a `type` can have, what a listener gives back.
 * Calls are checked and inferred by the types here; only where a whole object is assigned does the rest count.
 */
// biome-ignore-start lint/suspicious/noExplicitAny: what fits everything.
type Fitting<T> = T extends (...args: infer _) => unknown
  ? T & ((...args: any[]) => any)
  : T extends ReadonlyMap<unknown, unknown>
    ? T & Map<any, any>
    : T extends ReadonlySet<unknown>
      ? T & Set<any>
      : T extends readonly unknown[]
        ? T & any[]
        : T extends object
          ? { readonly [K in keyof T]: Fitting<T[K]> }
          : T;
// biome-ignore-end lint/suspicious/noExplicitAny: as above.

export interface Agent extends IGloveRunnable {
  /** Adds a tool. */
  fold(tool: ToolConfig): SessionRunnable;
  replaceTools(previous: Iterable<string>, next: readonly ToolConfig[]): SessionRunnable;
  readonly serverMode: false;
  /** What is told to a model beside the conversation: nothing, as there are no providers of it. */
  getRuntimeContext(): Promise<Message[]>;
  /** @deprecated There is none; throws `CONFIG_INVALID`. */
  addContextProvider(provider: unknown): never;
  /** @deprecated There is none; throws `CONFIG_INVALID`. */
  setDisplayManager(displayManager: unknown): never;
  /** @deprecated There is none; throws `CONFIG_INVALID`. */
  defineHook(name: string, handler: unknown): never;
  /** @deprecated There is none; throws `CONFIG_INVALID`. */
  defineSkill(skill: unknown): never;
  /** @deprecated There is none; throws `CONFIG_INVALID`. */
  defineSubAgent(agent: unknown): never;
  /** @deprecated There is none; throws `CONFIG_INVALID`. */
  rebuild(store?: unknown): never;
}

type Display = Omit<DisplayManagerAdapter, "renderers"> & { readonly renderers: readonly Renderer[] };
type Store = StoreAdapter & Required<Pick<StoreAdapter, "resetCounters">>;

/** The agent that a session is, and one for what was written for glove: `useGloveVoice({ runnable })`. */
export type SessionRunnable = Fitting<
  Omit<Agent, "displayManager"> & { readonly displayManager: Display; readonly store: Store }
>;
