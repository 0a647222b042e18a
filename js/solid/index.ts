// The entry for Solid: everything of the package, and what makes a conversation reactive.
import {
  batch,
  createComponent,
  createComputed,
  createContext,
  createSignal,
  type JSX,
  on,
  onCleanup,
  onMount,
  useContext,
} from "solid-js";
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

/** What `<GloveProvider>` takes. */
export interface GloveProviderProps extends ProvideGloveConfig {
  /** The part of the page that uses the client. */
  children?: JSX.Element;
}

/** What `useGlove()` gives. Each property is read anew where it is used: do not take them apart. */
export type UseGloveReturn<C extends GloveClient = GloveClient> = ChatState<C>;

const Context = createContext<Provided>();

/** Gives the components below a client, and a conversation that all of them share. */
export function GloveProvider(props: GloveProviderProps): JSX.Element {
  const config = () => ({ client: props.client, sessionId: props.sessionId });
  const value = provided(config());
  whenChanged(config, value.chat.update);
  return createComponent(Context.Provider, {
    value,
    get children() {
      return props.children;
    },
  });
}

/**
 * A conversation, and everything that can be done with it. Without settings it is that of the provider; with any it is one of its own.
 * Settings in a function may change.
 */
export function useGlove<C extends GloveClient = GloveClient>(
  config: UseGloveConfig | (() => UseGloveConfig) = {},
): UseGloveReturn<C> {
  const settings = accessor(config);
  const chat = chatOf(settings(), useContext(Context));
  whenChanged(settings, chat.update);
  return shown(chat.source, chat.attach).shown as UseGloveReturn<C>;
}

/** The stored conversations of a client, in every tab the same. It opens no session. */
export function useThreads(config: UseThreadsConfig | (() => UseThreadsConfig) = {}): Threads {
  const settings = accessor(config);
  const { shown: threads, look } = shown(threadsSource(settings, useContext(Context)));
  whenChanged(settings, look);
  return threads as Threads;
}

/** Follows a source from when its component is on the page, never on a server, to its end. */
function shown(source: Source, attach?: () => () => void): Followed {
  const followed = follow({ ...source, subscribe: batched(source), getState: () => source.getState() }, partOf);
  onMount(() => {
    onCleanup(followed.listen());
    if (attach) onCleanup(attach());
  });
  return followed;
}

/** What changed at once is drawn at once. */
const batched = (source: Source) => (listener: () => void) => source.subscribe(() => batch(listener));

function partOf(read: () => unknown): Part {
  const [track, changed] = createSignal(undefined, { equals: false });
  const get = () => {
    track();
    return read();
  };
  return { get, changed: () => changed(undefined) };
}

const accessor = <T>(config: T | (() => T)): (() => T) => (typeof config === "function" ? (config as () => T) : () => config);

function whenChanged<T>(config: () => T, update: (config: T) => void): void {
  createComputed(on(config, update, { defer: true }));
}
