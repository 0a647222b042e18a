// A session's messages and tasks, over a store.

import { viewOf } from "../models/record.js";
import type { InboxItem, StoreAdapter } from "../ports/store.js";
import { limited } from "../store/limits.js";
import type { Message, Task } from "../wire/record.js";

/** A session's messages, tasks and inbox, over a store. */
export class Context {
  readonly #store: StoreAdapter;

  constructor(readonly store: StoreAdapter) {
    this.#store = limited(store);
  }

  /** What a model reads: the last summary, what it keeps, and what came after, without answers whose place another one has taken. */
  async getMessages(): Promise<Message[]> {
    return viewOf(await this.#store.getMessages());
  }

  async appendMessages(msgs: Message[]): Promise<void> {
    await this.#store.appendMessages(msgs);
  }

  async getTasks(): Promise<Task[]> {
    return (await this.#store.getTasks?.()) ?? [];
  }

  async addTasks(tasks: Task[]): Promise<void> {
    await this.#store.addTasks?.(tasks);
  }

  async updateTask(taskId: string, updates: Partial<Omit<Task, "id">>): Promise<void> {
    await this.#store.updateTask?.(taskId, updates);
  }

  async getInboxItems(): Promise<InboxItem[]> {
    return (await this.#store.getInboxItems?.()) ?? [];
  }

  async addInboxItem(item: InboxItem): Promise<void> {
    await this.#store.addInboxItem?.(item);
  }

  async updateInboxItem(id: string, updates: Partial<InboxItem>): Promise<void> {
    await this.#store.updateInboxItem?.(id, updates);
  }

  async getResolvedInboxItems(): Promise<InboxItem[]> {
    return (await this.getInboxItems()).filter(({ status }) => status === "resolved");
  }
}
