// How the core uses a store of the application.

import {
  type Durability,
  type InboxItem,
  type StepMarks,
  type StoreAdapter,
  type StoredStep,
  takesText,
} from "../ports/store.js";
import { GloveError, loadPart } from "../values/error.js";
import type { SessionHost } from "../wasm/core-api.js";
import type { Message, Task, Usage } from "../wire/record.js";
import { listOf, type StoreErrorKind, storeError } from "./errors.js";
import type { Limits } from "./limits.js";
import { countOf, sumOf, wrongCount } from "./token-count.js";
import { Writes } from "./writes.js";

export interface StoreBridge {
  readonly keeps: { readonly tasks: boolean; readonly inbox: boolean; readonly permissions: boolean };
  readonly host: Required<
    Pick<
      SessionHost,
      "load" | "salvage" | "append" | "permission" | "setPermission" | "tasks" | "setTasks" | "inbox" | "consumeInbox"
    >
  >;
}

/** What changes on the way, for those who show it. */
export interface StoreChanges {
  tasks(tasks: readonly Task[]): void;
  inbox(items: readonly InboxItem[]): void;
  /** A write that the run does not depend on has failed. */
  failed(error: unknown): void;
}

/** So long a count is waited for that only says whether a store has understood what it was told. */
const countMs = 1_000;

export function bridgeStore(
  store: StoreAdapter,
  style: "object" | "number" | undefined,
  changes: StoreChanges,
  limits: Limits,
  /** Comes ahead of all writes of the run. */
  claim: () => Promise<void>,
): StoreBridge {
  const writes = new Writes(limits);
  const typed = typedWithin(limits);
  const keeps = {
    tasks: Boolean(store.getTasks && store.addTasks),
    inbox: Boolean(store.getInboxItems && store.updateInboxItem),
    permissions: Boolean(store.getPermission && store.setPermission),
  };
  let isRead = style !== undefined;
  const add = async (usage: Usage) => {
    if (isRead) return store.addTokens(style === "number" ? sumOf(usage) : countOf(usage));
    // What sends JSON sends an object: whether that was understood shows only in what is counted.
    isRead = true;
    const before = await counted(store);
    await store.addTokens(countOf(usage));
    const after = before && (await counted(store));
    const wrong = after && wrongCount(before.tokens, sumOf(usage), after.tokens);
    if (wrong) changes.failed(wrong);
  };
  const count = async (messages: readonly Message[]) => {
    for (const { sender, usage } of messages) {
      if (sender !== "agent") continue;
      await store.incrementTurn();
      if (usage) await add(usage);
    }
  };
  const { appendStep, readRun, appendStepText, readRunText } = store;
  const durable = appendStep && readRun;
  const texts = appendStepText && readRunText && takesText(store, "appendStepText", "appendStep");
  const readsText = texts && takesText(store, "readRunText", "readRun");
  const append = async (text: string, durability: Durability, marks: StepMarks) => {
    await claim();
    if (texts) return appendStepText.call(store, text, durability, marks);
    const step = JSON.parse(text) as StoredStep;
    if (durable) return appendStep.call(store, { ...step, ...marks }, durability);
    if (step.messages.length === 0) return;
    await store.appendMessages([...step.messages]);
    // The messages are stored: a counter that fails must not make them be written again.
    await count(step.messages).catch(changes.failed);
  };
  return {
    keeps,
    host: {
      load: typed(async () => {
        if (readsText) return readable(await readRunText.call(store));
        if (durable) return readable(JSON.stringify(await readRun.call(store)));
        return JSON.stringify({ messages: await store.getMessages(), records: [] });
      }),
      salvage: typed(async () =>
        JSON.stringify((await (await loadPart(import("./maintenance-chunk.js"))).salvageOf(store)).texts),
      ),
      // Its time is counted there.
      append: (step, strict, phase, asks, queued) =>
        writes.write(step, (rest) => append(rest, strict ? "strict" : "relaxed", { phase, asks, queued })).catch(forTheCore),
      permission: typed(async (tool, input) => (await store.getPermission?.(tool, parsed(input))) ?? "unset"),
      setPermission: typed(async (tool, input, granted) => {
        await store.setPermission?.(tool, granted ? "granted" : "denied", parsed(input));
      }),
      tasks: typed(async () => JSON.stringify(listOf("tasks", await store.getTasks?.()))),
      setTasks: typed(async (text) => {
        const tasks = JSON.parse(text) as Task[];
        await store.addTasks?.(tasks);
        changes.tasks(tasks);
      }),
      inbox: typed(async () => {
        const items = listOf("inbox", await store.getInboxItems?.());
        changes.inbox(items);
        return JSON.stringify(items.filter(({ status }) => status !== "consumed"));
      }),
      consumeInbox: typed(async (ids) => {
        for (const id of JSON.parse(ids) as string[]) await store.updateInboxItem?.(id, { status: "consumed" });
        if (store.getInboxItems) changes.inbox(await store.getInboxItems());
      }),
    },
  };
}

/** What a store counts. Nothing where it does not say so, or not soon. */
async function counted(store: StoreAdapter): Promise<{ readonly tokens: unknown } | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), countMs);
  });
  const read = async () => ({ tokens: await store.getTokenCount() });
  const answer = await Promise.race([read().catch(() => undefined), timeout]);
  clearTimeout(timer);
  return answer;
}

/** A store that gives nothing has no empty session: that would be written over what it keeps. */
function readable(run: string | null | undefined): string {
  if (typeof run === "string" && run !== "null") return run;
  throw storeError(
    "corrupt",
    "The store gave no session: `readRun` must resolve with {messages, records}, and `readRunText` with its JSON.",
  );
}

/** What the store throws reaches the core with its kind, and that it does not answer too. */
function typedWithin(limits: Limits) {
  return <A extends unknown[], T>(work: (...args: A) => Promise<T>): ((...args: A) => Promise<T>) =>
    (...args) =>
      limits.within(work(...args)).catch(forTheCore);
}

function forTheCore(thrown: unknown): never {
  throw forCore(thrown);
}

function parsed(input: string | undefined): unknown {
  return input === undefined ? undefined : JSON.parse(input);
}

const kinds: readonly StoreErrorKind[] = ["unavailable", "quota", "newer", "corrupt", "lost", "conflict", "failed"];

/** What a store threw, as the core takes it: with its kind in `detail` where that is known. */
export function forCore(thrown: unknown): unknown {
  const code = thrown instanceof GloveError ? thrown.code : undefined;
  const kind = kinds.find((kind) => code === `STORE_${kind.toUpperCase()}`);
  if (!kind) return thrown;
  const { message } = thrown as GloveError;
  return Object.assign(new Error(message, { cause: thrown }), { detail: JSON.stringify({ kind, message }) });
}
