// `GloveProvider`: the client that the hooks below it use.
import { type ReactNode, Suspense, useContext, useEffect, useMemo, useState } from "react";
import type { GloveClient } from "../../src/session/client.js";
import type { Renderers } from "../render/renderer-registry.js";
import { GloveContext, ProviderEngines } from "./glove-context.js";
import { useBrowserLayoutEffect } from "./use-browser-layout-effect.js";

/** What `<GloveProvider>` takes. */
export interface GloveProviderProps {
  client: GloveClient;
  children?: ReactNode;
  /** Shown while a `useSuspenseGlove()` below waits for its conversation. */
  fallback?: ReactNode;
  /** Renderers by name for slots whose tool has none, before the built-in ones. */
  renderers?: Renderers | undefined;
}

/** Makes a client, and renderers for all of them, known to the hooks below it. */
export function GloveProvider({ client, children, fallback, renderers = none }: GloveProviderProps): ReactNode {
  const settings = { client, provided: renderers };
  const [current] = useState(() => new ProviderEngines(settings));
  useBrowserLayoutEffect(() => current.update(settings));
  useWarning(client);
  const provided = useMemo(() => ({ client, current, renderers }), [client, current, renderers]);
  return (
    <GloveContext.Provider value={provided}>
      {fallback === undefined ? children : <Suspense fallback={fallback}>{children}</Suspense>}
    </GloveContext.Provider>
  );
}

const none: Renderers = {};

let warned = false;

/** Says once that clients are made while rendering: who changes them on purpose, or edits their module, does not do so twice in a second. */
function useWarning(client: GloveClient): void {
  const [last] = useState({ client, changes: 0, at: 0 });
  useEffect(() => {
    const now = Date.now();
    last.changes = last.client === client ? 0 : now - last.at < 1000 ? last.changes + 1 : 1;
    [last.client, last.at] = [client, now];
    if (last.changes < 2 || warned) return;
    warned = true;
    console.warn(
      "GloveProvider received a new client on a new render, and each client reopens its conversations.  " +
        "Create the client outside the component, or with `useState(() => new GloveClient({ … }))`.",
    );
  });
}

/** The client of the nearest provider; null without one. */
export function useGloveClient(): GloveClient | null {
  return useContext(GloveContext)?.client ?? null;
}
