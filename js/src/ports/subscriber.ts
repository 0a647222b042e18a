// What an application listens with.

/** What an event belongs to. */
export interface EventContext {
  readonly sessionId: string;
  /** The arguments of a call, also of one that was asked for before a reload. */
  inputOf?(callId: string): unknown;
}

/** Told of every event in order: `text_delta`, `tool_use`, `tool_use_result`, `model_response`, `error` and the others. */
export interface SubscriberAdapter {
  // biome-ignore lint/suspicious/noExplicitAny: what applications were written for; the data differs by event.
  record(event_type: string, data: any, context?: EventContext): unknown;
}

/** Listens for the session itself: where nobody else does, the console is told what went wrong. */
export interface Watcher extends SubscriberAdapter {
  readonly watches: true;
}
