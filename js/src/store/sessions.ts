// The list of sessions.

import type { StepMarks } from "../ports/store.js";
import { GloveError } from "../values/error.js";
import type { Usage } from "../wire/record.js";

/** A line of the list of sessions. */
export interface SessionInfo extends StepMarks {
  readonly id: string;
  /** What a person or a model named it, else what a person wrote first; empty when neither is there. */
  readonly title: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** All that is stored, of every branch: results of tools and what the framework said to the model are messages too. */
  readonly messageCount: number;
  /** A run would go on when it is opened, or waits for a person. */
  readonly unfinished: boolean;
  /** What the list needs to know of it cannot be read; it may open all the same. */
  readonly damaged?: boolean;
  /** A person has put it away. */
  readonly archived?: boolean;
  /** An answer or a question came while nobody looked at it: kept by `watchUnread`. */
  readonly unread?: boolean;
  /** When it was deleted, as long as it can still be restored. Such sessions are returned only to lists that show deleted ones. */
  readonly deletedAt?: number;
}

/** A message of a session that has all words that were looked for. */
export interface SessionHit {
  /** The id of the session. */
  readonly id: string;
  readonly title: string;
  /** The id of the message. */
  readonly message: string;
  /** What stands around the words. */
  readonly excerpt: string;
  /** Where they are in it: the first character, and the one behind the last. */
  readonly marks: readonly (readonly [from: number, to: number])[];
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
  /** Puts it away, or back to the others: `archived` of its line. Without this, archiving is refused (`CATALOG_UNSUPPORTED`). */
  archive?(id: string, archived: boolean): Promise<void>;
  /** Keeps `unread` of its line. Without this, the mark is in the page alone. */
  markUnread?(id: string, unread: boolean): Promise<void>;
  /**
   * Whether a model is to be asked for its title (`generateTitles`): true for one caller, and never again, and only while nobody
   * has named it. Without this and `giveTitle`, no model is asked (`CATALOG_UNSUPPORTED`).
   */
  claimTitle?(id: string): Promise<boolean>;
  /** Takes the title that a model gave, unless somebody has named the session since `claimTitle`. `usage` is what asking for it took. */
  giveTitle?(id: string, title: string, usage?: Usage): Promise<void>;
  /** The messages that have all words of a text, the best first. Without this, lists find words of titles alone. */
  search?(text: string): Promise<readonly SessionHit[]>;
  /** The lines of some of the sessions. Without this, the whole list is read again after each change. */
  read?(ids: readonly string[]): Promise<readonly SessionInfo[]>;
  /**
   * Calls the listener with the id of what changed, also by other tabs and devices; without an id when that may be anything. Gives its
   * undo. Without this, lists hear of what this page does.
   */
  subscribe?(listener: (id?: string) => void): () => void;
}

/** The channel on which tabs say which sessions of a database are to be listed differently. */
export const listName = (database: string) => `glove list ${database}`;

export function unknownSession(id: string): never {
  throw new GloveError("SESSION_UNKNOWN", `There is no stored session "${id}"; sessions() lists those that exist.`);
}
