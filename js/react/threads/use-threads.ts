// `useThreads()`: the conversations of a client as a list that keeps itself up to date.
import { useMemo, useSyncExternalStore } from "react";
import { searchThreads } from "../../src/threads/thread.js";
import { type ThreadActions, type ThreadsState, threadsOf } from "../../src/threads/thread-store.js";
import { GloveError } from "../../src/values/error.js";
import { check, checkOptions } from "../../src/values/validate-options.js";
import { useGloveClient } from "../hooks/provider.js";

/** Settings of `useThreads`. */
export interface UseThreadsConfig {
  /** Only threads whose title has all of these words. */
  search?: string | undefined;
}

/** What `useThreads()` returns: the threads, and what can be done with them. */
export interface UseThreadsReturn extends ThreadsState, ThreadActions {}

/**
 * The stored conversations of the provider's client, in every tab the same: the list is read once, and then only what changed. It opens
 * no session and does not load the core.
 */
export function useThreads(config: UseThreadsConfig = {}): UseThreadsReturn {
  checkOptions(check("The settings", config, "object"), { search: "text" });
  const client = useGloveClient();
  if (!client) throw new GloveError("CLIENT_CONFIG", "useThreads requires a GloveProvider");
  const { search = "" } = config;
  const store = threadsOf(client);
  const state = useSyncExternalStore(store.subscribe, store.getSnapshot, store.getServerSnapshot);
  return useMemo(() => {
    const found = { threads: searchThreads(state.threads, search), archived: searchThreads(state.archived, search) };
    return { ...state, ...found, ...store.actions };
  }, [state, store, search]);
}
