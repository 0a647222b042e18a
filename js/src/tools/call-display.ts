// The display as one call of a tool sees it: what it pushes belongs to the call.

import type { DisplayManagerAdapter, ListenerFn, Resolver, Slot, SlotRequest } from "../ports/display.js";
import type { Middleware } from "../ports/middleware/middleware.js";
import type { HasState, PluginState } from "../ports/plugin-state.js";
import type { FileOutput, ToolAttachments, ToolConfig, ToolDisplay, ToolFiles } from "../ports/tool.js";
import type { CallProgress } from "../snapshot/snapshot.js";
import { inBackground } from "../timing/in-background.js";
import type { Turn } from "../timing/microtask-turn.js";
import type { Maybe } from "../timing/sync-or-promise.js";
import { looseCopy } from "../values/copy.js";
import { AbortError, GloveError, reasonOf } from "../values/error.js";
import { maxKept, toJson } from "../values/json.js";
import { omitUndefined } from "../values/omit-undefined.js";
import { check } from "../values/validate-options.js";
import type { CoreSession } from "../wasm/core-api.js";
import { fromCore } from "../wasm/core-errors.js";
import type { Guard } from "../wasm/guard.js";
import type { CoreStep } from "../wire/core-types.js";
import type { SideOutput } from "../wire/record.js";
import { type AddedOutput, checkFile, checkOutput } from "./outputs.js";

/** A call that a tool is run for. */
export interface RunningCall {
  readonly id: string;
  /** What it shows and does is kept with the call. Taking a call back is not. */
  readonly recorded: boolean;
  readonly idempotencyKey: string;
  readonly tool: ToolConfig;
  readonly turn: Turn;
  /** What the tool adds to its result. */
  readonly outputs: AddedOutput[];
  /** With what a person turned it down. */
  readonly refused: Set<unknown>;
  /** The run of the tool is over: it was stopped, or its core is gone. */
  readonly signal: AbortSignal;
  /** How many of its questions nobody has answered. */
  open: number;
  /** It has come to its end. */
  ended: boolean;
}

/** Where a call's slots and steps go. */
export interface CallPort {
  readonly manager: DisplayManagerAdapter;
  /** The answers come from the record of the call when it was run before. */
  readonly keeps: boolean;
  show(slot: SlotRequest, clean: boolean): Maybe<string>;
  ask(slot: SlotRequest, clean: boolean): Maybe<unknown>;
  /** The core of this page, which keeps the steps. */
  core(): Pick<CoreSession, "beginStep" | "endStep">;
  readonly guard: Guard;
  /** Shows how far the call is; nothing any more without. */
  progress?(progress: CallProgress | undefined): void;
  /** Of this call of a task alone. */
  readonly credentials?: Readonly<Record<string, string>> | undefined;
}

/** What the application gives each of its tools. */
export interface CallServices {
  readonly services?: unknown;
  readonly userId?: string | undefined;
  /** Those of a task. */
  readonly files?: ToolFiles | undefined;
  /** Those of the conversation. */
  readonly attachments?: ToolAttachments | undefined;
  readonly sessionId?: string | undefined;
  /** What stands around the call. */
  readonly middleware?: readonly Middleware[] | undefined;
  /** The session of the call, for agents. */
  readonly outer?: unknown;
  readonly plugins?:
    | {
        switchModel(name: string): void;
        stateOf<S>(plugin: HasState<S>, user?: string): PluginState<S>;
        /** What they had added is there after this. */
        prepared(): Promise<unknown>;
      }
    | undefined;
}

/** So often, in milliseconds, it is shown how far a call is. */
const progressMs = 100;

/** Of the display manager, as it is. */
const passed = ["registerRenderer", "notify", "subscribe", "resolve", "reject", "clearStack"] as const;

/** Also the whole display manager, for tools that were written for that. */
export class CallDisplay implements ToolDisplay, DisplayManagerAdapter {
  readonly #port: CallPort;
  readonly #manager: DisplayManagerAdapter;
  readonly #call: RunningCall;
  readonly #callServices: CallServices;
  /** How many of its steps are being done. */
  #steps = 0;
  /** How far it is. */
  #progress: CallProgress | undefined;
  /** It was shown a moment ago, and what came since is shown after it. */
  #pacing: ReturnType<typeof setTimeout> | undefined;
  declare readonly registerRenderer: DisplayManagerAdapter["registerRenderer"];
  declare readonly notify: DisplayManagerAdapter["notify"];
  declare readonly subscribe: DisplayManagerAdapter["subscribe"];
  declare readonly resolve: DisplayManagerAdapter["resolve"];
  declare readonly reject: DisplayManagerAdapter["reject"];
  declare readonly clearStack: DisplayManagerAdapter["clearStack"];

  constructor(port: CallPort, call: RunningCall, callServices: CallServices) {
    this.#port = port;
    this.#manager = port.manager;
    this.#call = call;
    this.#callServices = callServices;
    // One of the application's own kind may lack some of them.
    const manager = port.manager as unknown as Record<string, (...args: unknown[]) => unknown>;
    for (const name of passed) Object.assign(this, { [name]: (...args: unknown[]) => manager[name]?.(...args) });
  }

  get callId(): string {
    return this.#call.id;
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }

  get services(): unknown {
    return this.#callServices.services;
  }

  get outer(): unknown {
    return this.#callServices.outer;
  }

  get userId(): string | undefined {
    return this.#callServices.userId;
  }

  get credentials(): Readonly<Record<string, string>> | undefined {
    return this.#port.credentials;
  }

  get files(): ToolFiles | undefined {
    return this.#callServices.files;
  }

  get attachments(): ToolAttachments | undefined {
    return this.#callServices.attachments;
  }

  get sessionId(): string | undefined {
    return this.#callServices.sessionId;
  }

  state<S>(plugin: HasState<S>): PluginState<S> {
    const { plugins } = this.#callServices;
    if (!plugins) throw new GloveError("PLUGIN_UNKNOWN", "The session has no `plugins`.");
    return plugins.stateOf(plugin, this.userId);
  }

  switchModel(name: string): void {
    const { plugins } = this.#callServices;
    if (!plugins) throw new GloveError("MODEL_UNKNOWN", "The session has no `models`.");
    plugins.switchModel(name);
  }

  get idempotencyKey(): string {
    return this.#call.idempotencyKey;
  }

  async pushAndForget<I>(slot: SlotRequest<I>): Promise<string> {
    this.#check();
    const { renderer = this.#call.tool.name, input } = copyOfSlot(slot);
    const { turn } = this.#call;
    const clean = turn.goesOn;
    const shown = this.#port.show({ renderer, input }, clean);
    if (!(shown instanceof Promise)) return shown;
    const id = await shown;
    // It has waited for its core, which may be in a worker, and for nothing else.
    if (clean && this.#port.keeps) turn.begin();
    return id;
  }

  async pushAndWait<I, O = unknown>(slot: SlotRequest<I>): Promise<O> {
    this.#check();
    if (this.#call.ended) throw callIsOver();
    const { renderer = this.#call.tool.name, input, withdrawn } = copyOfSlot(slot);
    const told = () => {
      if (this.#port.keeps) this.#call.turn.begin();
    };
    this.#call.open++;
    try {
      const answer = await this.#port.ask({ renderer, input, withdrawn }, this.#call.turn.goesOn);
      told();
      return answer as O;
    } catch (error) {
      if (!isOwnFault(error)) {
        // The tool may throw this on: then it was turned down, which is no failure of the tool.
        this.#call.refused.add(error);
        told();
      }
      throw error;
    } finally {
      this.#call.open--;
    }
  }

  async step<T>(name: string, work: () => Maybe<T>): Promise<T> {
    this.#check();
    if (this.#call.ended) throw callIsOver();
    try {
      return this.#call.recorded ? await this.#step(name, () => this.#within(work)) : await work();
    } finally {
      this.#call.turn.begin();
    }
  }

  /** So that what is added in a step can be told from the rest. */
  async #within<T>(work: () => Maybe<T>): Promise<T> {
    this.#steps++;
    try {
      return await work();
    } finally {
      this.#steps--;
    }
  }

  /** The tool gets what the record will give it another time. */
  async #step<T>(name: string, work: () => Maybe<T>): Promise<T> {
    const { id, turn } = this.#call;
    const began = this.#port.core().beginStep(id, name, turn.goesOn);
    if (!began) throw callIsOver();
    const told = await this.#port.guard.untilTrap(began).catch(failed);
    if (told === undefined) throw callIsOver();
    const { begins: key, returned, threw } = JSON.parse(told) as CoreStep;
    if (threw !== undefined) throw new GloveError("STEP_FAILED", threw);
    if (key === undefined) return returned as T;
    const end = (result: string) => this.#port.guard.untilTrap(this.#port.core().endStep(id, key, result));
    let json: string;
    try {
      json = toJson((await work()) ?? null, `The result of the step "${name}"`, maxKept);
    } catch (error) {
      await end(JSON.stringify({ threw: reasonOf(error) || "unknown error" }));
      throw error;
    }
    await end(`{"returned":${json}}`);
    return JSON.parse(json) as T;
  }

  progress(message?: string, done?: number, of?: number): void {
    const number = (value: number | undefined) => (Number.isFinite(value) ? value : undefined);
    this.#progress = omitUndefined({ message: message?.slice(0, 500), done: number(done), of: number(of) });
    if (!this.#pacing) this.#showProgress();
  }

  #showProgress(): void {
    this.#pacing = undefined;
    if (!this.#progress || this.#call.ended) return;
    this.#port.progress?.(this.#progress);
    this.#progress = undefined;
    this.#pacing = inBackground(setTimeout(() => this.#showProgress(), progressMs));
  }

  /** The call has come to its end. */
  ended(): void {
    this.#port.progress?.(undefined);
  }

  /** Whoever was stopped asks nobody and does nothing more, though it does not listen to its signal. */
  #check(): void {
    if (this.#call.signal.aborted) throw callIsOver();
  }

  addOutput(output: SideOutput): void {
    this.#add({ output: checkOutput(looseCopy(output)) });
  }

  displayWidget(widget: string, data?: unknown, fallback?: string): void {
    this.addOutput({ type: "widget", widget, data, ...(fallback !== undefined && { fallback }) });
  }

  addFileOutput(file: FileOutput): void {
    // Megabytes are copied at once, and what the browser has as a file never changes.
    const checkedFile = checkFile(file);
    const own =
      checkedFile instanceof Blob ? checkedFile : ({ ...checkedFile, content: checkedFile.content?.slice() } as FileOutput);
    this.#add({ file: own });
  }

  #add(output: AddedOutput): void {
    const { ended, signal, tool, outputs } = this.#call;
    if (ended || (signal.aborted && !tool.unAbortable)) throw callIsOver();
    if (this.#steps > 0) throw new GloveError("OUTPUT_IN_STEP", outputInStep);
    outputs.push(output);
  }

  removeSlot(id: string): boolean {
    return Boolean(this.#manager.removeSlot(id));
  }

  get renderers(): DisplayManagerAdapter["renderers"] {
    return this.#manager.renderers;
  }

  get stack(): Slot[] {
    return this.#manager.stack;
  }

  get listeners(): Set<ListenerFn> {
    return this.#manager.listeners;
  }

  get resolverStore(): Map<string, Resolver> {
    return this.#manager.resolverStore;
  }
}

const outputInStep =
  "A step does not run again when its tool is entered again, and what it adds would be lost: return what is needed from the step, and add the output after it.";

/** Nothing of it would be written. */
const callIsOver = () => new AbortError("This tool call has ended; its display and steps can no longer be used.");

// The tool showed what its own schema refuses; nobody has seen it.
function isOwnFault(error: unknown): boolean {
  return error instanceof GloveError && error.code === "DISPLAY_WRONG_INPUT";
}

function failed(thrown: unknown): never {
  throw fromCore(thrown);
}

/** What a tool changes later changes nothing that is shown or stored. */
function copyOfSlot<I>(slot: SlotRequest<I>): SlotRequest<I> {
  return { ...check("The slot", slot, "object"), input: looseCopy(slot.input) };
}
