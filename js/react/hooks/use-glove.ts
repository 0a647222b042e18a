// `useGlove()` and the hooks beside it.
import { useContext, useEffect, useState, useSyncExternalStore } from "react";
import type { GloveClient } from "../../src/session/client.js";
import type { ShownSlot } from "../../src/snapshot/snapshot.js";
import { GloveError } from "../../src/values/error.js";
import { draws } from "../slots/draw.js";
import type { ClientToolEntry } from "../timeline/typed-calls.js";
import { Engine } from "./engine.js";
import { type ConversationState, EngineContext, useSelected } from "./engine-context.js";
import { GloveContext, type ProviderEngines } from "./glove-context.js";
import type { GloveState, UseGloveReturn } from "./glove-types.js";
import type { UIMessage } from "./messages.js";
import { hasOwnSettings, ownClient, type Settings, settingsOf, type UseGloveConfig } from "./settings.js";
import { useBrowserLayoutEffect } from "./use-browser-layout-effect.js";
import { useTrackedState } from "./use-tracked-state.js";

/** A part of the nearest conversation: that of the `<Render>` around, the provider's, or, where no `useGlove()` shows that, of the latest hook. */
export function useGlove<T, C extends GloveClient = GloveClient>(
  selector: (state: GloveState<C>) => T,
  isEqual?: (a: T, b: T) => boolean,
): T;
// The last, so that `ReturnType<typeof useGlove>` is this one's.
/**
 * A conversation, and everything that can be done with it. Without settings it is the provider's: all such hooks below one
 * provider are on the same. With settings it is one of its own. The component renders again when a part that it reads changes.
 * `useGlove<typeof client>()` types the calls by the tools of the client.
 */
export function useGlove<C extends GloveClient = GloveClient>(config?: UseGloveConfig): UseGloveReturn<C>;
export function useGlove<T>(
  given: UseGloveConfig | ((state: GloveState) => T) = {},
  isEqual: (a: T, b: T) => boolean = Object.is,
): UseGloveReturn | T {
  // A component passes the one or the other, and never both by turns.
  const read: (given: never, isEqual: (a: T, b: T) => boolean) => UseGloveReturn | T =
    typeof given === "function" ? useSelection : useConversation;
  return read(given as never, isEqual);
}

function useSelection<T>(selector: (state: GloveState) => T, isEqual: (a: T, b: T) => boolean): T {
  return useSelected(useNearest(), selector, isEqual);
}

function useConversation(config: UseGloveConfig): UseGloveReturn {
  const settings = useSettings(config);
  const provided = useContext(GloveContext);
  const [own] = useState(once);
  const shared = hasOwnSettings(config) ? undefined : provided?.current.shared;
  const engine = shared ?? own(settings);
  useAttached(engine, shared ? undefined : settings);
  return useTrackedState(engine);
}

export function useSettings(config: UseGloveConfig): Settings {
  const provided = useContext(GloveContext);
  const [own] = useState(() => (provided ? undefined : ownClient(config)));
  return settingsOf(config, provided, () => own);
}

function once(): (settings: Settings) => Engine {
  let engine: Engine | undefined;
  return (settings) => {
    engine ??= new Engine(settings, draws);
    return engine;
  };
}

/** Keeps the engine going as long as the component is on the screen, with the newest settings where they are the component's own. */
export function useAttached(engine: Engine | undefined, settings: Settings | undefined): void {
  const current = useContext(GloveContext)?.current;
  useBrowserLayoutEffect(() => {
    if (settings) engine?.update(settings);
  });
  useBrowserLayoutEffect(() => engine?.attach(), [engine]);
  useEffect(() => engine?.begin(), [engine]);
  useBrowserLayoutEffect(() => engine && current?.add(engine), [engine, current]);
}

/** The slot with this id. */
export function useSlot(id: string): ShownSlot | undefined {
  return useGlove(({ slots }) => slots.find((slot) => slot.id === id));
}

/** The latest call with this id. */
export function useToolCall<C extends GloveClient = GloveClient>(id: string): ClientToolEntry<C> | undefined {
  return useGlove(({ timeline }) => timeline.findLast(({ kind, id: own }) => kind === "tool" && own === id)) as
    | ClientToolEntry<C>
    | undefined;
}

/** The message with this id, as `messages` has it. */
export function useMessage<C extends GloveClient = GloveClient>(id: string): UIMessage<C> | undefined {
  return useGlove(({ messages }: GloveState<C>) => messages.find((message) => message.id === id));
}

function useNearest(): ConversationState {
  const around = useContext(EngineContext);
  const current = useContext(GloveContext)?.current;
  if (!around && !current) throw new GloveError("CLIENT_CONFIG", "useGlove(selector) requires a GloveProvider");
  const latest = useSyncExternalStore(current?.subscribe ?? never, () => current?.get(), nothing);
  const alone = !around && (!latest || latest === current?.shared);
  useEffect(() => (alone && current ? startLater(current) : undefined), [alone, current]);
  return around ?? latest ?? (current as ProviderEngines).shared;
}

/** A `useGlove()` above is mounted after its children: it is waited for before the provider's is started. */
function startLater(current: ProviderEngines): () => void {
  let undo: (() => void)[] = [];
  const timer = setTimeout(() => {
    const { shared } = current;
    if (!current.get() || current.get() === shared) {
      undo = [shared.attach(), current.add(shared)];
      shared.begin();
    }
  }, 0);
  return () => {
    clearTimeout(timer);
    for (const step of undo) step();
  };
}

const never = () => () => {};
const nothing = () => undefined;
