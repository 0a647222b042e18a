// The sign-in of one user to one server: its tokens, what the server has refused, and the way to other ones.

import type { AuthProvider } from "@modelcontextprotocol/client";
import { GloveError } from "../../src/values/error.js";
import { loadSdk } from "../connection/load-sdk.js";
import type { McpAuthOptions, McpSignInWay } from "./auth-options.js";
import { type Application, begun, exchanged, failure, keepWanted, refreshed } from "./oauth.js";
import { hear, locked, type Owner, ownerOf, rowsIn, tell, type Wanted } from "./rows.js";
import { authFailed } from "./safe-fetch.js";
import type { SignIn, SignInState } from "./sign-in-port.js";
import { openWindow } from "./window.js";

export class PageSignIn implements SignIn {
  readonly #application: Application;
  readonly #redirectUrl: string | URL | undefined;
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
    this.#application = { options, rows: rowsIn(options.store), loadSdk };
    this.#redirectUrl = options.redirectUrl;
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

  readonly subscribe = (listener: () => unknown): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  onSignedOut(listener: () => unknown): void {
    this.#leavers.add(listener);
  }

  #set(state: SignInState): void {
    this.#state = state;
    for (const listener of [...this.#listeners]) listener();
  }

  readonly look = async (): Promise<SignInState> => {
    const owner = await this.#owner;
    const { rows } = this.#application;
    const [kept, wanted, failed] = await Promise.all([rows.kept(owner), rows.wanted(owner), rows.failure(owner)]);
    if (failed) this.#set({ state: "failed", error: new GloveError(failed.code, failed.message) });
    else if (kept && !wanted) this.#set({ state: "signed-in" });
    else if (this.#state.state !== "begun") this.#set({ state: "signed-out" });
    return this.#state;
  };

  readonly begin = async (
    way: McpSignInWay = this.#way,
    opened: Window | null | undefined = way === "popup" ? openWindow() : undefined,
  ): Promise<"begun" | "blocked"> => {
    if (opened === null) return "blocked";
    const owner = await this.#owner;
    const { rows } = this.#application;
    try {
      await rows.fail(owner, undefined);
      const started = { owner, server: this.#server, url: this.#url.href, way, ...comesBack(this.#redirectUrl) };
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

  async refused(more?: Wanted): Promise<void> {
    const wanted = more ?? this.#challenge ?? {};
    await keepWanted(this.#application.rows, await this.#owner, this.#used, wanted, more !== undefined);
    await this.look();
  }
}

/** Where a person comes back to, and where they are now. */
function comesBack(redirectUrl: string | URL | undefined) {
  const { location } = globalThis;
  if (!location) throw authFailed("there is no page that a person could come back to");
  const { origin, pathname, href } = location;
  return { redirectUrl: new URL(redirectUrl ?? pathname, redirectUrl === undefined ? origin : href).href, from: href };
}

/** A person is back: what they bring is taken once, and where they were is shown again. */
export async function finish(options: McpAuthOptions, said: URLSearchParams): Promise<void> {
  const rows = rowsIn(options.store);
  const flow = await rows.take(said.get("state") ?? "");
  // Begun elsewhere, or long ago: it may be anybody's.
  if (!flow) return;
  const { owner, way, from } = flow;
  try {
    await locked(JSON.stringify(owner), () => exchanged({ options, rows, loadSdk }, flow, said));
  } catch (cause) {
    const { code, message } = failure(cause);
    await rows.fail(owner, { code, message });
  }
  tell({ owner });
  if (way === "popup") globalThis.window?.close();
  else if (from !== globalThis.location.href) globalThis.location.replace(from);
}
