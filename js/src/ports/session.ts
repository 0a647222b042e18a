// A session, as all that is part of it sees it.

import type { GloveSnapshot } from "../snapshot/snapshot.js";
import type { Message } from "../wire/record.js";
import type { DisplayManagerAdapter } from "./display.js";
import type { Prompt } from "./prompt.js";
import type { SessionConfig } from "./session-config.js";
import type { SubscriberAdapter } from "./subscriber.js";
import type { IGloveRunnable } from "./tool.js";

/** What tools, plugins, hooks, skills and the core of a session are given of it. `GloveSession` is one. */
export interface SessionPort {
  readonly sessionId: string;
  /** The settings of now. */
  readonly config: SessionConfig;
  readonly displayManager: DisplayManagerAdapter;
  /** The session as an agent. */
  readonly runnable: IGloveRunnable;
  /** It belongs to the call of an agent that is not at work here. */
  readonly agentless: boolean;
  readonly getSnapshot: () => GloveSnapshot;
  readonly messages: () => Promise<Message[]>;
  readonly prompts: () => Promise<Prompt[]>;
  readonly resume: () => Promise<unknown>;
  readonly clearError: () => void;
  readonly addSubscriber: (subscriber: SubscriberAdapter) => () => void;
  readonly report: (code: string, error: unknown) => void;
  readonly tell: (type: string, data: unknown) => void;
  /** It is not stored any more. */
  readonly deleted: () => void;
}
