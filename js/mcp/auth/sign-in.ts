// The sign-in of one user to one server: its tokens, what the server has refused, and the way to other ones.

import type { AuthProvider } from "@modelcontextprotocol/client";
import { GloveError } from "../../src/values/error.js";
import { loadSdk } from "../connection/load-sdk.js";
import { digestOf } from "../tools/fingerprint.js";
import type { McpAuthOptions, McpSignInWay } from "./auth-options.js";
import { type Application, begun, exchanged, failure, refreshed, scopesOf } from "./oauth.js";
import { hear, locked, type Owner, rowsIn, tell, type Wanted } from "./rows.js";
import { openWindow } from "./window.js";

/** How a sign-in is. `begun`: the person is in the other window. */
export type SignInState =
  | { readonly state: "signed-out" | "begun" | "signed-in" }
  | { readonly state: "failed"; readonly error: GloveError };

export class SignIn {
  readonly #application: Application;
  readonly #way: McpSignInWay;
  readonly #server: string;
  readonly #url: URL;
  readonly #owner: Promise<Owner>;
  readonly #listeners = new Set<() => unknown>();
  readonly #leavers = new Set<() => unknown>();
  #state: SignInState = { state: "signed-out" };
  /** What was sent last, and what the server said of it. */
  #used: string | undefined;
  #challenge: Wanted | undefined;

  constructor(options: McpAuthOptions, server: string, url: URL, user: string | undefined) {
    this.#application = { options, rows: rowsIn(options.store) };
    this.#way = options.way ?? "popup";
    this.#server = server;
    this.#url = url;
    this.#owner = ownerOf(url, user);
    void this.#owner.then((owner) =>
      hear((told) => {
        if (JSON.stringify(told.owner) !== JSON.stringify(owner)) return;
        if (told.out) for (const leave of [...this.#leavers]) leave();
        void this.look();
      }),
    );
  }

  get state(): SignInState {
    return this.#state;
  }

  /** Calls the listener whenever the state is another one. */
  readonly subscribe = (listener: () => unknown): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Calls it when the person has signed out, in whichever tab. */
  onSignedOut(listener: () => unknown): void {
    this.#leavers.add(listener);
  }

  #set(state: SignInState): void {
    this.#state = state;
    for (const listener of [...this.#listeners]) listener();
  }

  /** Looks at what is kept, which other tabs change too. */
  readonly look = async (): Promise<SignInState> => {
    const owner = await this.#owner;
    const { rows } = this.#application;
    const [kept, wanted, failed] = await Promise.all([rows.kept(owner), rows.wanted(owner), rows.failure(owner)]);
    if (failed) this.#set({ state: "failed", error: new GloveError(failed.code, failed.message) });
    else if (kept && !wanted) this.#set({ state: "signed-in" });
    else if (this.#state.state !== "begun") this.#set({ state: "signed-out" });
    return this.#state;
  };

  /** Call it in a click. `blocked` where the browser lets no window open: then only leaving the page is left. */
  readonly begin = async (
    way: McpSignInWay = this.#way,
    opened: Window | null | undefined = way === "popup" ? openWindow() : undefined,
  ): Promise<"begun" | "blocked"> => {
    if (opened === null) return "blocked";
    const owner = await this.#owner;
    const { rows } = this.#application;
    try {
      await rows.fail(owner, undefined);
      const started = { owner, server: this.#server, url: this.#url.href, way };
      const address = await begun(this.#application, started, await rows.wanted(owner));
      this.#set({ state: "begun" });
      if (opened) opened.location.replace(address);
      else globalThis.location.assign(address);
      return "begun";
    } catch (cause) {
      opened?.close();
      const error = failure(cause);
      this.#set({ state: "failed", error });
      throw error;
    }
  };

  async signOut(): Promise<void> {
    const owner = await this.#owner;
    const { rows } = this.#application;
    // A tab that makes new tokens now would bring them back.
    await locked(JSON.stringify(owner), async () => {
      await rows.keep(owner, undefined);
      await rows.want(owner, undefined);
      await rows.fail(owner, undefined);
    });
    tell({ owner, out: true });
  }

  // ---- for the connection ----------------------------------------------------------------------------------------

  /** Gives the connection tokens, and makes new ones where the server takes the old ones no more. */
  readonly provider: AuthProvider = {
    token: async () => {
      const kept = await this.#application.rows.kept(await this.#owner);
      this.#used = kept?.tokens.access_token;
      return this.#used;
    },
    onUnauthorized: async ({ response }) => {
      const sdk = await loadSdk();
      const { resourceMetadataUrl, scope } = sdk.extractWWWAuthenticateParams(response);
      this.#challenge = { metadata: resourceMetadataUrl?.href, scope };
      const owner = await this.#owner;
      const used = this.#used;
      const isFresh = await locked(JSON.stringify(owner), () => refreshed(this.#application, owner, used));
      if (!isFresh) throw new sdk.UnauthorizedError();
    },
  };

  /** The server takes no token that there is; `more` is what it wants beside. A person has to sign in, and is asked for all of it. */
  async refused(more?: Wanted): Promise<void> {
    const owner = await this.#owner;
    const { rows } = this.#application;
    const kept = await rows.kept(owner);
    // Somebody has signed in meanwhile.
    if (kept && kept.tokens.access_token !== this.#used) return;
    const { metadata, scope } = more ?? this.#challenge ?? {};
    await rows.want(owner, { metadata, scope: more ? scopesOf(kept?.tokens.scope, scope) : scope });
    await this.look();
  }
}

/** The whole address names a server: two of one host are two. A query may hold a token. */
async function ownerOf({ origin, pathname, search }: URL, user = ""): Promise<Owner> {
  return [`${origin}${pathname}${search && `?${await digestOf(search)}`}`, user];
}

/** A person is back: what they bring is taken once, and where they were is shown again. */
export async function finish(options: McpAuthOptions, said: URLSearchParams): Promise<void> {
  const rows = rowsIn(options.store);
  const flow = await rows.take(said.get("state") ?? "");
  // Begun elsewhere, or long ago: it may be anybody's.
  if (!flow) return;
  const { owner, way, from } = flow;
  try {
    await locked(JSON.stringify(owner), () => exchanged({ options, rows }, flow, said));
  } catch (cause) {
    const { code, message } = failure(cause);
    await rows.fail(owner, { code, message });
  }
  tell({ owner });
  if (way === "popup") globalThis.window?.close();
  else if (from !== globalThis.location.href) globalThis.location.replace(from);
}
