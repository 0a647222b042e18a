// The display as one call of a tool sees it: what it pushes belongs to the call.
import type { DisplayManagerAdapter, ListenerFn, Renderer, Resolver, Slot, SlotRequest, UnsubscribeFn } from "./display.js";
import { GloveError } from "./error.js";
import type { Maybe } from "./maybe.js";
import type { SideOutput } from "./message.js";
import type { ToolDisplay } from "./tool.js";

/** Where a call's slots go. */
export interface CallPort {
  show(slot: SlotRequest): Maybe<string>;
  ask(slot: SlotRequest): Maybe<unknown>;
}

/** Also the whole display manager, for tools that were written for that. */
export class CallDisplay implements ToolDisplay, DisplayManagerAdapter {
  readonly #port: CallPort;
  readonly #manager: DisplayManagerAdapter;
  readonly #tool: string;
  readonly #outputs: SideOutput[];
  readonly #refused: Set<unknown>;

  constructor(port: CallPort, manager: DisplayManagerAdapter, tool: string, outputs: SideOutput[], refused: Set<unknown>) {
    this.#port = port;
    this.#manager = manager;
    this.#tool = tool;
    this.#outputs = outputs;
    this.#refused = refused;
  }

  async pushAndForget<I>({ renderer = this.#tool, input }: SlotRequest<I>): Promise<string> {
    return this.#port.show({ renderer, input });
  }

  async pushAndWait<I, O = unknown>({ renderer = this.#tool, input }: SlotRequest<I>): Promise<O> {
    try {
      return (await this.#port.ask({ renderer, input })) as O;
    } catch (error) {
      // The tool may throw this on: then it was turned down, which is no failure of the tool.
      if (!isOwnFault(error)) this.#refused.add(error);
      throw error;
    }
  }

  addOutput(output: SideOutput): void {
    this.#outputs.push(output);
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

  registerRenderer<I, O>(renderer: Renderer<I, O>): void {
    this.#manager.registerRenderer(renderer);
  }

  notify(): Promise<void> {
    return this.#manager.notify();
  }

  subscribe(listener: ListenerFn): UnsubscribeFn {
    return this.#manager.subscribe(listener);
  }

  resolve<O = unknown>(slot_id: string, value: O): unknown {
    return this.#manager.resolve(slot_id, value);
  }

  reject(slot_id: string, error?: unknown): unknown {
    return this.#manager.reject(slot_id, error);
  }

  clearStack(): Promise<void> {
    return this.#manager.clearStack();
  }
}

// The tool showed what its own schema refuses; nobody has seen it.
function isOwnFault(error: unknown): boolean {
  return error instanceof GloveError && error.code === "DISPLAY_WRONG_INPUT";
}
