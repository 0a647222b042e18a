// Which tools of a server a person has allowed, and what the server said of them then.

import type { JsonSchema } from "../../src/schema/types.js";
import type { McpHints, McpStore, McpToolInfo } from "../types.js";

/** What a person has allowed. */
export interface Allowed {
  readonly fingerprint: string;
  readonly title?: string | undefined;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema | undefined;
  readonly hints: McpHints;
}

/** A server that changes a tool more often than that, between two answers, allows nothing either. */
const mostShown = 4;

/** Over all sessions, by user. */
export class Trust {
  readonly #store: McpStore;
  readonly #place: Promise<string>;
  /** What a person was shown and has not answered, where the store does not keep it. */
  readonly #shown = new Map<string, readonly string[]>();

  /** `place`: which server, whatever an application calls it. */
  constructor(store: McpStore, place: Promise<string>) {
    this.#store = store;
    this.#place = place;
  }

  /** What was allowed of a tool; nothing before its first call. */
  async allowed(user: string | undefined, tool: string): Promise<Allowed | undefined> {
    try {
      const text = await this.#store.get(await this.#key("allowed", user, tool));
      return text === undefined ? undefined : (JSON.parse(text) as Allowed);
    } catch {
      // What cannot be read allows nothing.
      return undefined;
    }
  }

  /** A person is shown this, and may allow it later, in another page. */
  async show(user: string | undefined, { tool, fingerprint }: McpToolInfo): Promise<void> {
    const key = await this.#key("shown", user, tool);
    await this.#keepShown(key, [...new Set([...(await this.#seen(key)), fingerprint])].slice(-mostShown));
  }

  /**
   * Keeps that a call was allowed; `false` where it was allowed for something else than the server says now. Which of several questions was answered
   * is not known: where two tell different things, neither allows anything.
   */
  async allow(user: string | undefined, info: McpToolInfo): Promise<boolean> {
    const { tool, fingerprint, title, description, inputSchema, outputSchema, hints } = info;
    if ((await this.allowed(user, tool))?.fingerprint === fingerprint) return true;
    const key = await this.#key("shown", user, tool);
    const seen = await this.#seen(key);
    if (seen.length !== 1 || seen[0] !== fingerprint) {
      await this.#keepShown(key, []);
      return false;
    }
    const allowed: Allowed = { fingerprint, title, description, inputSchema, outputSchema, hints };
    try {
      await this.#store.set(await this.#key("allowed", user, tool), JSON.stringify(allowed));
      await this.#keepShown(key, []);
    } catch {
      // It is asked again then, and this call was allowed all the same.
    }
    return true;
  }

  async #seen(key: string): Promise<readonly string[]> {
    const here = this.#shown.get(key);
    if (here) return here;
    try {
      return JSON.parse((await this.#store.get(key)) ?? "[]") as readonly string[];
    } catch {
      return [];
    }
  }

  async #keepShown(key: string, fingerprints: readonly string[]): Promise<void> {
    this.#shown.set(key, fingerprints);
    try {
      await this.#store.set(key, JSON.stringify(fingerprints));
      this.#shown.delete(key);
    } catch {
      // This page knows it.
    }
  }

  async #key(what: "allowed" | "shown", user: string | undefined, tool: string): Promise<string> {
    return JSON.stringify([what, await this.#place, user ?? "", tool]);
  }
}
