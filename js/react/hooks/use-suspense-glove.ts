// `useSuspenseGlove()`: a conversation whose stored part has been read; until then the component waits.
import { useContext, useRef, useState, useSyncExternalStore } from "react";
import type { GloveClient } from "../../src/session/client.js";
import { GloveError } from "../../src/values/error.js";
import { draws } from "../slots/draw.js";
import { Engine, holdMs } from "./engine.js";
import { GloveContext } from "./glove-context.js";
import type { UseGloveReturn } from "./glove-types.js";
import { hasOwnSettings, type Settings, settingsOf, type UseGloveConfig } from "./settings.js";
import { useBrowserLayoutEffect } from "./use-browser-layout-effect.js";
import { useAttached } from "./use-glove.js";
import { useTrackedState } from "./use-tracked-state.js";

/**
 * As `useGlove()` below a provider. What could not be opened is thrown, for the nearest error boundary. A server renders the
 * empty conversation.
 */
export function useSuspenseGlove<C extends GloveClient = GloveClient>(config: UseGloveConfig = {}): UseGloveReturn<C> {
  const provided = useContext(GloveContext);
  if (!provided) throw new GloveError("CLIENT_CONFIG", "useSuspenseGlove requires a GloveProvider");
  const settings = settingsOf(config, provided, () => undefined);
  const inPage = useSyncExternalStore(never, yes, no);
  const own = useRef<PendingEngine | undefined>(undefined);
  const shared = hasOwnSettings(config) ? undefined : provided.current.shared;
  const pending = inPage && !shared ? keptFor(settings, own.current) : undefined;
  const engine = pending?.engine ?? (inPage ? shared : undefined);
  const letGo = () => {
    if (pending) forget(pending);
    if (shared) provided.current.release(shared);
  };
  if (engine && !engine.isReady) {
    if (shared) provided.current.hold(shared);
    const { error } = engine.getSnapshot();
    // Later, when React has tried for the second time: whoever resets the boundary begins anew.
    if (error) {
      setTimeout(() => {
        letGo();
        provided.current.drop(engine);
      }, 0);
      throw error;
    }
    const ready = engine.ready();
    void ready.then(() => setTimeout(letGo, holdMs));
    // One whose session is open already does not wait.
    if (!engine.isReady) throw ready;
  }
  const [empty] = useState(() => new Engine(settings, draws));
  useBrowserLayoutEffect(() => {
    own.current = pending;
    // It is the component's now. Who comes later gets one of his own: this one may have gone to another conversation.
    letGo();
  });
  useAttached(engine, shared ? undefined : settings);
  return useTrackedState(engine ?? empty) as UseGloveReturn as never;
}

/** The engine of a component. State of one that waits is lost, so until it is on the screen its engine is found by what it asks for. */
interface PendingEngine {
  readonly client: GloveClient;
  readonly key: string;
  readonly engine: Engine;
}

const waiting = new WeakMap<GloveClient, Map<string, PendingEngine>>();

function keptFor(settings: Settings, own: PendingEngine | undefined): PendingEngine {
  const { client, store, sessionId } = settings;
  const key = store?.identifier ?? sessionId ?? "";
  if (own?.client === client && own.key === key) return own;
  const ofClient = waiting.get(client) ?? new Map<string, PendingEngine>();
  waiting.set(client, ofClient);
  const known = ofClient.get(key);
  if (known) return known;
  const pending = { client, key, engine: new Engine(settings, draws) };
  ofClient.set(key, pending);
  return pending;
}

function forget(pending: PendingEngine): void {
  const ofClient = waiting.get(pending.client);
  if (ofClient?.get(pending.key) === pending) ofClient.delete(pending.key);
}

const never = () => () => {};
const yes = () => true;
const no = () => false;
