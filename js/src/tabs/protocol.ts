// What the tabs that have one session open tell each other.
import { GloveError } from "../error.js";
import type { GloveSnapshot } from "../snapshot/snapshot.js";
import type { Written } from "../snapshot/snapshot-store.js";
import type { AskedSession, CoreEvent } from "../wasm/core-api.js";

/** What may be asked of the tab that runs the session. */
export type Method = keyof AskedSession | "answerInbox" | "clearError";

/** What a screen shows beside what the core tells. */
export type Extras = Partial<Pick<GloveSnapshot, "tasks" | "inbox" | "storage">> & {
  /** JSON of its code and message; null for none. */
  readonly error?: string | null;
};

export interface Ask {
  readonly kind: "ask";
  readonly leader: string;
  readonly id: string;
  readonly method: Method;
  readonly args: readonly unknown[];
  /** It was asked of another tab before, which is gone: it may have been done. */
  readonly again: boolean;
}

export type TabMessage =
  /** From a tab that follows: who runs the session shows it all of it. */
  | { readonly kind: "hello"; readonly tab: string }
  /** From the tab that runs it from now on, whether it can show anything yet or not. */
  | { readonly kind: "leads"; readonly leader: string }
  /** All of it, for one tab or for every one. */
  | {
      readonly kind: "all";
      readonly leader: string;
      readonly to: string | undefined;
      readonly events: readonly CoreEvent[];
      /** The answer that is being written. */
      readonly written: Written;
      readonly extras: Extras;
    }
  | { readonly kind: "events"; readonly leader: string; readonly events: readonly CoreEvent[] }
  | { readonly kind: "extras"; readonly leader: string; readonly extras: Extras }
  | Ask
  /** It is being done: it may be asked again only if doing it twice does nothing. */
  | { readonly kind: "taken"; readonly leader: string; readonly id: string }
  | {
      readonly kind: "answered";
      readonly leader: string;
      readonly id: string;
      readonly value?: unknown;
      readonly error?: string;
    }
  /** Whether the tab that runs the session is awake; answered at once, as messages are not slowed down in hidden tabs. */
  | { readonly kind: "ping" | "pong"; readonly leader: string }
  /** The session is not stored any more. */
  | { readonly kind: "deleted" };

/** Tells all tabs that have it open. */
export function tellDeleted(name: string): void {
  if (typeof BroadcastChannel !== "function") return;
  const channel = new BroadcastChannel(name);
  channel.postMessage({ kind: "deleted" } satisfies TabMessage);
  channel.close();
}

export function elsewhere(): GloveError {
  return new GloveError(
    "SESSION_OPEN_ELSEWHERE",
    "Another tab has this session open and does not answer; go on in that tab, close it, or take the session over here " +
      "with `takeOver()`.",
  );
}

export function deleted(): GloveError {
  return new GloveError("SESSION_DELETED", "This session was deleted; open another one to go on.");
}

export function answered(): GloveError {
  return new GloveError("DISPLAY_REMOVED", "This question was answered or taken away before; this answer was not taken.");
}

export function moved(): GloveError {
  return new GloveError(
    "SESSION_MOVED",
    "The tab that ran this session went away in the middle of this, so nobody knows how far it came; look at the conversation, " +
      "and ask again if it is missing.",
  );
}

export function follows(): GloveError {
  return new GloveError("SESSION_FOLLOWS", "Another tab runs this session; only tools of that tab can show something here.");
}
