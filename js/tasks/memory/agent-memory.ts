// The memory of an agent: its provider, and the view of it that its tasks have.
import { GloveError, reasonOf } from "../../src/values/error.js";
import { check, checkOptions } from "../../src/values/validate-options.js";
import type { CoreTask } from "../../src/wasm/tasks.js";
import type { MemoryEntry, MemoryQuery, MemoryScope, TaskMemoryOptions } from "../../src/wire/task-types.js";
import {
  bindingOf,
  checkChannels,
  checkProvider,
  entryOptions,
  kinds,
  type MemoryChannel,
  type MemoryProvider,
  type NewMemory,
  type RecallOptions,
} from "./provider.js";

/** What an agent reads unless it says otherwise: its own channel, and that of the user whom a task is for. */
const usual: readonly MemoryChannel[] = [{ kind: "agent" }, { kind: "user" }];
const usualPatienceMs = 5_000;
const maxRecalled = 10;

export class AgentMemory {
  readonly #agent: string;
  readonly #provider: MemoryProvider;
  readonly #patienceMs: number;
  #view: readonly MemoryChannel[];
  /** The tasks that are open, whose next steps read another view. */
  readonly #open = new Set<CoreTask>();

  constructor(agent: string, provider: MemoryProvider, view: readonly MemoryChannel[] = usual, patienceMs = usualPatienceMs) {
    this.#agent = agent;
    this.#provider = checkProvider(provider);
    this.#view = checkChannels(view, "memoryView");
    this.#patienceMs = patienceMs;
  }

  options(): TaskMemoryOptions {
    return { view: this.#view.map(bindingOf), patienceMs: this.#patienceMs };
  }

  /** What the core asks of it. Its patience is the core's. */
  port() {
    const provider = this.#provider;
    const of = (scope: string) => JSON.parse(scope) as MemoryScope;
    return {
      remember: async (scope: string, entry: string) => provider.put(of(scope), JSON.parse(entry) as MemoryEntry),
      recall: async (scope: string, query: string) =>
        JSON.stringify(await provider.query(of(scope), JSON.parse(query) as MemoryQuery)),
      forget: async (scope: string, id: string) => provider.delete(of(scope), id),
    };
  }

  opened(task: CoreTask): () => void {
    this.#open.add(task);
    return () => void this.#open.delete(task);
  }

  async remember(uncheckedScope: MemoryScope, entry: NewMemory): Promise<string> {
    const scope = this.#scope(uncheckedScope);
    checkOptions(check("The entry", entry, "object"), entryOptions);
    check("`text`", entry.text, "text");
    for (const tag of entry.tags ?? []) check("A tag", tag, "text");
    const { id = crypto.randomUUID() } = entry;
    await this.#callProvider("written", scope, () => this.#provider.put(scope, { ...entry, id }));
    return id;
  }

  async recall(
    uncheckedScope: MemoryScope,
    text: string,
    { most = maxRecalled, pinned = false, tags = [], filter }: RecallOptions = {},
  ): Promise<readonly MemoryEntry[]> {
    const scope = this.#scope(uncheckedScope);
    for (const tag of check("`tags`", tags, "list")) check("A tag", tag, "text");
    const query: MemoryQuery = {
      name: "application",
      text: check("`text`", text, "text"),
      top_k: check("`most`", most, "whole"),
      pinned: check("`pinned`", pinned, "flag"),
      ...(tags.length > 0 && { tags }),
      ...(filter !== undefined && { filter }),
    };
    const found = await this.#callProvider("read", scope, () => this.#provider.query(scope, query));
    return check("What the memory gave", found, "list", "TASK_MEMORY_FAILED").slice(0, most);
  }

  forget(uncheckedScope: MemoryScope, id: string): Promise<boolean> {
    const scope = this.#scope(uncheckedScope);
    check("`id`", id, "text");
    return this.#callProvider("written", scope, () => this.#provider.delete(scope, id));
  }

  /** Adds a channel, or replaces the one of this scope. Steps that begin later read it. */
  attach(channel: MemoryChannel): void {
    this.setView([...this.#view.filter((known) => !isSame(known, channel)), channel]);
  }

  detach(scope: MemoryScope): boolean {
    const left = this.#view.filter((known) => !isSame(known, scope));
    if (left.length === this.#view.length) return false;
    this.setView(left);
    return true;
  }

  setView(view: readonly MemoryChannel[]): void {
    this.#view = checkChannels(view, "view");
    const text = JSON.stringify(view.map(bindingOf));
    for (const task of this.#open) task.setMemoryView(text);
  }

  #scope(uncheckedScope: MemoryScope): MemoryScope {
    check("The scope", uncheckedScope, { kind: kinds, id: "text", agent_id: "text" });
    check("`kind`", uncheckedScope.kind, kinds);
    const id = uncheckedScope.id || (uncheckedScope.kind === "agent" ? this.#agent : "");
    const { agent_id } = uncheckedScope;
    if (id) return { kind: uncheckedScope.kind, id, ...(agent_id !== undefined && { agent_id }) };
    throw new GloveError(
      "CONFIG_INVALID",
      `The scope must say which ${uncheckedScope.kind}: \`{ kind: "${uncheckedScope.kind}", id: "…" }\`.`,
    );
  }

  async #callProvider<T>(what: string, { kind, id }: MemoryScope, work: () => Promise<T>): Promise<T> {
    const failed = (why: string, cause?: unknown) =>
      new GloveError("TASK_MEMORY_FAILED", `The memory ${kind}:${id} could not be ${what}: ${why}`, { cause });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(failed(`it did not answer within ${this.#patienceMs} ms.`)), this.#patienceMs);
    });
    const asking = (async () => work())().catch((cause: unknown) => Promise.reject(failed(reasonOf(cause), cause)));
    try {
      return await Promise.race([asking, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

const isSame = (a: Partial<MemoryScope>, b: Partial<MemoryScope>) =>
  a.kind === b.kind && (a.id ?? "") === (b.id ?? "") && a.agent_id === b.agent_id;
