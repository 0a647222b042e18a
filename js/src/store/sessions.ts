// The list of sessions.
import { GloveError } from "../error.js";

/** A line of the list of sessions. */
export interface SessionInfo {
  readonly id: string;
  /** What a person named it, else what a person wrote first; empty when neither is there. */
  readonly title: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** All that is stored, of every branch: results of tools and what the framework said to the model are messages too. */
  readonly messageCount: number;
  /** A run would go on when it is opened, or waits for a person. */
  readonly unfinished: boolean;
  /** What the list needs to know of it cannot be read; it may open all the same. */
  readonly damaged?: boolean;
}

/** How a session is imported. */
export interface ImportOptions {
  /** The id to import it under; its own, or a fresh one when that is taken. */
  readonly id?: string;
  /** Takes its unfinished run over too: tools may run when it is opened, so import only what you trust. */
  readonly withRun?: boolean;
}

/** What keeps several sessions and can tell which. */
export interface SessionCatalog {
  /** The one that changed last comes first. Sessions without a message are not listed. */
  list(): Promise<readonly SessionInfo[]>;
  /** An empty title brings the first message back. */
  rename(id: string, title: string): Promise<void>;
  /** Nothing of it is kept. */
  delete(id: string): Promise<void>;
  export(id: string): Promise<string>;
  /** Gives the id that it has here. */
  import(json: string, options?: ImportOptions): Promise<string>;
}

export function unknownSession(id: string): never {
  throw new GloveError("SESSION_UNKNOWN", `There is no stored session "${id}"; sessions() lists those that exist.`);
}
