// A store in memory: gone with the page.
import { GloveError } from "../error.js";
import type { Message, PermissionStatus, Task, Usage } from "../message.js";
import type { InboxItem, StoreAdapter, StoredRun, StoredStep, TokenCount } from "./adapter.js";

/** The key that a permission is kept under when it holds for certain arguments only. */
export function permissionKey(toolName: string, input?: unknown): string {
  try {
    return `${toolName}::${JSON.stringify(input ?? null) ?? "null"}`;
  } catch {
    return `${toolName}::null`;
  }
}

/** Keeps a session as long as the store itself is kept. Two sessions over one store find each other's messages. */
export class MemoryStore implements StoreAdapter {
  #messages: Message[] = [];
  #records: unknown[] = [];
  #checkpoint: string | undefined;
  #tokens: TokenCount = { tokens_in: 0, tokens_out: 0 };
  #turns = 0;
  #tasks: Task[] = [];
  #inbox: InboxItem[] = [];
  readonly #permissions = new Map<string, PermissionStatus>();

  constructor(readonly identifier: string) {}

  async getMessages(): Promise<Message[]> {
    return [...this.#messages];
  }

  async appendMessages(msgs: Message[]): Promise<void> {
    this.#messages.push(...msgs);
  }

  async appendStep({ firstMessage, messages, records, checkpoint }: StoredStep): Promise<void> {
    if (firstMessage !== this.#messages.length) {
      const found = { kind: "conflict", message: "Another session has written to this store; open the session again." };
      throw new GloveError("STORE_CONFLICT", JSON.stringify(found));
    }
    this.#messages.push(...messages);
    for (const { sender, usage } of messages) {
      if (sender !== "agent") continue;
      this.#turns++;
      if (usage) await this.addTokens(usage);
    }
    if (checkpoint === undefined) this.#records.push(...records);
    else {
      this.#records = [];
      this.#checkpoint = checkpoint;
    }
  }

  async readRun(): Promise<StoredRun> {
    return { messages: [...this.#messages], records: [...this.#records], checkpoint: this.#checkpoint };
  }

  async getTokenCount(): Promise<number> {
    return this.#tokens.tokens_in + this.#tokens.tokens_out;
  }

  /** The counters one by one. */
  async getTokenConsumption(): Promise<TokenCount> {
    return { ...this.#tokens };
  }

  async addTokens(count: number | TokenCount): Promise<void> {
    const added: Partial<Usage> = typeof count === "number" ? { tokens_in: count } : count;
    const sum: Record<string, number> = { ...this.#tokens };
    for (const [name, value] of Object.entries(added)) if (typeof value === "number") sum[name] = (sum[name] ?? 0) + value;
    this.#tokens = sum as unknown as TokenCount;
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
    return [...this.#tasks];
  }

  async addTasks(tasks: Task[]): Promise<void> {
    this.#tasks = [...tasks];
  }

  async updateTask(taskId: string, updates: Partial<Omit<Task, "id">>): Promise<void> {
    this.#tasks = this.#tasks.map((task) => (task.id === taskId ? { ...task, ...updates } : task));
  }

  /** An answer for these very arguments comes before the one for the tool. */
  async getPermission(toolName: string, input?: unknown): Promise<PermissionStatus> {
    const own = input === undefined ? undefined : this.#permissions.get(permissionKey(toolName, input));
    return own ?? this.#permissions.get(toolName) ?? "unset";
  }

  async setPermission(toolName: string, status: PermissionStatus, input?: unknown): Promise<void> {
    this.#permissions.set(input === undefined ? toolName : permissionKey(toolName, input), status);
  }

  async getInboxItems(): Promise<InboxItem[]> {
    return [...this.#inbox];
  }

  async addInboxItem(item: InboxItem): Promise<void> {
    this.#inbox = [...this.#inbox, item];
  }

  async updateInboxItem(id: string, updates: Partial<InboxItem>): Promise<void> {
    this.#inbox = this.#inbox.map((item) => (item.id === id ? ({ ...item, ...updates } as InboxItem) : item));
  }

  async getResolvedInboxItems(): Promise<InboxItem[]> {
    return this.#inbox.filter(({ status }) => status === "resolved");
  }
}
