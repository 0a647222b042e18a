"use client";
// `useGlove()` and the hooks beside it.
import { useContext, useEffect, useState, useSyncExternalStore } from "react";
import type { EnhancedSlot, ToolEntry } from "../src/snapshot.js";
import { useBrowserLayoutEffect } from "./browser-effect.js";
import { EngineContext, GloveContext } from "./context.js";
import { Engine } from "./engine.js";
import type { UIMessage } from "./messages.js";
import { useSelected } from "./selected.js";
import { ownClient, type Settings, settingsOf, type UseGloveConfig } from "./settings.js";
import type { GloveState, UseGloveReturn } from "./state.js";
import { useTracked } from "./tracked.js";

/** A conversation, and everything that can be done with it. The component renders again when a part that it reads changes. */
export function useGlove(config?: UseGloveConfig): UseGloveReturn;
/** A part of the nearest conversation: that of the `<Render>` around, or of the provider's latest `useGlove()`. */
export function useGlove<T>(selector: (state: GloveState) => T, isEqual?: (a: T, b: T) => boolean): T;
export function useGlove<T>(
  given: UseGloveConfig | ((state: GloveState) => T) = {},
  isEqual: (a: T, b: T) => boolean = Object.is,
): UseGloveReturn | T {
  // A component calls the one or the other, and never both by turns.
  // biome-ignore-start lint/correctness/useHookAtTopLevel: see above.
  if (typeof given === "function") return useSelected(useNearest(), given, isEqual);
  return useConversation(given);
  // biome-ignore-end lint/correctness/useHookAtTopLevel: see above.
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
export function useAttached(engine: Engine, settings: Settings): void {
  const current = useContext(GloveContext)?.current;
  useBrowserLayoutEffect(() => engine.update(settings));
  useBrowserLayoutEffect(() => engine.attach(), [engine]);
  useBrowserLayoutEffect(() => current?.add(engine), [engine, current]);
}

/** The slot with this id. */
export function useSlot(id: string): EnhancedSlot | undefined {
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
  const provided = useContext(GloveContext);
  if (!around && !provided) throw new Error("useGlove(selector) requires a GloveProvider");
  const current = provided?.current;
  const latest = useSyncExternalStore(current?.subscribe ?? never, () => current?.get(), nothing);
  const [idle] = useState(() => new Engine(idleSettings(provided)));
  return around ?? latest ?? idle;
}
