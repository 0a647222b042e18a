// `useSuspenseGlove()`: a conversation whose stored part has been read; until then the component waits.
import { useContext, useRef, useState, useSyncExternalStore } from "react";
import type { GloveClient } from "../../src/session/client.js";
import { GloveError } from "../../src/values/error.js";
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
  const own = useRef<Kept | undefined>(undefined);
  const shared = hasOwnSettings(config) ? undefined : provided.current.shared;
  const kept = inPage && !shared ? keptFor(settings, own.current) : undefined;
  const engine = kept?.engine ?? (inPage ? shared : undefined);
  const letGo = () => {
    if (kept) forget(kept);
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
  const [empty] = useState(() => new Engine(settings));
  useBrowserLayoutEffect(() => {
    own.current = kept;
    // It is the component's now. Who comes later gets one of his own: this one may have gone to another conversation.
    letGo();
  });
  useAttached(engine, shared ? undefined : settings);
  return useTrackedState(engine ?? empty) as UseGloveReturn<C>;
}

/** The engine of a component. State of one that waits is lost, so until it is on the screen its engine is found by what it asks for. */
interface Kept {
  readonly client: GloveClient;
  readonly key: string;
  readonly engine: Engine;
}

const waiting = new WeakMap<GloveClient, Map<string, Kept>>();

function keptFor(settings: Settings, own: Kept | undefined): Kept {
  const { client, store, sessionId } = settings;
  const key = store?.identifier ?? sessionId ?? "";
  if (own?.client === client && own.key === key) return own;
  const ofClient = waiting.get(client) ?? new Map<string, Kept>();
  waiting.set(client, ofClient);
  const known = ofClient.get(key);
  if (known) return known;
  const kept = { client, key, engine: new Engine(settings) };
  ofClient.set(key, kept);
  return kept;
}

function forget(kept: Kept): void {
  const ofClient = waiting.get(kept.client);
  if (ofClient?.get(kept.key) === kept) ofClient.delete(kept.key);
}

const never = () => () => {};
const yes = () => true;
const no = () => false;
