// The place of a store for a session that runs on a server.

import type { StoreAdapter } from "../src/ports/store.js";
import type { Sharing } from "../src/tabs/shared-session.js";
import { TabPage } from "../src/tabs/tab-adapter.js";
import { GloveError } from "../src/values/error.js";
import type { Message } from "../src/wire/record.js";
import type { RemoteServer } from "./server.js";
import { RemoteSession } from "./session.js";

/** Nothing is written here: the server does. */
export class RemoteStore implements StoreAdapter {
  readonly identifier: string;
  readonly #server: RemoteServer;

  constructor(sessionId: string, server: RemoteServer) {
    this.identifier = sessionId;
    this.#server = server;
  }

  async shared(): Promise<string> {
    return this.identifier;
  }

  async elsewhere(): Promise<Sharing> {
    return { join: (name, _, page) => new RemoteSession(name, this.#server, page), TabPage };
  }

  async getMessages(): Promise<Message[]> {
    const path = `/${encodeURIComponent(this.identifier)}`;
    const session = await this.#server.json("GET", path).catch((error: unknown) => {
      if (error instanceof GloveError && error.code === "SESSION_UNKNOWN") return { messages: [] };
      throw error;
    });
    return (session as { readonly messages: Message[] }).messages;
  }

  /** Begins the session with them. */
  async appendMessages(messages: Message[]): Promise<void> {
    await this.#server.json("POST", "", { id: this.identifier, messages });
  }

  async getTokenCount(): Promise<number> {
    return 0;
  }

  async addTokens(): Promise<void> {}

  async getTurnCount(): Promise<number> {
    return 0;
  }

  async incrementTurn(): Promise<void> {}
}
