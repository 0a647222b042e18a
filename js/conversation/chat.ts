// What the frameworks other than React have in common: the conversation of a component, that of those around it, and their threads.
import { Engine } from "../react/hooks/engine.js";
import { hasOwnSettings, ownClient, settingsOf } from "../react/hooks/settings.js";
import type { GloveClient } from "../src/session/client.js";
import { searchThreads } from "../src/threads/thread.js";
import { type ThreadActions, type ThreadsState, threadsOf } from "../src/threads/thread-store.js";
import { GloveError } from "../src/values/error.js";
import { check, checkOptions } from "../src/values/validate-options.js";
import type { ConversationConfig } from "./config.js";
import type { Source } from "./follow.js";

/** Settings of `useGlove`: the conversation of the component around, or, with any of them, one of its own. */
export interface UseGloveConfig extends ConversationConfig {
  /** The client of the conversation; default: that of the component around. */
  client?: GloveClient | undefined;
}

/** What a component gives to those below it. */
export interface ProvideGloveConfig {
  /** The client of the conversations below. */
  client: GloveClient;
  /** The conversation of those below without settings; a new id switches to that conversation. */
  sessionId?: string | undefined;
}

/** Settings of `useThreads`. */
export interface UseThreadsConfig {
  /** Default: that of the component around. */
  client?: GloveClient | undefined;
  /** Only threads whose title has all of these words. */
  search?: string | undefined;
}

/** What `useThreads` gives: the threads, and what can be done with them. */
export interface Threads extends ThreadsState, ThreadActions {}

/** What a component above has given. */
export interface Provided {
  readonly client: GloveClient;
  readonly chat: Chat;
}

/** The conversation of a component. */
export interface Chat {
  readonly source: Source;
  /** The settings of now. */
  update(config: UseGloveConfig): void;
  /** Shows it as long as the component is on the screen. Gives its undo. */
  attach(): () => void;
}

/** That of the component around, or one of its own where it has settings. */
export function chatOf(config: UseGloveConfig, around?: Provided): Chat {
  if (around && !hasOwnSettings(check("The settings", config, "object"))) return { ...around.chat, update: () => {} };
  let own: GloveClient | undefined;
  const settings = ({ client, ...rest }: UseGloveConfig) => {
    if ("renderers" in rest)
      throw new GloveError("CONFIG_INVALID", "`renderers` are for React: draw `slots` in components of your own.");
    const given = client && checked(client);
    const found = given ?? around?.client ?? own;
    if (!found) own = ownClient(rest);
    if (!found && !own) throw new GloveError("CLIENT_CONFIG", "useGlove requires a `client`, an `endpoint` or a `model`");
    return settingsOf(rest, null, () => found ?? own);
  };
  const engine = new Engine(settings(check("The settings", config, "object")));
  return {
    source: engine,
    update: (config) => engine.update(settings(check("The settings", config, "object"))),
    attach() {
      const undo = engine.attach();
      engine.begin();
      return undo;
    },
  };
}

/** What a component gives to those below it. */
export function provided(config: ProvideGloveConfig): Provided {
  const { client } = check("The settings", config, "object");
  return { client: checked(client), chat: chatOf(config) };
}

/** The threads of a client. What is searched for is read again with each state. */
export function threadsSource(config: () => UseThreadsConfig, around?: Provided): Source {
  const { client = around?.client } = checkedThreads(config());
  const store = threadsOf(checked(client, "useThreads"));
  let known: { readonly state: ThreadsState; readonly search: string; readonly found: ThreadsState } | undefined;
  return {
    actions: store.actions,
    subscribe: store.subscribe,
    getState() {
      const state = store.getSnapshot();
      const { search = "" } = checkedThreads(config());
      if (known?.state === state && known.search === search) return known.found;
      const [threads, archived] = [searchThreads(state.threads, search), searchThreads(state.archived, search)];
      known = { state, search, found: { ...state, threads, archived } };
      return known.found;
    },
  };
}

const checkedThreads = (config: UseThreadsConfig) => {
  checkOptions(check("The settings", config, "object"), { client: "any", search: "text" });
  return config;
};

function checked(client: GloveClient | undefined, who = "useGlove"): GloveClient {
  if (typeof client?.session !== "function") throw new GloveError("CLIENT_CONFIG", `${who} requires a \`client\``);
  return client;
}
