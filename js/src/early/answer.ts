// The first answer of a new session, which the page asks for and shows until the core is there.

import { type Transport, transportOf } from "../models/transport.js";
import type { SessionConfig } from "../ports/session-config.js";
import type { SentRequest } from "../ports/store.js";
import type { Fetch } from "../relay/http.js";
import type { SnapshotStore } from "../snapshot/snapshot-store.js";
import type { EarlyAnswer } from "../snapshot/state.js";
import type { TellableTool } from "../tools/task-tool.js";
import { loadPart } from "../values/error.js";
import { firstBody } from "./body.js";
import { type FirstMessage, isKnown, mayAskEarly } from "./eligible.js";
import { askedElsewhere, EarlyRequest } from "./request.js";
import { toldAtOnce } from "./told.js";

/** A message that is written down. */
interface Sent {
  readonly id: string;
  readonly at: number;
  readonly input: FirstMessage;
  /** It is the first of a session of which nothing can be stored. */
  readonly isFirst: boolean;
}

const notStored = "STORAGE_PENDING";

export class FirstAnswer {
  readonly #snapshots: SnapshotStore;
  #request: EarlyRequest | undefined;
  #shown: EarlyAnswer | undefined;
  /** The message that it is asked for. */
  #id: string | undefined;
  /** As it is written down. */
  #sent: SentRequest | undefined;
  /** That is where it outlives the browser: what comes is shown. */
  #isSafe = false;
  /** The core has not come for it. */
  #isLeft = false;
  /** Nothing of it is wanted any more. */
  #isOver = false;

  constructor(snapshots: SnapshotStore) {
    this.#snapshots = snapshots;
  }

  /**
   * Asks for it, where that is sure to be what the core would ask: whether it does. `isOurs`: the core has not been given it, and nothing
   * has changed.
   */
  ask(sent: Sent, request: string, config: SessionConfig, tasks: boolean | undefined, isOurs: () => boolean): boolean {
    const { id, at, input, isFirst } = sent;
    const transport = transportOf(config.model);
    if (this.#id || !mayAskEarly(isFirst, transport, config, input)) return false;
    this.#id = id;
    this.#sent = { id, request, at };
    const { systemPrompt, tools = [] } = config;
    const { text = "" } = input;
    const send = (told: readonly TellableTool[]) => {
      if (this.#isOver || !isOurs() || !told.every(isKnown)) return;
      const body = firstBody({ systemPrompt, tools: told, text });
      // The core's first id of a request.
      this.#show({ id, timeline: [{ kind: "user", id: `${id}.m1`, text, at }], text: "" });
      this.#request = new EarlyRequest(transport, body, (text) => this.#add(text));
    };
    const later = async () => {
      const { specOf, withTaskTool } = await loadPart(import("../tools/spec.js"));
      send(withTaskTool(await Promise.all(tools.map(specOf)), tasks));
    };
    // What is wrong with the tools is told where the core is told of them.
    try {
      const told = toldAtOnce(tools, tasks);
      if (told) send(told);
      else later().catch(() => {});
    } catch {}
    return true;
  }

  #add(text: string): void {
    const shown = this.#shown;
    // What the core tells has taken its place.
    if (!shown || (this.#isSafe && !this.#isSeen)) return;
    this.#show({ ...shown, text: shown.text + text });
    if (this.#isLeft) this.#warn();
  }

  get #isSeen(): boolean {
    return this.#shown !== undefined && this.#snapshots.early === this.#shown;
  }

  /** The message may be shown, and what has come of its answer. */
  safe(id: string): void {
    if (this.#isSafe || this.#id !== id) return;
    this.#isSafe = true;
    if (this.#shown) this.#show(this.#shown);
  }

  #show(early: EarlyAnswer): void {
    this.#shown = early;
    if (this.#isSafe) this.#snapshots.dispatch({ kind: "early", early });
  }

  /** How the core gets its answer, where it asks for the same. */
  readonly take = (transport: Transport | undefined, url: string, headers: string, body: string): Fetch | undefined => {
    const request = this.#request;
    const fetch = request?.take(transport, url, headers, body);
    // What was shown was not asked by the core.
    if (request && !fetch && this.#shown?.text && this.#isSeen) this.#show({ ...this.#shown, text: "" });
    return fetch;
  };

  /** Ends it where it is: nothing more comes. False where nothing of this message is under way. */
  stop(id: string): boolean {
    const shown = this.#shown;
    if (shown?.id !== id || !this.#request) return false;
    this.#request.end();
    if (!shown.stopped) this.#show({ ...shown, stopped: true });
    return true;
  }

  /** Of a message whose answer was stopped: the same with what was seen, which is all that will be in the record. */
  stopped(id: string): SentRequest | undefined {
    const [shown, sent] = [this.#shown, this.#sent];
    if (!sent || shown?.id !== id || !shown.stopped) return undefined;
    return { ...sent, request: JSON.stringify({ ...JSON.parse(sent.request), stoppedAnswer: shown.text }) };
  }

  /** The core has not come for its message, which is offered again when it does: what has come of the answer stays, in this page alone. */
  left(id: string): void {
    if (this.#shown?.id !== id) return;
    this.#isLeft = true;
    if (this.#shown.text) this.#warn();
  }

  #warn(): void {
    const message = "This answer is not stored: the rest of the page has not come. It is stored when that does.";
    this.#snapshots.set({ warning: { code: notStored, message } });
  }

  /** Another tab asks for its answer. */
  follow(id: string): void {
    this.end(id, askedElsewhere);
  }

  /** Nobody waits for it any more: it is broken off, unless the core has it, and shown no more. */
  end(id = this.#id, reason?: unknown): void {
    if (this.#id !== id) return;
    this.#isOver = true;
    if (!this.#shown) return;
    this.#request?.end(reason);
    this.#shown = undefined;
    if (this.#snapshots.snapshot.warning?.code === notStored) this.#snapshots.set({ warning: undefined });
    if (this.#snapshots.early) this.#snapshots.dispatch({ kind: "early", early: undefined });
  }
}
