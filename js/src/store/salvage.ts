// What can be read of a damaged session; loaded when one is met.
import { GloveError } from "../error.js";
import type { Core } from "../wasm/sessions.js";
import type { Message } from "../wire/record.js";
import type { Salvage, SessionDamage, StoreAdapter } from "./adapter.js";
import { elementsOf, membersOf } from "./json-text.js";
import { limited } from "./limits.js";
import { unknownSession } from "./sessions.js";
import { writeTranscript } from "./transcript.js";

/** The stored messages one by one. */
export async function salvageOf(store: StoreAdapter): Promise<Salvage> {
  if (store.salvage) return store.salvage();
  if (store.readRunText) {
    const text = await store.readRunText();
    const list = membersOf(text).get("messages") ?? text.slice(Math.max(0, text.indexOf('"messages"')));
    return { texts: elementsOf(list.slice(list.indexOf("[") + 1)), damage: [] };
  }
  const messages: unknown = store.readRun ? (await store.readRun())?.messages : await store.getMessages();
  if (Array.isArray(messages)) return { texts: messages.map((message) => JSON.stringify(message) ?? ""), damage: [] };
  return { texts: [], damage: [{ place: "messages", reason: "not a list" }] };
}

/** The core says which of them are messages. The others leave a mark in their place. */
export async function readable({ texts, damage }: Salvage, core: Core) {
  const { salvage } = await core.load();
  const text = salvage(JSON.stringify(texts));
  const { places, reasons } = JSON.parse(text) as { places: number[]; reasons: string[] };
  const faults = places.map((at, n): SessionDamage => {
    const stored = texts[at];
    return { place: `messages[${at}]`, reason: reasons[n] ?? "", ...(stored && { stored }) };
  });
  return { messages: membersOf(text).get("messages") ?? "[]", damage: [...faults, ...damage] };
}

/** A session of a store that exports nothing itself, without its run. */
export async function exportStore(stored: StoreAdapter, core: Core): Promise<string> {
  const store = limited(stored);
  const salvage = await salvageOf(store);
  if (salvage.texts.length + salvage.damage.length === 0) unknownSession(store.identifier);
  const { messages, damage } = await readable(salvage, core);
  const listed = async (place: string, read: () => Promise<unknown> | undefined) => {
    const list = await Promise.resolve(read()).catch(() => undefined);
    if (list !== undefined && !Array.isArray(list)) damage.push({ place, reason: "not a list" });
    return Array.isArray(list) ? JSON.stringify(list) : "[]";
  };
  const tasks = await listed("tasks", () => store.getTasks?.());
  const inbox = await listed("inbox", () => store.getInboxItems?.());
  const about = { id: store.identifier, createdAt: 0, updatedAt: 0, turns: 0, tokens: { tokens_in: 0, tokens_out: 0 }, seq: 0 };
  const faults = damage.length > 0 && { damage: JSON.stringify(damage) };
  return writeTranscript(about, { messages, records: "[]", tasks, inbox, ...faults });
}

/** Begins a session in an empty store. */
export async function begin(store: StoreAdapter, messages: readonly Message[]): Promise<void> {
  if ((await store.getMessages()).length > 0) {
    throw new GloveError("SESSION_EXISTS", `There is a session "${store.identifier}" already; nothing was written to it.`);
  }
  await store.appendMessages([...messages]);
}

/** Begins a session in an empty store from the messages of a damaged one. Of that one nothing is changed. */
export async function repair(damaged: StoreAdapter, empty: StoreAdapter, core: Core): Promise<void> {
  const [from, to] = [limited(damaged), limited(empty)];
  const salvage = await salvageOf(from);
  if (salvage.texts.length + salvage.damage.length === 0) unknownSession(from.identifier);
  const { messages } = await readable(salvage, core);
  await begin(to, JSON.parse(messages));
  // Nothing that the conversation depends on.
  const tasks = await from.getTasks?.().catch(() => undefined);
  if (tasks?.length) await to.addTasks?.(tasks);
  const inbox = await from.getInboxItems?.().catch(() => undefined);
  for (const item of inbox ?? []) await to.addInboxItem?.(item);
}
