// Sends commands to a session that runs in another place, and waits for their answers.
import { fromCore } from "../wasm/core-errors.js";
import { type Method, rulesOf } from "./command-rules.js";
import type { TabPage } from "./tab-adapter.js";

/** Something that was asked. */
export interface Command {
  readonly id: string;
  readonly method: Method;
  readonly args: readonly unknown[];
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export abstract class CommandSender<A extends Command> {
  protected readonly page: TabPage;
  protected readonly pending = new Map<string, A>();
  /** Why nothing can be asked any more. */
  protected over: Error | undefined;
  #waiting: ((error?: unknown) => void)[] = [];

  constructor(page: TabPage) {
    this.page = page;
  }

  protected abstract ask(method: Method, ...args: readonly unknown[]): Promise<unknown>;

  request(request: string): Promise<string> {
    return this.#text("request", request);
  }

  resume(): Promise<string> {
    return this.#text("resume");
  }

  undo(steps: number, last?: string): Promise<string> {
    return this.#text("undo", steps, ...(last === undefined ? [] : [last]));
  }

  switchBranch(message: string): Promise<string> {
    return this.#text("switchBranch", message);
  }

  fork(message: string): Promise<string> {
    return this.#text("fork", message);
  }

  messages(from: number): Promise<string> {
    return this.#text("messages", from);
  }

  prompts(since: string): Promise<string> {
    return this.#text("prompts", since);
  }

  cancelQueued(request: string): boolean {
    return this.send("cancelQueued", request);
  }

  moveQueued(request: string, before?: string): boolean {
    return this.send("moveQueued", request, before);
  }

  answer(question: string, answer: string): Promise<boolean> {
    return this.#sent("answer", question, answer);
  }

  resolveSlot(id: string, value: string): Promise<boolean> {
    return this.#sent("resolveSlot", id, value);
  }

  rejectSlot(id: string, reason?: string): Promise<boolean> {
    return this.#sent("rejectSlot", id, reason);
  }

  removeSlot(id: string): boolean {
    return this.send("removeSlot", id);
  }

  clearStack(): void {
    this.send("clearStack");
  }

  #text(method: Method, ...args: readonly unknown[]): Promise<string> {
    return this.ask(method, ...args) as Promise<string>;
  }

  /** Reports the command as accepted. A late failure is reported while the session is open. */
  protected send(method: Method, ...args: readonly unknown[]): true {
    void this.#sent(method, ...args);
    return true;
  }

  /** Resolves to whether the command was accepted. */
  async #sent(method: Method, ...args: readonly unknown[]): Promise<boolean> {
    const report = (error: unknown) => error && !this.over && this.page.report(fromCore(error));
    try {
      const taken = (await this.ask(method, ...args)) !== false;
      if (!taken) report(rulesOf(method)?.late?.(args));
      return taken;
    } catch (error) {
      report(error);
      return false;
    }
  }

  protected end(id: string, settle: (command: A) => void): void {
    const command = this.pending.get(id);
    this.pending.delete(id);
    if (command) settle(command);
  }

  /** Until `settle`. */
  protected wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push((error) => (error ? reject(error) : resolve()));
    });
  }

  protected settle(error?: unknown): void {
    for (const tell of this.#waiting.splice(0)) tell(error);
  }

  /** Nothing that was asked is answered any more. */
  protected refuse(error: unknown): void {
    for (const { reject } of this.pending.values()) reject(error);
    this.pending.clear();
    this.settle(error);
  }
}
