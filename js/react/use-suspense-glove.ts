// `useSuspenseGlove()`: a conversation whose stored part has been read; until then the component waits.
import { useContext, useState, useSyncExternalStore } from "react";
import type { GloveClient } from "../src/client.js";
import { GloveError } from "../src/error.js";
import { GloveContext } from "./context.js";
import { Engine } from "./engine.js";
import { type Settings, settingsOf, type UseGloveConfig } from "./settings.js";
import type { UseGloveReturn } from "./state.js";
import { useTracked } from "./tracked.js";
import { useAttached } from "./use-glove.js";

/**
 * As `useGlove()` below a provider. What could not be opened is thrown, for the nearest error boundary. A server renders the
 * empty conversation.
 */
export function useSuspenseGlove(config: UseGloveConfig = {}): UseGloveReturn {
  const provided = useContext(GloveContext);
  if (!provided) throw new GloveError("CLIENT_CONFIG", "useSuspenseGlove requires a GloveProvider");
  const settings = settingsOf(config, provided, () => undefined);
  const inPage = useSyncExternalStore(never, yes, no);
  const kept = inPage ? keptEngine(settings) : undefined;
  // State of a component that waits is lost, so its engine is kept outside.
  if (kept && !kept.isReady) {
    const { error } = kept.getSnapshot();
    if (!error) throw kept.ready();
    // Later, when React has tried for the second time: whoever resets the boundary begins anew.
    setTimeout(() => engines.get(settings.client)?.delete(keyOf(settings)), 0);
    throw error;
  }
  const [empty] = useState(() => new Engine(settings));
  useAttached(kept, settings);
  return useTracked(kept ?? empty);
}

const engines = new WeakMap<GloveClient, Map<string, Engine>>();

function keptEngine(settings: Settings): Engine {
  const ofClient = engines.get(settings.client) ?? new Map<string, Engine>();
  engines.set(settings.client, ofClient);
  const key = keyOf(settings);
  const engine = ofClient.get(key) ?? new Engine(settings);
  ofClient.set(key, engine);
  return engine;
}

const keyOf = ({ store, sessionId }: Settings) => store?.identifier ?? sessionId ?? "";
const never = () => () => {};
const yes = () => true;
const no = () => false;
