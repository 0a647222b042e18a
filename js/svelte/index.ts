// The entry for Svelte: everything of the package, and what makes a conversation reactive.
import { getContext, onDestroy, onMount, setContext } from "svelte";
import { createSubscriber } from "svelte/reactivity";
import { toStore } from "svelte/store";
import type { Threads, UseGloveConfig, UseThreadsConfig } from "../conversation/chat.js";
import { chatOf, type Provided, type ProvideGloveConfig, provided, threadsSource } from "../conversation/chat.js";
import { type Followed, follow, type Part, type Source } from "../conversation/follow.js";
import type { ChatState, GloveActions } from "../conversation/state.js";
import type { GloveClient } from "../src/session/client.js";

export type { ConversationConfig } from "../conversation/config.js";
export * from "../src/index.js";
export type { UnreadEvent, UnreadNotice } from "../src/threads/notices.js";
export { type WatchUnreadOptions, watchUnread } from "../src/threads/watch-unread.js";
export type { ChatState, GloveActions, ProvideGloveConfig, Threads, UseGloveConfig, UseThreadsConfig };

/** What `useGlove()` gives. Each property is read anew where it is used: do not take them apart, but with `$derived`. */
export type UseGloveReturn<C extends GloveClient = GloveClient> = ChatState<C>;

const key = Symbol("glove");
const around = () => getContext<Provided | undefined>(key);

/** Gives the components below a client, and a conversation that all of them share. To be called while a component begins. */
export function provideGlove(config: ProvideGloveConfig | (() => ProvideGloveConfig)): void {
  const settings = accessor(config);
  const given = provided(settings());
  whenChanged(config, given.chat.update);
  setContext(key, given);
}

/**
 * A conversation, and everything that can be done with it. Without settings it is that of `provideGlove` above; with any it is one of its
 * own. Settings in a function may change.
 */
export function useGlove<C extends GloveClient = GloveClient>(
  config: UseGloveConfig | (() => UseGloveConfig) = {},
): UseGloveReturn<C> {
  const chat = chatOf(accessor(config)(), around());
  whenChanged(config, chat.update);
  return shown(chat.source, chat.attach).shown as UseGloveReturn<C>;
}

/** The stored conversations of a client, in every tab the same. It opens no session. */
export function useThreads(config: UseThreadsConfig | (() => UseThreadsConfig) = {}): Threads {
  const { shown: threads, look } = shown(threadsSource(accessor(config), around()));
  whenChanged(config, look);
  return threads as Threads;
}

/** Follows a source from when its component is on the page, never on a server, to its end. */
function shown(source: Source, attach?: () => () => void): Followed {
  const followed = follow(source, partOf);
  onMount(() => {
    const undo = [followed.listen()];
    if (attach) undo.push(attach());
    return () => {
      for (const step of undo) step();
    };
  });
  return followed;
}

function partOf(read: () => unknown): Part {
  let changed = () => {};
  const track = createSubscriber((update) => {
    changed = update;
    return () => {
      changed = () => {};
    };
  });
  const get = () => {
    track();
    return read();
  };
  return { get, changed: () => changed() };
}

const accessor = <T>(config: T | (() => T)): (() => T) => (typeof config === "function" ? (config as () => T) : () => config);

/** A module that is not compiled by Svelte has no runes; a store of a function follows what that reads. */
function whenChanged<T>(config: T | (() => T), update: (config: T) => void): void {
  if (typeof config !== "function") return;
  let first = true;
  const undo = toStore(config as () => T).subscribe((now) => {
    if (!first) update(now);
    first = false;
  });
  onDestroy(undo);
}
