// The sign-in of the person of this page to a server that a chat handler reaches for it: the handler has the tokens, and the page none.

import type { AuthProvider } from "@modelcontextprotocol/client";
import { inBackground } from "../../src/timing/in-background.js";
import { GloveError } from "../../src/values/error.js";
import { loadSdk } from "../connection/load-sdk.js";
import { isSafe } from "../safe-address.js";
import type { McpSignInWay } from "./auth-options.js";
import { failure } from "./oauth.js";
import { hear, type Owner, ownerOf, tell } from "./rows.js";
import { authFailed } from "./safe-fetch.js";
import type { SignIn, SignInPlace, SignInState } from "./sign-in-port.js";
import { openWindow } from "./window.js";

/** How often the handler is asked whether the person is back, and how long. */
const lookMs = 1_000;
const begunMs = 3_600_000;

/** What the handler says of a sign-in. */
interface Told {
  readonly state: "signed-out" | "signed-in" | "failed";
  readonly code?: string;
  readonly message?: string;
}

export class ViaSignIn implements SignIn {
  readonly #place: SignInPlace;
  readonly #way: McpSignInWay;
  readonly #owner: Promise<Owner>;
  readonly #listeners = new Set<() => unknown>();
  readonly #leavers = new Set<() => unknown>();
  #state: SignInState = { state: "signed-out" };

  constructor(place: SignInPlace, user: string | undefined, way: McpSignInWay) {
    this.#place = place;
    this.#way = way;
    this.#owner = ownerOf(place.url, user).then(([url, of]) => [`${place.name} by ${url}`, of]);
    void this.#owner.then((owner) =>
      hear((told) => {
        if (JSON.stringify(told.owner) !== JSON.stringify(owner)) return;
        if (told.out) for (const leave of [...this.#leavers]) leave();
        this.look().catch(() => {});
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

  async #ask<T>(what: "state" | "begin" | "out", body: object = {}): Promise<T> {
    const { name, headers: own, url, fetch: send = globalThis.fetch } = this.#place;
    const headers = new Headers(typeof own === "function" ? await own() : own);
    headers.set("content-type", "application/json");
    headers.set("x-glove-mcp", name);
    headers.set("x-glove-mcp-auth", what);
    const response = await send(url.href, { method: "POST", headers, body: JSON.stringify(body) });
    const answer = (await response.json().catch(() => ({}))) as { readonly error?: { readonly message?: string } };
    if (response.ok) return answer as T;
    const message = answer.error?.message ?? `the handler answered with the status ${response.status}`;
    throw new GloveError("MCP_AUTH_FAILED", message, { status: response.status });
  }

  readonly look = async (): Promise<SignInState> => {
    const { state, code = "MCP_AUTH_FAILED", message = "" } = await this.#ask<Told>("state");
    if (state === "failed") this.#set({ state, error: new GloveError(code, message) });
    else if (state === "signed-in" || this.#state.state !== "begun") this.#set({ state });
    return this.#state;
  };

  readonly begin = async (
    way: McpSignInWay = this.#way,
    opened: Window | null | undefined = way === "popup" ? openWindow() : undefined,
  ): Promise<"begun" | "blocked"> => {
    if (opened === null) return "blocked";
    try {
      const { address } = await this.#ask<{ readonly address: string }>("begin", { from: globalThis.location?.href, way });
      if (!URL.canParse(address) || !isSafe(new URL(address))) throw authFailed("the handler leads to no safe address");
      this.#set({ state: "begun" });
      if (opened) opened.location.replace(address);
      else globalThis.location.assign(address);
      this.#watch(Date.now() + begunMs);
      return "begun";
    } catch (cause) {
      opened?.close();
      const error = failure(cause);
      this.#set({ state: "failed", error });
      throw error;
    }
  };

  /** The other window belongs to others, and says nothing to this one. */
  #watch(until: number): void {
    const look = async () => {
      if (this.#state.state !== "begun" || Date.now() > until) return;
      const { state } = await this.look().catch(() => this.#state);
      if (state === "signed-in") tell({ owner: await this.#owner });
      else this.#watch(until);
    };
    inBackground(setTimeout(() => void look(), lookMs));
  }

  async signOut(): Promise<void> {
    await this.#ask("out");
    tell({ owner: await this.#owner, out: true });
  }

  readonly provider: AuthProvider = {
    token: async () => undefined,
    onUnauthorized: async () => {
      const { UnauthorizedError } = await loadSdk();
      throw new UnauthorizedError();
    },
  };

  /** The handler knows what the server wants. */
  async refused(): Promise<void> {
    await this.look().catch(() => {});
  }
}
