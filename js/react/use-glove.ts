// `useGlove()` and the hooks beside it.
import { useContext, useEffect, useState, useSyncExternalStore } from "react";
import { GloveError } from "../src/error.js";
import type { ShownSlot, ToolEntry } from "../src/snapshot.js";
import { EngineContext } from "./around.js";
import { useBrowserLayoutEffect } from "./browser-effect.js";
import { type Current, GloveContext } from "./context.js";
import { Engine } from "./engine.js";
import type { UIMessage } from "./messages.js";
import { useSelected } from "./selected.js";
import { ownClient, type Settings, settingsOf, type UseGloveConfig } from "./settings.js";
import type { GloveState, UseGloveReturn } from "./state.js";
import { useTracked } from "./tracked.js";

/** A part of the nearest conversation: that of the `<Render>` around, or of the provider's latest `useGlove()`. */
export function useGlove<T>(selector: (state: GloveState) => T, isEqual?: (a: T, b: T) => boolean): T;
// The last, so that `ReturnType<typeof useGlove>` is this one's.
/** A conversation, and everything that can be done with it. The component renders again when a part that it reads changes. */
export function useGlove(config?: UseGloveConfig): UseGloveReturn;
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
  const [engine] = useState(() => new Engine(settings));
  useAttached(engine, settings);
  return useTracked(engine);
}

export function useSettings(config: UseGloveConfig): Settings {
  const provided = useContext(GloveContext);
  const [own] = useState(() => (provided ? undefined : ownClient(config)));
  return settingsOf(config, provided, () => own);
}

/** Keeps the engine going, with the newest settings, as long as the component is on the screen. */
export function useAttached(engine: Engine | undefined, settings: Settings): void {
  const current = useContext(GloveContext)?.current;
  useBrowserLayoutEffect(() => engine?.update(settings));
  useBrowserLayoutEffect(() => engine?.attach(), [engine]);
  useBrowserLayoutEffect(() => engine && current?.add(engine), [engine, current]);
}

/** The slot with this id. */
export function useSlot(id: string): ShownSlot | undefined {
  return useGlove(({ slots }) => slots.find((slot) => slot.id === id));
}

/** The latest call with this id. */
export function useToolCall(id: string): ToolEntry | undefined {
  return useGlove(({ timeline }) => timeline.findLast((entry): entry is ToolEntry => entry.kind === "tool" && entry.id === id));
}

/** The message with this id, as `messages` has it. */
export function useMessage(id: string): UIMessage | undefined {
  return useGlove(({ messages }) => messages.find((message) => message.id === id));
}

function useNearest(): Engine {
  const around = useContext(EngineContext);
  const current = useContext(GloveContext)?.current;
  if (!around && !current) throw new GloveError("CLIENT_CONFIG", "useGlove(selector) requires a GloveProvider");
  const latest = useSyncExternalStore(current?.subscribe ?? never, () => current?.get(), nothing);
  const alone = !around && (!latest || latest === current?.fallback);
  useEffect(() => (alone && current ? startLater(current) : undefined), [alone, current]);
  return around ?? latest ?? (current as Current).fallback;
}

/** A `useGlove()` above is mounted after its children: it is waited for before the fallback is started. */
function startLater(current: Current): () => void {
  let undo: (() => void)[] = [];
  const timer = setTimeout(() => {
    const { fallback } = current;
    if (!current.get() || current.get() === fallback) undo = [fallback.attach(), current.add(fallback)];
  }, 0);
  return () => {
    clearTimeout(timer);
    for (const step of undo) step();
  };
}

const never = () => () => {};
const nothing = () => undefined;
