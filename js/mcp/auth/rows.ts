// What is kept of sign-ins: tokens, by server and user; clients, by who has registered them; and sign-ins that have begun, by their `state`.

import type {
  OAuthClientInformationContext,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { usualStore } from "../store.js";
import { digestOf } from "../tools/fingerprint.js";
import type { McpStore } from "../types.js";

/** A server and a user, as what is kept is named by. */
export type Owner = readonly [place: string, user: string];

/** The whole address names a server: two of one host are two. A query may hold a token. */
export async function ownerOf({ origin, pathname, search }: URL, user = ""): Promise<Owner> {
  return [`${origin}${pathname}${search && `?${await digestOf(search)}`}`, user];
}

/** What a person has signed in with. */
export interface Kept {
  readonly tokens: StoredOAuthTokens;
  readonly client: StoredOAuthClientInformation;
  readonly discovery: OAuthDiscoveryState;
}

/** What a server has said when it refused a request. */
export interface Wanted {
  readonly metadata?: string | undefined;
  readonly scope?: string | undefined;
}

export interface Failed {
  readonly code: string;
  readonly message: string;
}

/** A sign-in that has begun, until the person is back. */
export interface Flow {
  readonly owner: Owner;
  readonly server: string;
  readonly url: string;
  readonly redirectUrl: string;
  readonly way: "popup" | "redirect";
  /** Where the person was. */
  readonly from: string;
  readonly at: number;
  verifier?: string;
  discovery?: OAuthDiscoveryState;
}

/** A sign-in that takes longer is begun anew. */
const flowMs = 3_600_000;

const stores = new WeakMap<object, Rows>();
const here = {};

/** The same for the same store. */
export function rowsIn(store: McpStore | undefined): Rows {
  const made = stores.get(store ?? here) ?? new Rows(store ?? usualStore("glove-mcp-auth"));
  stores.set(store ?? here, made);
  return made;
}

export class Rows {
  readonly #store: McpStore;

  constructor(store: McpStore) {
    this.#store = store;
  }

  kept(owner: Owner): Promise<Kept | undefined> {
    return this.#read("tokens", ...owner);
  }

  keep(owner: Owner, kept: Kept | undefined): Promise<void> {
    return this.#write(kept, "tokens", ...owner);
  }

  wanted(owner: Owner): Promise<Wanted | undefined> {
    return this.#read("wanted", ...owner);
  }

  want(owner: Owner, wanted: Wanted | undefined): Promise<void> {
    return this.#write(wanted, "wanted", ...owner);
  }

  client(by: ClientKey): Promise<StoredOAuthClientInformation | undefined> {
    return this.#read("client", ...by);
  }

  keepClient(by: ClientKey, client: StoredOAuthClientInformation | undefined): Promise<void> {
    return this.#write(client, "client", ...by);
  }

  /** Why the last sign-in failed. */
  failure(owner: Owner): Promise<Failed | undefined> {
    return this.#read("failed", ...owner);
  }

  fail(owner: Owner, failed: Failed | undefined): Promise<void> {
    return this.#write(failed, "failed", ...owner);
  }

  begin(state: string, flow: Flow): Promise<void> {
    return this.#write(flow, "flow", state);
  }

  /** One that a person has begun is let go where they begin another. */
  async only({ owner }: Pick<Flow, "owner">, state: string): Promise<void> {
    const before = await this.#read<string>("begun", ...owner);
    if (before !== undefined) await this.#write(undefined, "flow", before);
    await this.#write(state, "begun", ...owner);
  }

  /** One that has begun, which stays. */
  flow(state: string): Promise<Flow | undefined> {
    return this.#read("flow", state);
  }

  /** Once: what is taken is not there any more. Nothing for one that was not begun here, or too long ago. */
  take(state: string): Promise<Flow | undefined> {
    return locked(`flow ${state}`, async () => {
      const flow = await this.#read<Flow>("flow", state);
      await this.#write(undefined, "flow", state);
      return flow && Date.now() - flow.at < flowMs ? flow : undefined;
    });
  }

  async #read<T>(...key: readonly string[]): Promise<T | undefined> {
    const text = await this.#store.get(JSON.stringify(key));
    return text === undefined ? undefined : (JSON.parse(text) as T);
  }

  async #write(value: unknown, ...key: readonly string[]): Promise<void> {
    if (value === undefined) await this.#store.delete(JSON.stringify(key));
    else await this.#store.set(JSON.stringify(key), JSON.stringify(value));
  }
}

/** Who has registered a client, and what for. */
export type ClientKey = readonly [issuer: string, redirectUrl: string, name: string];

export const issuerOf = (context: OAuthClientInformationContext | undefined) => context?.issuer ?? "";

const running = new Map<string, Promise<unknown>>();

/** One at a time, in all tabs of the browser where that has locks. */
export function locked<T>(name: string, work: () => Promise<T>): Promise<T> {
  const { locks } = globalThis.navigator ?? {};
  if (locks) return locks.request(`glove-mcp-auth ${name}`, work) as Promise<T>;
  const before = running.get(name) ?? Promise.resolve();
  const done = before.then(work, work);
  running.set(name, done);
  const forget = () => void (running.get(name) === done && running.delete(name));
  done.then(forget, forget);
  return done;
}

// ---- told to the other tabs ----------------------------------------------------------------------------------------

/** Something else is kept of a sign-in. */
export interface Told {
  readonly owner: Owner;
  /** The person has signed out. */
  readonly out?: boolean | undefined;
}

const listeners = new Set<(told: Told) => unknown>();
let channel: BroadcastChannel | undefined;

/** Hears of the sign-ins of all tabs. Ends with what it returns. */
export function hear(listener: (told: Told) => unknown): () => void {
  listeners.add(listener);
  // A program that is no page has no other tabs, and would not end.
  if (!channel && typeof document !== "undefined" && globalThis.BroadcastChannel) {
    channel = new BroadcastChannel("glove-mcp-auth");
    channel.onmessage = ({ data }: MessageEvent<Told>) => heard(data);
  }
  return () => listeners.delete(listener);
}

export function tell(told: Told): void {
  heard(told);
  if (typeof document === "undefined" || !globalThis.BroadcastChannel) return;
  const to = channel ?? new BroadcastChannel("glove-mcp-auth");
  to.postMessage(told);
  if (to !== channel) to.close();
}

function heard(told: Told): void {
  for (const listener of [...listeners]) listener(told);
}
