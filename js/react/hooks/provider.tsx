// `GloveProvider`: the client that the hooks below it use.
import { type ReactNode, Suspense, useContext, useEffect, useMemo, useState } from "react";
import type { GloveClient } from "../../src/session/client.js";
import { GloveError } from "../../src/values/error.js";
import type { Renderers } from "../render/renderer-registry.js";
import { EngineContext } from "./engine-context.js";
import { GloveContext, ProviderEngines } from "./glove-context.js";
import { useBrowserLayoutEffect } from "./use-browser-layout-effect.js";

/** What `<GloveProvider>` takes. */
export interface GloveProviderProps {
  /** The client of the provider around, unless it is given. */
  client?: GloveClient | undefined;
  /**
   * The conversation of the hooks below without settings; a new id switches to that conversation. Two providers show two conversations
   * side by side, each with its own selectors.
   */
  sessionId?: string | undefined;
  /** The part of the page that uses the client. */
  children?: ReactNode;
  /** Shown while a `useSuspenseGlove()` below waits for its conversation. */
  fallback?: ReactNode;
  /** Renderers by name for slots whose tool has none, before the built-in ones. */
  renderers?: Renderers | undefined;
}

/** Makes a client, and renderers for all of them, known to the hooks below it. */
export function GloveProvider({ children, fallback, ...given }: GloveProviderProps): ReactNode {
  const around = useContext(GloveContext);
  const { client = around?.client, renderers = around?.renderers ?? none, sessionId } = given;
  if (typeof client?.session !== "function") throw new GloveError("CLIENT_CONFIG", "GloveProvider requires a `client`");
  const settings = { client, provided: renderers, sessionId };
  const [current] = useState(() => new ProviderEngines(settings));
  useBrowserLayoutEffect(() => current.update(settings));
  useWarning(client);
  const provided = useMemo(() => ({ client, current, renderers }), [client, current, renderers]);
  return (
    <GloveContext.Provider value={provided}>
      <EngineContext.Provider value={null}>
        {fallback === undefined ? children : <Suspense fallback={fallback}>{children}</Suspense>}
      </EngineContext.Provider>
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
