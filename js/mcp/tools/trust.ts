// Which tools of a server a person has allowed, and what the server said of them then.

import type { JsonSchema } from "../../src/schema/types.js";
import type { McpStore, McpToolInfo } from "../types.js";

/** What a person has allowed. */
export interface Allowed {
  readonly fingerprint: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

/** Over all sessions, by user. */
export class Trust {
  readonly #store: McpStore;
  readonly #place: string;

  /** `place`: which server, whatever an application calls it. */
  constructor(store: McpStore, place: string) {
    this.#store = store;
    this.#place = place;
  }

  /** What was allowed of a tool; nothing before its first call. */
  async allowed(user: string | undefined, tool: string): Promise<Allowed | undefined> {
    try {
      const text = await this.#store.get(this.#key(user, tool));
      return text === undefined ? undefined : (JSON.parse(text) as Allowed);
    } catch {
      // What cannot be read allows nothing.
      return undefined;
    }
  }

  async allow(user: string | undefined, { tool, fingerprint, description, inputSchema }: McpToolInfo): Promise<void> {
    const allowed: Allowed = { fingerprint, description, inputSchema };
    try {
      await this.#store.set(this.#key(user, tool), JSON.stringify(allowed));
    } catch {
      // It is asked again then, and this call was allowed all the same.
    }
  }

  #key(user: string | undefined, tool: string): string {
    return JSON.stringify(["allowed", this.#place, user ?? "", tool]);
  }
}
