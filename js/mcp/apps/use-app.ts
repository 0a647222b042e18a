// The app of a call, from what is kept or from its server, and whether a person has let it be drawn.

import { useEffect, useState } from "react";
import { reasonOf } from "../../src/values/error.js";
import type { AppServer, AppSlot, AppsOfPage } from "./host.js";
import type { AppText } from "./kept-apps.js";

export type AppState =
  | { readonly state: "loading" }
  | { readonly state: "unknown" }
  | { readonly state: "failed"; readonly reason: string }
  /** A person has not let it be drawn yet. `before`: another one of its address they have. */
  | { readonly state: "asks" | "drawn"; readonly app: AppText; readonly client: AppServer; readonly before: boolean };

/** `hash`: which one was drawn, if that is known. */
export function useApp(apps: AppsOfPage, { server, uri, user }: AppSlot, hash: string | undefined) {
  const [state, setState] = useState<AppState>({ state: "loading" });
  const [tries, setTries] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the digest comes with the result, when the app is drawn already.
  useEffect(() => {
    let isOver = false;
    const find = async (): Promise<AppState> => {
      const client = await apps.server(server, user);
      if (!client) return { state: "unknown" };
      const kept = await client.keptApps();
      const app = (await kept.find(hash)) ?? (await client.readApp(uri, tries === 0));
      const allowed = await kept.allowed(user, uri);
      const may = !client.asksFirst || allowed.includes(app.hash);
      return { state: may ? "drawn" : "asks", app, client, before: allowed.length > 0 };
    };
    find().then(
      (found) => isOver || setState(found),
      (error: unknown) => isOver || setState({ state: "failed", reason: reasonOf(error) }),
    );
    return () => {
      isOver = true;
    };
  }, [apps, server, uri, user, tries]);
  const allow = () => {
    if (state.state !== "asks") return;
    void state.client.keptApps().then((kept) => kept.allow(user, state.app));
    setState({ ...state, state: "drawn" });
  };
  const again = () => {
    setState({ state: "loading" });
    setTries(tries + 1);
  };
  return { state, allow, again };
}
