// What the core tells, on its way to the screen, to subscribers and to other tabs.

import { noSlots, ReplayState } from "../tabs/replay-state.js";
import type { Tabs } from "../tabs/tabs.js";
import type { CoreEvent, CoreSession } from "../wasm/core-api.js";
import { fromCore } from "../wasm/core-errors.js";
import type { Task } from "../wire/record.js";
import type { Extras } from "./extras.js";
import type { SessionPage } from "./page.js";

const taskTool = "glove_update_tasks";
const inboxTool = "glove_post_to_inbox";
/** How long tools that are entered again are waited for before their slots are taken away. */
const slotsMs = 500;
/** A page may be gone at any moment; so much of an answer may be lost then. */
const keptMs = 1_000;

/** Whom the events come from, and who else follows them. */
interface EventSource {
  /** The core of this page; nothing where another tab runs the session. */
  core(): CoreSession | undefined;
  tabs(): Tabs | undefined;
  disposed(): boolean;
}

export class CoreEvents {
  readonly #page: SessionPage;
  readonly #extras: Extras;
  readonly #source: EventSource;
  /** The answer being written comes from a model of the page, whose text was shown as it came. */
  modelInPage = false;
  /** What was told last, for tabs that come later. */
  replay = new ReplayState();
  /** The core that was started last has told nothing yet. */
  #fresh = false;
  /** How much of the answer was written, how much of it was kept, and when. */
  #kept = { written: 0, length: 0, at: 0 };

  constructor(page: SessionPage, extras: Extras, source: EventSource) {
    this.#page = page;
    this.#extras = extras;
    this.#source = source;
  }

  /** Another core tells from now on. */
  begin(): void {
    this.replay = new ReplayState(this.replay.slots);
    this.#fresh = true;
  }

  /** A batch of the core of this page. */
  take(batch: string): void {
    if (this.#source.disposed()) return;
    const events = JSON.parse(batch) as CoreEvent[];
    if (this.#fresh) this.#renew();
    this.#tell(events);
  }

  #tell(events: readonly CoreEvent[]): void {
    this.show(events);
    this.#source.tabs()?.tell(events);
  }

  /** What was shown before this core gives way to what it tells; the slots when its tools have had time to show theirs again. */
  #renew(): void {
    this.#fresh = false;
    this.#page.snapshots.renew();
    const { replay } = this;
    if (replay.hasOldSlots) setTimeout(() => replay.hasOldSlots && replay === this.replay && this.#tell([noSlots]), slotsMs);
  }

  /** Shows what the core of this page tells, or that of another tab. */
  show(events: readonly CoreEvent[]): void {
    let whole = false;
    let failure: Error | undefined;
    for (const event of events) {
      if (event.kind === "event" && event.type === "error") failure = fromCore(JSON.stringify(event.data));
      if (this.#source.tabs()) this.replay.take(event);
      try {
        whole = this.#take(event) || whole;
      } catch (error) {
        this.#page.subscribers.report("OUT_OF_PROTOCOL", error);
      }
    }
    // A run that nobody of this page has asked for stands still.
    const { phase, snapshot } = this.#page.snapshots;
    if (failure && phase === "paused" && !snapshot.error) this.#page.snapshots.set({ error: failure });
    if (whole) this.#page.snapshots.publish();
  }

  /** True for what is shown at once; pieces of text wait for the next frame. */
  #take(event: CoreEvent): boolean {
    const { snapshots, slots } = this.#page;
    switch (event.kind) {
      case "timeline":
        snapshots.applyTimeline(event);
        return true;
      case "input":
        snapshots.applyInput(event);
        return false;
      case "slots":
        slots.take(event.slots);
        snapshots.applySlots(event.slots);
        return true;
      case "state":
        slots.questions(event.questions.map(({ id }) => id));
        snapshots.applyState(event);
        if (event.phase !== "model" || this.#kept.at === 0) this.#kept = { written: 0, length: 0, at: performance.now() };
        if (event.request !== null) this.#page.serves(event.request);
        return true;
      case "event":
        return this.#takeEvent(event.type, event.data);
    }
  }

  #takeEvent(type: string, data: unknown): boolean {
    const { snapshots } = this.#page;
    const text_delta = type === "text_delta";
    const shows = text_delta || type === "reasoning_delta";
    const delta = shows || type === "tool_input_delta";
    if (text_delta) this.#keepShown((data as { readonly text: string }).text.length);
    if (shows && this.modelInPage) return false;
    const { id, name, text, tool_name, result } = data as {
      id: string;
      name: string;
      text: string;
      tool_name?: string;
      result?: { status: string; data?: { tasks?: Task[] } };
    };
    if (shows) snapshots.appendText(text_delta ? "text" : "reasoning", text);
    if (type === "tool_use") snapshots.nameCall(id, name);
    if (type === "model_response" || type === "model_response_complete") snapshots.endAnswer();
    if (type === "request_finished") snapshots.endRequest();
    if (type === "tool_use_result" && tool_name === taskTool && result?.data?.tasks) snapshots.set({ tasks: result.data.tasks });
    // What is done here once: the store is read and subscribers are told where the session runs.
    if (!this.#source.core()) return !delta;
    if (type === "tool_use_result") this.#page.tools.ended(id);
    if (type === "tool_use_result" && tool_name === inboxTool) void this.#extras.read();
    this.#page.subscribers.tell(type, data);
    return !delta;
  }

  /** Keeps the text of an answer while it is written, each time that there is a good part more. */
  #keepShown(added: number): void {
    const now = performance.now();
    const written = this.#kept.written + added;
    const due = written > this.#kept.length * 1.25 && now - this.#kept.at > keptMs;
    this.#kept = due ? { written, length: written, at: now } : { ...this.#kept, written };
    if (due) this.#source.core()?.keepPartial();
  }
}
