// A session in the page, as its way to the core needs it.

import type { Transport } from "../models/transport.js";
import type { SessionPort } from "../ports/session.js";
import type { SessionParts } from "../ports/session-config.js";
import type { Fetch } from "../relay/http.js";
import type { SnapshotStore } from "../snapshot/snapshot-store.js";
import type { Subscribers } from "./subscribers.js";

/** What is asked of another session. */
interface WarmUpSession {
  start(): Promise<void>;
  sendMessage(text: string): Promise<unknown>;
  dispose(): void;
}

export interface SessionPage {
  readonly session: SessionPort;
  readonly parts: SessionParts;
  readonly snapshots: SnapshotStore;
  readonly subscribers: Subscribers;
  /** The answer that the page requested before the core was there, where the core makes the same request. */
  taken(transport: Transport | undefined, url: string, headers: string, body: string): Fetch | undefined;
  /** A session that is not this one, over the same core. */
  another(parts: SessionParts): WarmUpSession;
  /** The request that the core works on now. */
  serves(request: string): void;
  /** The session is open, here or in another tab. */
  opened(): void;
  /** It is about to ask for this request itself. */
  sends(request: string): boolean;
}
