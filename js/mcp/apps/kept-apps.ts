// Apps as their servers send them: checked, kept by their digest, and which of them a person has allowed.

import { GloveError } from "../../src/values/error.js";
import { generateId } from "../../src/values/ids.js";
import { appType } from "../connection/app-type.js";
import { digestOf } from "../tools/fingerprint.js";
import type { McpStore } from "../types.js";

/** Where an app may send requests to, and load from. The server's words, checked. */
export interface AppReach {
  readonly connect: readonly string[];
  readonly load: readonly string[];
  readonly frames: readonly string[];
}

export interface AppText {
  readonly uri: string;
  readonly html: string;
  readonly reach: AppReach;
  /** Changes with anything of it. */
  readonly hash: string;
}

/** Letters of all apps together: those that were kept first go. */
const mostLetters = 16_000_000;
/** Of one address, so many are allowed at a time. */
const mostAllowed = 8;
const mostHosts = 100;

/** Only origins: a policy is made of them. */
const origin = /^(https|wss):\/\/(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/i;
const local = /^(http|ws):\/\/(localhost|127\.0\.0\.1)(:\d{1,5})?$/;

function hostsOf(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  const plain = list.map((host: unknown) => String(host).replace(/\/$/, ""));
  return [...new Set(plain.filter((host) => host.length < 300 && (origin.test(host) || local.test(host))))].slice(0, mostHosts);
}

/** Anything may have been sent. */
export async function appTextOf(contents: readonly unknown[], uri: string, server: string, most: number): Promise<AppText> {
  const refused = (why: string) =>
    new GloveError("MCP_APP_REFUSED", `The app of the MCP server "${server}" is not drawn: ${why}.`);
  const content = contents.map((one) => Object(one) as Record<string, unknown>).find((one) => one.uri === uri) ?? contents[0];
  const { mimeType, text, blob, _meta } = Object(content) as Record<string, unknown>;
  if (typeof mimeType !== "string" || mimeType.replace(/\s/g, "") !== appType) throw refused(`its type is not "${appType}"`);
  if (typeof blob === "string" && blob.length > most * 2) throw refused(`it has more than ${most} letters`);
  const html = typeof blob === "string" && typeof text !== "string" ? decoded(blob) : text;
  if (typeof html !== "string" || !html.trim()) throw refused("it is empty");
  if (html.length > most) throw refused(`it has more than ${most} letters`);
  const { csp } = Object((Object(_meta) as { ui?: unknown }).ui) as { csp?: unknown };
  const { connectDomains, resourceDomains, frameDomains } = Object(csp) as Record<string, unknown>;
  const reach = { connect: hostsOf(connectDomains), load: hostsOf(resourceDomains), frames: hostsOf(frameDomains) };
  return { uri, html, reach, hash: await hashOf(uri, html, reach) };
}

/** A page that came without TLS has no digests: there, each app is a new one. */
async function hashOf(uri: string, html: string, reach: AppReach): Promise<string> {
  return globalThis.crypto?.subtle ? digestOf(JSON.stringify([uri, html, reach])) : generateId();
}

function decoded(blob: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(blob), (letter) => letter.charCodeAt(0)));
  } catch {
    return "";
  }
}

/** In the store of lists and of what was allowed, by server. */
export class KeptApps {
  readonly #store: McpStore;
  readonly #place: Promise<string>;
  /** Rows are written one after the other. */
  #writing: Promise<unknown> = Promise.resolve();

  constructor(store: McpStore, place: Promise<string>) {
    this.#store = store;
    this.#place = place;
  }

  /** What was drawn before, word for word. */
  async find(hash: string | undefined): Promise<AppText | undefined> {
    if (hash === undefined) return undefined;
    const app = await this.#read<AppText>(await this.#key("app", hash));
    // A row that is not what it was kept as is none.
    return app && (await hashOf(app.uri, app.html, app.reach)) === hash ? app : undefined;
  }

  /** Without it an app is read anew when it is drawn again: that is no failure. */
  keep(app: AppText): Promise<void> {
    return this.#inTurn(async () => {
      const index = await this.#key("apps", "");
      const before = (await this.#read<[string, number][]>(index)) ?? [];
      if (before.at(-1)?.[0] === app.hash) return;
      const rows = [...before.filter(([hash]) => hash !== app.hash), [app.hash, app.html.length] as [string, number]];
      let letters = rows.reduce((sum, [, size]) => sum + size, 0);
      while (rows.length > 1 && letters > mostLetters) {
        const [hash, size] = rows.shift() as [string, number];
        letters -= size;
        await this.#store.delete(await this.#key("app", hash));
      }
      await this.#store.set(await this.#key("app", app.hash), JSON.stringify(app));
      await this.#store.set(index, JSON.stringify(rows));
    });
  }

  /** The digests that a person has allowed of this address. */
  async allowed(user: string | undefined, uri: string): Promise<readonly string[]> {
    return (await this.#read<string[]>(await this.#key("app-allowed", user ?? "", uri))) ?? [];
  }

  allow(user: string | undefined, { uri, hash }: AppText): Promise<void> {
    return this.#inTurn(async () => {
      const before = (await this.allowed(user, uri)).filter((one) => one !== hash);
      const key = await this.#key("app-allowed", user ?? "", uri);
      await this.#store.set(key, JSON.stringify([...before, hash].slice(-mostAllowed)));
    });
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    // What is not kept is read or asked anew.
    const done = this.#writing.then(work).catch(() => {});
    this.#writing = done;
    return done;
  }

  async #read<T>(key: string): Promise<T | undefined> {
    try {
      const text = await this.#store.get(key);
      return text === undefined ? undefined : (JSON.parse(text) as T);
    } catch {
      return undefined;
    }
  }

  async #key(...parts: string[]): Promise<string> {
    const [what, ...rest] = parts;
    return JSON.stringify([what, await this.#place, ...rest]);
  }
}
