// The settings of a conversation, which take precedence over those of its client.
import type { ModelAdapter } from "../src/ports/model.js";
import type { CompactionConfig } from "../src/ports/session-config.js";
import type { StoreAdapter } from "../src/ports/store.js";
import type { SubscriberAdapter } from "../src/ports/subscriber.js";
import type { ToolConfig } from "../src/ports/tool.js";
import type { PersistSessionSetting } from "../src/session/session-id.js";

/** What a conversation is told, whichever framework draws it. It may change at any time. */
export interface ConversationConfig {
  /** The URL of a chat handler; default: that of the client. */
  endpoint?: string | undefined;
  /** The conversation to show. A new id switches to that conversation. */
  sessionId?: string | undefined;
  /** Stores the conversation; its identifier is the session's id. */
  store?: StoreAdapter | undefined;
  /** A model in the place of the endpoint or of the client's `createModel`. */
  model?: ModelAdapter | undefined;
  /** What the model is told before the conversation; default: that of the client. */
  systemPrompt?: string | undefined;
  /** What the model may call; default: those of the client. */
  tools?: readonly ToolConfig[] | undefined;
  /** When older messages are summarised; default: that of the client. */
  compaction?: CompactionConfig | undefined;
  /** Hear the events of this session; default: those of the client. */
  subscribers?: readonly SubscriberAdapter[] | undefined;
  /** Returns the id of the first session; called once. */
  getSessionId?: (() => string | Promise<string>) | undefined;
  /** Whether a reload returns to the last conversation. */
  persistSession?: PersistSessionSetting | undefined;
  /** Called with the id when another session is shown. */
  onSessionChange?: ((sessionId: string) => void) | undefined;
  /** What happens to the run when the component unmounts: it continues (unless the client says otherwise), or is stopped. */
  onUnmount?: "continue" | "stop" | undefined;
}
