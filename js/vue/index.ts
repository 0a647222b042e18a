// The entry for Vue: everything of the package, and the composables on a conversation.
import {
  computed,
  customRef,
  getCurrentInstance,
  hasInjectionContext,
  type InjectionKey,
  inject,
  type MaybeRefOrGetter,
  onMounted,
  onScopeDispose,
  provide,
  type Ref,
  toRaw,
  toValue,
  watch,
} from "vue";
import type { Threads, UseGloveConfig, UseThreadsConfig } from "../conversation/chat.js";
import { chatOf, type Provided, type ProvideGloveConfig, provided, threadsSource } from "../conversation/chat.js";
import { type Followed, follow, type Part, type Source } from "../conversation/follow.js";
import type { ChatState, GloveActions } from "../conversation/state.js";
import type { GloveClient } from "../src/session/client.js";
import type { ThreadActions, ThreadsState } from "../src/threads/thread-store.js";

export type { ConversationConfig } from "../conversation/config.js";
export * from "../src/index.js";
export type { UnreadEvent, UnreadNotice } from "../src/threads/notices.js";
export { type WatchUnreadOptions, watchUnread } from "../src/threads/watch-unread.js";
export type { ChatState, GloveActions, ProvideGloveConfig, Threads, UseGloveConfig, UseThreadsConfig };

type Refs<T> = { readonly [Name in keyof T]: Readonly<Ref<T[Name]>> };

/** What `useGlove()` gives: a ref for each part of the conversation, and the actions as they are. */
export type UseGloveReturn<C extends GloveClient = GloveClient> = Refs<Omit<ChatState<C>, keyof GloveActions>> & GloveActions;

/** What `useThreads()` gives: a ref for each part of the list, and the actions as they are. */
export type UseThreadsReturn = Refs<ThreadsState> & ThreadActions;

const key: InjectionKey<Provided> = Symbol("glove");
const around = () => (hasInjectionContext() ? inject(key, undefined) : undefined);

/** Gives the components below a client, and a conversation that all of them share. To be called in `setup`. */
export function provideGlove(config: MaybeRefOrGetter<ProvideGloveConfig>): void {
  const given = provided(plain(config));
  whenChanged(config, given.chat.update);
  provide(key, given);
}

/**
 * A conversation, and everything that can be done with it. Without settings it is that of `provideGlove` above; with any it is one of its
 * own. Settings in a ref or a getter may change.
 */
export function useGlove<C extends GloveClient = GloveClient>(config: MaybeRefOrGetter<UseGloveConfig> = {}): UseGloveReturn<C> {
  const chat = chatOf(plain(config), around());
  whenChanged(config, chat.update);
  return shown(chat.source, chat.attach).shown as UseGloveReturn<C>;
}

/** The stored conversations of a client, in every tab the same. It opens no session. */
export function useThreads(config: MaybeRefOrGetter<UseThreadsConfig> = {}): UseThreadsReturn {
  const source = threadsSource(() => plain(config), around());
  const { shown: threads, look } = shown(source);
  whenChanged(config, look);
  return threads as UseThreadsReturn;
}

/** Follows a source from when its component is on the page, never on a server, to its end. */
function shown(source: Source, attach?: () => () => void): Followed {
  const followed = follow(source, partOf);
  let undo: (() => void)[] = [];
  const begin = () => {
    undo = [followed.listen()];
    if (attach) undo.push(attach());
  };
  // In a scope of its own it has no component to wait for.
  if (getCurrentInstance()) onMounted(begin);
  else begin();
  onScopeDispose(() => {
    for (const step of undo) step();
  });
  return followed;
}

function partOf(read: () => unknown): Part {
  let changed = () => {};
  const ref = customRef((track, trigger) => {
    changed = trigger;
    const get = () => {
      track();
      return read();
    };
    return { get, set: () => {} };
  });
  return { get: () => ref, changed: () => changed() };
}

function whenChanged<T extends object>(config: MaybeRefOrGetter<T>, update: (config: T) => void): void {
  watch(
    computed(() => plain(config)),
    (now) => update(now),
  );
}

/** As it was given: what is private of a client or a store is not reached through a proxy. */
function plain<T extends object>(config: MaybeRefOrGetter<T>): T {
  const given = toValue(config);
  // What is none is refused where it is checked.
  if (typeof given !== "object" || given === null) return given;
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, toRaw(value)])) as T;
}
