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

/** Over all sessions, by user. */
export class Trust {
  readonly #store: McpStore;
  readonly #place: Promise<string>;
  /** What a person was shown in this page, also where the store keeps nothing. */
  readonly #shown = new Map<string, string>();

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
    this.#shown.set(key, fingerprint);
    try {
      await this.#store.set(key, fingerprint);
    } catch {
      // This page knows it.
    }
  }

  /** Keeps that a call was allowed; `false` where it was allowed for something else than the server says now. */
  async allow(user: string | undefined, info: McpToolInfo): Promise<boolean> {
    const { tool, fingerprint, title, description, inputSchema, outputSchema, hints } = info;
    if ((await this.allowed(user, tool))?.fingerprint === fingerprint) return true;
    if ((await this.#seen(user, tool)) !== fingerprint) return false;
    const allowed: Allowed = { fingerprint, title, description, inputSchema, outputSchema, hints };
    try {
      await this.#store.set(await this.#key("allowed", user, tool), JSON.stringify(allowed));
    } catch {
      // It is asked again then, and this call was allowed all the same.
    }
    return true;
  }

  async #seen(user: string | undefined, tool: string): Promise<string | undefined> {
    const key = await this.#key("shown", user, tool);
    try {
      return (await this.#store.get(key)) ?? this.#shown.get(key);
    } catch {
      return this.#shown.get(key);
    }
  }

  async #key(what: "allowed" | "shown", user: string | undefined, tool: string): Promise<string> {
    return JSON.stringify([what, await this.#place, user ?? "", tool]);
  }
}
