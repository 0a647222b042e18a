// What a plugin keeps in a session.

/** What a plugin keeps in a session, for one user. It is stored with the session, and no model reads it. */
export interface PluginState<S> {
  /** A copy. What is stored and does not match `stateSchema` any more is reported (`PLUGIN_STATE_INVALID`), and this is `initialState` then. */
  get(): Promise<S>;
  /** The next state, or what makes it of the last one. Rejects with `PLUGIN_STATE_INVALID` where it does not match `stateSchema`. */
  set(next: S | ((before: S) => S)): Promise<void>;
}

/** By what the state of a plugin is found, and its type. */
export interface HasState<S> {
  readonly id: string;
  readonly initialState?: S | undefined;
}
