// A store in memory: gone with the page.

import type { Durability, InboxItem, StoreAdapter, StoredRun, StoredStep, TokenCount } from "../ports/store.js";
import { copy, toJson } from "../values/json.js";
import { check } from "../values/validate-options.js";
import type { Message, PermissionStatus, Task } from "../wire/record.js";
import { arrayBody, arrayOf, membersOf } from "./json-text.js";
import { isPermissionOf, permissionKey } from "./permissions.js";
import { addTokens, checkFollows, checkNoRun, counted, isUnfinished, readStep, stepText } from "./step.js";

/** Keeps a session as long as the store itself is kept. Two sessions over one store find each other's messages. */
export class MemoryStore implements StoreAdapter {
  readonly storage = "memory";
  /** As they were written, a text for each write of several. */
  #messages: string[] = [];
  #count = 0;
  /** The number of the last record. */
  #seq = 0;
  #records: string[] = [];
  #checkpoint: string | undefined;
  #tokens: TokenCount = { tokens_in: 0, tokens_out: 0 };
  #turns = 0;
  #tasks: Task[] = [];
  #inbox: InboxItem[] = [];
  readonly #permissions = new Map<string, PermissionStatus>();

  constructor(readonly identifier: string) {}

  async getMessages(): Promise<Message[]> {
    return JSON.parse(arrayOf(this.#messages)) as Message[];
  }

  /** A finished run gives way: the session goes on from its messages. */
  async appendMessages(msgs: Message[]): Promise<void> {
    if (check("`messages`", msgs, "list").length === 0) return;
    checkNoRun(this.#records.length > 0 || isUnfinished(this.#checkpoint));
    this.#messages.push(arrayBody(toJson(msgs, "The value")));
    this.#count += msgs.length;
    this.#records = [];
    this.#checkpoint = undefined;
    this.#seq = 0;
  }

  async appendStep(step: StoredStep): Promise<void> {
    this.#append(stepText(step));
  }

  async appendStepText(text: string, _durability: Durability): Promise<void> {
    this.#append(text);
  }

  #append(text: string): void {
    const step = readStep(text);
    checkFollows({ count: this.#count, seq: this.#seq }, step);
    const members = membersOf(text, ["messages", "records"]);
    const { messages, checkpoint, seq } = step;
    if (messages.length) this.#messages.push(arrayBody(members.get("messages")));
    this.#count += messages.length;
    const { tokens, turns } = counted(this.#tokens, this.#turns, messages);
    this.#tokens = tokens;
    this.#turns = turns;
    if (checkpoint === undefined) this.#records.push(arrayBody(members.get("records")));
    else {
      this.#records = [];
      this.#checkpoint = checkpoint;
    }
    this.#seq = seq;
  }

  async readRun(): Promise<StoredRun> {
    return JSON.parse(this.#text()) as StoredRun;
  }

  async readRunText(): Promise<string> {
    return this.#text();
  }

  #text(): string {
    const checkpoint = this.#checkpoint === undefined ? "" : `,"checkpoint":${JSON.stringify(this.#checkpoint)}`;
    return `{"messages":${arrayOf(this.#messages)},"records":${arrayOf(this.#records)}${checkpoint}}`;
  }

  async getTokenCount(): Promise<number> {
    return this.#tokens.tokens_in + this.#tokens.tokens_out;
  }

  /** The counters one by one. */
  async getTokenConsumption(): Promise<TokenCount> {
    return { ...this.#tokens };
  }

  async addTokens(count: number | TokenCount): Promise<void> {
    this.#tokens = addTokens(this.#tokens, count);
  }

  async getTurnCount(): Promise<number> {
    return this.#turns;
  }

  async incrementTurn(): Promise<void> {
    this.#turns++;
  }

  async resetCounters(): Promise<void> {
    this.#tokens = { tokens_in: 0, tokens_out: 0 };
    this.#turns = 0;
  }

  async getTasks(): Promise<Task[]> {
    return copy(this.#tasks);
  }

  async addTasks(tasks: Task[]): Promise<void> {
    this.#tasks = copy(check("`tasks`", tasks, "list"));
  }

  async updateTask(taskId: string, updates: Partial<Omit<Task, "id">>): Promise<void> {
    this.#tasks = this.#tasks.map((task) => (task.id === taskId ? { ...task, ...copy(updates) } : task));
  }

  /** An answer for these very arguments comes before the one for the tool. */
  async getPermission(toolName: string, input?: unknown): Promise<PermissionStatus> {
    const own = input === undefined ? undefined : this.#permissions.get(permissionKey(toolName, input));
    return own ?? this.#permissions.get(toolName) ?? "unset";
  }

  async setPermission(toolName: string, status: PermissionStatus, input?: unknown): Promise<void> {
    // Who takes a tool's permission back means all of it.
    if (status === "unset" && input === undefined) {
      for (const key of [...this.#permissions.keys()].filter(isPermissionOf(toolName))) this.#permissions.delete(key);
      return;
    }
    this.#permissions.set(input === undefined ? toolName : permissionKey(toolName, input), status);
  }

  async getInboxItems(): Promise<InboxItem[]> {
    return copy(this.#inbox);
  }

  async addInboxItem(item: InboxItem): Promise<void> {
    this.#inbox = [...this.#inbox, copy(check("`item`", item, "object"))];
  }

  async updateInboxItem(id: string, updates: Partial<InboxItem>): Promise<void> {
    this.#inbox = this.#inbox.map((item) => (item.id === id ? ({ ...item, ...copy(updates) } as InboxItem) : item));
  }

  async getResolvedInboxItems(): Promise<InboxItem[]> {
    return copy(this.#inbox.filter(({ status }) => status === "resolved"));
  }
}
