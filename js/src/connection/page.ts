// What a session is made of in the page, as its connection to the core sees it.
import type { SlotController } from "../display/slot-controller.js";
import type { PageModels } from "../models/page-models.js";
import type { SessionConfig, SessionParts } from "../session/session-config.js";
import type { Subscribers } from "../session/subscriber.js";
import type { SnapshotStore } from "../snapshot/snapshot-store.js";
import type { Toolbox } from "../tools/toolbox.js";

/** What is asked of another session. */
interface Played {
  start(): Promise<void>;
  sendMessage(text: string): Promise<unknown>;
  dispose(): void;
}

export interface SessionPage {
  readonly parts: SessionParts;
  readonly tools: Toolbox;
  readonly slots: SlotController;
  readonly models: PageModels;
  readonly snapshots: SnapshotStore;
  readonly subscribers: Subscribers;
  config(): SessionConfig;
  /** A session that is not this one, over the same core. */
  another(parts: SessionParts): Played;
  /** What plugins take, where there are any. */
  ready(): Promise<void>;
  /** Before each call of the model. */
  prepare(): Promise<void> | undefined;
  /** The request that the core works on now. */
  serves(request: string): void;
  /** The session is open, here or in another tab. */
  opened(): void;
  /** The session is not stored any more. */
  deleted(): void;
  /** The browser has a network again. */
  online(): void;
}
