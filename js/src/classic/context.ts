// A session's messages and tasks, over a store.

import type { InboxItem, StoreAdapter } from "../store/adapter.js";
import type { Message, Task } from "../wire/record.js";

/** A session's messages, tasks and inbox, over a store. */
export class Context {
  constructor(readonly store: StoreAdapter) {}

  /** From the last summary on, without answers whose place another one has taken. */
  async getMessages(): Promise<Message[]> {
    const record = await this.store.getMessages();
    const gone = record.map(() => false);
    for (const [at, { replaces }] of record.entries()) if (replaces !== undefined) gone.fill(true, at - replaces, at + 1);
    const messages = record.filter((_, at) => !gone[at]);
    const last = messages.findLastIndex((message) => message.is_compaction);
    return last > 0 ? messages.slice(last) : messages;
  }

  async appendMessages(msgs: Message[]): Promise<void> {
    await this.store.appendMessages(msgs);
  }

  async getTasks(): Promise<Task[]> {
    return (await this.store.getTasks?.()) ?? [];
  }

  async addTasks(tasks: Task[]): Promise<void> {
    await this.store.addTasks?.(tasks);
  }

  async updateTask(taskId: string, updates: Partial<Omit<Task, "id">>): Promise<void> {
    await this.store.updateTask?.(taskId, updates);
  }

  async getInboxItems(): Promise<InboxItem[]> {
    return (await this.store.getInboxItems?.()) ?? [];
  }

  async addInboxItem(item: InboxItem): Promise<void> {
    await this.store.addInboxItem?.(item);
  }

  async updateInboxItem(id: string, updates: Partial<InboxItem>): Promise<void> {
    await this.store.updateInboxItem?.(id, updates);
  }

  async getResolvedInboxItems(): Promise<InboxItem[]> {
    return (await this.getInboxItems()).filter(({ status }) => status === "resolved");
  }
}
