// What the core tells, on its way to the screen, to subscribers and to other tabs.

import { isPiece } from "../snapshot/pace.js";
import { isOfBroken } from "../snapshot/timeline.js";
import { noSlots, ReplayState } from "../tabs/latest-state.js";
import { loadPart } from "../values/error.js";
import type { CoreEvent } from "../wire/core-types.js";
import type { OpenSession } from "./open-session.js";
import type { Extras } from "./tasks-and-inbox.js";

const inboxTool = "glove_post_to_inbox";
/** How long tools that are entered again are waited for before their slots are taken away. */
const slotsMs = 500;
/** A page may be gone at any moment; so much of an answer may be lost then. */
const keptMs = 1_000;
/** In letters. From the first on, a write holds only what is new, and it never holds much more than the second. */
const longAnswer = 2 ** 16;
const maxAtOnce = 2 ** 20;

/** Developers read why models fail. Several requests may have waited for one call. */
function logFailures(events: readonly CoreEvent[]): void {
  const failures = events.map((event) => event.kind === "ended" && event.error);
  const lines = failures.map((error) => error && /^MODEL_/.test(error.code) && `${error.code}: ${error.message}`);
  for (const line of new Set(lines)) if (line) console.error(line);
}

export class CoreEvents {
  readonly #openSession: OpenSession;
  readonly #extras: Extras;
  /** The answer being written comes from a model of the page, whose text was shown as it came. */
  modelInPage = false;
  /** What the core has reported so far, for tabs that come later. */
  replay = new ReplayState();
  /** The core that was started last has sent no event yet. */
  #fresh = false;
  /** How much of the answer was written, how much of it was stored, and when. */
  #kept: { request: string | null; written: number; length: number; at: number } = {
    request: null,
    written: 0,
    length: 0,
    at: 0,
  };

  constructor(openSession: OpenSession, extras: Extras) {
    this.#openSession = openSession;
    this.#extras = extras;
  }

  /** Another core tells from now on. */
  begin(): void {
    this.replay = new ReplayState(this.replay.slots);
    this.#fresh = true;
  }

  /** A batch of the core of this page. */
  take(batch: string): void {
    if (this.#openSession.disposed) return;
    const events = JSON.parse(batch) as CoreEvent[];
    if (this.#fresh) this.#renew();
    const tabs = this.#openSession.tabs;
    const isConflict = (event: CoreEvent) => event.kind === "ended" && event.error?.code === "STORE_CONFLICT";
    const conflicts = tabs ? events.filter(isConflict) : [];
    this.#tell(conflicts.length > 0 ? events.filter((event) => !isConflict(event)) : events);
    // Another tab has taken over, and is asked again; or it is an error like any other.
    if (conflicts.length > 0) void tabs?.holds().then((holds) => holds && this.#tell(conflicts));
  }

  #tell(events: readonly CoreEvent[]): void {
    logFailures(events);
    this.show(events);
    this.#openSession.tabs?.tell(events);
  }

  /** What was shown before this core gives way to what it tells; the slots when its tools have had time to show theirs again. */
  #renew(): void {
    this.#fresh = false;
    this.#openSession.snapshots.apply({ kind: "renewed" });
    const { replay } = this;
    if (replay.hasOldSlots) setTimeout(() => replay.hasOldSlots && replay === this.replay && this.#tell([noSlots]), slotsMs);
  }

  /** Shows what the core of this page tells, or that of another tab. */
  show(events: readonly CoreEvent[]): void {
    let whole = false;
    for (const event of events) {
      if (this.#openSession.tabs) this.replay.take(event);
      try {
        this.#take(event);
        whole ||= !isPiece(event);
      } catch (error) {
        this.#openSession.subscribers.report("OUT_OF_PROTOCOL", error);
      }
    }
    if (whole) this.#openSession.snapshots.publish();
  }

  #take(event: CoreEvent): void {
    const { snapshots, slots } = this.#openSession;
    if (event.kind === "state") {
      const { request } = event;
      if (event.phase !== "model" || this.#kept.at === 0 || request !== this.#kept.request)
        this.#kept = { request, written: 0, length: 0, at: performance.now() };
    }
    // A model of the page has shown it as it came.
    const seen = this.modelInPage && event.kind === "event" && (event.type === "text_delta" || event.type === "reasoning_delta");
    if (!seen) snapshots.apply(event);
    if (event.kind === "event" && event.type === "model_notice") this.#markBroken(event.data as { readonly message: string });
    if (event.kind === "slots") slots.changed();
    if (event.kind === "state") slots.askOutside();
    if (event.kind === "state" && event.request !== null) this.#openSession.page.serves(event.request);
    if (event.kind === "event") this.#tellOf(event.type, event.data, seen);
  }

  #tellOf(type: string, data: unknown, seen: boolean): void {
    const { id, text, tool_name } = data as { readonly id: string; readonly text: string; readonly tool_name?: string };
    if (type === "text_delta") this.#keepShown(text.length);
    // What is done here once: the store is read and subscribers are told where the session runs.
    if (seen || !this.#openSession.tells) return;
    if (type === "tool_use_result") this.#openSession.tools.ended(id);
    if (type === "tool_use_result" && tool_name === inboxTool) void this.#extras.read();
    this.#openSession.subscribers.tell(type, data);
  }

  /** A notice tells neither the message nor the part: the file may have come long ago, and with it others that are whole. */
  #markBroken({ message }: { readonly message: string }): void {
    if (!isOfBroken(message)) return;
    const { snapshots } = this.#openSession;
    loadPart(import("../messages/unreadable-files.js"))
      .then(async ({ withBroken }) => snapshots.dispatch({ kind: "broken", ids: withBroken(await this.#openSession.messages()) }))
      // It is only not marked.
      .catch(() => {});
  }

  /** Keeps the text of an answer while it is written, each time that there is a good part more. */
  #keepShown(added: number): void {
    const now = performance.now();
    const { length, at } = this.#kept;
    const written = this.#kept.written + added;
    const fresh = written - length;
    const due = fresh > maxAtOnce || (fresh > Math.min(length / 4, longAnswer) && now - at > keptMs);
    this.#kept = { ...this.#kept, written, ...(due && { length: written, at: now }) };
    if (due) this.#openSession.core?.keepPartial();
  }
}
