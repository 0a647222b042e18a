// A store behind callbacks: what the application does not keep elsewhere is kept in memory.

import type { Durability, InboxItem, StoreAdapter, StoredRun, StoredStep, TokenCount } from "../ports/store.js";
import { checkMethods, type Options } from "../values/validate-options.js";
import type { Message, PermissionStatus, Task } from "../wire/record.js";
import { MemoryStore } from "./memory.js";

/** Each gets the session's id first. Only the first two must be there. */
export interface RemoteStoreActions {
  getMessages(sessionId: string): Promise<Message[]>;
  appendMessages(sessionId: string, messages: Message[]): Promise<unknown>;
  getTokenCount?(sessionId: string): Promise<number>;
  /** Where it goes on as JSON, it is an object there: an older server takes a number, with `tokenCounterStyle: "number"`. */
  addTokens?(sessionId: string, count: TokenCount): Promise<unknown>;
  getTurnCount?(sessionId: string): Promise<number>;
  incrementTurn?(sessionId: string): Promise<unknown>;
  resetCounters?(sessionId: string): Promise<unknown>;
  getTasks?(sessionId: string): Promise<Task[]>;
  addTasks?(sessionId: string, tasks: Task[]): Promise<unknown>;
  updateTask?(sessionId: string, taskId: string, updates: Partial<Omit<Task, "id">>): Promise<unknown>;
  getPermission?(sessionId: string, toolName: string, input?: unknown): Promise<PermissionStatus>;
  setPermission?(sessionId: string, toolName: string, status: PermissionStatus, input?: unknown): Promise<unknown>;
  getInboxItems?(sessionId: string): Promise<InboxItem[]>;
  addInboxItem?(sessionId: string, item: InboxItem): Promise<unknown>;
  updateInboxItem?(sessionId: string, id: string, updates: Partial<InboxItem>): Promise<unknown>;
  getResolvedInboxItems?(sessionId: string): Promise<InboxItem[]>;
  /** Both or none: a store that keeps the run itself, see `StoreAdapter`. */
  appendStep?(sessionId: string, step: StoredStep, durability?: Durability): Promise<unknown>;
  readRun?(sessionId: string): Promise<StoredRun>;
}

const actionOptions = {
  getMessages: "work",
  appendMessages: "work",
  getTokenCount: "work",
  addTokens: "work",
  getTurnCount: "work",
  incrementTurn: "work",
  resetCounters: "work",
  getTasks: "work",
  addTasks: "work",
  updateTask: "work",
  getPermission: "work",
  setPermission: "work",
  getInboxItems: "work",
  addInboxItem: "work",
  updateInboxItem: "work",
  getResolvedInboxItems: "work",
  appendStep: "work",
  readRun: "work",
} as const satisfies Options<RemoteStoreActions>;

/** A store whose methods are the application's; those that are missing work in memory. */
export function createRemoteStore(sessionId: string, actions: RemoteStoreActions): StoreAdapter {
  checkMethods(actions, actionOptions);
  const memory = new MemoryStore(sessionId);
  const remote = <K extends keyof RemoteStoreActions & keyof MemoryStore>(name: K) =>
    actions[name]
      ? (...args: unknown[]) => (actions[name] as (sessionId: string, ...args: unknown[]) => unknown)(sessionId, ...args)
      : (memory[name] as (...args: unknown[]) => unknown).bind(memory);
  // What is told of the tokens, but not asked for them.
  const { addTokens } = actions;
  const counting = addTokens &&
    !actions.getTokenCount && {
      addTokens: async (count: TokenCount) => {
        await addTokens.call(actions, sessionId, count);
        await memory.addTokens(count);
      },
    };
  const { appendStep, readRun, ...each } = actionOptions;
  const names = Object.keys(each) as (keyof typeof each)[];
  const durable = actions.appendStep && actions.readRun ? (["appendStep", "readRun"] as const) : [];
  const methods = Object.fromEntries([...names, ...durable].map((name) => [name, remote(name)]));
  return { identifier: sessionId, ...methods, ...counting } as unknown as StoreAdapter;
}
