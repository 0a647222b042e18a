// What the core makes of messages that it does not hold: for who asks a model, or keeps a record, without a session.

import type { InboxItem } from "../ports/store.js";
import { loadPart } from "../values/error.js";
import { toJson } from "../values/json.js";
import { fromCore } from "../wasm/core-errors.js";
import type { Message, Task } from "../wire/record.js";
import { isReady, markReady } from "./ready.js";

/** The messages as a model may read them. */
export async function forModel(messages: readonly Message[]): Promise<Message[]> {
  if (messages.every(isReady)) return [...messages];
  const made = JSON.parse(await withProviders((core) => core.messagesForModel(toJson(messages, "`messages`")))) as Message[];
  markReady(made);
  return made;
}

/** Those that a model reads. */
export async function viewOf(messages: readonly Message[]): Promise<Message[]> {
  return JSON.parse(await withProviders((core) => core.viewOfRecord(toJson(messages, "`messages`")))) as Message[];
}

/** The message that takes the place of what a model has summarised; nothing for an answer without text. */
export async function summaryOf(
  answer: readonly Message[],
  carry: { readonly tasks: readonly Task[]; readonly inbox: readonly InboxItem[] },
): Promise<Message | undefined> {
  const summary = await withProviders((core) => core.summaryOf(toJson(answer, "The answer"), JSON.stringify(carry)));
  return summary === undefined ? undefined : (JSON.parse(summary) as Message);
}

/** What the core throws is no error yet. */
async function withProviders<T>(ask: (core: Awaited<ReturnType<typeof providers>>) => T): Promise<T> {
  const core = await providers();
  try {
    return ask(core);
  } catch (error) {
    throw fromCore(error);
  }
}

const providers = async () => (await loadPart(import("../relay/core.js"))).core();
