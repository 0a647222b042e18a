// A session in the page, as its connection to the core sees it.

import type { DisplayManagerAdapter } from "../ports/display.js";
import type { Prompt } from "../ports/prompt.js";
import type { SessionConfig, SessionParts } from "../ports/session-config.js";
import type { SubscriberAdapter } from "../ports/subscriber.js";
import type { IGloveRunnable } from "../ports/tool.js";
import type { GloveSnapshot } from "../snapshot/snapshot.js";
import type { SnapshotStore } from "../snapshot/snapshot-store.js";
import type { Message } from "../wire/record.js";
import type { Subscribers } from "./subscribers.js";

/** What is asked of another session. */
interface Played {
  start(): Promise<void>;
  sendMessage(text: string): Promise<unknown>;
  dispose(): void;
}

/** The session itself, as it is given to tools, plugins and hooks. */
interface GivenSession {
  readonly sessionId: string;
  readonly config: SessionConfig;
  readonly displayManager: DisplayManagerAdapter;
  readonly runnable: IGloveRunnable;
  /** It belongs to the call of an agent that is not at work here. */
  readonly agentless: boolean;
  readonly getSnapshot: () => GloveSnapshot;
  readonly messages: () => Promise<Message[]>;
  readonly prompts: () => Promise<Prompt[]>;
  readonly addSubscriber: (subscriber: SubscriberAdapter) => () => void;
  readonly report: (code: string, error: unknown) => void;
  readonly tell: (type: string, data: unknown) => void;
}

export interface SessionPage {
  readonly session: GivenSession;
  readonly parts: SessionParts;
  readonly snapshots: SnapshotStore;
  readonly subscribers: Subscribers;
  /** What is shown: nothing of a session that is closed. */
  readonly shown: () => GloveSnapshot;
  /** Tells the display manager that other slots are shown. */
  readonly stackChanged: () => void;
  /** A session that is not this one, over the same core. */
  another(parts: SessionParts): Played;
  /** The request that the core works on now. */
  serves(request: string): void;
  /** The session is open, here or in another tab. */
  opened(): void;
  /** It is about to ask for this request itself. */
  sends(request: string): boolean;
  /** The session is not stored any more. */
  deleted(): void;
  /** The browser has a network again. */
  online(): void;
}
